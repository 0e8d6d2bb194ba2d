// Command amortizer times an amortizer alone: the locations of a batch of pairs, and the gradient
// of a linear function of them in the weights, as in a training step's ascent. It prints one JSON
// object: time per pair, and the memory of the calls alone per pair, both without compilation.
package main

import (
	"errors"
	"flag"
	"fmt"
	"math"
	"math/rand/v2"
	"os"

	"github.com/gomlx/compute/shapes"
	"github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/core/tensors"

	"github.com/sliced-wasserstein/lab/bench/timing"
	"github.com/sliced-wasserstein/lab/internal/xlaenv"
	"github.com/sliced-wasserstein/lab/swlab/amortizer"
	"github.com/sliced-wasserstein/lab/swlab/engine"
	"github.com/sliced-wasserstein/lab/swlab/slicing"
	"github.com/sliced-wasserstein/lab/swlab/weights"
)

func main() {
	xlaenv.HugePages()
	name := flag.String("name", "la", "l, g, n, a, ea, la, la-sorted")
	backend := flag.String("backend", "auto", "auto, xla:cuda, xla:cpu or go")
	batch := flag.Int("batch", 4, "pairs of clouds")
	points := flag.Int("points", 2048, "points per cloud")
	dk := flag.Int("dk", 64, "width of queries and keys")
	k := flag.Int("k", 64, "projected keys and values of LA")
	stored := flag.Bool("stored-scores", false, "A: store the m x m scores, as the released code does")
	seconds := flag.Float64("seconds", 2, "time to repeat the call for, at least three times")
	flag.Parse()
	r, err := measure(*backend, *name, *batch, *seconds, amortizer.Config{Points: *points, DK: *dk, K: *k}, *stored)
	if err == nil {
		err = r.Print(os.Stdout)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "amortizer:", err)
		os.Exit(1)
	}
}

// measure compiles the graph and calls it once before the clock starts. Value is the sum of the squares of the
// gradient.
func measure(backend, name string, batch int, seconds float64, c amortizer.Config, stored bool) (timing.Result, error) {
	if batch < 1 || c.Points < 1 {
		return timing.Result{}, fmt.Errorf("batch, points: expected at least 1 each, found %d and %d", batch, c.Points)
	}
	if stored {
		if name != "a" {
			return timing.Result{}, errors.New("stored-scores: only amortizer a has scores of all pairs of points")
		}
	}
	a, err := amortizer.New(name, c)
	if err != nil {
		return timing.Result{}, err
	}
	e, err := engine.Open(backend)
	if err != nil {
		return timing.Result{}, err
	}
	specs := a.Specs()
	step, err := graph.NewExec(e.Backend, func(in []*graph.Node) []*graph.Node {
		w := in[3:]
		direction := a.Direction
		if stored {
			direction = storedScores
		}
		d := direction(weights.Bind(specs, w), in[0], in[1])
		return append([]*graph.Node{d}, graph.Gradient(graph.ReduceAllSum(graph.Mul(d, in[2])), w...)...)
	})
	if err != nil {
		return timing.Result{}, err
	}
	defer step.Finalize()
	source := rand.New(rand.NewPCG(1, 0))
	normal := func(shape ...int) *tensors.Tensor {
		n := 1
		for _, s := range shape {
			n *= s
		}
		v := make([]float32, n)
		for i := range v {
			v[i] = float32(source.NormFloat64())
		}
		return tensors.FromFlatDataAndDimensions(v, shape...)
	}
	in := []*tensors.Tensor{normal(batch, c.Points, 3), normal(batch, c.Points, 3), normal(batch, 3)}
	initial := weights.Init(specs, 1).Upload()
	for _, s := range specs {
		in = append(in, initial[s.Name])
	}
	defer engine.Free(in)
	args, shaped := make([]any, len(in)), []shapes.Shape(nil)
	for i, t := range in {
		args[i], shaped = t, append(shaped, t.Shape())
	}
	if _, err := step.Compile(shaped...); err != nil {
		return timing.Result{}, err
	}
	r := timing.Result{Version: e.Name, Peak: timing.Peak()}
	above := timing.Watch()
	call := func() error {
		out, err := step.Call(args...)
		if err != nil {
			return err
		}
		defer engine.Free(out)
		r.Value = 0
		for _, t := range out[1:] {
			v, err := tensors.CopyFlatData[float32](t) // waits for it
			if err != nil {
				return err
			}
			for _, x := range v {
				r.Value += float64(x) * float64(x)
			}
		}
		return nil
	}
	if err := call(); err != nil {
		return timing.Result{}, err
	}
	times, err := timing.Repeat(seconds, call)
	r.Seconds, r.Above = timing.Each(times, float64(batch)), above()/float64(batch)
	return r, err
}

// storedScores is the direction of A as the released code computes it, with all scores stored.
func storedScores(w weights.Nodes, x, y *graph.Node) *graph.Node {
	pool := func(p *graph.Node) *graph.Node {
		layer := func(name string) *graph.Node {
			out := graph.Einsum("bmi,oi->bmo", p, w.Get(name+".weight"))
			return graph.Add(out, graph.InsertAxes(w.Get(name+".bias"), 0, 0))
		}
		queries, keys := layer("attn.toqueries"), layer("attn.tokeys")
		scores := graph.Einsum("bnk,bmk->bnm", queries, keys)
		scores = graph.MulScalar(scores, 1/math.Sqrt(float64(keys.Shape().Dimensions[2])))
		return graph.ReduceMean(graph.Einsum("bnm,bmc->bnc", graph.Softmax(scores, 2), layer("attn.tovalues")), 1)
	}
	return slicing.Unit(graph.Add(pool(x), pool(y)))
}

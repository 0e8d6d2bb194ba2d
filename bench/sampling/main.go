// Command sampling times von Mises-Fisher samples, seconds per million, for comparison with
// bench/sampling_peer.py:
//
//	go -C bench run ./sampling --dim 3 --kappa 1 --on host
//
// On the host one goroutine draws float64 around a fixed location. On the graph, in dimension 3
// only, the compiled sampler of a training step draws float32 from its own random numbers. The
// program prints one JSON object, whose value is the mean component along the location.
package main

import (
	"flag"
	"fmt"
	"math/rand/v2"
	"os"

	"github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/core/tensors"

	"github.com/sliced-wasserstein/lab/bench/timing"
	"github.com/sliced-wasserstein/lab/internal/xlaenv"
	"github.com/sliced-wasserstein/lab/swlab/engine"
	"github.com/sliced-wasserstein/lab/swlab/slicing"
	"github.com/sliced-wasserstein/lab/swlab/vmf"
)

func main() {
	xlaenv.HugePages()
	on := flag.String("on", "host", "host or graph")
	dim := flag.Int("dim", 3, "of the space around the sphere")
	kappa := flag.Float64("kappa", 1, "concentration")
	samples := flag.Int("samples", 1_000_000, "of one call")
	seconds := flag.Float64("seconds", 2, "time to repeat the call for, at least three times")
	flag.Parse()
	if err := run(*on, *dim, *kappa, *samples, *seconds); err != nil {
		fmt.Fprintln(os.Stderr, "sampling:", err)
		os.Exit(1)
	}
}

func run(on string, dim int, kappa float64, samples int, seconds float64) error {
	draw, err := sampler(on, dim, kappa, samples)
	if err != nil {
		return err
	}
	r := timing.Result{Version: on}
	if r.Value, err = draw(); err != nil {
		return err
	}
	if r.Seconds, err = timing.Repeat(seconds, func() error { _, err := draw(); return err }); err != nil {
		return err
	}
	r.Seconds = timing.Each(r.Seconds, float64(samples)/1e6)
	return r.Print(os.Stdout)
}

// sampler returns a function that draws samples around the last axis and returns the mean of their
// last coordinate.
func sampler(on string, dim int, kappa float64, samples int) (func() (float64, error), error) {
	switch {
	case on == "host":
		location := make([]float64, max(1, dim))
		location[len(location)-1] = 1
		d, err := vmf.New(location, kappa)
		if err != nil {
			return nil, err
		}
		r := rand.New(rand.NewPCG(1, 2))
		return func() (float64, error) {
			x, sum := d.Rand(r, samples), 0.0
			for i := dim - 1; i < len(x); i += dim {
				sum += x[i]
			}
			return sum / float64(samples), nil
		}, nil
	case on == "graph" && dim == 3:
		return compiled(kappa, samples)
	}
	return nil, fmt.Errorf("expected --on host, or --on graph with --dim 3, found %q and %d", on, dim)
}

func compiled(kappa float64, samples int) (func() (float64, error), error) {
	e, err := engine.Open("")
	if err != nil {
		return nil, err
	}
	exec, err := graph.NewExec(e.Backend, func(state, location *graph.Node) (theta, mean *graph.Node) {
		src := slicing.Seeded(state)
		theta = vmf.FromNoise(location, src.Uniform(1, samples), src.Normal(1, samples, 2), kappa, vmf.Released)
		return theta, graph.ReduceAllMean(graph.Slice(theta, graph.AxisRange(), graph.AxisRange(), graph.AxisElem(2)))
	})
	if err != nil {
		return nil, err
	}
	location, seed := tensors.FromValue([][]float32{{0, 0, 1}}), int64(0)
	return func() (float64, error) {
		seed++
		state, err := graph.RNGStateFromSeed(seed)
		if err != nil {
			return 0, err
		}
		defer state.FinalizeAll()
		out, err := exec.Call(state, location)
		if err != nil {
			return 0, err
		}
		defer out[0].FinalizeAll()
		defer out[1].FinalizeAll()
		return float64(out[1].Value().(float32)), nil
	}, nil
}

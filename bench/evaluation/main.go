// Command evaluation times the metrics of an evaluation, per pair of clouds of built-in shapes, for
// comparison with bench/evaluation_peer.py:
//
//	go -C bench run ./evaluation --metric cd
//
// cd and emd (the approximate one) are compiled graphs without gradient, as evaluations run them;
// sw (100 slices) and emd-exact are whole calls of swlab.Distance. The pairs are written for the
// peer. The program prints one JSON object.
package main

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"

	"github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/core/tensors"

	"github.com/sliced-wasserstein/lab/bench/timing"
	"github.com/sliced-wasserstein/lab/datasets"
	"github.com/sliced-wasserstein/lab/datasets/format"
	"github.com/sliced-wasserstein/lab/internal/xlaenv"
	"github.com/sliced-wasserstein/lab/swlab"
	"github.com/sliced-wasserstein/lab/swlab/engine"
	"github.com/sliced-wasserstein/lab/swlab/loss"
	"github.com/sliced-wasserstein/lab/swlab/ot1d"
)

func main() {
	xlaenv.HugePages()
	metric := flag.String("metric", "", "cd, sw, emd, emd-exact; empty: write the pairs")
	dir := flag.String("clouds", filepath.Join(".out", "bench", "clouds"), "folder of the pairs")
	pairs := flag.Int("pairs", 8, "of clouds, one call")
	points := flag.Int("points", 2048, "per cloud")
	seconds := flag.Float64("seconds", 2, "time to repeat the call for, at least three times")
	flag.Parse()
	if err := run(*metric, *dir, *pairs, *points, *seconds); err != nil {
		fmt.Fprintln(os.Stderr, "evaluation:", err)
		os.Exit(1)
	}
}

func run(metric, dir string, pairs, points int, seconds float64) error {
	x, y, err := shapes(pairs, points)
	if err != nil {
		return err
	}
	if metric == "" {
		if err := os.MkdirAll(dir, 0o755); err != nil {
			return err
		}
		for i, s := range []*datasets.Set{x, y} { // y is written last: if it exists, both do
			if err := format.WriteNPY(filepath.Join(dir, fmt.Sprintf("pairs-%d-%s.npy", points, "xy"[i:i+1])), s.Coords, s.Clouds, s.Points, s.Dim); err != nil {
				return err
			}
		}
		return nil
	}
	call, version, err := caller(metric, x, y)
	if err != nil {
		return err
	}
	r := timing.Result{Version: version}
	if r.Value, err = call(); err != nil { // compiles, and allocates all memory
		return err
	}
	if r.Seconds, err = timing.Repeat(seconds, func() error { _, err := call(); return err }); err != nil {
		return err
	}
	r.Seconds = timing.Each(r.Seconds, float64(pairs))
	return r.Print(os.Stdout)
}

// shapes returns pairs of clouds of different classes.
func shapes(pairs, points int) (x, y *datasets.Set, err error) {
	classes := datasets.ShapeClasses()
	if pairs < 1 || 2*pairs > len(classes) {
		return nil, nil, fmt.Errorf("pairs: expected 1 to %d, found %d", len(classes)/2, pairs)
	}
	make := func(names []string) (*datasets.Set, error) {
		return datasets.Shapes{Train: 1, Points: points, Classes: names}.Generate()
	}
	if x, err = make(classes[:pairs]); err != nil {
		return nil, nil, err
	}
	y, err = make(classes[pairs : 2*pairs])
	return x, y, err
}

// caller returns a function that computes the mean of the metric over the pairs.
func caller(metric string, x, y *datasets.Set) (call func() (float64, error), version string, err error) {
	name := map[string]string{"cd": "chamfer", "sw": "sw", "emd": "emd-approx", "emd-exact": "emd-exact"}[metric]
	if name == "" {
		return nil, "", fmt.Errorf("metric: expected cd, sw, emd or emd-exact, found %q", metric)
	}
	if metric == "cd" || metric == "emd" {
		return compiled(name, x, y)
	}
	return func() (float64, error) {
		d, err := swlab.Distance(name, x, y, swlab.DistanceConfig{Config: loss.Defaults(), Seed: 1})
		if err != nil {
			return 0, err
		}
		return d.Value, nil
	}, "host", nil
}

func compiled(name string, x, y *datasets.Set) (func() (float64, error), string, error) {
	l, err := loss.NewGraph(name, loss.Defaults())
	if err != nil {
		return nil, "", err
	}
	e, err := engine.Open("")
	if err != nil {
		return nil, "", err
	}
	exec, err := graph.NewExec(e.Backend, func(x, y *graph.Node) *graph.Node {
		return graph.ReduceAllMean(l.Build(loss.BuildArgs{Wrt: ot1d.None}, x, y).Pairs)
	})
	if err != nil {
		return nil, "", err
	}
	tensor := func(s *datasets.Set) *tensors.Tensor {
		return tensors.FromFlatDataAndDimensions(s.Coords, s.Clouds, s.Points, s.Dim)
	}
	a, b := tensor(x), tensor(y)
	return func() (float64, error) {
		out, err := exec.Call(a, b)
		if err != nil {
			return 0, err
		}
		defer out[0].FinalizeAll()
		return float64(out[0].Value().(float32)), nil
	}, e.Name, nil
}

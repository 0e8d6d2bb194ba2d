// Command pairwise times the matrix of approximate EMDs from n generated to n real clouds, the bulk
// of the generation metrics:
//
//	go -C bench run ./pairwise --clouds 200 --store .out/bench/pairwise
//
// It prints wall and processor time per pair, the peak of memory before and after, and what the
// paper's three matrices of 677 x 677 would take at that rate. Clouds are built-in shapes.
package main

import (
	"context"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"runtime"
	"time"

	"github.com/sliced-wasserstein/lab/datasets"
	"github.com/sliced-wasserstein/lab/internal/xlaenv"
	"github.com/sliced-wasserstein/lab/swlab/engine"
	"github.com/sliced-wasserstein/lab/swlab/metric"
)

func main() {
	n := flag.Int("clouds", 200, "of either set")
	points := flag.Int("points", 2048, "per cloud")
	distance := flag.String("distance", "emd-approx", "cd, emd-approx or emd-exact")
	store := flag.String("store", "", "folder that keeps finished blocks; empty: none")
	backend := flag.String("backend", "auto", "auto, xla:cuda, xla:cpu or go")
	flag.Parse()
	xlaenv.HugePages()
	if err := run(os.Stdout, *n, *points, *distance, *store, *backend); err != nil {
		fmt.Fprintln(os.Stderr, "pairwise:", err)
		os.Exit(1)
	}
}

func run(w io.Writer, n, points int, distance, store, backend string) error {
	a, err := shapes(n, points, 1)
	if err != nil {
		return err
	}
	b, err := shapes(n, points, 2)
	if err != nil {
		return err
	}
	e, err := engine.Open(backend)
	if err != nil {
		return err
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	// One block first, to compile and to allocate the memory of a block.
	few := func(s *datasets.Set) *datasets.Set { return s.Select([]int{0, 1}) }
	if _, err := metric.Pairwise(ctx, e, few(a), few(b), distance, metric.Config{}); err != nil {
		return err
	}
	before, cpu, began := peak(), processor(), time.Now()
	last := began
	m, err := metric.Pairwise(ctx, e, a, b, distance, metric.Config{Store: store, Progress: func(what string, done, total int) {
		if time.Since(last) > time.Minute {
			last = time.Now()
			fmt.Fprintf(os.Stderr, "%s %d of %d, %.0f s\n", what, done, total, time.Since(began).Seconds())
		}
	}})
	if err != nil {
		return err
	}
	wall, used, pairs := time.Since(began).Seconds(), processor()-cpu, float64(n*n)
	paper := 3 * 677 * 677.0
	fmt.Fprintf(w, "%s, %d x %d clouds of %d points, %s, %d cores\n", distance, n, n, points, e.Name, runtime.NumCPU())
	fmt.Fprintf(w, "wall       %8.1f s, %.1f ms a pair; at this rate the paper's 3 x 677 x 677: %.1f h\n", wall, 1e3*wall/pairs, wall/pairs*paper/3600)
	fmt.Fprintf(w, "processor  %8.1f s, %.1f ms a pair; over all cores: %.1f h\n", used, 1e3*used/pairs, used/pairs*paper/3600/float64(runtime.NumCPU()))
	fmt.Fprintf(w, "peak memory %.0f MB after one block, %.0f MB at the end\n", before, peak())
	mean := 0.0
	for _, v := range m.Values {
		mean += v / pairs
	}
	fmt.Fprintf(w, "mean distance %.6f\n", mean)
	return nil
}

// shapes returns n clouds, class by class.
func shapes(n, points int, seed uint64) (*datasets.Set, error) {
	classes := len(datasets.ShapeClasses())
	set, err := datasets.Shapes{Train: (n + classes - 1) / classes, Points: points, Seed: seed}.Generate()
	if err != nil {
		return nil, err
	}
	rows := make([]int, n)
	for i := range rows {
		rows[i] = i
	}
	return set.Select(rows), nil
}

// Command reading times reading, centring and scaling batches of clouds in random order, seconds
// per batch, for comparison with bench/reading_peer.py. Without --file it writes the clouds of
// built-in shapes, repeated, as .npy:
//
//	go -C bench run ./reading --clouds 4096
//	go -C bench run ./reading --file .out/bench/clouds/set.npy
//
// The file is loaded before the first batch. The program prints one JSON object, whose value is the mean norm of the first batch's points.
package main

import (
	"flag"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"time"

	"github.com/sliced-wasserstein/lab/bench/timing"
	"github.com/sliced-wasserstein/lab/datasets"
	"github.com/sliced-wasserstein/lab/datasets/format"
)

func main() {
	file := flag.String("file", "", "clouds to read, .npy or .npz; empty: write them")
	out := flag.String("out", filepath.Join(".out", "bench", "clouds", "set.npy"), "where to write them")
	n := flag.Int("clouds", 4096, "to write")
	points := flag.Int("points", 2048, "per cloud to write")
	batch := flag.Int("batch", 128, "clouds of a batch")
	passes := flag.Int("passes", 2, "over the file")
	flag.Parse()
	var err error
	if *file == "" {
		err = write(*out, *n, *points)
	} else {
		err = read(*file, *batch, *passes)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "reading:", err)
		os.Exit(1)
	}
}

func write(path string, n, points int) error {
	set, err := datasets.Shapes{Points: points, Train: 4, Raw: true}.Generate()
	if err != nil {
		return err
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return err
	}
	all := make([]float32, 0, n*points*3)
	for i := range n {
		all = append(all, set.Cloud(i%set.Clouds)...)
	}
	return format.WriteNPY(path, all, n, points, 3)
}

func read(path string, batch, passes int) error {
	s, err := datasets.Load(path, datasets.Options{})
	if err != nil {
		return err
	}
	if batch < 1 || passes < 1 || batch > s.Clouds {
		return fmt.Errorf("expected a batch of 1 to %d clouds and at least one pass, found %d and %d", s.Clouds, batch, passes)
	}
	r := timing.Result{Version: "in memory"}
	for pass := range passes {
		order := datasets.EpochOrder(s.Clouds, 1, pass)
		whole := datasets.Batches(order[:len(order)/batch*batch], batch)
		began := time.Now()
		clouds := make([]float32, batch*s.Points*s.Dim)
		for _, rows := range whole {
			if err := s.Read(clouds, rows); err != nil {
				return err
			}
			if r.Value == 0 {
				r.Value = meanNorm(clouds)
			}
		}
		r.Seconds = append(r.Seconds, time.Since(began).Seconds()/float64(len(whole)))
	}
	return r.Print(os.Stdout)
}

// meanNorm returns the mean norm of points [points, 3].
func meanNorm(p []float32) float64 {
	sum := 0.0
	for i := 0; i < len(p); i += 3 {
		sum += math.Sqrt(float64(p[i])*float64(p[i]) + float64(p[i+1])*float64(p[i+1]) + float64(p[i+2])*float64(p[i+2]))
	}
	return sum / float64(len(p)/3)
}

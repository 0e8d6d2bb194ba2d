// Command distances times sliced distances between two clouds for comparison with
// bench/pot_peer.py. Without --slices it only writes the clouds, and the directions on which errors
// are measured, for both programs to read:
//
//	go run ./bench/distances --points 2048
//	go run ./bench/distances --points 2048 --slices 1000
//
// It times a whole call of swlab.Distance: directions, costs, reduction and standard error. It
// prints one JSON object; the error compares the value on the written directions with sorting in
// float64.
package main

import (
	"flag"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"

	"github.com/sliced-wasserstein/lab/bench/timing"
	"github.com/sliced-wasserstein/lab/datasets"
	"github.com/sliced-wasserstein/lab/swlab"
	"github.com/sliced-wasserstein/lab/swlab/loss"
)

// common is the number of directions on which errors are measured.
const common = 10

func main() {
	dir := flag.String("clouds", filepath.Join(".out", "bench", "clouds"), "folder of the clouds and directions")
	points := flag.Int("points", 2048, "of either cloud")
	slices := flag.Int("slices", 0, "directions of the call that is timed; 0: write the clouds")
	exact := flag.Bool("exact", false, "Path: HostPath")
	seconds := flag.Float64("seconds", 2, "time to repeat the call for, at least three times")
	flag.Parse()
	if err := run(*dir, *points, *slices, *seconds, *exact); err != nil {
		fmt.Fprintln(os.Stderr, "distances:", err)
		os.Exit(1)
	}
}

func run(dir string, points, slices int, seconds float64, exact bool) error {
	base := filepath.Join(dir, fmt.Sprint(points))
	if slices == 0 {
		return write(dir, base, points)
	}
	x, err := datasets.Load(base+"-x.npy", datasets.Options{Raw: true})
	if err != nil {
		return fmt.Errorf("%w; without --slices this program writes it", err)
	}
	y, err := datasets.Load(base+"-y.npy", datasets.Options{Raw: true})
	if err != nil {
		return err
	}
	path := swlab.AutoPath
	if exact {
		path = swlab.HostPath
	}
	r := timing.Result{Version: "float32 clouds"}
	if r.Seconds, err = timing.Repeat(seconds, func() error { _, err := distance(x, y, slices, nil, path); return err }); err != nil {
		return err
	}
	theta := directions()
	if r.Value, err = distance(x, y, common, theta, path); err != nil {
		return err
	}
	r.Error = math.Abs(r.Value/reference(x.Coords, y.Coords, theta) - 1)
	return r.Print(os.Stdout)
}

// write makes two built-in shapes and the common directions.
func write(dir, base string, points int) error {
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return err
	}
	set, err := datasets.Shapes{Train: 1, Points: points, Classes: []string{"car", "chair"}}.Generate()
	if err != nil {
		return err
	}
	names := []string{"x", "y", "directions"} // the last one is written last: if it exists, all do
	for i, v := range [][]float32{set.Coords[:points*3], set.Coords[points*3:], directions()} {
		if err := datasets.WriteNPY(base+"-"+names[i]+".npy", v, len(v)/3, 3); err != nil {
			return err
		}
	}
	return nil
}

// distance is swlab.Distance: W_2^2, mean over points and slices, along its own directions or those
// given.
func distance(x, y *datasets.Set, slices int, theta []float32, path swlab.Path) (float64, error) {
	o := swlab.DistanceConfig{Config: loss.Defaults(), Seed: 2, Path: path}
	o.Reduce, o.Slices = loss.Mean, slices
	if theta != nil {
		o.Directions = &swlab.Directions{Values: theta, Shape: []int{len(theta) / 3, 3}}
	}
	d, err := swlab.Distance("sw", x, y, o)
	if err != nil {
		return 0, err
	}
	return d.Value, nil
}

func directions() []float32 { return uniform(rand.New(rand.NewPCG(1, common)), common) }

// uniform draws n unit vectors in space, uniform on the sphere.
func uniform(r *rand.Rand, n int) []float32 {
	out := make([]float32, 0, 3*n)
	for range n {
		a, b, c := r.NormFloat64(), r.NormFloat64(), r.NormFloat64()
		s := math.Sqrt(a*a + b*b + c*c)
		out = append(out, float32(a/s), float32(b/s), float32(c/s))
	}
	return out
}

// reference returns the mean over directions of W_2^2 by sorting float64 projections.
func reference(x, y, theta []float32) float64 {
	sum := 0.0
	for l := 0; l < len(theta); l += 3 {
		var sorted [2][]float64
		for k, cloud := range [][]float32{x, y} {
			for i := 0; i < len(cloud); i += 3 {
				v := 0.0
				for j, t := range theta[l : l+3] {
					v += float64(t) * float64(cloud[i+j])
				}
				sorted[k] = append(sorted[k], v)
			}
			slices.Sort(sorted[k])
		}
		for i, a := range sorted[0] {
			sum += (a - sorted[1][i]) * (a - sorted[1][i])
		}
	}
	return sum / float64(len(x)) * 3 / float64(len(theta)) * 3
}

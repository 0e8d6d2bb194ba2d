// Command distances times distances between two clouds for comparison with bench/pot_peer.py. It writes the clouds and
// directions of every case for the peer to read, and prints one JSON object a case:
//
//	go run ./bench/distances --clouds .out/bench/clouds
//
// Timed is a whole call of swlab.Distance: directions, costs, reduction and standard error. The error of sliced distances is that on the
// directions written. The Euclidean EMD is exact and timed with its costs.
package main

import (
	"encoding/json"
	"flag"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"time"

	"github.com/sliced-wasserstein/lab/datasets"
	"github.com/sliced-wasserstein/lab/swlab"
	"github.com/sliced-wasserstein/lab/swlab/loss"
)

// comparison is one case: two built-in shapes.
type comparison struct {
	Distance string `json:"distance"` // sliced: mean over slices of W_2^2; emd: mean distance of matched points
	Points   int    `json:"points"`
	Slices   int    `json:"slices"`
	x, y     []float32
}

var comparisons = []comparison{
	{Distance: "sliced", Points: 2048, Slices: 1000},
	{Distance: "sliced", Points: 100_000, Slices: 100},
	{Distance: "emd", Points: 2048},
}

// result is a line of output; the peer prints the same fields.
type result struct {
	Peer    string `json:"peer"`
	Version string `json:"version"`
	comparison
	Repeats int     `json:"repeats"`
	Seconds float64 `json:"seconds_min"`
	Value   float64 `json:"value"`
	Error   float64 `json:"relative_error"` // of a sliced distance, against sorting in float64
}

func main() {
	dir := flag.String("clouds", filepath.Join(".out", "bench", "clouds"), "folder for the clouds and directions")
	seconds := flag.Float64("seconds", 2, "time to repeat every case for, at least three times")
	flag.Parse()
	if err := run(*dir, *seconds); err != nil {
		fmt.Fprintln(os.Stderr, "distances:", err)
		os.Exit(1)
	}
}

func run(dir string, seconds float64) error {
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return err
	}
	for _, c := range comparisons {
		set, err := datasets.Shapes{Train: 1, Points: c.Points, Classes: []string{"car", "chair"}}.Generate()
		if err != nil {
			return err
		}
		c.x, c.y = set.Points[:c.Points*3], set.Points[c.Points*3:]
		theta := uniform(rand.New(rand.NewPCG(1, uint64(c.Slices))), c.Slices)
		files := map[string][]float32{"x": c.x, "y": c.y}
		if c.Slices > 0 {
			files["directions"] = theta
		}
		base := filepath.Join(dir, fmt.Sprintf("%s-%d-", c.Distance, c.Points))
		for name, v := range files {
			if err := datasets.WriteNPY(base+name+".npy", v, len(v)/3, 3); err != nil {
				return err
			}
		}
		r := result{Peer: "swlab", Version: fmt.Sprintf("GOMAXPROCS=%d", runtime.GOMAXPROCS(0)), comparison: c}
		if err := r.measure(seconds, theta); err != nil {
			return err
		}
		if err := json.NewEncoder(os.Stdout).Encode(r); err != nil {
			return err
		}
	}
	return nil
}

func (r *result) measure(seconds float64, theta []float32) error {
	var err error
	call := func() { r.Value, err = distance(r.comparison, nil) }
	r.Repeats, r.Seconds = fastest(seconds, call)
	if err != nil || r.Distance == "emd" {
		return err
	}
	if r.Value, err = distance(r.comparison, theta); err != nil {
		return err
	}
	r.Error = math.Abs(r.Value/reference(r.x, r.y, theta) - 1)
	return nil
}

// fastest calls f for so many seconds and at least three times, and returns the number of calls and the time of the fastest.
func fastest(seconds float64, f func()) (calls int, least float64) {
	least = math.Inf(1)
	for begin := time.Now(); calls < 3 || time.Since(begin).Seconds() < seconds; calls++ {
		start := time.Now()
		f()
		least = min(least, time.Since(start).Seconds())
	}
	return calls, least
}

// distance is the front door's, along directions of its own or those given.
func distance(c comparison, theta []float32) (float64, error) {
	set := func(v []float32) *datasets.Set { return &datasets.Set{Points: v, N: 1, M: c.Points, D: 3} }
	o := swlab.DistanceOptions{Settings: loss.Defaults(), Seed: 2}
	o.PerPoint, o.Slices = true, c.Slices
	name := "sw"
	if c.Distance == "emd" {
		name = "emd-exact"
	}
	if theta != nil {
		o.Directions = &swlab.Directions{Values: theta, Shape: []int{c.Slices, 3}}
	}
	d, err := swlab.Distance(name, set(c.x), set(c.y), o)
	if err != nil {
		return 0, err
	}
	return d.Value, nil
}

// uniform are n unit vectors in space, uniform on the sphere.
func uniform(r *rand.Rand, n int) []float32 {
	out := make([]float32, 0, 3*n)
	for range n {
		a, b, c := r.NormFloat64(), r.NormFloat64(), r.NormFloat64()
		s := math.Sqrt(a*a + b*b + c*c)
		out = append(out, float32(a/s), float32(b/s), float32(c/s))
	}
	return out
}

// reference is the mean over directions of W_2^2 by sorting float64 projections.
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

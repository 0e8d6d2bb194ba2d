// Command distances times distances between pairs of clouds for comparison with bench/numpy_peer.py
// and bench/pot_peer.py. Without --slices it only writes the clouds, and the directions on which
// errors are measured, for all programs to read:
//
//	go -C bench run ./distances --points 2048
//	go -C bench run ./distances --points 2048 --slices 1000
//	go -C bench run ./distances --points 512 --pairs 1000 --slices 100
//	go -C bench run ./distances --points 1024 --pairs 32 --slices 100 --loss chamfer --graph-alone
//	go -C bench run ./distances --points 2048 --slices 100 --loss min-swgg
//
// It times a whole call of swlab.Distance: directions, costs, reduction and standard error. It
// prints one JSON object; the error compares the value on the written directions with sorting in
// float64. Losses other than sw are called once before the clock starts, so that their graphs are
// compiled; --graph-alone times these graphs without the rest of the call.
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
	"github.com/sliced-wasserstein/lab/datasets/format"
	"github.com/sliced-wasserstein/lab/swlab"
	"github.com/sliced-wasserstein/lab/swlab/loss"
	"github.com/sliced-wasserstein/lab/swlab/plan"
	"github.com/sliced-wasserstein/lab/swlab/sets"
)

// common is the number of directions on which errors are measured.
const common = 10

// options are those of the command line.
type options struct {
	dir                   string
	points, pairs, slices int
	loss                  string
	exact, graphAlone     bool
	seconds               float64
}

func main() {
	var o options
	flag.StringVar(&o.dir, "clouds", filepath.Join(".out", "bench", "clouds"), "folder of the clouds and directions")
	flag.IntVar(&o.points, "points", 2048, "of every cloud")
	flag.IntVar(&o.pairs, "pairs", 1, "of clouds in a call")
	flag.IntVar(&o.slices, "slices", 0, "directions per pair of the call that is timed; 0: write the clouds")
	flag.StringVar(&o.loss, "loss", "sw", "one of loss.Names, min-swgg, expected-plan, or pairwise")
	flag.BoolVar(&o.exact, "exact", false, "Path: HostPath")
	flag.BoolVar(&o.graphAlone, "graph-alone", false, "only the compiled graph of the loss, or of its ascent")
	flag.Float64Var(&o.seconds, "seconds", 2, "time to repeat the call for, at least three times")
	flag.Parse()
	if err := o.run(); err != nil {
		fmt.Fprintln(os.Stderr, "distances:", err)
		os.Exit(1)
	}
}

func (o options) run() error {
	if o.slices == 0 {
		return o.write()
	}
	x, err := datasets.Load(o.file("x"), datasets.Options{Raw: true})
	if err != nil {
		return fmt.Errorf("%w; without --slices this program writes it", err)
	}
	y, err := datasets.Load(o.file("y"), datasets.Options{Raw: true})
	if err != nil {
		return err
	}
	call, close := func() error { _, err := o.distance(x, y, nil); return err }, func() {}
	if o.graphAlone {
		if call, close, err = o.graph(x, y); err != nil {
			return err
		}
	}
	defer close()
	if o.loss != "sw" {
		if err := call(); err != nil {
			return err
		}
	}
	r := timing.Result{Version: "float32 clouds"}
	if r.Seconds, err = timing.Repeat(o.seconds, call); err != nil {
		return err
	}
	theta := directions()
	switch o.loss {
	case "chamfer", "emd-approx", "max-sw", "v-dsw": // directions of their own, or none
		return r.Print(os.Stdout)
	}
	if r.Value, err = o.distance(x, y, theta); err != nil {
		return err
	}
	if o.loss == "sw" {
		r.Error = math.Abs(r.Value/reference(x, y, theta) - 1)
	}
	return r.Print(os.Stdout)
}

// file returns the path of the clouds x or y, or of the directions.
func (o options) file(name string) string {
	if o.pairs > 1 {
		name = fmt.Sprintf("%dx%d-%s", o.pairs, o.points, name)
	} else {
		name = fmt.Sprintf("%d-%s", o.points, name)
	}
	return filepath.Join(o.dir, name+".npy")
}

// write makes pairs of two built-in shapes, [points, 3] or, of several pairs, [pairs, points, 3],
// and the common directions.
func (o options) write() error {
	if err := os.MkdirAll(o.dir, 0o755); err != nil {
		return err
	}
	set, err := datasets.Shapes{Train: o.pairs, Points: o.points, Classes: []string{"car", "chair"}}.Generate()
	if err != nil {
		return err
	}
	shape := []int{o.points, 3}
	if o.pairs > 1 {
		shape = []int{o.pairs, o.points, 3}
	}
	half := o.pairs * o.points * 3
	if err := format.WriteNPY(o.file("x"), set.Coords[:half], shape...); err != nil {
		return err
	}
	if err := format.WriteNPY(o.file("y"), set.Coords[half:], shape...); err != nil {
		return err
	}
	return format.WriteNPY(o.file("directions"), directions(), common, 3) // last: if it exists, all do
}

// config is the call's: the mean over points, and its own directions unless some are given.
func (o options) config(theta []float32) swlab.DistanceConfig {
	c := swlab.DistanceConfig{Config: loss.Defaults(), Seed: 2}
	if c.Slices = o.slices; o.loss == "max-sw" {
		c.Slices = 1
	}
	if o.exact {
		c.Path = swlab.HostPath
	}
	switch o.loss {
	case "sw":
		c.Reduce = loss.Mean
	case "partial-sw":
		c.Mass = o.points / 2
	}
	if theta != nil {
		c.Directions = &swlab.Directions{Values: theta, Shape: []int{len(theta) / 3, 3}}
	}
	return c
}

// distance is swlab.Distance: with sw W_2^2, mean over pairs, points and slices. Or it is the cost of a
// sliced plan, which it makes, or the mean of all distances between the clouds of x.
func (o options) distance(x, y *datasets.Set, theta []float32) (float64, error) {
	switch o.loss {
	case "min-swgg", "expected-plan":
		return o.plan(x, y, theta)
	case "pairwise":
		return o.pairwise(x, theta)
	case "ssw":
		x, y = onSphere(x), onSphere(y)
	}
	d, err := swlab.Distance(o.loss, x, y, o.config(theta))
	if err != nil {
		return 0, err
	}
	return d.Value, nil
}

func (o options) plan(x, y *datasets.Set, theta []float32) (float64, error) {
	c := plan.Config{Slices: o.slices, Seed: 2}
	if theta != nil {
		c.Slices, c.Directions = 0, float64s(theta)
	}
	s, err := plan.New(x.Positions(0), y.Positions(0), x.Dim, c)
	if err != nil || o.loss == "min-swgg" {
		return s.Cost, err
	}
	_, err = s.Expected()
	return s.ExpectedCost, err
}

func (o options) pairwise(x *datasets.Set, theta []float32) (sum float64, err error) {
	c := sets.Config{Slices: o.slices, Seed: 2}
	if theta != nil {
		c.Slices, c.Directions = 0, float64s(theta)
	}
	e, err := sets.Embed(x, c)
	if err != nil {
		return 0, err
	}
	all, err := e.Distances()
	for _, v := range all {
		sum += v / float64(x.Clouds*(x.Clouds-1))
	}
	return sum, err
}

// onSphere are the points, divided by their norms.
func onSphere(s *datasets.Set) *datasets.Set {
	out := *s
	out.Coords = slices.Clone(s.Coords)
	for p := range slices.Chunk(out.Coords, 3) {
		norm := math.Sqrt(float64(p[0]*p[0] + p[1]*p[1] + p[2]*p[2]))
		for i := range p {
			p[i] = float32(float64(p[i]) / norm)
		}
	}
	return &out
}

func float64s(v []float32) (out []float64) {
	for _, v := range v {
		out = append(out, float64(v))
	}
	return out
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

// reference returns the mean over pairs and directions of W_2^2 by sorting float64 projections.
func reference(x, y *datasets.Set, theta []float32) float64 {
	sum, cloud := 0.0, x.Points*x.Dim
	for first := 0; first < len(x.Coords); first += cloud {
		for l := 0; l < len(theta); l += 3 {
			a, b := projected(x.Coords[first:first+cloud], theta[l:l+3]), projected(y.Coords[first:first+cloud], theta[l:l+3])
			for i, v := range a {
				sum += (v - b[i]) * (v - b[i])
			}
		}
	}
	return sum / float64(len(x.Coords)) * 3 / float64(len(theta)) * 3
}

// projected returns the sorted projections of a cloud on a direction.
func projected(cloud, theta []float32) (out []float64) {
	for i := 0; i < len(cloud); i += 3 {
		v := 0.0
		for j, t := range theta {
			v += float64(t) * float64(cloud[i+j])
		}
		out = append(out, v)
	}
	slices.Sort(out)
	return out
}

package swlab

import (
	"math"
	"strings"
	"testing"

	"github.com/janpfeifer/must"

	"github.com/sliced-wasserstein/lab/datasets"
	"github.com/sliced-wasserstein/lab/swlab/loss"
)

func cloudOf(dim int, coords ...float32) *datasets.Set {
	return &datasets.Set{Name: "cloud", Coords: coords, Clouds: 1, Points: len(coords) / dim, Dim: dim}
}

// TestMassesAndSizes: values known from the plan, which masses have been divided by their sum for.
func TestMassesAndSizes(t *testing.T) {
	x, y := cloudOf(2, 0, 0, 1, 0, 0, 1), cloudOf(2, 1, 1, 2, 0, 0, 0)
	a, b := []float64{0.5, 0.25, 0.25}, []float64{0.25, 0.25, 0.5}
	scaled := func(w []float64, by float64) []float64 {
		out := make([]float64, len(w))
		for i, v := range w {
			out[i] = v * by
		}
		return out
	}
	for _, c := range []struct {
		loss      string
		p         float64
		want, tol float64
	}{
		{"emd-exact", 1, 0.5, 1e-15},
		{"emd-exact", 2, 0.5, 1e-15},
		{"emd-exact", 3, 0.5, 1e-15},
		{"sinkhorn", 2, 0.5, 1e-3},
		{"chamfer", 2, 0.25 + 0.25 + 0.25 + 0.25, 1e-6}, // (1,0) and (0,1) are 1 from Y, (1,1) and (2,0) 1 from X
	} {
		for _, by := range [][2]float64{{1, 1}, {1e-50, 1}, {3e-320, 1e307}, {1e-300, 1e-310}} {
			o := DistanceConfig{Config: loss.Config{P: c.p}, MassX: scaled(a, by[0]), MassY: scaled(b, by[1]), Gradient: true,
				GradientX: true}
			if c.loss == "emd-exact" {
				o.Reduce = loss.Mean
			}
			d := must.M1(Distance(c.loss, x, y, o))
			if math.Abs(d.Value-c.want) > c.tol || len(d.Gradient) != 6 || len(d.GradientX) != 6 {
				t.Errorf("%s, p = %v, masses times %v: %v, expected %v", c.loss, c.p, by, d.Value, c.want)
			}
			if c.loss == "emd-exact" && !(d.DualityGap[0] <= 1e-12*d.Value) {
				t.Errorf("%s: gap %v", c.loss, d.DualityGap)
			}
		}
	}
	o := DistanceConfig{Config: loss.Config{Reduce: loss.Mean}}
	d, err := Distance("emd-exact", cloudOf(2, 2.7, 4.11, 9.6, 14, 34.2, 34.974), cloudOf(2, 2.8, 4.45, 9.5, 14.1), o)
	if err != nil || math.Abs(d.Value-12.853658627) > 1e-6 || !(d.DualityGap[0] < 1e-12) {
		t.Errorf("three points against two: %+v (%v)", d, err)
	}
}

// TestMassesAreCopies: a point with a mass of 0 is as if it were not there, and one with a mass of 2
// as two points, for every loss that takes masses.
func TestMassesAreCopies(t *testing.T) {
	x, y := gaussian(1, 1, 6, 2, 1), gaussian(2, 1, 5, 2, 1)
	mass := []float64{1, 2, 1, 0, 1, 3}
	var copies []float32
	for i, w := range mass {
		for range int(w) {
			copies = append(copies, x.Coords[2*i:2*i+2]...)
		}
	}
	directions := &Directions{[]float32{1, 0, 0.6, 0.8, -0.8, 0.6}, []int{3, 2}}
	for _, c := range []struct {
		loss string
		path Path
		tol  float64
	}{{"sw", HostPath, 1e-12}, {"sw", GraphPath, 1e-5}, {"emd-exact", AutoPath, 1e-12}, {"sinkhorn", AutoPath, 1e-6},
		{"sinkhorn-divergence", AutoPath, 1e-6}} {
		o := DistanceConfig{Config: loss.Config{P: 2, Reg: 0.1}, Path: c.path}
		if !strings.HasPrefix(c.loss, "sinkhorn") {
			o.Reduce = loss.Mean
		}
		if c.loss == "sw" {
			o.Directions = directions
		}
		want := must.M1(Distance(c.loss, cloudOf(2, copies...), y, o))
		o.MassX = mass
		got := must.M1(Distance(c.loss, x, y, o))
		if math.Abs(got.Value/want.Value-1) > c.tol {
			t.Errorf("%s, path %d: %v with masses, %v with copies", c.loss, c.path, got.Value, want.Value)
		}
	}
}

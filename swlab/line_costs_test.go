package swlab

import (
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/janpfeifer/must"

	"github.com/sliced-wasserstein/lab/datasets"
	"github.com/sliced-wasserstein/lab/swlab/internal/vec"
	"github.com/sliced-wasserstein/lab/swlab/loss"
	"github.com/sliced-wasserstein/lab/swlab/ot1d"
)

// normal is a set of normal clouds in space.
func normal(rng *rand.Rand, clouds, points int, shift float32) *datasets.Set {
	s := &datasets.Set{Name: "normal", Clouds: clouds, Points: points, Dim: 3}
	for range clouds * points * 3 {
		s.Coords = append(s.Coords, float32(rng.NormFloat64())+shift)
	}
	return s
}

// TestSlicedCramerInSpace: over all directions of space, the Cramer distance is a quarter of
// 2 E|x - y| - E|x - x'| - E|y - y'|, for |theta'v| is |v|/2 on average.
func TestSlicedCramerInSpace(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	x, y := normal(rng, 1, 30, 0), normal(rng, 1, 20, 0.5)
	mean := func(a, b *datasets.Set) (sum float64) {
		for i := range a.Points {
			for j := range b.Points {
				d := make([]float64, 3)
				for k := range d {
					d[k] = float64(a.Coords[3*i+k]) - float64(b.Coords[3*j+k])
				}
				sum += vec.Norm(d) / float64(a.Points*b.Points)
			}
		}
		return sum
	}
	want := (2*mean(x, y) - mean(x, x) - mean(y, y)) / 4
	for cost, factor := range map[ot1d.LineCost]float64{ot1d.Cramer: 1, ot1d.Energy: 2} {
		o := DistanceConfig{Config: loss.Config{Cost: cost, Slicing: "qmc", Slices: 4000}, Seed: 3}
		d := must.M1(Distance("sw", x, y, o))
		if !(math.Abs(d.Value-factor*want) <= 1e-4*want) || d.Exponent != 1 {
			t.Errorf("%s: %v, expected %v; %q", cost, d.Value, factor*want, d.Convention)
		}
	}
}

// TestLineCostGradient: gradients in both clouds of several pairs agree with differences, also where
// the weights of the slices depend on their costs, and masses.
func TestLineCostGradient(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 4))
	x, y := normal(rng, 2, 9, 0), normal(rng, 2, 12, 0.3)
	mass := make([]float64, 18)
	for i := range mass {
		mass[i] = 1 + rng.Float64()
	}
	for _, name := range []string{"sw", "eb-sw", "cv-sw"} {
		for _, cost := range []ot1d.LineCost{ot1d.Cramer, ot1d.EppsPulley} {
			o := DistanceConfig{Config: loss.Config{Cost: cost, Slices: 12}, Seed: 5, Gradient: true, GradientX: true}
			if name != "cv-sw" { // whose control variate knows no masses
				o.MassX = mass
			}
			d := must.M1(Distance(name, x, y, o))
			o.Gradient, o.GradientX, o.Path = false, false, HostPath
			o.Directions = &Directions{d.Directions, []int{2, 12, 3}}
			for _, side := range []struct {
				set   *datasets.Set
				slope []float32
			}{{x, d.GradientX}, {y, d.Gradient}} {
				up, down := *side.set, *side.set
				up.Coords, down.Coords = slices.Clone(side.set.Coords), slices.Clone(side.set.Coords)
				change := 0.0
				for i := range up.Coords {
					step := 1e-5 * float32(rng.NormFloat64())
					up.Coords[i] += step
					down.Coords[i] -= step
					change += float64(side.slope[i]) * (float64(up.Coords[i]) - float64(down.Coords[i]))
				}
				at := func(moved *datasets.Set) float64 {
					if side.set == x {
						return must.M1(Distance(name, moved, y, o)).Value
					}
					return must.M1(Distance(name, x, moved, o)).Value
				}
				if want := at(&up) - at(&down); !(math.Abs(change-want) <= 1e-3*math.Abs(want)) {
					t.Errorf("%s %s: a change by %v, expected %v", name, cost, change, want)
				}
			}
		}
	}
}

// TestLineCostRefused: what no graph computes, and what only Wasserstein's cost has.
func TestLineCostRefused(t *testing.T) {
	x := cloudOf(2, 0, 0, 1, 1)
	cramer := loss.Config{Cost: ot1d.Cramer}
	for says, o := range map[string]DistanceConfig{
		"the cost cramer of a direction is found on the host": {Config: cramer, Path: GraphPath},
		"p = 2 would do nothing: not with --cost cramer":      {Config: loss.Config{Cost: ot1d.Cramer, P: 2}},
	} {
		if _, err := Distance("sw", x, x, o); err == nil || !strings.Contains(err.Error(), says) {
			t.Errorf("%v, expected %q", err, says)
		}
	}
	o := DistanceConfig{Config: cramer}
	d := must.M1(Distance("sw", cloudOf(1, 0, 1, 2), cloudOf(1, 4, 3), o))
	if math.Abs(d.Value-(1./9+4./9+1+1./4)) > 1e-12 || d.Slices != 1 {
		t.Errorf("on the line: %+v", d)
	}
}

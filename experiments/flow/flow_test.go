package flow

import (
	"context"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/janpfeifer/must"

	"github.com/sliced-wasserstein/lab/datasets"
	"github.com/sliced-wasserstein/lab/swlab"
	"github.com/sliced-wasserstein/lab/swlab/engine"
	"github.com/sliced-wasserstein/lab/swlab/loss"
	"github.com/sliced-wasserstein/lab/swlab/vmf"
)

// normal returns a cloud [1, n, 3] of normal points.
func normal(seed uint64, n int) *datasets.Set {
	rng := rand.New(rand.NewPCG(seed, 1))
	s := &datasets.Set{Name: "normal", Clouds: 1, Points: n, Dim: 3}
	for range n * 3 {
		s.Coords = append(s.Coords, float32(rng.NormFloat64()))
	}
	return s
}

func directions(seed uint64, n int) *swlab.Directions {
	d := &swlab.Directions{Shape: []int{n, 3}}
	for _, v := range vmf.Uniform(rand.New(rand.NewPCG(seed, 2)), 3, n) {
		d.Values = append(d.Values, float32(v))
	}
	return d
}

func options() swlab.DistanceConfig {
	return swlab.DistanceConfig{Config: loss.Defaults(), Seed: 1}
}

func mustRun(t *testing.T, x, y *datasets.Set, l Loss, o Config) *Flow {
	t.Helper()
	return must.M1(Descend(context.Background(), x, y, l, o))
}

// TestMonotone: minima of sums of squares fall in every step below 2/curvature, also when matchings
// change.
func TestMonotone(t *testing.T) {
	e := must.M1(engine.Open("go"))
	x, y := normal(1, 24), normal(2, 24)
	sw := options()
	sw.Directions = directions(3, 20)
	drawn, emd, chamfer := options(), options(), options()
	drawn.Slices = 20
	emd.P = 2
	chamfer.Engine = e
	for _, c := range []struct {
		name string
		l    Loss
		rate float64
	}{
		{"sw", Distance("sw", x, sw), 1.9},
		{"sw, its own directions", Distance("sw", x, drawn), 1.9},
		{"emd", Distance("emd-exact", x, emd), 1.9},
		// No point has more than 24 neighbours.
		{"chamfer", Distance("chamfer", x, chamfer), 2.0 / 25},
	} {
		f := mustRun(t, x, y, c.l, Config{Steps: 40, LearningRate: c.rate, Every: 100})
		for k := 1; k < len(f.Losses); k++ {
			if f.Losses[k] > f.Losses[k-1]*(1+1e-6)+1e-12 {
				t.Errorf("%s: from %v to %v in step %d", c.name, f.Losses[k-1], f.Losses[k], k)
			}
		}
		if last := f.Losses[len(f.Losses)-1]; last > f.Losses[0]/2 {
			t.Errorf("%s: from %v only to %v", c.name, f.Losses[0], last)
		}
	}
}

// TestStraight: under W_2^2 every point moves straight to its match, which does not change, so W_2
// shrinks by 1 - eta per step.
func TestStraight(t *testing.T) {
	x, y := normal(1, 24), normal(2, 24)
	o := options()
	o.P = 2
	f := mustRun(t, x, y, Distance("emd-exact", x, o), Config{Steps: 6, LearningRate: 0.25, Every: 2})
	if len(f.Frames) != 4 || f.Frames[3].Step != 6 {
		t.Fatalf("%d frames", len(f.Frames))
	}
	for _, frame := range f.Frames {
		want := f.Frames[0].EMD * math.Pow(0.75, float64(frame.Step))
		if math.Abs(frame.EMD-want) > 1e-5*want || math.Abs(frame.EMD*frame.EMD-f.Losses[frame.Step]) > 1e-5*want {
			t.Errorf("step %d: W_2 %v, loss %v, expected %v", frame.Step, frame.EMD, f.Losses[frame.Step], want)
		}
	}
	f = mustRun(t, x, y, Distance("emd-exact", x, o), Config{Steps: 1, LearningRate: 1})
	if f.Losses[1] > 1e-10 {
		t.Errorf("one step of 1 leaves %v", f.Losses[1])
	}
	f = mustRun(t, x, y, Distance("emd-exact", x, o), Config{Steps: 1, LearningRate: 4})
	if f.Losses[1] <= f.Losses[0] {
		t.Errorf("a step beyond 2/curvature falls from %v to %v", f.Losses[0], f.Losses[1])
	}
}

// TestTranslates: from x + v the sliced flow stays at x + (I - eta A)^k v, A the mean of theta
// theta'.
func TestTranslates(t *testing.T) {
	x := normal(1, 16)
	v := []float64{0.5, -0.25, 1}
	y := *x
	y.Coords = nil
	for i, c := range x.Coords {
		y.Coords = append(y.Coords, c+float32(v[i%3]))
	}
	o := options()
	o.Directions = directions(5, 7)
	const steps, rate = 5, 0.8
	f := mustRun(t, x, &y, Distance("sw", x, o), Config{Steps: steps, LearningRate: rate})
	for range steps {
		along := make([]float64, 3)
		for l := range 7 {
			theta := o.Directions.Values[3*l : 3*l+3]
			dot := 0.0
			for k, c := range theta {
				dot += float64(c) * v[k]
			}
			for k, c := range theta {
				along[k] += dot * float64(c) / 7
			}
		}
		for k := range v {
			v[k] -= rate * along[k]
		}
	}
	for i, c := range f.Frames[steps].Points {
		if want := float64(x.Coords[i]) + v[i%3]; math.Abs(float64(c)-want) > 1e-5 {
			t.Fatalf("coordinate %d: %v, expected %v", i, c, want)
		}
	}
}

// TestMax: the largest of the costs, and no motion across its direction.
func TestMax(t *testing.T) {
	x, y := normal(1, 24), normal(2, 24)
	o := options()
	o.Directions = directions(3, 12)
	o.Reduce = loss.Mean
	d := must.M1(swlab.Distance("sw", x, y, o))
	best := slices.Index(d.Costs, slices.Max(d.Costs))
	theta := o.Directions.Values[3*best : 3*best+3]
	value, gradient, err := Max(x, o.Directions.Values, options())(y, 0)
	if err != nil || math.Abs(value-float64(d.Costs[best])) > 1e-6*value {
		t.Fatalf("%v, expected %v, %v", value, d.Costs[best], err)
	}
	for i := range 24 {
		g := gradient[3*i : 3*i+3]
		dot := g[0]*theta[0] + g[1]*theta[1] + g[2]*theta[2]
		for k := range 3 {
			if math.Abs(float64(g[k]-dot*theta[k])) > 1e-6 {
				t.Fatalf("point %d moves across: %v, direction %v", i, g, theta)
			}
		}
	}
}

// TestFresh: new directions in every step, the same in every run.
func TestFresh(t *testing.T) {
	x, y := normal(1, 8), normal(2, 8)
	o := options()
	o.Slices = 2
	l := Fresh("sw", x, o)
	var values []float64
	for _, step := range []int{0, 1, 0} {
		v, _ := must.M2(l(y, step))
		values = append(values, v)
	}
	if values[0] != values[2] || values[0] == values[1] {
		t.Errorf("%v", values)
	}
}

package loss_test

import (
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/gomlx/gomlx/core/tensors"
	"github.com/janpfeifer/must"

	"github.com/sliced-wasserstein/lab/swlab/conformance"
	"github.com/sliced-wasserstein/lab/swlab/engine"
	"github.com/sliced-wasserstein/lab/swlab/internal/graphtest"
	"github.com/sliced-wasserstein/lab/swlab/internal/vec"
	"github.com/sliced-wasserstein/lab/swlab/loss"
	"github.com/sliced-wasserstein/lab/swlab/ot1d"
	"github.com/sliced-wasserstein/lab/swlab/slicing"
)

// onTheLine is a line cost between clouds of dimension 1, as a Host for the suite.
type onTheLine struct{ cost ot1d.LineCost }

func (l onTheLine) sliced() loss.Sliced { return loss.Sliced{Cost: l.cost} }

func (l onTheLine) Name() string                { return l.cost.String() }
func (l onTheLine) Convention() loss.Convention { return l.sliced().Convention() }
func (l onTheLine) Check(_, _, _ int) error     { return nil }
func (l onTheLine) CheckMasses() error          { return l.sliced().CheckMasses() }

// Violates is that of the sliced loss, but that one direction tells all clouds apart.
func (l onTheLine) Violates() []loss.Property {
	return slices.DeleteFunc(l.sliced().Violates(), func(p loss.Property) bool { return p == loss.ZeroOnlyIfEqual })
}

func (l onTheLine) Compare(x, y ot1d.Clouds, gradient bool) (c loss.Comparison, err error) {
	wrt := ot1d.None
	if gradient {
		wrt = ot1d.X | ot1d.Y
	}
	ones := slices.Repeat([]float64{1}, x.Batch)
	pairs, g, err := ot1d.HostGradients(x, y, []float32{1}, 1, ones, wrt, l.sliced().CostConfig())
	return loss.Comparison{Pairs: pairs, GradientX: g.X, GradientY: g.Y}, err
}

// TestSuiteOfLineCosts: every cost of a direction but Wasserstein's.
func TestSuiteOfLineCosts(t *testing.T) {
	for _, cost := range []ot1d.LineCost{ot1d.Cramer, ot1d.Energy, ot1d.EppsPulley} {
		t.Run(cost.String(), func(t *testing.T) {
			o := conformance.Options{Dim: 1, Dirac: 1}
			if cost == ot1d.Energy {
				o.Dirac = 2
			}
			s := must.M1(conformance.New(onTheLine{cost}, o))
			defer s.Close()
			for _, c := range s.Checks() {
				if c.Name == "single points" && cost == ot1d.EppsPulley {
					continue // no power of the distance
				}
				if err := s.Check(c); err != nil {
					t.Errorf("%s: %v", c.Name, err)
				}
			}
		})
	}
}

// TestLineCostOfSliced: what the numbers are, what is refused, and that no graph finds another cost.
func TestLineCostOfSliced(t *testing.T) {
	with := func(change func(*loss.Config)) loss.Config {
		s := settings(func(s *loss.Config) { s.Cost = ot1d.Cramer })
		if change != nil {
			change(&s)
		}
		return s
	}
	for name, want := range map[string]string{
		"sw":    "Cramer distance int (F - G)^2 dt, mean over slices",
		"eb-sw": "Cramer distance int (F - G)^2 dt, mean over slices weighted by exp(cost)",
	} {
		l := must.M1(loss.New(name, with(nil))).(loss.Sliced)
		if got := l.Convention(); got.String() != want || got.Exponent != 1 || !strings.HasSuffix(l.Name(), "SW (cramer)") {
			t.Errorf("%s: %q, %+v", l.Name(), got, got)
		}
		if err := l.Check(3, 4, 3); err != nil || l.CheckMasses() != nil {
			t.Errorf("clouds of two sizes: %v, masses: %v", err, l.CheckMasses())
		}
	}
	epps := must.M1(loss.New("sw", with(func(s *loss.Config) { s.Cost = ot1d.EppsPulley }))).Convention()
	if epps.Exponent != 0 || strings.Contains(epps.String(), "root") {
		t.Errorf("%q", epps)
	}
	for says, change := range map[string]func(*loss.Config){
		"p = 2 would do nothing: not with --cost cramer":         func(s *loss.Config) { s.P = 2 },
		"reduce = mean would do nothing: not with --cost cramer": func(s *loss.Config) { s.Reduce = loss.Mean },
		"root = true would do nothing: not with --cost cramer":   func(s *loss.Config) { s.Root = true },
		"cost: expected one of its values, found 77":             func(s *loss.Config) { s.Cost = 77 },
	} {
		if _, err := loss.New("sw", with(change)); err == nil || !strings.Contains(err.Error(), says) {
			t.Errorf("%v, expected %q", err, says)
		}
	}
	_, err := loss.New("chamfer", with(nil))
	if err == nil || !strings.Contains(err.Error(), "cost = cramer would do nothing") {
		t.Errorf("%v", err)
	}
}

// TestLineCostAscent: plain gradient steps reach the direction of the largest cost, outside of any graph.
func TestLineCostAscent(t *testing.T) {
	e, rng := graphtest.Engine(t), rand.New(rand.NewPCG(1, 1))
	x, y := make([]float32, 60), make([]float32, 60)
	for i := range x {
		x[i] = float32(math.Sin(float64(7 * i)))
		y[i] = float32(math.Sin(float64(11*i + 5)))
		if i%3 == 2 {
			y[i] += 1.5
		}
	}
	for cost, rate := range map[ot1d.LineCost]float64{ot1d.Cramer: 0.5, ot1d.Energy: 0.25, ot1d.EppsPulley: 0.2} {
		l := loss.Sliced{Cost: cost, Slicer: slicing.Slicer{Distribution: slicing.Point{}, Slices: 1,
			Ascent: &slicing.Ascent{Steps: 60, LearningRate: rate, SGD: true, Tangent: true}}}
		at := must.M1(climb(e, l, x, y))
		theta := at
		for range 1000 {
			for range 3 {
				theta = append(theta, float32(rng.NormFloat64()))
			}
			last := theta[len(theta)-3:]
			length := float32(vec.Norm(vec.To[float64](last)))
			for j := range last {
				last[j] /= length
			}
		}
		cx, cy := ot1d.Clouds{Coords: x, Batch: 1, Points: 20, Dim: 3}, ot1d.Clouds{Coords: y, Batch: 1, Points: 20, Dim: 3}
		costs := must.M1(ot1d.HostCosts(cx, cy, theta, len(theta)/3, l.CostConfig()))
		if best := slices.Max(costs); !(costs[0] > 0.999*best) {
			t.Errorf("%s: the ascent ends at %v, which costs %.6g; others cost %.6g", cost, at, costs[0], best)
		}
	}
}

func climb(e *engine.Engine, l loss.Sliced, x, y []float32) ([]float32, error) {
	maximizer, err := l.Maximizer(e, nil)
	if err != nil {
		return nil, err
	}
	cloud := func(c []float32) *tensors.Tensor { return tensors.FromFlatDataAndDimensions(c, 1, len(c)/3, 3) }
	at, err := maximizer.Maximize(1, nil, cloud(x), cloud(y))
	if err != nil {
		return nil, err
	}
	defer engine.Free(at)
	return tensors.CopyFlatData[float32](at)
}

package loss_test

import (
	"fmt"
	"math"
	"slices"
	"testing"

	"github.com/gomlx/gomlx/core/graph"
	"github.com/janpfeifer/must"

	"github.com/sliced-wasserstein/lab/swlab/amortizer"
	"github.com/sliced-wasserstein/lab/swlab/conformance"
	"github.com/sliced-wasserstein/lab/swlab/internal/graphtest"
	"github.com/sliced-wasserstein/lab/swlab/loss"
	"github.com/sliced-wasserstein/lab/swlab/ot"
	"github.com/sliced-wasserstein/lab/swlab/ot1d"
	"github.com/sliced-wasserstein/lab/swlab/slicing"
)

const points = 16

// settings are the defaults with few slices.
func settings(change func(*loss.Config)) loss.Config {
	s := loss.Defaults()
	s.Slices, s.Maps.Points, s.Maps.DK, s.Maps.K = 24, points, 8, 4
	if change != nil {
		change(&s)
	}
	return s
}

// options are what the suite must know about a registered loss.
func options(name string, s loss.Config) conformance.Options {
	o := conformance.Options{Points: points}
	switch name {
	case "chamfer":
		o.Dirac = 2 // both ways are added
	case "emd-approx":
		o.Held = func(x, y, x0, y0 *graph.Node) *graph.Node { // the match
			match, _ := loss.SoftMatch(loss.SquaredDistances(x0, y0))
			cost := graph.Mul(match, graph.Sqrt(loss.SquaredDistances(x, y)))
			cost = graph.ReduceSum(cost, 1, 2)
			if s.Reduce == loss.Mean {
				cost = graph.DivScalar(cost, float64(x.Shape().Dimensions[1]))
			}
			return cost
		}
	case "sinkhorn":
		o.HeldHost = heldPlans(s)
	}
	return o
}

// heldPlans are the transport costs at x and y of the plans of x0 and y0.
func heldPlans(s loss.Config) func(x, y, x0, y0 ot1d.Clouds) ([]float64, error) {
	return func(x, y, x0, y0 ot1d.Clouds) ([]float64, error) {
		solver := ot.Sinkhorn{Reg: s.Reg, P: s.P}
		p := s.P
		if p == 0 {
			p = 2
		}
		at := func(c ot1d.Clouds, pair int) []float32 {
			return c.Coords[pair*c.Points*c.Dim : (pair+1)*c.Points*c.Dim]
		}
		out := make([]float64, x.Batch)
		for b := range out {
			plan, err := solver.Solve(at(x0, b), at(y0, b), x.Dim)
			if err != nil {
				return nil, err
			}
			for k, mass := range plan.Matrix() {
				square := 0.0
				for c := range x.Dim {
					d := float64(at(x, b)[k/y.Points*x.Dim+c]) - float64(at(y, b)[k%y.Points*x.Dim+c])
					square += d * d
				}
				out[b] += mass * math.Pow(square, p/2)
			}
		}
		return out, nil
	}
}

func suite(t *testing.T, name, label string, s loss.Config, change func(*conformance.Options)) {
	t.Run(name+label, func(t *testing.T) {
		t.Parallel()
		if s.P != 1.5 { // those are too slow for make test
			graphtest.Once(t)
		}
		l := must.M1(loss.New(name, s))
		o := options(name, s)
		if change != nil {
			change(&o)
		}
		conformance.Loss(t, l, o)
	})
}

// inGraph are the registered losses but those whose slices are solved outside of graphs, whose properties
// TestOnLine of package swlab tests.
func inGraph() []string {
	return slices.DeleteFunc(loss.Names(), func(name string) bool {
		s, ok := must.M1(loss.New(name, settings(nil))).(loss.Sliced)
		return ok && s.Cost.Own()
	})
}

// TestSuite: every registered loss, as it is and in the variants that its settings make.
func TestSuite(t *testing.T) {
	for _, name := range inGraph() {
		suite(t, name, "", settings(nil), nil)
		for label, change := range map[string]func(*loss.Config){
			" p=1":        func(s *loss.Config) { s.P = 1 },
			" p=1.5":      func(s *loss.Config) { s.P = 1.5 },
			" p=3":        func(s *loss.Config) { s.P = 3 },
			" mean":       func(s *loss.Config) { s.Reduce = loss.Mean },
			" sum":        func(s *loss.Config) { s.Reduce = loss.Sum },
			" root":       func(s *loss.Config) { s.Root = true },
			" p=1.5 root": func(s *loss.Config) { s.P, s.Root, s.Reduce = 1.5, true, loss.Mean },
		} {
			s := settings(change)
			if testing.Short() && s.P == 1.5 {
				continue // in make check
			}
			if _, err := loss.New(name, s); err != nil { // TestWrongSettings has those that are refused
				continue
			}
			suite(t, name, label, s, nil)
		}
	}
}

// TestSuiteOfDistributions: every slicing distribution by itself, where it has no location, and around one.
func TestSuiteOfDistributions(t *testing.T) {
	for _, distribution := range slicing.Names() {
		dist := must.M1(slicing.New(distribution, slicing.Config{Chain: 1}))
		name := "sw"
		if dist.HasLocation() {
			name = "v-dsw"
		}
		suite(t, name, " "+distribution, settings(func(s *loss.Config) { s.Slicing = distribution }), nil)
		suite(t, name, " "+distribution+" kappa=20",
			settings(func(s *loss.Config) { s.Slicing, s.Kappa, s.Chain = distribution, 20, 4 }), nil)
	}
}

// TestSuiteOfControls: every control variate; a root cuts off what is negative.
func TestSuiteOfControls(t *testing.T) {
	for control := range loss.Controls {
		for _, root := range []bool{false, true} {
			suite(t, "cv-sw", fmt.Sprint(" ", control, " root=", root),
				settings(func(s *loss.Config) { s.Control, s.Root = control, root }), nil)
		}
	}
}

// TestSuiteOfAmortizers: every map, for a distribution around its prediction and for the prediction
// alone, in both variants.
func TestSuiteOfAmortizers(t *testing.T) {
	for _, predictor := range amortizer.Names() {
		for _, name := range []string{"v-dsw", "max-sw"} {
			suite(t, name, " "+predictor, settings(func(s *loss.Config) { s.Amortizer = predictor }), nil)
		}
		suite(t, "v-dsw", " "+predictor+" written",
			settings(func(s *loss.Config) { s.Amortizer, s.Maps.Variant, s.Kappa = predictor, amortizer.Paper, 10 }), nil)
	}
}

// TestSuiteInOtherDimensions: the plane and five dimensions.
func TestSuiteInOtherDimensions(t *testing.T) {
	for _, dim := range []int{2, 5} {
		for _, name := range inGraph() {
			suite(t, name, fmt.Sprint(" dim ", dim), settings(nil), func(o *conformance.Options) { o.Dim = dim })
		}
		suite(t, "v-dsw", fmt.Sprint(" la dim ", dim), settings(func(s *loss.Config) { s.Amortizer, s.Maps.Dim = "la", dim }),
			func(o *conformance.Options) { o.Dim = dim })
	}
}

// TestEstimatesOfSW: slicers with uniform directions, with their estimators, agree with the
// quadrature.
func TestEstimatesOfSW(t *testing.T) {
	sw := func(o *conformance.Options) { o.SW = true }
	for _, distribution := range []string{"uniform", "orthogonal", "qmc", "markov"} {
		few := func(s *loss.Config) { s.Slices, s.Slicing, s.Kappa = 60, distribution, 5 }
		suite(t, "sw", " "+distribution, settings(few), sw)
		for control := range loss.Controls {
			suite(t, "cv-sw", " "+distribution+" "+control, settings(func(s *loss.Config) { few(s); s.Control = control }), sw)
		}
	}
	suite(t, "v-dsw", " kappa=0", settings(func(s *loss.Config) { s.Kappa = 0 }), sw)
	suite(t, "sw", " p=3 mean dim 2", settings(func(s *loss.Config) { s.P, s.Reduce = 3, loss.Mean }),
		func(o *conformance.Options) { o.SW, o.Dim = true, 2 })
}

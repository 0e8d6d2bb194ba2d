package loss

import (
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/gomlx/compute/dtypes"
	"github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/core/tensors"
	"github.com/janpfeifer/must"

	"github.com/sliced-wasserstein/lab/swlab/internal/graphtest"
	"github.com/sliced-wasserstein/lab/swlab/ot1d"
	"github.com/sliced-wasserstein/lab/swlab/slicing"
	"github.com/sliced-wasserstein/lab/swlab/weights"
)

// cloud is a batch of normal clouds [batch, m, 3].
func cloud(seed uint64, batch, m int) *tensors.Tensor {
	r := rand.New(rand.NewPCG(seed, 1))
	v := make([]float32, batch*m*3)
	for i := range v {
		v[i] = float32(r.NormFloat64() * 0.3)
	}
	return tensors.FromFlatDataAndDimensions(v, batch, m, 3)
}

// graphLoss is a registered loss.
func graphLoss(t *testing.T, name string, change func(*Config)) Graph {
	t.Helper()
	s := Defaults()
	change(&s)
	return must.M1(NewGraph(name, s))
}

// TestKnownAnswers: the project's four points, by hand.
func TestKnownAnswers(t *testing.T) {
	x := tensors.FromFlatDataAndDimensions([]float64{0, 0, 0, .5, 0, 0, 0, .5, 0, 0, 0, .5}, 1, 4, 3)
	y := tensors.FromFlatDataAndDimensions([]float64{.1, 0, 0, .4, .1, 0, 0, .3, .2, -.2, 0, .6}, 1, 4, 3)
	theta := tensors.FromFlatDataAndDimensions([]float64{1, 0, 0, .6, 0, .8}, 2, 3)
	out := graphtest.InGo(t, func(n []*graph.Node) []*graph.Node {
		l := Sliced{Label: "fixed", Slicer: slicing.Slicer{Distribution: slicing.Fixed{Directions: n[2]}, Slices: 2}}
		sum := l.Build(BuildArgs{}, n[0], n[1])
		l.Estimator = Energy{}
		energy := l.Build(BuildArgs{}, n[0], n[1]).Pairs
		l.Reduce, l.Root = Mean, true
		return []*graph.Node{sum.Slices, sum.Pairs, energy, l.Build(BuildArgs{}, n[0], n[1]).Pairs}
	}, x, y, theta)
	// W_2^2 of the two slices is 0.015 and 0.0086; the energy weighs them by its exponential.
	share := 1 / (1 + math.Exp(0.0086-0.015))
	energy := share*0.06 + (1-share)*0.0344
	got := slices.Concat(out...)
	for i, want := range []float64{0.06, 0.0344, 0.0472, energy, math.Sqrt(energy / 4)} {
		if math.Abs(got[i]-want) > 1e-12 {
			t.Errorf("answer %d: %v, want %v", i, got[i], want)
		}
	}
}

// TestAmortizedGradientsReachOnlyTheirSide: without ot1d.Directions the loss has no gradient in the
// amortizer's weights, with it there is one and none in the clouds.
func TestAmortizedGradientsReachOnlyTheirSide(t *testing.T) {
	for _, name := range []string{"v-dsw", "max-sw"} {
		l := graphLoss(t, name, func(s *Config) { s.Slices, s.Amortizer, s.Maps.Points = 5, "l", 16 })
		set := weights.Init(l.Specs(), 1)
		in := []any{cloud(1, 2, 16), cloud(2, 2, 16)}
		for _, n := range set.Names() {
			w, _ := set.Get(n)
			in = append(in, tensors.FromFlatDataAndDimensions(w.Data, w.Shape...))
		}
		for wrt, moves := range map[ot1d.Wrt]bool{ot1d.Y: false, ot1d.Directions: true} {
			out := graphtest.InGo(t, func(n []*graph.Node) []*graph.Node {
				rng := graph.RNGStateFromSeedForGraph(n[0].Graph(), 7)
				r := l.Build(BuildArgs{Source: slicing.Seeded(rng), Wrt: wrt, Weights: weights.Bind(l.Specs(), n[2:])}, n[0], n[1])
				var out []*graph.Node
				for _, g := range graph.Gradient(graph.ReduceAllSum(r.Pairs), n[2], n[0], n[1]) {
					out = append(out, graph.ConvertDType(g, dtypes.Float64))
				}
				return out
			}, in...)
			for k, want := range []bool{moves, false, !moves} {
				sum := 0.0
				for _, g := range out[k] {
					sum += math.Abs(g)
				}
				if (sum > 0) != want {
					t.Errorf("%s, Wrt %d, argument %d: |gradient| %v", name, wrt, k, sum)
				}
			}
		}
	}
}

func TestWrongSettings(t *testing.T) {
	for says, c := range map[string]struct {
		name   string
		change func(*Config)
	}{
		`unknown loss "nope", expected one of asw, chamfer,`:  {"nope", nil},
		"slices: expected at least 1, found -1":               {"sw", func(s *Config) { s.Slices = -1 }},
		"p: expected a number >= 1, found 0.5":                {"sw", func(s *Config) { s.P = 0.5 }},
		"p: expected a number >= 1, found NaN":                {"chamfer", func(s *Config) { s.P = math.NaN() }},
		"p: expected a number >= 1, found +Inf":               {"sw", func(s *Config) { s.P = math.Inf(1) }},
		"reduce: expected one of its values, found 3":         {"sw", func(s *Config) { s.Reduce = 3 }},
		"kappa: expected a number from 0 to 1e+15, found -1":  {"v-dsw", func(s *Config) { s.Kappa = -1 }},
		"to 1e+15, found 1e+16":                               {"v-dsw", func(s *Config) { s.Kappa = 1e16 }},
		"kappa: expected a number from 0 to 1e+15, found NaN": {"sw", func(s *Config) { s.Kappa = math.NaN() }},
		"ascent rate: expected a number > 0 and at most 3.4e+38, found NaN": {"chamfer",
			func(s *Config) { s.AscentLearningRate = math.NaN() }},
		"ascent steps: expected at least 0, found -1": {"v-dsw", func(s *Config) { s.AscentSteps = -1 }},
		"amortizer = la would do nothing: loss \"sw\" has no use for it, only max-sw, v-dsw": {"sw",
			func(s *Config) { s.Amortizer = "la" }},
		`loss "chamfer": amortizer = la would do nothing`: {"chamfer", func(s *Config) { s.Amortizer = "la" }},
		"slicing = qmc would do nothing":                  {"emd-approx", func(s *Config) { s.Slicing = "qmc" }},
		"root = true would do nothing: loss \"chamfer\" has no use for it, only asw, circle, cv-sw, ": {"chamfer",
			func(s *Config) { s.Root = true }},
		"expected p = 1, found 2":                                   {"emd-approx", func(s *Config) { s.P = 2 }},
		`unknown amortizer "zz"`:                                    {"v-dsw", func(s *Config) { s.Amortizer = "zz" }},
		"expected points >= 1, found 0":                             {"v-dsw", func(s *Config) { s.Amortizer = "la" }},
		`unknown slicing distribution "zz"`:                         {"sw", func(s *Config) { s.Slicing = "zz" }},
		`which the slicing distribution "vmf" needs: v-dsw has one`: {"sw", func(s *Config) { s.Slicing = "vmf" }},
		`which "uniform" lacks: use sw`: {"v-dsw",
			func(s *Config) { s.Slicing = "uniform" }},
		`slicing = vmf would do nothing: loss "max-sw" has no use for it`: {"max-sw",
			func(s *Config) { s.Slicing = "vmf" }},
		"fine_tune = true would do nothing: it belongs to an --amortizer: a, ea": {"v-dsw",
			func(s *Config) { s.FineTune = true }},
		"unknown control variate \"x\", expected one of harmonics, lower, upper": {"cv-sw",
			func(s *Config) { s.Control = "x" }},
		"uniform one by one, which those of \"random-path\"": {"cv-sw", func(s *Config) { s.Slicing = "random-path" }},
		"chain: expected at least 1 step, found 0":           {"markov-sw", func(s *Config) { s.Chain = 0 }},
		"replicates: expected at least 1":                    {"qmc-sw", func(s *Config) { s.Replicates = -1 }},
		"replicates = 4 would do nothing: loss \"sw\" has no use for it, only qmc-sw": {"sw",
			func(s *Config) { s.Replicates = 4 }},
		"loss \"chamfer\": replicates = 4 would do nothing": {"chamfer", func(s *Config) { s.Replicates = 4 }},
		"loss \"sw\": fine_tune = true would do nothing":    {"sw", func(s *Config) { s.FineTune = true }},
		"ascent_tangent = true would do nothing: loss \"sw\" has no use for it, only max-sw, v-dsw": {"sw",
			func(s *Config) { s.AscentTangent = true }},
		"loss \"chamfer\": ascent_sgd = true would do nothing": {"chamfer", func(s *Config) { s.AscentSGD = true }},
		`ascent_tangent = true would do nothing: not with --amortizer ea`: {"max-sw", func(s *Config) {
			s.Amortizer, s.Maps.Points, s.AscentTangent = "ea", 8, true
		}},
		"ascent steps: expected at least 0, found -2":     {"sw", func(s *Config) { s.AscentSteps = -2 }},
		"ground: expected one of its values, found 7":     {"sw", func(s *Config) { s.Ground = 7 }},
		"reflection: expected one of its values, found 7": {"sw", func(s *Config) { s.Reflection = 7 }},
		"epsilon: expected a number > 0":                  {"sw", func(s *Config) { s.Epsilon = -1 }},
		"at most 3.4e+38, found 1e+60":                    {"sw", func(s *Config) { s.AscentLearningRate = 1e60 }},
	} {
		s := Defaults()
		if c.change != nil {
			c.change(&s)
		}
		if _, err := New(c.name, s); err == nil || !strings.Contains(err.Error(), says) {
			t.Errorf("error %v, expected one that says %q", err, says)
		}
	}
	if _, err := NewGraph("emd-exact", Defaults()); err == nil ||
		!strings.Contains(err.Error(), "no network can be trained") {
		t.Errorf("a graph of a loss of the host: %v", err)
	}
}

// TestConvention: the words of the type.
func TestConvention(t *testing.T) {
	for want, l := range map[string]Loss{
		"W_2^2: sum over points, mean over slices, no root":                                                      Sliced{},
		"W_3^3: mean over points, mean over slices, 3-th root":                                                   Sliced{P: 3, Reduce: Mean, Root: true},
		"Euclidean distance to the nearest neighbour, sum over points, both ways added":                          Chamfer{P: 1, Reduce: Sum},
		"Euclidean distance to the nearest neighbour to the power 3, mean over points, both ways added, no root": Chamfer{P: 3},
		"optimal assignment, squared Euclidean distance, mean over points, no root":                              ExactEMD{P: 2, Reduce: Mean},
	} {
		if got := l.Convention().String(); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}

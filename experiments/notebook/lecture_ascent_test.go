package notebook

import (
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/gomlx/gomlx/core/tensors"

	"github.com/sliced-wasserstein/lab/datasets"
	"github.com/sliced-wasserstein/lab/swlab"
	"github.com/sliced-wasserstein/lab/swlab/engine"
	"github.com/sliced-wasserstein/lab/swlab/loss"
	"github.com/sliced-wasserstein/lab/swlab/slicing"
	"github.com/sliced-wasserstein/lab/swlab/vmf"
	"github.com/sliced-wasserstein/lab/vmfviz"
)

// shifted is a cloud and its translate, so that F(theta) = 16 (theta'shift)^2 is largest along the shift.
func shifted(shift [3]float32) (x, y *datasets.Set) {
	r := rand.New(rand.NewPCG(1, 2))
	x = &datasets.Set{Name: "x", Kind: "npy", N: 1, M: 16, D: 3}
	for range 3 * x.M {
		x.Points = append(x.Points, float32(r.NormFloat64()))
	}
	y = x.Select([]int{0})
	for i := range y.Points {
		y.Points[i] += shift[i%3]
	}
	return x, y
}

func open(t *testing.T) *engine.Engine {
	t.Helper()
	e, err := engine.Open("")
	if err != nil {
		t.Fatal(err)
	}
	return e
}

// TestAscentPaths: the paths end where the climber of the losses does, and the tangent ascent at the shift.
func TestAscentPaths(t *testing.T) {
	e := open(t)
	x, y := shifted([3]float32{0.6, 0, 0.8})
	starts := []float32{1, 0, 0, 0, 0.8, -0.6}
	a := slicing.Ascent{Steps: 7, Rate: 0.03}
	rule := slicing.Rule{Law: slicing.Point{}, Slices: 1, Ascent: &a}
	paths, err := AscentPaths(e, x, y, rule, starts, 1)
	if err != nil || len(paths) != 2 || len(paths[0]) != 8*3 {
		t.Fatalf("%d paths, %v", len(paths), err)
	}
	climber, err := slicing.NewClimber(e.Backend, a, loss.Sliced{Rule: rule}.Objective(""))
	if err != nil {
		t.Fatal(err)
	}
	defer climber.Close()
	two := []int{0, 0}
	end, err := climber.Climb(1, tensors.FromFlatDataAndDimensions(starts, 2, 3),
		tensors.FromFlatDataAndDimensions(x.Select(two).Points, 2, 16, 3), tensors.FromFlatDataAndDimensions(y.Select(two).Points, 2, 16, 3))
	if err != nil {
		t.Fatal(err)
	}
	want := tensors.MustCopyFlatData[float32](end)
	for i, p := range paths {
		for j := range 3 {
			if p[j] != starts[3*i+j] || math.Abs(float64(p[7*3+j]-want[3*i+j])) > 1e-6 {
				t.Fatalf("path %d goes from %v to %v, expected from %v to %v", i, p[:3], p[21:], starts[3*i:3*i+3], want[3*i:3*i+3])
			}
		}
	}
	rule.Ascent = &slicing.Ascent{Steps: 200, Rate: 0.05, Tangent: true}
	paths, err = AscentPaths(e, x, y, rule, starts, 1)
	if err != nil {
		t.Fatal(err)
	}
	for i, p := range paths {
		if at := p[len(p)-3:]; math.Abs(float64(0.6*at[0]+0.8*at[2])) < 0.9999 {
			t.Errorf("tangent ascent %d ends at %v", i, at)
		}
	}
	for want, broken := range map[string]func(){
		"found 2 and 1":    func() { _, err = AscentPaths(e, x.Select(two), y, rule, starts, 1) },
		"found 5 numbers":  func() { _, err = AscentPaths(e, x, y, rule, starts[:5], 1) },
		"a location and a": func() { _, err = AscentPaths(e, x, y, slicing.Rule{Law: slicing.Uniform{}, Slices: 3}, starts, 1) },
	} {
		if broken(); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("expected an error with %q, found %v", want, err)
		}
	}
}

// TestAmortizerPath: every map starts where swlab.Direction says and climbs.
func TestAmortizerPath(t *testing.T) {
	e := open(t)
	x, y := shifted([3]float32{0.6, 0, 0.8})
	for _, name := range []string{"l", "la"} {
		path, err := AmortizerPath(e, name, x, y, 1e-2, 100, 3)
		if err != nil || len(path) != 101*3 {
			t.Fatalf("%s: %d numbers, %v", name, len(path), err)
		}
		p, err := swlab.Direction(name, x, y, swlab.DirectionOptions{Seed: 3, Engine: e})
		if err != nil {
			t.Fatal(err)
		}
		cos := func(at []float32) float64 { return math.Abs(float64(0.6*at[0] + 0.8*at[2])) }
		for j, v := range p.Directions {
			if math.Abs(float64(v-path[j])) > 1e-5 {
				t.Errorf("%s starts at %v, expected %v", name, path[:3], p.Directions)
				break
			}
		}
		if first, last := cos(path[:3]), cos(path[300:]); last < 0.99 {
			t.Errorf("%s: the cosine to the shift goes from %v to %v", name, first, last)
		}
	}
	if _, err := AmortizerPath(e, "x", x, y, 1e-2, 1, 1); err == nil || !strings.Contains(err.Error(), `"x"`) {
		t.Errorf("unknown map: %v", err)
	}
	if _, err := AmortizerPath(e, "l", x, y, 0, 1, 1); err == nil || !strings.Contains(err.Error(), "positive rate") {
		t.Errorf("rate 0: %v", err)
	}
}

// TestSmooth: a quadratic harmonic is multiplied by a_2, and kappa = 0 leaves the mean.
func TestSmooth(t *testing.T) {
	const rows = 24
	f := func(t [3]float64) float64 { return t[0] * t[0] }
	h := vmfviz.HeatOf("", rows, f)
	grid := vmfviz.SphereGrid(rows)
	for _, kappa := range []float64{0, 1, 10} {
		j, err := Smooth(h.Values, rows, kappa)
		if err != nil {
			t.Fatal(err)
		}
		a := vmf.Multipliers(3, kappa, 2)[2]
		for i, v := range j {
			if want := (1-a)/3 + a*h.Values[i]; math.Abs(v-want) > 2e-3 {
				t.Fatalf("kappa %v at %v: %v, expected %v", kappa, grid[3*i:3*i+3], v, want)
			}
		}
	}
	if _, err := Smooth(h.Values, rows+1, 1); err == nil || !strings.Contains(err.Error(), "25 rows") {
		t.Errorf("another grid: %v", err)
	}
}

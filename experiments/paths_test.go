package experiments

import (
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/gomlx/gomlx/core/tensors"
	"github.com/janpfeifer/must"

	"github.com/sliced-wasserstein/lab/datasets"
	"github.com/sliced-wasserstein/lab/swlab"
	"github.com/sliced-wasserstein/lab/swlab/amortizer"
	"github.com/sliced-wasserstein/lab/swlab/engine"
	"github.com/sliced-wasserstein/lab/swlab/loss"
	"github.com/sliced-wasserstein/lab/swlab/slicing"
	"github.com/sliced-wasserstein/lab/swlab/weights"
)

// shifted returns a cloud and its translate, so that F(theta) = 16 (theta'shift)^2 is largest along
// the shift.
func shifted(shift [3]float32) (x, y *datasets.Set) {
	r := rand.New(rand.NewPCG(1, 2))
	x = &datasets.Set{Name: "x", Kind: "npy", Clouds: 1, Points: 16, Dim: 3}
	for range 3 * x.Points {
		x.Coords = append(x.Coords, float32(r.NormFloat64()))
	}
	y = x.Select([]int{0})
	for i := range y.Coords {
		y.Coords[i] += shift[i%3]
	}
	return x, y
}

// TestAscentPaths: the paths end where the maximizer of the losses does, and the tangent ascent at
// the shift.
func TestAscentPaths(t *testing.T) {
	e := must.M1(engine.Open(""))
	x, y := shifted([3]float32{0.6, 0, 0.8})
	starts := []float32{1, 0, 0, 0, 0.8, -0.6}
	a := slicing.Ascent{Steps: 7, LearningRate: 0.03}
	slicer := slicing.Slicer{Distribution: slicing.Point{}, Slices: 1, Ascent: &a}
	paths, err := AscentPaths(e, x, y, slicer, starts, 1)
	if err != nil || len(paths) != 2 || len(paths[0]) != 8*3 {
		t.Fatalf("%d paths, %v", len(paths), err)
	}
	maximizer := must.M1(slicing.NewMaximizer(e, nil, a, loss.Sliced{Slicer: slicer}.Objective()))
	two := []int{0, 0}
	end := must.M1(maximizer.Maximize(1, tensors.FromFlatDataAndDimensions(starts, 2, 3),
		tensors.FromFlatDataAndDimensions(x.Select(two).Coords, 2, 16, 3),
		tensors.FromFlatDataAndDimensions(y.Select(two).Coords, 2, 16, 3)))
	want := tensors.MustCopyFlatData[float32](end)
	for i, p := range paths {
		for j := range 3 {
			if p[j] != starts[3*i+j] || math.Abs(float64(p[7*3+j]-want[3*i+j])) > 1e-6 {
				t.Fatalf("path %d goes from %v to %v, expected from %v to %v", i, p[:3], p[21:], starts[3*i:3*i+3], want[3*i:3*i+3])
			}
		}
	}
	slicer.Ascent = &slicing.Ascent{Steps: 200, LearningRate: 0.05, Tangent: true}
	paths = must.M1(AscentPaths(e, x, y, slicer, starts, 1))
	for i, p := range paths {
		if at := p[len(p)-3:]; math.Abs(float64(0.6*at[0]+0.8*at[2])) < 0.9999 {
			t.Errorf("tangent ascent %d ends at %v", i, at)
		}
	}
	for want, broken := range map[string]func(){
		"found 2 and 1": func() { _, err = AscentPaths(e, x.Select(two), y, slicer, starts, 1) },
		"and 5 numbers": func() { _, err = AscentPaths(e, x, y, slicer, starts[:5], 1) },
	} {
		if broken(); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("expected an error with %q, found %v", want, err)
		}
	}
}

// TestAmortizerPath: every map starts at the direction of swlab.Direction and ascends.
func TestAmortizerPath(t *testing.T) {
	e := must.M1(engine.Open(""))
	x, y := shifted([3]float32{0.6, 0, 0.8})
	for _, name := range []string{"l", "la"} {
		path, err := AmortizerPath(e, name, x, y, 1e-2, 100, 3)
		if err != nil || len(path) != 101*3 {
			t.Fatalf("%s: %d numbers, %v", name, len(path), err)
		}
		p := must.M1(swlab.Direction(name, x, y, swlab.DirectionConfig{Seed: 3, Engine: e}))
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
}

// TestRotationAngles: the linear map rotates with the clouds if its offset is 0, and is constant if
// it is only an offset.
func TestRotationAngles(t *testing.T) {
	e := must.M1(engine.Open(""))
	set := must.M1(datasets.Shapes{Test: 6, Points: 32, Classes: []string{"chair"}}.Generate())
	x, y := set.Select([]int{0, 1, 2}), set.Select([]int{3, 4, 5})
	points := append([]float32(nil), x.Coords...)
	a := must.M1(amortizer.New("l", amortizer.Config{Points: 32}))
	mean := func(form, offset float32) float64 {
		w := weights.Init(a.Specs(), 1)
		for name, scale := range map[string]float32{"f.0.weight": form, "f.0.bias": offset} {
			v, _ := w.Get(name)
			for i := range v.Data {
				v.Data[i] *= scale
			}
		}
		angles, err := RotationAngles("l", x, y, swlab.DirectionConfig{Weights: w, Engine: e}, 5)
		if err != nil || len(angles) != 3 {
			t.Fatalf("%v, %v", angles, err)
		}
		return (angles[0] + angles[1] + angles[2]) / 3
	}
	if v := mean(1, 0); v > 1e-3 {
		t.Errorf("without offset: %v degrees", v)
	}
	if v := mean(1e-4, 1); v < 20 {
		t.Errorf("nothing but offset: %v degrees", v)
	}
	for i, v := range points {
		if x.Coords[i] != v {
			t.Fatal("the clouds of the caller were turned")
		}
	}
	flat := &datasets.Set{Name: "flat", Coords: make([]float32, 8), Clouds: 1, Points: 4, Dim: 2}
	if _, err := RotationAngles("l", flat, flat, swlab.DirectionConfig{Engine: e}, 1); err == nil || !strings.Contains(err.Error(), "R^3") {
		t.Errorf("points of the plane: %v", err)
	}
}

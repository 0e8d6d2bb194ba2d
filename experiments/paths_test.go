package experiments

import (
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/gomlx/gomlx/core/tensors"
	"github.com/janpfeifer/must"

	"github.com/sliced-wasserstein/lab/datasets"
	"github.com/sliced-wasserstein/lab/swlab/engine"
	"github.com/sliced-wasserstein/lab/swlab/loss"
	"github.com/sliced-wasserstein/lab/swlab/slicing"
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

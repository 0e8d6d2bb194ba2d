package notebook

import (
	"math"
	"strings"
	"testing"

	"github.com/sliced-wasserstein/lab/datasets"
	"github.com/sliced-wasserstein/lab/swlab"
	"github.com/sliced-wasserstein/lab/swlab/amortizer"
	"github.com/sliced-wasserstein/lab/swlab/weights"
)

// TestRotationTurns: the linear map turns with the clouds if its offset is 0, and stands still if it is nothing but offset.
func TestRotationTurns(t *testing.T) {
	e := open(t)
	set, err := datasets.Shapes{Test: 6, Points: 32, Classes: []string{"chair"}}.Generate()
	if err != nil {
		t.Fatal(err)
	}
	x, y := set.Select([]int{0, 1, 2}), set.Select([]int{3, 4, 5})
	points := append([]float32(nil), x.Points...)
	a, err := amortizer.New("l", amortizer.Config{Points: 32})
	if err != nil {
		t.Fatal(err)
	}
	mean := func(form, offset float32) float64 {
		w := weights.Init(a.Specs(), 1)
		for name, scale := range map[string]float32{"f.0.weight": form, "f.0.bias": offset} {
			v, _ := w.Get(name)
			for i := range v.Data {
				v.Data[i] *= scale
			}
		}
		turns, err := RotationTurns("l", x, y, swlab.DirectionOptions{Weights: w, Engine: e}, 5)
		if err != nil || len(turns) != 3 {
			t.Fatalf("%v, %v", turns, err)
		}
		return (turns[0] + turns[1] + turns[2]) / 3
	}
	if v := mean(1, 0); v > 1e-3 {
		t.Errorf("without offset: %v degrees", v)
	}
	if v := mean(1e-4, 1); v < 20 {
		t.Errorf("nothing but offset: %v degrees", v)
	}
	for i, v := range points {
		if x.Points[i] != v {
			t.Fatal("the clouds of the caller were turned")
		}
	}
	flat := &datasets.Set{Name: "flat", Points: make([]float32, 8), N: 1, M: 4, D: 2}
	if _, err := RotationTurns("l", flat, flat, swlab.DirectionOptions{Engine: e}, 1); err == nil || !strings.Contains(err.Error(), "R^3") {
		t.Errorf("points of the plane: %v", err)
	}
}

// TestRotate: lengths and handedness stay.
func TestRotate(t *testing.T) {
	v := []float32{1, 0, 0, 0, 1, 0, 0, 0, 1}
	rotate([4]float64{0.3, -2, 0.7, 1.1}, v)
	det := v[0]*(v[4]*v[8]-v[5]*v[7]) - v[1]*(v[3]*v[8]-v[5]*v[6]) + v[2]*(v[3]*v[7]-v[4]*v[6])
	if math.Abs(float64(det-1)) > 1e-6 {
		t.Errorf("determinant %v", det)
	}
	for i := range 3 {
		for j := range 3 {
			dot, want := v[3*i]*v[3*j]+v[3*i+1]*v[3*j+1]+v[3*i+2]*v[3*j+2], float32(0)
			if i == j {
				want = 1
			}
			if math.Abs(float64(dot-want)) > 1e-6 {
				t.Errorf("rows %d, %d: %v", i, j, dot)
			}
		}
	}
}

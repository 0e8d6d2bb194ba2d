package swlab

import (
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/gomlx/gomlx/core/tensors"
	"github.com/janpfeifer/must"

	"github.com/sliced-wasserstein/lab/datasets"
	"github.com/sliced-wasserstein/lab/swlab/amortizer"
	"github.com/sliced-wasserstein/lab/swlab/internal/graphtest"
	"github.com/sliced-wasserstein/lab/swlab/weights"
)

// TestDirection: every registered map gives unit vectors, equal for equal seeds, and the same from
// weights in a file, whose shapes say what the sizes are.
func TestDirection(t *testing.T) {
	x, y := gaussian(1, 3, 40, 3, 1), gaussian(2, 3, 40, 3, 1)
	for _, name := range amortizer.Names() {
		o := DirectionConfig{Seed: 5, DK: 8, K: 4}
		p := must.M1(Direction(name, x, y, o))
		for b := range 3 {
			if n := math.Hypot(math.Hypot(float64(p.Directions[3*b]), float64(p.Directions[3*b+1])),
				float64(p.Directions[3*b+2])); math.Abs(n-1) > 1e-5 {
				t.Errorf("%s: norm %v", name, n)
			}
		}
		a := must.M1(amortizer.New(name, amortizer.Config{Points: 40, DK: 8, K: 4}))
		if p.Parameters != amortizer.Parameters(a) {
			t.Errorf("%s: %d parameters, want %d", name, p.Parameters, amortizer.Parameters(a))
		}
		from := must.M1(Direction(name, x, y, DirectionConfig{Weights: weights.Init(a.Specs(), 5)}))
		if !slices.Equal(p.Directions, from.Directions) || from.DK != p.DK || from.K != p.K {
			t.Errorf("%s: %v (dk %d, k %d) from the weights, %v (dk %d, k %d) from their seed", name, from.Directions, from.DK,
				from.K, p.Directions, p.DK, p.K)
		}
		if strings.HasPrefix(name, "la") != (p.K == 4) {
			t.Errorf("%s: k = %d", name, p.K)
		}
	}
}

func TestDirectionRefuses(t *testing.T) {
	x, y := gaussian(1, 2, 20, 3, 1), gaussian(2, 2, 20, 3, 1)
	la := must.M1(amortizer.New("la", amortizer.Config{Points: 32, DK: 8, K: 4}))
	w := weights.Init(la.Specs(), 1)
	zero := &datasets.Set{Name: "zero", Clouds: 2, Points: 20, Dim: 3, Coords: make([]float32, 120)}
	flat := weights.NewSet()
	flat.Put("f.0.weight", weights.Tensor{Shape: []int{1, 40}, Data: make([]float32, 40)})
	flat.Put("f.0.bias", weights.Tensor{Shape: []int{1}, Data: make([]float32, 1)})
	for says, c := range map[string]struct {
		name string
		x, y *datasets.Set
		o    DirectionConfig
	}{
		`unknown amortizer "attn", expected one of`:         {"attn", x, y, DirectionConfig{}},
		"found 2 in gaussian and 3 in gaussian":             {"la", x, gaussian(2, 3, 20, 3, 1), DirectionConfig{}},
		"one dimension, found 3":                            {"la", x, gaussian(2, 2, 20, 2, 1), DirectionConfig{}},
		"made for clouds of 20 points, found 21":            {"la", x, gaussian(2, 2, 21, 3, 1), DirectionConfig{}},
		"the weights are for clouds of 32 points, found 20": {"la", x, y, DirectionConfig{Weights: w}},
		"attn.toqueries.weight: expected [16 3], found [8 3]": {"la", gaussian(1, 2, 32, 3, 1), gaussian(1, 2, 32, 3, 1),
			DirectionConfig{Weights: w, DK: 16}},
		"missing: f.0.weight":     {"l", gaussian(1, 2, 32, 3, 1), gaussian(1, 2, 32, 3, 1), DirectionConfig{Weights: w}},
		"dk >= 1, found -2":       {"la", x, y, DirectionConfig{DK: -2}},
		"pair 0 of zero and zero": {"l", zero, zero, DirectionConfig{Weights: flat}},
	} {
		refused(t, says)(Direction(c.name, c.x, c.y, c.o))
	}
}

// TestDirectionReference: the golden weights of LA, whose sizes d_k = 16 and k = 32 are read off their shapes.
func TestDirectionReference(t *testing.T) {
	z := graphtest.Golden(t, "amortizers.npz")
	clouds := func(key string) *datasets.Set {
		d := z[key].Shape().Dimensions
		return &datasets.Set{Name: key, Clouds: d[0], Points: d[1], Dim: d[2],
			Coords: tensors.MustCopyFlatData[float32](z[key])}
	}
	w := weights.NewSet()
	for key, name := range map[string]string{"q": "toqueries", "k": "tokeys", "v": "tovalues", "pk": "Kproj",
		"pv": "Vproj"} {
		for suffix, part := range map[string]string{"_w": ".weight", "_b": ".bias"} {
			v := z["LA_"+key+suffix]
			w.Put("attn."+name+part, weights.Tensor{Shape: v.Shape().Dimensions, Data: tensors.MustCopyFlatData[float32](v)})
		}
	}
	p := must.M1(Direction("la", clouds("x"), clouds("y"), DirectionConfig{Weights: w}))
	if p.DK != 16 || p.K != 32 {
		t.Errorf("d_k = %d, k = %d", p.DK, p.K)
	}
	graphtest.Close(t, "LA_out", p.Directions, tensors.MustCopyFlatData[float64](z["LA_out"]), 5e-5)
}

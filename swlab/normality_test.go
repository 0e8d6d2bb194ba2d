package swlab

import (
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/janpfeifer/must"

	"github.com/sliced-wasserstein/lab/swlab/internal/vec"
	"github.com/sliced-wasserstein/lab/swlab/ot1d"
)

// TestNormalityAlong: one statistic per direction, of given ones and of those that Distance draws.
func TestNormalityAlong(t *testing.T) {
	rng, x := rand.New(rand.NewPCG(1, 2)), make([]float64, 3*50)
	for i := range x {
		x[i] = rng.NormFloat64()
	}
	theta := []float64{1, 0, 0, 0.6, 0, -0.8}
	got := must.M1(Normality(x, 3, NormalityConfig{Directions: theta}))
	for l, v := range got.Statistics {
		along := make([]float64, 50)
		for i := range along {
			along[i] = x[3*i]*theta[3*l] + x[3*i+1]*theta[3*l+1] + x[3*i+2]*theta[3*l+2]
		}
		if want := ot1d.Normality(along); math.Abs(v-want) > 1e-12 {
			t.Errorf("direction %d: %v, expected %v", l, v, want)
		}
	}
	if len(got.Statistics) != 2 || math.Abs(got.Value-(got.Statistics[0]+got.Statistics[1])/2) > 1e-12 {
		t.Errorf("%+v", got)
	}
	set := cloudOf(3, vec.To[float32](x)...)
	d := must.M1(Distance("sw", set, set, DistanceConfig{Seed: 5}))
	drawn := must.M1(Normality(x, 3, NormalityConfig{Seed: 5}))
	same := must.M1(Normality(x, 3, NormalityConfig{Directions: vec.To[float64](d.Directions)}))
	if len(drawn.Statistics) != 100 || drawn.Value != same.Value {
		t.Errorf("%d directions of value %v, expected those of Distance, %v", len(drawn.Statistics), drawn.Value, same.Value)
	}
	if frames := must.M1(Normality(x, 3, NormalityConfig{Slices: 6, Slicing: "orthogonal"})); len(frames.Statistics) != 6 {
		t.Errorf("%d directions in frames", len(frames.Statistics))
	}
	if line := must.M1(Normality([]float64{-1, 0, 1, 2}, 1, NormalityConfig{})); len(line.Statistics) != 1 ||
		math.Abs(line.Value-0.55819035) > 5e-9 {
		t.Errorf("on the line: %+v", line)
	}
}

func TestNormalityRefused(t *testing.T) {
	point := make([]float64, 2)
	for says, c := range map[string]struct {
		x      []float64
		config NormalityConfig
	}{
		"expected points of 2 coordinates, at least one, found 0 numbers": {},
		"expected points of 2 coordinates, at least one, found 3 numbers": {x: make([]float64, 3)},
		"x: point 1, coordinate 0: expected a finite number, found NaN":   {x: []float64{0, 0, math.NaN(), 0}},
		"direction 1 is the zero vector":                                  {point, NormalityConfig{Directions: []float64{1, 0, 0, 0}}},
		"expected shape [L, 2], found 3 numbers":                          {point, NormalityConfig{Directions: []float64{1, 0, 0}}},
		"slices and slicing would do nothing":                             {point, NormalityConfig{Slices: 3, Directions: point}},
		`"random-path" looks at two clouds`:                               {point, NormalityConfig{Slicing: "random-path"}},
		"slices: expected at least 1, found -1":                           {point, NormalityConfig{Slices: -1}},
		`unknown slicing distribution "unifrom"`:                          {point, NormalityConfig{Slicing: "unifrom"}},
	} {
		if _, err := Normality(c.x, 2, c.config); err == nil || !strings.Contains(err.Error(), says) {
			t.Errorf("%v, expected %q", err, says)
		}
	}
}

package calls

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/janpfeifer/must"

	"github.com/sliced-wasserstein/lab/datasets"
)

// pairOf is two clouds [n, dim] of different shapes.
func pairOf(dim, n int) []Array {
	out := []Array{{Name: "x"}, {Name: "y"}}
	for k := range out {
		r, points := rand.New(rand.NewPCG(uint64(k), 0)), make([]float32, n*dim)
		for i := range points {
			points[i] = float32((1 + 3*float64(k)*float64(i%dim)) * (r.Float64() - 0.3*float64(k)))
		}
		if dim == 3 {
			class := []string{"chair", "teapot"}[k]
			points = must.M1(datasets.Shapes{Train: 1, Points: n, Seed: 1, Classes: []string{class}}.Generate()).Coords
		}
		out[k].DType, out[k].Shape, out[k].Values = "float32", []int{1, n, dim}, points
		out[k].identify(encode(points))
	}
	return out
}

func vector(name string, v ...float32) Array {
	a := Array{Name: name, DType: "float32", Shape: []int{len(v)}, Values: v}
	a.identify(encode(v))
	return a
}

// told asks a call, in a space or without one, and returns its arrays by name.
func told(t *testing.T, s *Space, function string, settings map[string]string, arrays ...Array) map[string]any {
	t.Helper()
	r := Request{Function: function, Settings: settings, Arrays: arrays, ctx: context.Background(), space: s}
	var a Answer
	if s == nil {
		a = Respond(r)
	} else {
		a, _ = s.answer(r)
	}
	if a.Error != "" {
		t.Fatalf("%s %v: %s", function, settings, a.Error)
	}
	out := map[string]any{}
	for _, v := range a.Arrays {
		out[v.Name] = v.Values
	}
	return out
}

func number(v any) float64 { return v.([]float64)[0] }

// near fails unless the numbers agree to a relative error.
func near(t *testing.T, what string, found, expected, relative float64) {
	t.Helper()
	if !(math.Abs(found-expected) <= relative*math.Abs(expected)) {
		t.Errorf("%s: expected %.9g, found %.9g", what, expected, found)
	}
}

// f is the setting of the landscape of F.
var f = map[string]string{"blur": "+Inf"}

// unit are two directions that are not on the grid.
var unit = map[int][]float32{2: {0.6, 0.8}, 3: {0.6, 0, 0.8}}

// TestSlice: the matching of the answer has the cost that the library finds.
func TestSlice(t *testing.T) {
	for dim, theta := range unit {
		c := told(t, nil, "slice", nil, append(pairOf(dim, 60), vector("theta", theta...))...)
		x, y, xOrder, yOrder := c["x"].([]float64), c["y"].([]float64), c["x_order"].([]int32), c["y_order"].([]int32)
		var sum float64
		for rank := range xOrder {
			d := x[xOrder[rank]] - y[yOrder[rank]]
			sum += d * d / float64(len(x))
		}
		near(t, "mean over matched pairs", sum, number(c["cost"]), 1e-6)
	}
}

// TestLandscape: clouds of one point at a distance v have F = (theta v)^2, whose mean is |v|^2 / d.
func TestLandscape(t *testing.T) {
	for _, v := range [][]float32{{1, 2}, {1, 2, 0.5}} {
		dim := len(v)
		x := Array{Name: "x", Shape: []int{1, 1, dim}, Values: make([]float32, dim)}
		y := Array{Name: "y", Shape: []int{1, 1, dim}, Values: v}
		m := told(t, nil, "landscape", f, x, y)
		var square float64
		for _, c := range v {
			square += float64(c) * float64(c)
		}
		near(t, "mean", number(m["mean"]), square/float64(dim), 1e-6)
		grid := m["grid"].([]float32)
		for i, value := range m["values"].([]float64) {
			var along float64
			for k, c := range grid[i*dim : (i+1)*dim] {
				along += float64(c) * float64(v[k])
			}
			if math.Abs(value-along*along) > 1e-5 {
				t.Fatalf("%d-D, direction %d: expected %.6f, found %.6f", dim, i, along*along, value)
			}
		}
	}
}

// TestBlur: J is what many directions from vMF estimate, on the grid and between its directions; its mean over all
// locations is that of F, and its range shrinks with kappa.
func TestBlur(t *testing.T) {
	for dim := range unit {
		clouds, s := pairOf(dim, 60), NewSpace("", 1<<26)
		sharp := told(t, s, "landscape", f, clouds...)
		values := sharp["values"].([]float64)
		before := slices.Max(values) - slices.Min(values)
		for _, kappa := range []string{"200", "10", "1"} {
			m := told(t, s, "landscape", map[string]string{"blur": kappa}, clouds...)
			values := m["values"].([]float64)
			if now := slices.Max(values) - slices.Min(values); now >= before {
				t.Errorf("%d-D, kappa %s: the range %g does not shrink from %g", dim, kappa, now, before)
			} else {
				before = now
			}
			grid := m["grid"].([]float32)
			last := len(grid)/2 - dim
			near(t, fmt.Sprintf("%d-D, kappa %s: mean", dim, kappa), number(m["mean"]), number(sharp["mean"]), 1e-12)
			for _, theta := range [][]float32{grid[:dim], grid[last : last+dim], unit[dim]} {
				at := vector("theta", theta...)
				c := told(t, s, "slice", map[string]string{"blur": kappa}, append(clouds, at)...)
				drawn := told(t, s, "vmf_samples", map[string]string{"location": strings.Trim(strings.Join(strings.Fields(fmt.Sprint(theta)), ","), "[]"), "kappa": kappa, "n": "4000"})
				d := told(t, nil, "distance", map[string]string{"loss": "sw", "reduce": "mean", "path": "host"},
					append(clouds, Array{Name: "directions", DType: "float64", Shape: []int{4000, dim}, Values: drawn["samples"]})...)
				if math.Abs(number(c["value"])-number(d["value"])) > 4*number(d["stderr"]) {
					t.Errorf("%d-D, kappa %s, direction %v: %g, estimate %g +- %g", dim, kappa, theta, number(c["value"]), number(d["value"]), number(d["stderr"]))
				}
			}
		}
	}
}

// TestOneQuantity: what a slice says of a direction is one function, F or J, with its mean and its extremes around it,
// also along the path of an ascent, whose end lies between the map's directions. The ascent raises it.
func TestOneQuantity(t *testing.T) {
	for dim, start := range unit {
		clouds, s := pairOf(dim, 60), NewSpace("", 1<<26)
		for _, kappa := range []string{"+Inf", "1", "10", "400"} {
			at := map[string]string{"blur": kappa}
			m := told(t, s, "landscape", at, clouds...)
			settings := map[string]string{"loss": "v-dsw", "slices": "30", "kappa": kappa, "ascent_steps": "12", "ascent_rate": "0.05", "ascent_tangent": "true"}
			if kappa == "+Inf" {
				settings["loss"] = "max-sw"
				delete(settings, "kappa")
			}
			up := told(t, s, "ascent", settings, append(clouds, vector("theta", start...))...)
			values, largest := up["values"].([]float64), number(up["largest"])
			if largest < slices.Max(values) || largest < slices.Max(m["values"].([]float64)) || values[12] <= values[0] {
				t.Errorf("%d-D, kappa %s: the largest %g is below the path %v or the map, or the path does not rise", dim, kappa, largest, values)
			}
			directions := append(slices.Clone(up["locations"].([]float32)), m["highest_at"].([]float32)...)
			for i := range len(directions) / dim {
				theta := directions[i*dim : (i+1)*dim]
				c := told(t, s, "slice", at, append(clouds, vector("theta", theta...))...)
				value, mean := number(c["value"]), number(c["mean"])
				if !(number(c["smallest"]) <= value && value <= number(c["largest"]) && number(c["smallest"]) < mean && mean < number(c["largest"])) || mean != number(m["mean"]) {
					t.Errorf("%d-D, kappa %s, direction %v: %g is not from %g to %g around %g", dim, kappa, theta, value, number(c["smallest"]), number(c["largest"]), mean)
				}
				if kappa == "+Inf" && value != number(c["cost"]) {
					t.Errorf("%d-D, direction %v: expected F %g, found %g", dim, theta, number(c["cost"]), value)
				}
				if i < len(values) {
					near(t, "the ascent's objective", values[i], value, 1e-12)
				} else {
					near(t, "the highest", value, number(m["highest"]), 1e-6)
				}
			}
		}
	}
}

// TestEqualClouds: every number of equal clouds is 0, not NaN.
func TestEqualClouds(t *testing.T) {
	x := pairOf(2, 60)[0]
	y := x
	y.Name = "y"
	theta := vector("theta", 0.6, 0.8)
	m := told(t, nil, "landscape", f, x, y)
	c := told(t, nil, "slice", map[string]string{"blur": "10"}, x, y, theta)
	up := told(t, nil, "ascent", map[string]string{"loss": "max-sw", "ascent_steps": "2", "ascent_rate": "0.05", "ascent_tangent": "true"}, x, y, theta)
	moved := told(t, nil, "descend", map[string]string{"slicing": "uniform", "slices": "20", "steps": "2", "every": "2"}, x, y)
	for _, v := range []float64{number(m["mean"]), number(m["highest"]), number(c["value"]), number(c["largest"]), up["values"].([]float64)[2], number(up["largest"]),
		moved["losses"].([]float64)[2], moved["w2"].([]float64)[1]} {
		if v != 0 {
			t.Errorf("expected 0, found %g", v)
		}
	}
}

// TestFlow: the second cloud comes closer, by distances of one unit. Directions given for every step are used in turn, and
// those given for all stay.
func TestFlow(t *testing.T) {
	clouds, s := pairOf(2, 60), NewSpace("", 1<<26)
	frames := func(settings map[string]string, more ...Array) (first, last Array, w2 []float64) {
		went := told(t, s, "descend", settings, append(slices.Clone(clouds), more...)...)
		all := went["frames0"].([]float32)
		y := func(values []float32) Array {
			a := Array{Name: "y", DType: "float32", Shape: []int{1, 60, 2}, Values: values}
			a.identify(encode(values))
			return a
		}
		return y(all[:120]), y(all[len(all)-120:]), went["w2"].([]float64)
	}
	first, last, w2 := frames(map[string]string{"slices": "20", "steps": "3", "every": "3", "learning_rate": "0.5", "fresh": "true"})
	if len(w2) != 2 || !slices.Equal(first.Values.([]float32), clouds[1].Values.([]float32)) {
		t.Errorf("found %d frames, the first of which is not the start", len(w2))
	}
	var sw []float64
	for _, y := range []Array{first, last} {
		sw = append(sw, math.Sqrt(number(told(t, s, "landscape", f, clouds[0], y)["mean"])))
	}
	if w2[1] >= w2[0] || sw[1] >= sw[0] || sw[0] > w2[0]/math.Sqrt2 || sw[1] > w2[1]/math.Sqrt2 {
		t.Errorf("expected distances that fall, SW_2 at most W_2 over the root of 2, found %v and %v", sw, w2)
	}
	across := Array{Name: "directions", DType: "float32", Shape: []int{1, 2}, Values: []float32{1, 0}}
	_, stuck, _ := frames(map[string]string{"steps": "5"}, across)
	for i, before := range clouds[1].Values.([]float32) {
		if (stuck.Values.([]float32)[i] == before) != (i%2 == 1) {
			t.Fatalf("one given direction, (1, 0): coordinate %d is %v, and was %v", i, stuck.Values.([]float32)[i], before)
		}
	}
	turns := Array{Name: "directions", DType: "float32", Shape: []int{2, 1, 2}, Values: []float32{1, 0, 0, 1}}
	_, both, _ := frames(map[string]string{"steps": "2"}, turns)
	back := turns // along the axes in the other order leads to the same place
	back.Values = []float32{0, 1, 1, 0}
	_, other, _ := frames(map[string]string{"steps": "2"}, back)
	if !slices.Equal(both.Values.([]float32), other.Values.([]float32)) || slices.Equal(both.Values.([]float32), stuck.Values.([]float32)) {
		t.Error("steps along the axes do not commute, or the second is along the first's")
	}
}

// TestKept: a slice finds the landscape that a call before it has computed.
func TestKept(t *testing.T) {
	clouds, s := pairOf(3, 500), NewSpace("", 1<<26)
	told(t, s, "landscape", f, clouds...)
	for _, k := range s.found {
		k.answer.Arrays[0].Values = []float64{42}
	}
	if c := told(t, s, "slice", nil, append(clouds, vector("theta", unit[3]...))...); number(c["mean"]) != 42 || len(s.found) != 1 {
		t.Errorf("expected the mean that is kept, found %v, and %d answers", c["mean"], len(s.found))
	}
}

// TestSliceRefusals: wrong questions are errors that say what was expected.
func TestSliceRefusals(t *testing.T) {
	for want, r := range map[string]Request{
		"kappa":                    {Function: "landscape", Settings: map[string]string{"blur": "-1"}, Arrays: pairOf(2, 4)},
		"expected 2 numbers":       {Function: "slice", Arrays: append(pairOf(2, 4), vector("theta", 1, 0, 0))},
		"expected a direction":     {Function: "slice", Arrays: pairOf(2, 4)},
		"expected clouds of dim":   {Function: "slice", Arrays: append(pairOf(4, 4), vector("theta", 1, 0, 0, 0))},
		"expected max-sw or v-dsw": {Function: "ascent", Settings: map[string]string{"loss": "sw"}, Arrays: append(pairOf(2, 4), vector("theta", 1, 0))},
		`"bow"`:                    {Function: "direction", Settings: map[string]string{"amortizer": "bow"}, Arrays: pairOf(2, 4)},
		"function":                 {Function: "variables"},
	} {
		if a := Respond(r); !strings.Contains(a.Error, want) {
			t.Errorf("%s %v: expected an error that contains %s, found %q", r.Function, r.Settings, want, a.Error)
		}
	}
}

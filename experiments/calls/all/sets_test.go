package all

import (
	"slices"
	"strings"
	"testing"

	"gonum.org/v1/gonum/floats"

	"github.com/sliced-wasserstein/lab/experiments/calls"
)

// TestSets: every call of sets of clouds and of moving clouds answers with its arrays, and refuses by name.
func TestSets(t *testing.T) {
	line := []float64{0, 2, 1, 3, 10, 12} // three clouds of two points
	clouds := calls.Array{Name: "clouds", Shape: []int{3, 2, 1}, Values: line}
	picture := func(name string, v ...float64) calls.Array {
		return calls.Array{Name: name, Shape: []int{1, 2, 3}, Values: v}
	}
	cloud := func(name string, v ...float64) calls.Array {
		return calls.Array{Name: name, Shape: []int{1, len(v), 1}, Values: v}
	}
	for _, c := range []struct {
		function string
		settings map[string]string
		arrays   []calls.Array
		name     string
		want     []float64
	}{
		{"embed", map[string]string{"quantiles": "1"}, []calls.Array{clouds}, "vectors", []float64{1, 2, 11}},
		{"pairwise", nil, []calls.Array{clouds}, "matrix", []float64{0, 1, 10, 1, 0, 9, 10, 9, 0}},
		{"neighbours", map[string]string{"k": "1"}, []calls.Array{clouds}, "distances", []float64{1, 1, 9}},
		{"cluster", map[string]string{"k": "2"}, []calls.Array{clouds}, "inertia", []float64{0.5}},
		{"barycenter", map[string]string{"loss": "sw", "steps": "2"}, []calls.Array{clouds}, "points", []float64{11. / 3, 17. / 3}},
		{"color", nil, []calls.Array{picture("source", 0, 0, 0, 1, 1, 1), picture("to", 1, 0, 0, 1, 0, 0)}, "picture", []float64{1, 0, 0, 1, 0, 0}},
		{"register", map[string]string{"starts": "3"}, []calls.Array{cloud("x", 0, 1, 5), cloud("y", 15, 10, 11)}, "translation", []float64{10}},
	} {
		a := calls.Respond(calls.Request{Function: c.function, Settings: c.settings, Arrays: c.arrays})
		i := slices.IndexFunc(a.Arrays, func(v calls.Array) bool { return v.Name == c.name })
		if i < 0 || !floats.EqualApprox(a.Arrays[i].Values.([]float64), c.want, 1e-6) {
			t.Errorf("%s: %s of %+v, expected %v", c.function, c.name, a, c.want)
		}
	}
	for want, r := range map[string]calls.Request{
		"kappa would do nothing":       {Function: "barycenter", Settings: map[string]string{"loss": "sw", "kappa": "2"}, Arrays: []calls.Array{clouds}},
		"root would do nothing":        {Function: "barycenter", Settings: map[string]string{"loss": "sw", "root": "true"}, Arrays: []calls.Array{clouds}},
		"slices would do nothing":      {Function: "embed", Settings: map[string]string{"slices": "2"}, Arrays: []calls.Array{clouds, {Name: "directions", Shape: []int{1, 1}, Values: []float64{1}}}},
		"to: expected a picture":       {Function: "color", Arrays: []calls.Array{picture("source", 0, 0, 0, 1, 1, 1)}},
		"clouds: expected an array":    {Function: "pairwise"},
		"k: expected 1 to 2":           {Function: "neighbours", Settings: map[string]string{"k": "3"}, Arrays: []calls.Array{clouds}},
		"directions: expected shape [": {Function: "cluster", Settings: map[string]string{"k": "3"}, Arrays: []calls.Array{clouds, {Name: "directions", Shape: []int{1, 2}, Values: []float64{1, 0}}}},
	} {
		if a := calls.Respond(r); a.Kind != "value" || !strings.Contains(a.Error, want) {
			t.Errorf("found %+v, expected %q", a, want)
		}
	}
}

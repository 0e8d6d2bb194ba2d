package all

import (
	"reflect"
	"slices"
	"strings"
	"testing"

	"gonum.org/v1/gonum/floats"

	"github.com/sliced-wasserstein/lab/experiments/calls"
)

func TestFunctions(t *testing.T) {
	xs, ys := []float64{3, 3, 1, 1}, []float32{2, 2.5, 3, 2}
	pair := []calls.Array{{Name: "x", Shape: []int{2, 2}, Values: xs}, {Name: "y", Shape: []int{2, 2}, Values: ys},
		{Name: "directions", Shape: []int{2, 2}, Values: []float64{1, 0, 0, 1}}}
	for name, want := range map[string][]float64{"statistics": {0.55819035, 0.40204758 * 4}, "value": {(0.55819035 + 0.40204758*4) / 2}} {
		four := calls.Array{Name: "x", Shape: []int{1, 4, 2}, Values: []float32{-1, 0, 0, 0, 1, 0, 2, 0}}
		a := calls.Respond(calls.Request{Function: "normality", Arrays: []calls.Array{four, pair[2]}})
		i := slices.IndexFunc(a.Arrays, func(v calls.Array) bool { return v.Name == name })
		if i < 0 || !floats.EqualApprox(a.Arrays[i].Values.([]float64), want, 1e-8) {
			t.Errorf("normality: %s of %+v, expected %v", name, a, want)
		}
	}
	a := calls.Respond(calls.Request{Function: "plan", Arrays: pair})
	for name, want := range map[string][]float64{"costs": {2.125, 3.125}, "cost": {2.125}, "expected_cost": {2.625}, "plan": {0, 1, 0.5, 1, 0, 0.5},
		"expected_plan": {0, 0, 0.25, 0, 1, 0.25, 1, 0, 0.25, 1, 1, 0.25}} {
		if i := slices.IndexFunc(a.Arrays, func(v calls.Array) bool { return v.Name == name }); i < 0 || !reflect.DeepEqual(a.Arrays[i].Values, want) {
			t.Errorf("plan: %s of %+v, expected %v", name, a, want)
		}
	}
	for want, r := range map[string]calls.Request{
		"y: expected rows":        {Function: "plan", Arrays: append([]calls.Array{{Name: "y", Shape: []int{1, 3}, Values: []float32{1, 2, 3}}}, pair...)},
		"x: expected points of 0": {Function: "plan"},
	} {
		if a := calls.Respond(r); a.Kind != "value" || !strings.Contains(a.Error, want) {
			t.Errorf("found %+v, expected %q", a, want)
		}
	}
}

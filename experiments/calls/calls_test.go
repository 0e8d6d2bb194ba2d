package calls

import (
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/sliced-wasserstein/lab/datasets"
	"github.com/sliced-wasserstein/lab/swlab"
	"github.com/sliced-wasserstein/lab/swlab/loss"
)

func pairRequest(function string, settings map[string]string) Request {
	x, y := []float32{0, 0, 1, 0, 0, 1}, []float32{1, 1, 2, 0, 0, 3}
	return Request{Function: function, Seed: 3, Settings: settings, Arrays: []Array{{Name: "x", Shape: []int{1, 3, 2}, Values: x}, {Name: "y", Shape: []int{1, 3, 2}, Values: y}}}
}

// TestRespond compares the answer to a distance with swlab.Distance, and its arrays with their
// declared types and shapes.
func TestRespond(t *testing.T) {
	r := pairRequest("distance", map[string]string{"loss": "sw", "slices": "7", "gradient": "True", "p": "3.0"})
	a := Respond(r)
	if a.Error != "" {
		t.Fatal(a.Error)
	}
	x := &datasets.Set{Coords: r.Arrays[0].Values.([]float32), Clouds: 1, Points: 3, Dim: 2}
	y := &datasets.Set{Coords: r.Arrays[1].Values.([]float32), Clouds: 1, Points: 3, Dim: 2}
	d, err := swlab.Distance("sw", x, y, swlab.DistanceConfig{Config: loss.Config{Slices: 7, P: 3}, Seed: 3, Gradient: true, GradientX: true})
	if err != nil {
		t.Fatal(err)
	}
	want := map[string]any{"value": []float64{d.Value}, "stderr": []float64{d.StdErr}, "costs": d.Costs, "gradient_x": d.GradientX, "gradient_y": d.Gradient}
	for _, out := range a.Arrays {
		if v, ok := want[out.Name]; ok && !reflect.DeepEqual(out.Values, v) {
			t.Errorf("%s: found %v, expected %v", out.Name, out.Values, v)
		}
		delete(want, out.Name)
		values := reflect.ValueOf(out.Values)
		if size := (Array{Shape: out.Shape}).Size(); size != values.Len() || "[]"+out.DType != values.Type().String() {
			t.Errorf("%s: %d values of type %T, declared as %s %v", out.Name, values.Len(), out.Values, out.DType, out.Shape)
		}
	}
	if len(want) > 0 {
		t.Errorf("missing: %v", want)
	}
}

func TestFunctions(t *testing.T) {
	if a := Respond(pairRequest("emd", map[string]string{"gradient": "true"})); a.Error != "" || len(a.Arrays) != 8 {
		t.Errorf("emd: %+v", a)
	}
	if a := Respond(pairRequest("distance", map[string]string{"cost": "cramer", "loss": "sw"})); a.Text["line_cost"] != "cramer" || a.Error != "" {
		t.Errorf("cost: %+v", a)
	}
	samples := Request{Function: "vmf_samples", Settings: map[string]string{"location": "0,1", "kappa": "3", "n": "5"}}
	if a := Respond(samples); a.Error != "" || !slices.Equal(a.Arrays[0].Shape, []int{5, 2}) {
		t.Errorf("vmf_samples: %+v", a)
	}
	if a := Respond(Request{Function: "version"}); a.Text["version"] == "" {
		t.Errorf("version: %+v", a)
	}
	for want, r := range map[string]Request{
		`unknown function "none"`:      {Function: "none"},
		"x: expected an array":         {Function: "emd"},
		"unknown setting":              pairRequest("emd", map[string]string{"loss": "sw"}),
		"mass_x: expected shape":       {Function: "distance", Settings: map[string]string{"loss": "sw", "reduce": "mean"}, Arrays: append(pairRequest("", nil).Arrays, Array{Name: "mass_x", Shape: []int{1}, Values: []float64{1}})},
		"kappa would do nothing: loss": pairRequest("distance", map[string]string{"loss": "sw", "kappa": "2"}),
	} {
		if a := Respond(r); a.Kind != "value" || !strings.Contains(a.Error, want) {
			t.Errorf("found %+v, expected %q", a, want)
		}
	}
}

package main

import (
	"fmt"
	"math"
	"os/exec"
	"strings"
	"testing"

	"github.com/sliced-wasserstein/lab/experiments/calls"
	"github.com/sliced-wasserstein/lab/swlab/amortizer"
)

// ask asks a call and returns the array of that name.
func ask(t *testing.T, array, function string, seed uint64, settings map[string]string, arrays ...calls.Array) calls.Array {
	t.Helper()
	a := calls.Respond(calls.Request{Function: function, Seed: seed, Settings: settings, Arrays: arrays})
	if a.Error != "" {
		t.Fatalf("%s %v: %s", function, settings, a.Error)
	}
	for _, v := range a.Arrays {
		if v.Name == array {
			return v
		}
	}
	t.Fatalf("%s: no array %s", function, array)
	return calls.Array{}
}

func cloudOf(t *testing.T, which string, dim int, name string) calls.Array {
	t.Helper()
	a := ask(t, "points", "shape", 1, map[string]string{"dim": fmt.Sprint(dim), "name": name})
	a.Name = which
	return a
}

// TestTrainedAmortizers holds what the page says of them: on four pairs, the axes that A, EA, G, LA
// and N predict are within 15 degrees of one another, those of L and of LA on sorted points are not
// within 30.
func TestTrainedAmortizers(t *testing.T) {
	pairs := map[int][][2]string{
		2: {{"ring", "moons"}, {"spiral", "cross"}, {"star", "blobs"}, {"bar", "disc"}},
		3: {{"chair", "teapot"}, {"car", "guitar"}, {"rocket", "bed"}, {"mug", "person"}},
	}
	for dim, shapes := range pairs {
		predicted := map[string][][]float32{}
		for _, s := range shapes {
			x, y := cloudOf(t, "x", dim, s[0]), cloudOf(t, "y", dim, s[1])
			for _, name := range amortizer.Names() {
				d := ask(t, "theta", "direction", 1, map[string]string{"amortizer": name, "weights": fmt.Sprintf("weights/%s-%dd.safetensors", name, dim)}, x, y)
				predicted[name] = append(predicted[name], d.Values.([]float32))
			}
		}
		for name, thetas := range predicted {
			widest := 0.0
			for _, a := range thetas {
				for _, b := range thetas {
					widest = max(widest, angle(a, b))
				}
			}
			if follows := name == "l" || name == "la-sorted"; follows && widest < 30 || !follows && widest > 15 {
				t.Errorf("%s, %d-D: axes differ by up to %.0f degrees", name, dim, widest)
			}
		}
	}
}

// angle is the angle between the axes of two unit vectors in degrees.
func angle(a, b []float32) float64 {
	var sum float64
	for k := range a {
		sum += float64(a[k]) * float64(b[k])
	}
	return 180 / math.Pi * math.Acos(min(1, math.Abs(sum)))
}

// TestMatch: the larger cloud gets the size of the smaller one.
func TestMatch(t *testing.T) {
	four := calls.Array{Name: "y", Shape: []int{2, 4, 3}, Values: make([]float32, 24)}
	for _, name := range []string{"x", "y"} {
		if got := ask(t, name, "match", 1, nil, cloudOf(t, "x", 3, "chair"), four); fmt.Sprint(got.Shape) != "[1 4 3]" || len(got.Values.([]float32)) != 12 {
			t.Errorf("%s: expected one cloud of 4 points, found %v", name, got.Shape)
		}
	}
}

// TestStrokes: points of a drawn line lie on it.
func TestStrokes(t *testing.T) {
	x := ask(t, "points", "shape", 1, map[string]string{"dim": "2", "strokes": "[[[-1,0],[1,0]]]"}).Values.([]float32)
	if len(x) != 2*Points {
		t.Fatalf("expected %d numbers, found %d", 2*Points, len(x))
	}
	for i := 0; i < len(x); i += 2 {
		if math.Abs(float64(x[i])) > 1.2 || math.Abs(float64(x[i+1])) > 0.2 {
			t.Fatalf("point %d: expected near the line, found %v", i/2, x[i:i+2])
		}
	}
}

// TestRefusals: wrong questions are errors that say what was expected.
func TestRefusals(t *testing.T) {
	for want, settings := range map[string]map[string]string{
		`"bow"`:               {"dim": "2", "name": "bow"},
		"bow":                 {"dim": "3", "name": "bow"},
		"expected a line":     {"dim": "2", "strokes": "[]"},
		"2 coordinates":       {"dim": "2", "strokes": "[[[1,2,3]]]"},
		"strokes: unexpected": {"dim": "2", "strokes": "{"},
		"from 2 to 3":         {"dim": "4", "name": "ring"},
		"unknown setting":     {"shape": "ring"},
	} {
		if a := calls.Respond(calls.Request{Function: "shape", Settings: settings}); !strings.Contains(a.Error, want) {
			t.Errorf("%v: expected an error that contains %s, found %q", settings, want, a.Error)
		}
	}
}

// TestSmall: the program of the page holds no pictures, trainings or networks of protocols.
func TestSmall(t *testing.T) {
	list := exec.Command("go", "list", "-deps", "-tags", "swlab_page", ".")
	list.Env = append(list.Environ(), "GOOS=js", "GOARCH=wasm")
	found, err := list.Output()
	if err != nil {
		t.Fatal(err)
	}
	for _, heavy := range []string{"net/http", "github.com/sliced-wasserstein/lab/vmfviz", "github.com/sliced-wasserstein/lab/swlab/train", "text/template"} {
		if strings.Contains("\n"+string(found), "\n"+heavy+"\n") {
			t.Errorf("the page's program holds %s", heavy)
		}
	}
}

package main

import (
	"encoding/binary"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/janpfeifer/must"

	"github.com/sliced-wasserstein/lab/datasets/format"
)

// TestPlan: numbers known by hand, of files in float64 and of a table, and what is written.
func TestPlan(t *testing.T) {
	t.Chdir(t.TempDir())
	must.M(format.WriteNPYFloat64("x.npy", []float64{3, 3, 1, 1}, 2, 2))
	must.M(os.WriteFile("y.csv", []byte("2,2.5\n3,2\n"), 0o644))
	must.M(format.WriteNPYFloat64("d.npy", []float64{1, 0, 0, 1}, 2, 2))
	a := object(t, "plan", "x.npy", "y.csv", "--directions", "d.npy", "--out", "p.npy", "--out-expected", "e.npy")
	if !reflect.DeepEqual(a["costs"], []any{2.125, 3.125}) || a["cost"] != 2.125 || a["best"] != 0. || a["expected_cost"] != 2.625 {
		t.Errorf("%v", a)
	}
	for name, want := range map[string][]float64{"p.npy": {0, 1, 0.5, 1, 0, 0.5}, "e.npy": {0, 0, 0.25, 0, 1, 0.25, 1, 0, 0.25, 1, 1, 0.25}} {
		v, shape, err := format.ReadNPYFloat64(name)
		if err != nil || !slices.Equal(v, want) || !slices.Equal(shape, []int{len(want) / 3, 3}) {
			t.Errorf("%s: %v %v, %v, expected %v", name, v, shape, err, want)
		}
		if !strings.Contains(string(content(t, name)), "'<f8'") {
			t.Errorf("%s is not float64", name)
		}
	}
	// what float32 does not tell apart
	wide := []float64{1, 0, 1 + 1e-12, 5}
	must.M(format.WriteNPYFloat64("w.npy", wide, 2, 2))
	must.M(format.WriteNPYFloat64("v.npy", []float64{2 + 1e-12, 0, 2, 5}, 1, 2, 2))
	a = object(t, "plan", "w.npy", "v.npy", "--directions", "d.npy")
	if costs := a["costs"].([]any); math.Abs(costs[0].(float64)-26) > 1e-9 || math.Abs(costs[1].(float64)-1) > 1e-9 {
		t.Errorf("costs %v, expected 26 and 1", costs)
	}
	must.M(os.WriteFile("m.npy", npyFloat64(3, 1), 0o644))
	a = object(t, "plan", "x.npy", "y.csv", "--directions", "d.npy", "--mass-x", "m.npy", "--temperature", "0.5")
	costs := a["costs"].([]any)
	first, second := costs[0].(float64), costs[1].(float64)
	if w := math.Exp((first - second) / 0.5); math.Abs(a["expected_cost"].(float64)-(first+w*second)/(1+w)) > 1e-12 {
		t.Errorf("%v", a)
	}
}

// npyFloat64 is a .npy file of those numbers.
func npyFloat64(v ...float64) []byte {
	head := fmt.Sprintf("{'descr': '<f8', 'fortran_order': False, 'shape': (%d,), }\n", len(v))
	out := append([]byte("\x93NUMPY\x01\x00"), byte(len(head)), byte(len(head)>>8))
	return must.M1(binary.Append(append(out, head...), binary.LittleEndian, v))
}

// TestBracket: bounds of W2 of one pair and of several, and an estimate from labelled pairs, whose files
// lie beside the list.
func TestBracket(t *testing.T) {
	t.Chdir(t.TempDir())
	r := rand.New(rand.NewPCG(1, 2))
	cloud := func(name string, scale, shift float64) {
		v := make([]float64, 60)
		for i := range v {
			v[i] = scale*r.NormFloat64() + shift
		}
		must.M(format.WriteNPYFloat64(name, v, 20, 3))
	}
	must.M(os.Mkdir("labelled", 0o755))
	list := "x, y, W2\n"
	for i := range 8 {
		x, y := fmt.Sprintf("x%d.npy", i), fmt.Sprintf("y%d.npy", i)
		cloud(filepath.Join("labelled", x), 1, 0)
		cloud(filepath.Join("labelled", y), 1+float64(i)/8, float64(i)/4)
		exact := object(t, "distance", filepath.Join("labelled", x), filepath.Join("labelled", y), "--loss", "emd-exact", "--p", "2", "--reduce", "mean")
		list += fmt.Sprintf("%s, %s, %.12g\n", x, y, math.Sqrt(exact["value"].(float64)))
	}
	must.M(os.WriteFile("labelled/list.csv", []byte(list), 0o644))
	cloud("a.npy", 1, 0)
	cloud("b.npy", 1.5, 1)
	w2 := math.Sqrt(object(t, "distance", "a.npy", "b.npy", "--loss", "emd-exact", "--p", "2", "--reduce", "mean")["value"].(float64))
	b := object(t, "distance", "a.npy", "b.npy", "--bracket", "--labelled", "labelled/list.csv")["bracket"].(map[string]any)
	low, high, estimate := b["low"].(float64), b["high"].(float64), b["estimate"].(float64)
	if !(low <= w2 && w2 <= high && low <= estimate && estimate <= high) || math.Abs(estimate/w2-1) > 0.1 {
		t.Errorf("%v, W2 %g", b, w2)
	}
	if per := b["estimate_per_pair"].([]any); len(per) != 1 || per[0] != estimate {
		t.Errorf("%v", b)
	}
	b = object(t, "distance", "a.npy", "b.npy", "--loss", "max-sw", "--bracket")["bracket"].(map[string]any)
	if _, found := b["estimate"]; found || !(b["low"].(float64) <= w2 && w2 <= b["high"].(float64)) {
		t.Errorf("%v, W2 %g", b, w2)
	}
	if a := object(t, "distance", "a.npy", "b.npy"); a["bracket"] != nil {
		t.Errorf("%v", a)
	}
	_, text, _ := command(t, "distance", "a.npy", "b.npy", "--bracket", "--labelled", "labelled/list.csv")
	if !strings.Contains(text, "W2 (root, mean)  between") || !strings.Contains(text, "estimate") {
		t.Error(text)
	}
	must.M(os.WriteFile("wrong.csv", []byte("a.npy,b.npy,1e9\nb.npy,a.npy,1\n"), 0o644))
	must.M(os.WriteFile("short.csv", []byte("a.npy,b.npy\n"), 0o644))
	must.M(os.WriteFile("missing.csv", []byte("a.npy,c.npy,1\n"), 0o644))
	must.M(os.WriteFile("word.csv", []byte("x,y,W2\na.npy,b.npy,one\n"), 0o644))
	for list, want := range map[string]string{"wrong.csv": "--labelled: pair 0: expected W2", "short.csv": "--labelled: short.csv", "missing.csv": "--labelled: c.npy",
		"word.csv": "row 2: expected x file, y file, W2", "none.csv": "--labelled: open none.csv"} {
		if code, _, errs := command(t, "distance", "a.npy", "b.npy", "--bracket", "--labelled", list); code != 2 || !strings.Contains(errs, want) {
			t.Errorf("%s: exit code %d, %s, expected %q", list, code, errs, want)
		}
	}
}

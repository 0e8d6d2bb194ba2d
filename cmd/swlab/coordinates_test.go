package main

import (
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/sliced-wasserstein/lab/datasets"
	"github.com/sliced-wasserstein/lab/datasets/format"
)

// farFile writes n clouds of m points in space, moved by that vector, as float64.
func farFile(t *testing.T, seed uint64, n, m int, by [3]float64) string {
	t.Helper()
	r := rand.New(rand.NewPCG(seed, 6))
	v := make([]float64, n*m*3)
	for i := range v {
		v[i] = by[i%3] + math.RoundToEven(0x1p18*r.NormFloat64())/0x1p20
	}
	s, err := datasets.New(v, n, m, 3)
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "far.npy")
	if err := s.WriteNPY(path); err != nil {
		t.Fatal(err)
	}
	return path
}

// near0 and farAway are places of clouds.
var near0, farAway = [3]float64{}, [3]float64{694385, 5155487, -1e8}

// TestMapCoordinates: coordinates of a map, as text with millimetres.
func TestMapCoordinates(t *testing.T) {
	dir := t.TempDir()
	r := rand.New(rand.NewPCG(1, 1))
	var a, b strings.Builder
	for range 200 {
		x, y, z := 694385+3*r.Float64(), 5155486+3*r.Float64(), 380+r.Float64()
		y = math.Round(y*1000) / 1000
		fmt.Fprintf(&a, "%.3f,%.3f,%.3f\n", x, y, z)
		fmt.Fprintf(&b, "%.3f,%.3f,%.3f\n", x, y+0.2, z)
	}
	first, second, axes := filepath.Join(dir, "a.xyz"), filepath.Join(dir, "b.xyz"), filepath.Join(dir, "axes.npy")
	for path, text := range map[string]string{first: a.String(), second: b.String()} {
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if err := format.WriteNPY(axes, []float32{1, 0, 0, 0, 1, 0, 0, 0, 1}, 3, 3); err != nil {
		t.Fatal(err)
	}
	for _, path := range []string{"auto", "host", "graph"} {
		v := object(t, "distance", "--loss", "sw", "--x", first, "--y", second, "--directions", axes, "--reduce", "mean", "--path", path, "--backend", "go")
		if got := v["value"].(float64); math.Abs(got/(0.04/3)-1) > 1e-5 || v["warnings"] != nil {
			t.Errorf("path %s: %v, expected %v; warnings %v", path, got, 0.04/3, v["warnings"])
		}
	}
	v := object(t, "data", "info", first)
	low, high := v["min"].([]any)[1].(float64), v["max"].([]any)[1].(float64)
	if low < 5155486 || high > 5155489 || high-low < 2.9 || v["warnings"] != nil {
		t.Errorf("y from %v to %v; warnings %v", low, high, v["warnings"])
	}
}

// TestFarFromZero: what is made of clouds far from 0 is what is made of them near 0.
func TestFarFromZero(t *testing.T) {
	dir := t.TempDir()
	x, y := farFile(t, 1, 3, 40, near0), farFile(t, 2, 3, 40, near0)
	far, other := farFile(t, 1, 3, 40, farAway), farFile(t, 2, 3, 40, farAway)
	number := func(v map[string]any, keys ...string) float64 {
		for _, k := range keys[:len(keys)-1] {
			v = v[k].(map[string]any)
		}
		return v[keys[len(keys)-1]].(float64)
	}
	same := func(what string, a, b float64) {
		t.Helper()
		if !(math.Abs(a/b-1) < 1e-5) {
			t.Errorf("%s: %v far from 0, %v near it", what, a, b)
		}
	}
	for _, l := range []string{"emd-exact", "chamfer"} {
		same(l, number(object(t, "distance", "--loss", l, "--x", far, "--y", other), "value"), number(object(t, "distance", "--loss", l, "--x", x, "--y", y), "value"))
	}
	at := object(t, "metrics", "--reference", far, "--generated", other, "--distances", "cd,emd-exact")
	near := object(t, "metrics", "--reference", x, "--generated", y, "--distances", "cd,emd-exact")
	for _, d := range []string{"cd", "emd-exact"} {
		same("metrics: "+d, number(at, d, "mmd_paper"), number(near, d, "mmd_paper"))
	}
	if at["warnings"] != nil {
		t.Errorf("metrics: %v", at["warnings"])
	}
	slice := func(a, b string) float64 {
		return number(object(t, "plot", "slice", "--x", a, "--y", b, "--slices", "10", "--out", filepath.Join(dir, "s.svg"), "--force"), "cost")
	}
	same("plot slice", slice(far, other), slice(x, y))
	sheet := func(a, b string) string {
		out := filepath.Join(dir, "c.svg")
		object(t, "plot", "clouds", "--x", a, "--x", b, "--caption", "a", "--caption", "b", "--out", out, "--force")
		text, err := os.ReadFile(out)
		if err != nil {
			t.Fatal(err)
		}
		return string(text)
	}
	if a, b := len(sheet(far, other)), len(sheet(x, y)); math.Abs(float64(a)/float64(b)-1) > 0.02 {
		t.Errorf("plot clouds: %d bytes far from 0, %d near it", a, b)
	}
	run := filepath.Join(dir, "run")
	object(t, "train", "--data", folder(t), "--loss", "sw", "--points", "32", "--steps", "0", "--backend", "go", "--out", run)
	made := func(x string) *datasets.Set {
		out := filepath.Join(dir, "r.npy")
		object(t, "reconstruct", "--x", x, "--run", run, "--out", out, "--force", "--backend", "go")
		s, err := datasets.Load(out, datasets.Options{Raw: true})
		if err != nil {
			t.Fatal(err)
		}
		return s
	}
	a, b := made(far), made(x)
	for i := range a.Clouds {
		p := b.Positions(i)
		for j, v := range a.Positions(i) {
			if math.Abs(v-farAway[j%3]-p[j]) > 1e-4 {
				t.Fatalf("reconstruct: coordinate %d of cloud %d is %v from where the cloud was moved to, %v near 0", j, i, v-farAway[j%3], p[j])
			}
		}
	}
	code, _, errs := command(t, "encode", "--x", far, "--run", run, "--normalize", "none", "--out", filepath.Join(dir, "e.npy"), "--backend", "go")
	if code != 0 || !strings.Contains(errs, "float32 rounds coordinates") {
		t.Errorf("encode: exit code %d, %s", code, errs)
	}
}

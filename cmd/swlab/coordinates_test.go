package main

import (
	"math"
	"math/rand/v2"
	"path/filepath"
	"strings"
	"testing"

	"github.com/janpfeifer/must"
	"github.com/sliced-wasserstein/lab/datasets"
)

// farFile writes n clouds of m points in space, moved by that vector, as float64.
func farFile(t *testing.T, seed uint64, n, m int, by [3]float64) string {
	t.Helper()
	r := rand.New(rand.NewPCG(seed, 6))
	v := make([]float64, n*m*3)
	for i := range v {
		v[i] = by[i%3] + math.RoundToEven(0x1p18*r.NormFloat64())/0x1p20
	}
	s := must.M1(datasets.New(v, n, m, 3))
	path := filepath.Join(t.TempDir(), "far.npy")
	must.M(s.WriteNPY(path))
	return path
}

// farAway is a place of clouds.
var farAway = [3]float64{694385, 5155487, -1e8}

// TestFarFromZero: what is made of clouds far from 0 is what is made of them near 0.
func TestFarFromZero(t *testing.T) {
	dir := t.TempDir()
	x, y := farFile(t, 1, 3, 40, [3]float64{}), farFile(t, 2, 3, 40, [3]float64{})
	far, other := farFile(t, 1, 3, 40, farAway), farFile(t, 2, 3, 40, farAway)
	at, near := object(t, "metrics", far, other, "--distances", "cd,emd-exact"), object(t, "metrics", x, y, "--distances", "cd,emd-exact")
	for _, d := range []string{"cd", "emd-exact"} {
		mmd := func(v map[string]any) float64 { return v[d].(map[string]any)["mmd_paper"].(float64) }
		if !(math.Abs(mmd(at)/mmd(near)-1) < 1e-5) || at["warnings"] != nil {
			t.Errorf("%s: MMD %v far from 0, %v near it; %v", d, mmd(at), mmd(near), at["warnings"])
		}
	}
	run := filepath.Join(dir, "run")
	object(t, "train", "--data", folder(t), "--loss", "sw", "--points", "32", "--steps", "0", "--backend", "go", "--out", run)
	made := func(x string) *datasets.Set {
		out := filepath.Join(dir, "r.npy")
		object(t, "reconstruct", "--x", x, "--run", run, "--out", out, "--force", "--backend", "go")
		return must.M1(datasets.Load(out, datasets.Options{Raw: true}))
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

// TestCertifiedMaximum: the answer has the gap of every pair, also far from 0, and the directions of the
// values; several ascents say what each reached.
func TestCertifiedMaximum(t *testing.T) {
	x, y := farFile(t, 1, 3, 40, farAway), farFile(t, 2, 3, 40, farAway)
	out := filepath.Join(t.TempDir(), "d.npy")
	pairs := func(v map[string]any, key string) []float64 {
		var all []float64
		for _, one := range v[key].([]any) {
			all = append(all, one.(float64))
		}
		return all
	}
	top := object(t, "distance", x, y, "--loss", "max-sw", "--certify", "--gap", "1e-4", "--out-directions", out, "--path", "host")
	again := object(t, "distance", x, y, "--loss", "max-sw", "--directions", out, "--path", "host")
	some := object(t, "distance", x, y, "--loss", "max-sw", "--ascent-starts", "4")
	values, along := pairs(top, "per_pair"), pairs(again, "per_pair")
	for b, gap := range pairs(top, "optimality_gap") {
		if starts := some["ascent_starts"].([]any)[b].([]any); len(starts) != 4 || starts[2].(float64) > values[b]+gap {
			t.Errorf("pair %d: ascents reach %v, the maximum is %v", b, starts, values[b])
		}
		if !(gap > 0 && gap < 1.01e-4*values[b]) || along[b] != values[b] {
			t.Errorf("pair %d: %v, along the direction %v, gap %v", b, values[b], along[b], gap)
		}
	}
	code, text, errs := command(t, "distance", x, y, "--loss", "max-sw", "--certify", "--budget", "20")
	if code != 0 || !strings.Contains(text, "optimality gap") || !strings.Contains(errs, "raise the budget") {
		t.Errorf("code %d: %s%s", code, text, errs)
	}
}

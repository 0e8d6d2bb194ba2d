package main

import (
	"encoding/json"
	"fmt"
	"math"
	"math/rand/v2"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/janpfeifer/must"
	"github.com/sliced-wasserstein/lab/datasets"
	"github.com/sliced-wasserstein/lab/datasets/format"
	"github.com/sliced-wasserstein/lab/swlab/vmf"
)

// TestRunIntoNetworkCalls: encode, reconstruct and direction read what train writes.
func TestRunIntoNetworkCalls(t *testing.T) {
	dir := t.TempDir()
	run, out := filepath.Join(dir, "run"), filepath.Join(dir, "out.npy")
	object(t, "train", "--data", folder(t), "--loss", "v-dsw", "--amortizer", "la", "--points", "32", "--batch", "5", "--epochs", "1",
		"--slices", "5", "--dk", "8", "--k", "4", "--out", run)
	x, y, other := cloudFile(t, 1, 3, 32, 3), cloudFile(t, 2, 3, 32, 3), cloudFile(t, 3, 3, 50, 3)

	v := object(t, "encode", "--run", run, "--state", "last", "--x", x, "--out", out)
	has(t, v, "out", "shape", "weights", "statistics")
	if !reflect.DeepEqual(v["shape"], []any{3.0, 256.0}) || v["statistics"] != "running" {
		t.Errorf("%v", v)
	}
	codes := array(t, out, 3, 256)
	unitRows(t, codes, 256)
	object(t, "encode", "--weights", filepath.Join(run, "weights.safetensors"), "--x", x, "--out", out, "--normalize", "unit", "--force")
	if !reflect.DeepEqual(codes, array(t, out, 3, 256)) {
		t.Error("--run and --weights give different codes")
	}
	object(t, "encode", "--run", run, "--state", "last", "--x", x, "--out", out, "--batch-stats", "--force")
	if reflect.DeepEqual(codes, array(t, out, 3, 256)) {
		t.Error("--batch-stats changes nothing")
	}
	if v := object(t, "reconstruct", "--run", run, "--x", other, "--out", out, "--force"); !reflect.DeepEqual(v["shape"], []any{3.0, 32.0, 3.0}) {
		t.Errorf("clouds of 50 points: %v", v)
	}
	object(t, "reconstruct", "--run", run, "--x", other, "--out", out, "--normalize", "none", "--force")
	for _, c := range array(t, out, 3, 32, 3) {
		if !(math.Abs(float64(c)) < 1) {
			t.Fatalf("coordinate %v", c)
		}
	}

	weights := filepath.Join(run, "amortizer.safetensors")
	v = object(t, "direction", "--amortizer", "la", "--x", x, "--y", y, "--weights", weights, "--out", out, "--force")
	has(t, v, "amortizer", "parameters", "out")
	if v["dk"] != 8.0 || v["k"] != 4.0 {
		t.Errorf("sizes of the weights: %v", v)
	}
	trained := array(t, out, 3, 3)
	unitRows(t, trained, 3)
	if v := object(t, "direction", "--amortizer", "l", "--x", x, "--y", y, "--out", out, "--force"); v["parameters"] != 65.0 {
		t.Errorf("%v", v)
	}
	first := array(t, out, 3, 3)
	object(t, "direction", "--amortizer", "l", "--x", x, "--y", y, "--out", out, "--seed", "2", "--force")
	if second := array(t, out, 3, 3); reflect.DeepEqual(first, second) {
		t.Error("two seeds give one direction")
	}

	kept := array(t, out, 3, 3)
	wrong := func(says string, args ...string) {
		t.Helper()
		wantCall(t, 2, append(args, "--out", out, "--force"), says)
	}
	wrong(`no tensor "decoder.fc3.bias"`, "reconstruct", "--x", x, "--weights", weights)
	wrong("attn.toqueries.weight: expected [16 3], found [8 3]", "direction", "--amortizer", "la", "--x", x, "--y", y, "--weights", weights, "--dk", "16")
	wrong("the weights are for clouds of 32 points, found 50", "direction", "--amortizer", "la", "--x", other, "--y", other, "--weights", weights)
	if !reflect.DeepEqual(kept, array(t, out, 3, 3)) {
		t.Error("a wrong call has changed the file")
	}
}

// TestEncodeNormalizes: moved and stretched clouds have the codes of the clouds as training sees
// them, and their reconstructions are moved and stretched likewise. Clouds that are not normalised
// and do not look like training data cause a warning.
func TestEncodeNormalizes(t *testing.T) {
	dir := t.TempDir()
	run, out := filepath.Join(dir, "run"), filepath.Join(dir, "out.npy")
	object(t, "train", "--data", folder(t), "--loss", "sw", "--points", "32", "--steps", "0", "--backend", "go", "--out", run)
	const n, m = 3, 32
	set := must.M1(datasets.Load(cloudFile(t, 1, n, m, 3), datasets.Options{}))
	frames := []datasets.Frame{{Centre: []float64{5, 0, -1}, Scale: 3}, {Centre: []float64{0, 0, 0.2}, Scale: 0.1}, {Centre: []float64{-1, 1, 1}, Scale: 20}}
	moved := slices.Clone(set.Coords)
	for i, f := range frames {
		f.Undo(moved[i*m*3 : (i+1)*m*3])
	}
	unit, off := filepath.Join(dir, "unit.npy"), filepath.Join(dir, "off.npy")
	for path, v := range map[string][]float32{unit: set.Coords, off: moved} {
		must.M(format.WriteNPY(path, v, n, m, 3))
	}
	call := func(what, x string, flags ...string) ([]float32, map[string]any, string) {
		t.Helper()
		code, stdout, errs := command(t, append([]string{what, "--x", x, "--out", out, "--force", "--backend", "go", "--format", "json"}, flags...)...)
		var v map[string]any
		if err := json.Unmarshal([]byte(stdout), &v); code != 0 || err != nil {
			t.Fatalf("%s %v: exit code %d, %s", what, flags, code, errs)
		}
		values, _ := must.M2(format.ReadNPY(out))
		return values, v, errs
	}
	far := func(a, b []float32) (worst float64) {
		for i := range a {
			worst = max(worst, math.Abs(float64(a[i]-b[i])))
		}
		return worst
	}
	want, _, errs := call("encode", unit, "--run", run, "--normalize", "none")
	if strings.Contains(errs, "warning") {
		t.Errorf("a warning about clouds as in training: %s", errs)
	}
	for _, flags := range [][]string{{"--run", run}, {"--run", run, "--normalize", "auto"}, {"--weights", filepath.Join(run, "weights.safetensors"), "--normalize", "unit"}} {
		got, v, errs := call("encode", off, flags...)
		if d := far(got, want); d > 1e-4 || strings.Contains(errs, "warning") || v["normalize"] != "unit" {
			t.Errorf("%v: codes %v off, %v, %s", flags, d, v["normalize"], errs)
		}
		found := v["frames"].([]any)[0].(map[string]any)
		if s := found["scale"].(float64); math.Abs(s-3) > 1e-4 || math.Abs(found["centre"].([]any)[0].(float64)-5) > 1e-4 {
			t.Errorf("%v: centre and scale %v", flags, found)
		}
	}
	for _, flags := range [][]string{{"--run", run, "--normalize", "none"}, {"--weights", filepath.Join(run, "weights.safetensors")}} {
		got, v, errs := call("encode", off, flags...)
		if far(got, want) < 1e-2 || v["normalize"] != "none" || !strings.Contains(errs, "warning: --x: 3 of 3 clouds") || !strings.Contains(errs, "--normalize unit") {
			t.Errorf("%v: %v, %s", flags, v["normalize"], errs)
		}
	}
	want, _, _ = call("reconstruct", unit, "--run", run, "--normalize", "none")
	for i, f := range frames {
		f.Undo(want[i*m*3 : (i+1)*m*3])
	}
	if got, _, _ := call("reconstruct", off, "--run", run); far(got, want) > 2e-3 {
		t.Errorf("reconstructions %v off", far(got, want))
	}
}

func TestVMF(t *testing.T) {
	out := filepath.Join(t.TempDir(), "s.npy")
	const n = 70_000 // more than one part
	v := object(t, "vmf", "sample", "--kappa", "10", "--location", "0,3,0,-4", "--n", fmt.Sprint(n), "--out", out, "--seed", "5")
	has(t, v, "n", "dim", "mean_resultant_length")
	if v["n"] != float64(n) || v["dim"] != 4.0 || fmt.Sprintf("%.3f", v["location"]) != "[0.000 0.600 0.000 -0.800]" {
		t.Errorf("%v", v)
	}
	dist := must.M1(vmf.New([]float64{0, 0.6, 0, -0.8}, 10))
	got, want := array(t, out, n, 4), dist.Rand(rand.New(rand.NewPCG(5, 0)), n)
	for i, w := range want {
		if math.Abs(float64(got[i])-w) > 1e-7 {
			t.Fatalf("number %d is %v, drawn at once %v", i, got[i], w)
		}
	}
	se := math.Sqrt((vmf.MeanCos2(4, 10) - math.Pow(vmf.MeanResultantLength(4, 10), 2)) / n)
	if a := v["mean_resultant_length"].(float64); math.Abs(a-dist.MeanResultantLength()) > 4*se || v["mean_resultant_length_expected"] != dist.MeanResultantLength() {
		t.Errorf("%v", v)
	}
	v = object(t, "vmf", "stats", "--kappa", "10", "--dim", "3")
	if math.Abs(v["mean_resultant_length"].(float64)-0.9) > 5e-6 || math.Abs(v["entropy"].(float64)+v["kl_uniform"].(float64)-math.Log(4*math.Pi)) > 1e-12 {
		t.Errorf("%v", v)
	}
	for key, x := range object(t, "vmf", "stats", "--kappa", "1e6", "--dim", "64") {
		if x == nil {
			t.Errorf("%s is not finite", key)
		}
	}
}

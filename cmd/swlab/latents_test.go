package main

import (
	"math"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"github.com/sliced-wasserstein/lab/datasets/format"
)

// TestClassifyGenerate: the calls on the codes of a run, through the command line.
func TestClassifyGenerate(t *testing.T) {
	if testing.Short() {
		t.Skip("compiles several programs")
	}
	data, dir := folder(t), t.TempDir()
	run := filepath.Join(dir, "run")
	object(t, "train", "--data", data, "--loss", "sw", "--points", "32", "--batch", "5", "--epochs", "1", "--slices", "5", "--out", run)

	v := object(t, "classify", "--run", run, "--epochs", "3")
	has(t, v, "accuracy", "n_train", "n_test", "best_epoch", "loss", "classes", "seed", "state", "backend")
	if v["n_train"] != 10.0 || v["n_test"] != 4.0 || v["classes"] != 3.0 || v["seed"] != 123.0 || v["state"] != "best.safetensors" {
		t.Errorf("%v", v)
	}
	if a, ok := v["accuracy"].(float64); !ok || a < 0 || a > 1 || math.Abs(4*a-math.Round(4*a)) > 1e-9 {
		t.Errorf("accuracy %v of 4 clouds", v["accuracy"])
	}
	if again := object(t, "classify", "--run", run, "--data", data, "--test", data, "--epochs", "3"); !reflect.DeepEqual(v, again) {
		t.Errorf("the run's data gives %v, the same data by name %v", v, again)
	}
	svm := object(t, "classify", "--run", run, "--classifier", "svm")
	has(t, svm, "accuracy", "n_train", "n_test", "c", "validation", "gradient_norm", "classifier", "classes", "state", "backend")
	if svm["n_train"] != v["n_train"] || svm["n_test"] != v["n_test"] || len(svm["validation"].([]any)) != 7 {
		t.Errorf("support vector machines: %v", svm)
	}
	if c := object(t, "classify", "--run", run, "--classifier", "svm", "--svm-c", "3"); c["c"] != 3.0 || c["validation"] != nil {
		t.Errorf("--svm-c 3: %v", c)
	}
	if w := object(t, "classify", "--run", run, "--epochs", "3", "--seed", "5", "--split", "all"); w["seed"] != 5.0 || w["n_train"] != 14.0 || w["loss"] == v["loss"] {
		t.Errorf("another seed and part: %v", w)
	}

	out := filepath.Join(dir, "g.npy")
	v = object(t, "generate", "--run", run, "--out", out, "--epochs", "2", "--distances", "cd,emd-exact")
	has(t, v, "jsd", "jsd_scaled", "cd", "emd-exact", "out", "n_train", "loss", "seed", "state", "backend")
	if v["sinkhorn"] != "log" || v["n_train"] != 10.0 {
		t.Errorf("%v", v)
	}
	has(t, v["cd"].(map[string]any), "mmd_paper", "mmd_standard", "cov_paper", "cov_standard", "nna")
	clouds := array(t, out, 4, 32, 3) // as many as the test clouds
	for _, x := range clouds {
		if !(math.Abs(float64(x)) < 1) {
			t.Fatalf("coordinate %v", x)
		}
	}
	object(t, "generate", "--run", run, "--out", out, "--epochs", "2", "--distances", "cd", "--sinkhorn", "released", "--clouds", "6", "--store", filepath.Join(dir, "store"), "--force")
	if more := array(t, out, 6, 32, 3); reflect.DeepEqual(more[:len(clouds)], clouds) {
		t.Error("--sinkhorn changes nothing")
	}
}

// TestLatentCallsRefuse: wrong calls name the flag and write nothing.
func TestLatentCallsRefuse(t *testing.T) {
	data, dir := folder(t), t.TempDir()
	run, out := filepath.Join(dir, "run"), filepath.Join(dir, "g.npy")
	object(t, "train", "--data", data, "--loss", "sw", "--points", "32", "--batch", "5", "--steps", "0", "--out", run)
	plain := cloudFile(t, 1, 4, 32, 3)
	other := folder(t) // of other classes
	if err := os.WriteFile(filepath.Join(other, "classes.txt"), []byte("ball\nrod\nplate\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	lacking := folder(t) // no rod to learn from
	if err := format.WriteNPY(filepath.Join(lacking, "labels.npy"), []float32{0, 1, 0, 1, 0, 1, 0, 1, 0, 1, 0, 1, 0, 2}, 14); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct{ says, call string }{
		{"--run is missing", "classify"},
		{"--out is missing", "generate --run " + run},
		{"--run: " + dir + " holds no run", "classify --run " + dir},
		{"--state: expected best or last, found \"first\"", "classify --state first --run " + run},
		{"--epochs: expected at least 1, found 0", "classify --epochs 0 --run " + run},
		{"--svm-c would do nothing: not with --classifier mlp", "classify --svm-c 3 --run " + run},
		{"--epochs would do nothing: not with --classifier svm", "classify --classifier svm --epochs 3 --run " + run},
		{"--svm-c: expected a number > 0, found 0", "classify --classifier svm --svm-c 0 --run " + run},
		{"--classifier: expected mlp or svm, found \"knn\"", "classify --classifier knn --run " + run},
		{"--split: expected train, test, val or all", "classify --split some --run " + run},
		{"--test-split: expected train, test, val or all", "classify --test-split some --run " + run},
		{"--data: " + filepath.Join(dir, "none"), "classify --data " + filepath.Join(dir, "none") + " --run " + run},
		{"--test is missing: " + plain + " has no parts", "classify --data " + plain + " --run " + run},
		{"--data: expected clouds with class labels, " + plain + " has none", "classify --data " + plain + " --test " + data + " --run " + run},
		{"--test: expected clouds with class labels, " + plain + " has none", "classify --test " + plain + " --run " + run},
		{"--test: expected the 3 classes of " + data, "classify --test " + other + " --run " + run},
		{"--test: class 2, rod, of cloud 3 of " + lacking, "classify --data " + lacking + " --run " + run},
		{"--clouds: expected at least 0, found -1", "generate --clouds -1 --out " + out + " --run " + run},
		{"--epochs: expected at least 1, found 0", "generate --epochs 0 --out " + out + " --run " + run},
		{"--sinkhorn: expected log or released, found \"exact\"", "generate --sinkhorn exact --out " + out + " --run " + run},
		{"--distances: expected some of cd, emd-approx, emd-exact, found \"emd\"", "generate --distances cd,emd --out " + out + " --run " + run},
		{"--out: expected a name that ends in .npy", "generate --out g.txt --run " + run},
	} {
		code, stdout, errs := command(t, strings.Fields(c.call)...)
		if code != 2 || stdout != "" || !strings.Contains(errs, c.says) {
			t.Errorf("%s: exit code %d, %q, want 2 and %q", c.call, code, errs, c.says)
		}
	}
	if _, err := os.Stat(out); err == nil {
		t.Error("a wrong call has written a file")
	}
	if code, _, errs := command(t, "classify", "--epochs", "1", "--split", "test", "--run", run); code != 0 || !strings.Contains(errs, "warning: the test has clouds of "+data) {
		t.Errorf("testing on what was learned from: %d %q", code, errs)
	}
}

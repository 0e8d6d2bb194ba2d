package main

import (
	"math"
	"path/filepath"
	"reflect"
	"testing"
)

// TestClassifyGenerate: the calls on the codes of a run, through the command line.
func TestClassifyGenerate(t *testing.T) {
	if testing.Short() {
		t.Skip("runs in make check")
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

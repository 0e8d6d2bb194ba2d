package main

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/sliced-wasserstein/lab/swlab/train"
)

// TestTrainFitsTheData: default points and batch are lowered to what the file has. The call says
// so, and so does the configuration.
func TestTrainFitsTheData(t *testing.T) {
	out := filepath.Join(t.TempDir(), "run")
	code, _, errs := command(t, "train", "--data", folder(t), "--loss", "chamfer", "--steps", "1", "--backend", "go", "--out", out)
	if code != 0 || !strings.Contains(errs, "points: 40 per cloud") || !strings.Contains(errs, "batch: 10 of the 10 clouds") {
		t.Fatalf("exit code %d: %s", code, errs)
	}
	c, err := train.ReadConfig(out)
	if err != nil || c.Points != 40 || c.Batch != 10 {
		t.Errorf("%d points, batch %d, %v", c.Points, c.Batch, err)
	}
}

// TestTrainLonger: --resume needs only the folder and the new length. The longer run equals one of
// that length. A changed setting makes another run.
func TestTrainLonger(t *testing.T) {
	data, dir := folder(t), t.TempDir()
	short, whole := filepath.Join(dir, "short"), filepath.Join(dir, "whole")
	call := func(out, epochs string) []string {
		return []string{"train", "--data", data, "--loss", "sw", "--slices", "9", "--points", "32", "--batch", "5", "--learning-rate", "0.002", "--momentum", "0.5",
			"--weight-decay", "0", "--seed", "4", "--backend", "go", "--epochs", epochs, "--out", out}
	}
	object(t, call(short, "1")...)
	want := object(t, call(whole, "3")...)
	got := object(t, "train", "--resume", "--epochs", "3", "--out", short)
	if got["steps"] != 6.0 || got["loss"] != want["loss"] || got["best_loss"] != want["best_loss"] {
		t.Errorf("extended %v, at once %v", got, want)
	}
	for _, name := range []string{"config.json", "weights.safetensors", "best.safetensors"} {
		a, err := os.ReadFile(filepath.Join(short, name))
		if err != nil {
			t.Fatal(err)
		}
		b, err := os.ReadFile(filepath.Join(whole, name))
		if err != nil {
			t.Fatal(err)
		}
		if !bytes.Equal(a, b) {
			t.Errorf("%s differs", name)
		}
	}
	if c, err := train.ReadConfig(short); err != nil || c.LearningRate != 0.002 || c.Momentum != 0.5 || c.WeightDecay != 0 || c.Seed != 4 || c.Slices != 9 {
		t.Errorf("%+v, %v", c, err)
	}
	for says, flags := range map[string][]string{
		"has done 6 steps":                {"--epochs", "2"},
		"ends after 6 steps all the same": {"--steps", "6"},
		"momentum: 0.9, the run has 0.5":  {"--epochs", "9", "--momentum", "0.9"},
		"seed: 5, the run has 4":          {"--seed", "5"},
		"loss: chamfer, the run has sw":   {"--loss", "chamfer"},
		"points: 40, the run has 32":      {"--points", "40"},
		`split: all, the run has `:        {"--split", "all"},
	} {
		code, _, errs := command(t, append([]string{"train", "--resume", "--out", short}, flags...)...)
		if code != 2 || !strings.Contains(errs, says) || strings.Count(errs, "\n") != 1 {
			t.Errorf("%v: exit code %d, %s; expected a line that says %q", flags, code, errs, says)
		}
	}
}

// TestDefaultsFitTheData: defaults of other calls are lowered to what the data have, with a
// message. Points of a run that the data lack are named as the run's. Explicit values stay errors.
func TestDefaultsFitTheData(t *testing.T) {
	data, dir := folder(t), t.TempDir()
	sweep := []string{"sweep", "--data", data, "--vary", "slices=3", "--loss", "sw", "--steps", "1", "--backend", "go", "--out", dir, "--format", "json"}
	code, out, errs := command(t, sweep...)
	if code != 0 || !strings.Contains(errs, "points: 40 per cloud, all that "+data) || !strings.Contains(errs, "batch: 10 clouds per step") || !strings.Contains(out, `"points":40`) && !strings.Contains(out, `"points": 40`) {
		t.Errorf("sweep: exit code %d, %s %s", code, errs, out)
	}
	if code, _, errs := command(t, append(sweep, "--points", "41")...); code != 2 || !strings.Contains(errs, "41 points per cloud were asked for") {
		t.Errorf("sweep with points asked for: exit code %d, %s", code, errs)
	}
	table := []string{"table", "run", "ablation_kappa", "--preset", "smoke", "--rows", "la-v-dsw", "--data", data, "--set", "epochs=1", "--backend", "go", "--out", dir, "--format", "json"}
	code, out, errs = command(t, table...)
	if code != 0 || !strings.Contains(errs, "points: 40 per cloud, all that "+data) || !strings.Contains(errs, "batch: 10 clouds per step") || !strings.Contains(out, "points 40 (paper: 2048)") {
		t.Errorf("table: exit code %d, %s %s", code, errs, out)
	}
	if code, _, errs := command(t, append(table, "--set", "points=41")...); code != 2 || !strings.Contains(errs, "41 points per cloud were asked for") {
		t.Errorf("table with points asked for: exit code %d, %s", code, errs)
	}
	run := filepath.Join(dir, "run")
	object(t, "train", "--data", "builtin", "--loss", "sw", "--points", "64", "--batch", "4", "--steps", "0", "--backend", "go", "--out", run)
	for _, call := range [][]string{{"evaluate", "--data", data}, {"classify", "--data", data}, {"generate", "--data", data, "--out", filepath.Join(dir, "g.npy")}} {
		code, _, errs := command(t, append(call, "--run", run)...)
		if code != 2 || !strings.Contains(errs, "as many points as the run's, 64, found 40") || strings.Contains(errs, "asked for") || strings.Count(errs, "\n") != 1 {
			t.Errorf("%v: exit code %d, %s", call, code, errs)
		}
	}
}

package main

import (
	"bytes"
	"path/filepath"
	"strings"
	"testing"

	"github.com/sliced-wasserstein/lab/swlab/train"
)

// TestTrainLonger: --resume needs only the folder and the new length. The longer run equals one of
// that length. A changed setting makes another run.
func TestTrainLonger(t *testing.T) {
	data, dir := folder(t), t.TempDir()
	short, whole := filepath.Join(dir, "short"), filepath.Join(dir, "whole")
	call := func(out, epochs string) []string {
		return []string{"train", "--data", data, "--loss", "sw", "--slices", "9", "--points", "8", "--batch", "5", "--learning-rate", "0.002", "--momentum", "0.5",
			"--weight-decay", "0", "--seed", "4", "--backend", "go", "--epochs", epochs, "--out", out}
	}
	object(t, call(short, "1")...)
	want := object(t, call(whole, "3")...)
	got := object(t, "train", "--resume", "--epochs", "3", "--out", short)
	if got["steps"] != 6.0 || got["loss"] != want["loss"] || got["best_loss"] != want["best_loss"] {
		t.Errorf("extended %v, at once %v", got, want)
	}
	for _, name := range []string{"config.json", "weights.safetensors", "best.safetensors"} {
		if !bytes.Equal(content(t, filepath.Join(short, name)), content(t, filepath.Join(whole, name))) {
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
		"points: 40, the run has 8":       {"--points", "40"},
		`split: all, the run has `:        {"--split", "all"},
	} {
		code, _, errs := command(t, append([]string{"train", "--resume", "--out", short}, flags...)...)
		if code != 2 || !strings.Contains(errs, says) || strings.Count(errs, "\n") != 1 {
			t.Errorf("%v: exit code %d, %s; expected a line that says %q", flags, code, errs, says)
		}
	}
}

// TestDefaultsFitTheData: defaults are lowered to what the data have, with a message and in the configuration. Points of a run that the
// data lack are named as the run's. Explicit values stay errors.
func TestDefaultsFitTheData(t *testing.T) {
	data, dir := folder(t), t.TempDir()
	run, wide := filepath.Join(dir, "run"), filepath.Join(dir, "wide")
	for _, call := range []string{
		"train --data D --loss chamfer --steps 0 --out " + run,
		"sweep slices=3 --data D --loss sw --steps 0 --out " + dir,
		"table run ablation_kappa --preset smoke --rows la-v-dsw --data D --dry-run --out " + dir,
	} {
		code, _, errs := command(t, strings.Fields(strings.ReplaceAll(call, " D ", " "+data+" "))...)
		if code != 0 || !strings.Contains(errs, "points: 40 per cloud") || !strings.Contains(errs, "batch: 10 ") {
			t.Errorf("%s: exit code %d: %s", call, code, errs)
		}
	}
	if c, err := train.ReadConfig(run); err != nil || c.Points != 40 || c.Batch != 10 {
		t.Errorf("%d points, batch %d, %v", c.Points, c.Batch, err)
	}
	for _, call := range []string{"sweep slices=3 --loss sw --points 41", "table run ablation_kappa --preset smoke --set points=41"} {
		wantCall(t, 2, append(strings.Fields(call), "--data", data, "--out", dir), "41 points per cloud were asked for")
	}
	object(t, "train", "--data", "builtin", "--loss", "sw", "--points", "64", "--batch", "4", "--steps", "0", "--out", wide)
	for _, call := range [][]string{{"evaluate"}, {"classify"}, {"generate", "--out", filepath.Join(dir, "g.npy")}} {
		wantCall(t, 2, append(call, "--run", wide, "--data", data), "as many points as the run's, 64, found 40")
	}
}

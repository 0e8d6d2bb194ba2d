package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/sliced-wasserstein/lab/experiments/fanout"
)

// TestWork: the call that a task of an array makes runs a job of swlab, by flag and by Slurm's variable.
func TestWork(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "plan")
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	jobs := []fanout.Job{{Name: "good", Args: []string{"vmf", "stats", "--kappa", "1", "--dim", "3"}}, {Name: "bad", Args: []string{"vmf", "stats"}}}
	if err := fanout.Write(dir, fanout.Plan{Jobs: jobs, Executable: self}); err != nil {
		t.Fatal(err)
	}
	t.Setenv("SLURM_ARRAY_TASK_ID", "")
	if code, _, errs := command(t, "work", "--plan", dir); code != 2 || !strings.Contains(errs, "--index is missing") {
		t.Errorf("no index: %d %q", code, errs)
	}
	if code, _, errs := command(t, "work", "--plan", dir, "--index", "2"); code != 1 || !strings.Contains(errs, "0 to 1, found 2") {
		t.Errorf("index 2 of 2: %d %q", code, errs)
	}
	if code, _, errs := command(t, "work", "--plan", dir, "--index", "0"); code != 0 || errs != "" {
		t.Errorf("%d %q", code, errs)
	}
	if log, _ := os.ReadFile(filepath.Join(dir, "logs", "0.log")); !strings.Contains(string(log), "mean resultant length") {
		t.Errorf("log: %q", log)
	}
	t.Setenv("SLURM_ARRAY_TASK_ID", "1")
	if code, _, errs := command(t, "work", "--plan", dir); code != 1 || !strings.Contains(errs, "job 1 (bad) failed, code 2: swlab: --kappa is missing") {
		t.Errorf("%d %q", code, errs)
	}
}

package main

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"
)

// TestTableOnCluster: a table run as an array of a real Slurm, with one job killed in the middle,
// equals the table made here.
func TestTableOnCluster(t *testing.T) {
	if os.Getenv("SWLAB_TEST_SLURM") != "1" {
		t.Skip("needs a Slurm that may be used for tests: `make test-slurm` starts one and stops it")
	}
	call := func(out string, more ...string) []string {
		return append([]string{"table", "run", "ablation_kappa", "--preset", "smoke", "--seeds", "1,2", "--rows", "la-v-dsw,sw", "--out", out, "--format", "json"}, more...)
	}
	here, there := t.TempDir(), t.TempDir()
	code, want, errs := command(t, call(here)...)
	if code != 0 {
		t.Fatal(errs)
	}

	slurm := []string{"--submit", "slurm", "--cpus", "1", "--time", "10", "--retries", "0"}
	first := process(call(there, slurm...)...)
	if err := first.Start(); err != nil {
		t.Fatal(err)
	}
	pid := 0
	for range 600 { // until a job trains and holds the lock of its run's folder
		logs, _ := filepath.Glob(filepath.Join(there, "runs", "train-*", "run", "config.json"))
		if len(logs) > 0 {
			pid = jobOf(t, there)
		}
		if pid != 0 {
			break
		}
		time.Sleep(100 * time.Millisecond)
	}
	p, err := os.FindProcess(pid)
	if pid == 0 || err != nil || p.Kill() != nil {
		t.Fatalf("no job to kill: process %d, %v", pid, err)
	}
	if err := first.Wait(); err == nil {
		t.Error("exit code 0, though a job was killed")
	}

	code, got, errs := command(t, call(there, slurm...)...)
	if code != 0 || timeless(t, got) != timeless(t, want) {
		t.Errorf("exit code %d: %s\nhere:  %s\nthere: %s", code, errs, timeless(t, want), timeless(t, got))
	}
	scripts, _ := filepath.Glob(filepath.Join(there, "jobs", "*", "slurm.json"))
	if len(scripts) != 1 {
		t.Fatalf("folders of jobs: %v", scripts)
	}
	raw, _ := os.ReadFile(scripts[0])
	var array struct{ Jobs int }
	if err := json.Unmarshal(raw, &array); err != nil || array.Jobs != 1 {
		t.Errorf("the second array was %s (%v), expected the killed job alone", raw, err)
	}
	if out, err := exec.Command("squeue", "-h").Output(); err != nil || strings.TrimSpace(string(out)) != "" {
		t.Errorf("left in the queue: %s, %v", out, err)
	}
}

// jobOf returns a process that does a job of the store: a call of table run with --job.
func jobOf(t *testing.T, store string) int {
	t.Helper()
	calls, err := filepath.Glob("/proc/[0-9]*/cmdline")
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range calls {
		raw, _ := os.ReadFile(file) // the process may have ended meanwhile
		if words := strings.Split(string(raw), "\x00"); slices.Contains(words, "--job") && slices.Contains(words, store) {
			pid, err := strconv.Atoi(filepath.Base(filepath.Dir(file)))
			if err != nil {
				t.Fatal(err)
			}
			return pid
		}
	}
	return 0
}

// timeless returns a table without its times.
func timeless(t *testing.T, table string) string {
	t.Helper()
	var v struct {
		Rows []struct {
			ID     string
			Values map[string]any
		}
	}
	if err := json.Unmarshal([]byte(table), &v); err != nil {
		t.Fatalf("%v in %q", err, table)
	}
	for _, r := range v.Rows {
		delete(r.Values, "time")
	}
	out, err := json.Marshal(v.Rows)
	if err != nil {
		t.Fatal(err)
	}
	return string(out)
}

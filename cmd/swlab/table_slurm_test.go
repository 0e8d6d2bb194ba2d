package main

import (
	"errors"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/janpfeifer/must"
)

// TestTableOnCluster: the batch script of docs/cluster.md on a real Slurm, with one task killed in the
// middle and submitted again, makes the table that a call here makes.
func TestTableOnCluster(t *testing.T) {
	if os.Getenv("SWLAB_TEST_SLURM") != "1" {
		t.Skip("needs a Slurm that may be used for tests: `make test-slurm` starts one and stops it")
	}
	call := func(out string) []string {
		return []string{"table", "run", "ablation_kappa", "--preset", "smoke", "--seeds", "1,2", "--rows", "la-v-dsw,sw", "--out", out, "--format", "json"}
	}
	code, want, errs := command(t, call(t.TempDir())...)
	if code != 0 {
		t.Fatal(errs)
	}

	page := must.M1(os.ReadFile("../../docs/cluster.md"))
	script := regexp.MustCompile("(?s)```sh\n(#!/bin/bash\n.*?)```").FindSubmatch(page)
	if script == nil {
		t.Fatal("docs/cluster.md has no batch script")
	}
	dir, there := t.TempDir(), t.TempDir()
	bin := filepath.Join(dir, "bin")
	must.M(errors.Join(os.Mkdir(bin, 0o755), os.Symlink(os.Args[0], filepath.Join(bin, "swlab"))))
	put(t, filepath.Join(dir, "job.sh"), script[1])
	submit := func() *exec.Cmd {
		c := exec.Command("sbatch", "--wait", "--array=0-3", "--cpus-per-task=1", "--time=10", "--output="+dir+"/%a.log", filepath.Join(dir, "job.sh"))
		c.Env = append(os.Environ(), "SWLAB_TEST_IS_SWLAB=1", "PATH="+bin+":"+os.Getenv("PATH"), "TABLE=ablation_kappa", "PRESET=smoke", "STORE="+there, "ROWS=la-v-dsw sw", "SEEDS=1 2")
		return c
	}
	first := submit()
	must.M(first.Start())
	pid := 0
	for range 600 { // until a task trains and holds the lock of its run's folder
		if logs, _ := filepath.Glob(filepath.Join(there, "runs", "train-*", "run", "config.json")); len(logs) > 0 {
			pid = taskOf(t, there)
		}
		if pid != 0 {
			break
		}
		time.Sleep(100 * time.Millisecond)
	}
	p, err := os.FindProcess(pid)
	if pid == 0 || err != nil || p.Kill() != nil {
		t.Fatalf("no task to kill: process %d, %v", pid, err)
	}
	_ = first.Wait() // Slurm may start the task again by itself
	if out, err := submit().CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}

	before := results(t, there)
	code, got, errs := command(t, call(there)...)
	if code != 0 || timeless(t, got) != timeless(t, want) {
		t.Errorf("exit code %d: %s\nhere:  %s\nthere: %s", code, errs, timeless(t, want), timeless(t, got))
	}
	if after := results(t, there); len(before) == 0 || !maps.Equal(after, before) {
		t.Errorf("the array left work: %d results, then %d", len(before), len(after))
	}
}

// results returns the results in a store, with the times when they were written.
func results(t *testing.T, store string) map[string]time.Time {
	t.Helper()
	found := must.M1(filepath.Glob(filepath.Join(store, "runs", "*", "result.json")))
	out := map[string]time.Time{}
	for _, path := range found {
		out[path] = must.M1(os.Stat(path)).ModTime()
	}
	return out
}

// taskOf returns a process that does a task of the store.
func taskOf(t *testing.T, store string) int {
	t.Helper()
	for _, file := range must.M1(filepath.Glob("/proc/[0-9]*/cmdline")) {
		raw, _ := os.ReadFile(file) // the process may have ended meanwhile
		if words := strings.Split(string(raw), "\x00"); slices.Contains(words, "table") && slices.Contains(words, store) {
			return must.M1(strconv.Atoi(filepath.Base(filepath.Dir(file))))
		}
	}
	return 0
}

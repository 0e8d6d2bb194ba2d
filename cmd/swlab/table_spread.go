package main

import (
	"context"
	"crypto/sha256"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/sliced-wasserstein/lab/experiments/fanout"
	"github.com/sliced-wasserstein/lab/experiments/reproduce"
	"github.com/sliced-wasserstein/lab/experiments/runs"
)

// environment are the variables that a job on another machine must see as they are here: where the backends are, and how XLA runs.
var environment = []string{"SWLAB_BACKEND", "SWLAB_CACHE", "PJRT_PLUGIN_LIBRARY_PATH", "GOMLX_BACKEND", "GOMLX_NO_AUTO_INSTALL", "LD_LIBRARY_PATH",
	"XLA_FLAGS", "GLIBC_TUNABLES"}

// spread does the jobs in processes of their own, here or on a cluster. All of the table's jobs are the plan, so that a later call with
// fewer left finds the same one.
func (t *tableRun) spread(ctx context.Context, lab *runs.Lab, plan *reproduce.Plan, missing []reproduce.Job, failures map[string]string) error {
	p := fanout.Plan{Env: environment}
	for _, j := range plan.Jobs {
		p.Jobs = append(p.Jobs, fanout.Job{Name: j.Name(), Args: t.arguments(plan, j)})
	}
	sum := sha256.Sum256([]byte(fmt.Sprint(p.Jobs)))
	dir := filepath.Join(t.out, "plans", fmt.Sprintf("%s-%s-%x", plan.Table.Name, plan.Preset.Name, sum[:6]))
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return err
	}
	if err := fanout.Write(dir, p); err != nil {
		return err
	}
	for i, j := range plan.Jobs { // the store knows better: results may have been removed, or made by another table
		if !j.Done(lab) {
			if s, err := fanout.Look(dir); err == nil && s.Status[i].State == fanout.Done {
				if err := fanout.Forget(dir, i); err != nil {
					return err
				}
			}
		}
	}
	show := func(c fanout.Counts) { fmt.Fprintf(os.Stderr, "%s: %s\n", plan.Table.Name, c) }
	var s fanout.Summary
	var err error
	switch {
	case t.submit == "":
		s, err = fanout.Local(ctx, dir, t.jobs, show)
	case !t.wait:
		job, err := fanout.Submit(ctx, dir, t.slurm)
		if err == nil && job != "" {
			fmt.Fprintf(os.Stderr, "array %s submitted: the same command collects\n", job)
		}
		return err
	default:
		s, err = fanout.Slurm(ctx, dir, t.slurm, show)
	}
	if err != nil {
		return err
	}
	for i, j := range s.Jobs {
		if s.Status[i].State != fanout.Done {
			failures[j.Name] = strings.TrimSpace(string(s.Status[i].State) + " " + s.Status[i].Error)
		}
	}
	return s.Err()
}

// arguments are those of the call that does one job.
func (t *tableRun) arguments(plan *reproduce.Plan, j reproduce.Job) []string {
	out, err := filepath.Abs(t.out)
	if err != nil {
		out = t.out
	}
	args := []string{"table", "run", plan.Table.Name, "--preset", t.preset, "--job", j.Name(), "--seeds", fmt.Sprint(j.Seed), "--rows", j.Row,
		"--out", out, "--backend", t.backend}
	for _, f := range []struct{ flag, value string }{{"--data", t.data}, {"--test", t.test}} {
		if f.value != "" {
			args = append(args, f.flag, f.value)
		}
	}
	for _, s := range t.set {
		args = append(args, "--set", s)
	}
	return args
}

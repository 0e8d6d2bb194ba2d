package main

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"github.com/sliced-wasserstein/lab/experiments/jobs"
	"github.com/sliced-wasserstein/lab/experiments/reproduce"
	"github.com/sliced-wasserstein/lab/experiments/runs"
)

// spread runs the missing jobs in processes of their own. The folder of their logs is named after
// all jobs of the table, so that a later call with fewer left finds the same one.
func (t *tableRun) spread(ctx context.Context, store *runs.Store, plan *reproduce.Schedule, missing []reproduce.Item, failures map[string]string) error {
	calls := func(list []reproduce.Item) (out []jobs.Job) {
		for _, j := range list {
			out = append(out, jobs.Job{Name: j.Name(), Args: append(t.arguments(plan, j), "--out", t.Out)})
		}
		return out
	}
	all := sha256.New()
	for _, j := range plan.Jobs {
		fmt.Fprintln(all, t.arguments(plan, j))
	}
	dir := filepath.Join(t.Out, "jobs", fmt.Sprintf("%s-%s-%x", plan.Table.Name, plan.Preset.Name, all.Sum(nil)[:6]))
	show := func(c jobs.Counts) { fmt.Fprintf(os.Stderr, "%s: %s\n", plan.Table.Name, c) }
	failed, err := jobs.Local(ctx, dir, calls(missing), t.Jobs, show)
	if err != nil {
		return err
	}
	var errs []error
	for _, j := range missing {
		if j.Done(store) {
			continue
		}
		err := failed[j.Name()]
		if err == nil {
			err = errors.New("ended without a result")
		}
		failures[j.Name()] = oneLine(err)
		errs = append(errs, fmt.Errorf("job %s: %w", j.Name(), err))
	}
	const most = 5
	if len(errs) > most {
		errs = append(errs[:most], fmt.Errorf("and %d more", len(errs)-most))
	}
	return errors.Join(errs...)
}

// arguments returns the arguments of the call that does one job, without --out.
func (t *tableRun) arguments(plan *reproduce.Schedule, j reproduce.Item) []string {
	args := []string{"table", "run", plan.Table.Name, "--preset", t.Preset, "--job", j.Name(), "--seeds", fmt.Sprint(j.Seed), "--rows", j.Row,
		"--backend", t.Backend}
	for _, f := range []struct{ flag, value string }{{"--data", t.Data}, {"--test", t.Test}, {"--select", t.Select}} {
		if f.value != "" {
			args = append(args, f.flag, f.value)
		}
	}
	for _, s := range t.settings(plan.Table.Study) {
		args = append(args, "--set", s)
	}
	if !t.Ours {
		args = append(args, "--ours=false")
	}
	return args
}

package fanout

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"github.com/sliced-wasserstein/lab/internal/durable"
)

// SlurmOptions say what one job needs. An empty field asks for nothing: the cluster's default holds.
type SlurmOptions struct {
	Partition, Account string
	Time               string   // limit, as sbatch reads it: 2:00:00, 1-0
	Memory             string   // per node, as sbatch reads it: 8G
	CPUs, GPUs         int      // per job
	MaxParallel        int      // most jobs at a time
	Extra              []string // further options of sbatch: --constraint=a100
	Retries            int      // how often Slurm submits again what was interrupted, before it returns
}

// Slurm runs the jobs of the plan in dir that are not done as one job array and returns when none of it is queued any more. If an
// array of this plan is still queued from an earlier call, it waits for that one instead. Jobs that were interrupted, by a time
// limit, scancel, a signal or a node that failed, are submitted again, up to Retries times; jobs that failed are not. When ctx
// ends the array stays queued, and a later call waits for it. Every task runs `work --plan DIR --index I` of this program, which
// must be [Work], so dir, this program and the plan's must be on a file system that the nodes share.
//
// It needs sbatch and squeue, not sacct. Errors: those are missing or fail, with their own words; the plan cannot be read or is
// in use; ctx. A job that is not done is no error here: [Summary.Err]. progress may be nil; it is called when a count changes.
func Slurm(ctx context.Context, dir string, o SlurmOptions, progress func(Counts)) (Summary, error) {
	plan, unlock, err := begin(dir)
	if err != nil {
		return Summary{}, err
	}
	defer unlock()
	a, err := plan.submit(ctx, dir, o, false)
	for try := 0; err == nil && a.Job != ""; try++ {
		if err = plan.wait(ctx, dir, a, progress); err != nil || try == o.Retries {
			break
		}
		a, err = plan.submit(ctx, dir, o, true)
	}
	if ctx.Err() != nil && a.Job != "" {
		err = fmt.Errorf("no longer waiting for array %s, which goes on; the same call waits for it again, scancel %s ends it: %w", a.Job, a.Job, ctx.Err())
	}
	return plan.look(dir), err
}

// Submit is Slurm without waiting. It returns the number of the array, also of one that is still queued from an earlier call, or
// "" if every job is done or runs elsewhere. [Look] says how far it is, a call of Slurm waits for it.
func Submit(ctx context.Context, dir string, o SlurmOptions) (job string, err error) {
	plan, unlock, err := begin(dir)
	if err != nil {
		return "", err
	}
	defer unlock()
	a, err := plan.submit(ctx, dir, o, false)
	return a.Job, err
}

func begin(dir string) (Plan, func(), error) {
	plan, err := Read(dir)
	if err == nil {
		err = available()
	}
	if err != nil {
		return Plan{}, nil, err
	}
	unlock, err := durable.Lock(dir)
	if err != nil {
		return Plan{}, nil, fmt.Errorf("%s: %w", dir, err)
	}
	return plan, unlock, nil
}

// submit returns the array that is queued, or a new one over the jobs that are not done, or none.
func (p Plan) submit(ctx context.Context, dir string, o SlurmOptions, interruptedOnly bool) (array, error) {
	if _, err := o.options(); err != nil {
		return array{}, err
	}
	old, err := readArray(dir)
	if err != nil {
		return array{}, err
	}
	if old.Job != "" {
		tasks, err := old.tasks(ctx)
		if err != nil {
			return array{}, err
		}
		if len(tasks) > 0 {
			return old, nil
		}
		if err := p.collect(dir, old); err != nil {
			return array{}, err
		}
	}
	var indices []int
	for i, s := range p.look(dir).Status {
		if s.State == Interrupted || !interruptedOnly && (s.State == Waiting || s.State == Failed) {
			indices = append(indices, i)
		}
	}
	if len(indices) == 0 {
		return array{}, nil
	}
	worker, err := os.Executable()
	if err != nil {
		return array{}, err
	}
	if err := p.writeScript(dir, o, indices, worker); err != nil {
		return array{}, err
	}
	a := array{Indices: indices, Time: time.Now()}
	if a.Job, a.Cluster, err = sbatch(ctx, dir); err != nil {
		return array{}, err
	}
	if err := durable.WriteJSON(filepath.Join(dir, arrayFile), a); err != nil {
		return array{}, fmt.Errorf("array %s was submitted and cannot be recorded, scancel %s ends it: %w", a.Job, a.Job, err)
	}
	return a, nil
}

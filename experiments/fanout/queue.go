package fanout

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"strings"
)

// A task of an array as squeue tells it.
type task struct{ state, reason string }

// available reports a missing program of Slurm.
func available() error {
	for _, name := range []string{"sbatch", "squeue"} {
		if _, err := exec.LookPath(name); err != nil {
			return fmt.Errorf("%s is not on the PATH: expected Slurm's client programs, as on a login node of a cluster; without Slurm, run the jobs locally", name)
		}
	}
	return nil
}

// sbatch submits the plan's script and returns the array.
func sbatch(ctx context.Context, dir string) (job, cluster string, err error) {
	out, err := client(ctx, dir, "sbatch", "--parsable", scriptFile)
	if err != nil {
		return "", "", err
	}
	job, cluster, _ = strings.Cut(strings.TrimSpace(out), ";")
	if job == "" || strings.Trim(job, "0123456789") != "" {
		return "", "", fmt.Errorf("sbatch: expected the number of a job, found %q", out)
	}
	return job, cluster, nil
}

// tasks asks which tasks of the array are still queued: waiting, running or ending.
func (a array) tasks(ctx context.Context) (map[string]task, error) {
	args := []string{"-h", "-r", "-j", a.Job, "-o", "%i|%T|%r"}
	if a.Cluster != "" {
		args = append(args, "-M", a.Cluster)
	}
	out, err := client(ctx, "", "squeue", args...)
	if err != nil && strings.Contains(err.Error(), "Invalid job id") { // ended and forgotten
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	found := map[string]task{}
	for line := range strings.Lines(out) {
		f := strings.SplitN(strings.TrimSpace(line), "|", 3)
		if len(f) == 3 && strings.HasPrefix(f[0], a.Job+"_") {
			found[f[0]] = task{f[1], f[2]}
		}
	}
	return found, nil
}

// client runs a program of Slurm; its error is in the error.
func client(ctx context.Context, dir, name string, args ...string) (string, error) {
	cmd := exec.CommandContext(ctx, name, args...)
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "LC_ALL=C")
	var out, errs bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &errs
	if err := cmd.Run(); err != nil {
		if ctx.Err() != nil {
			return "", ctx.Err()
		}
		return "", errors.Join(fmt.Errorf("%s: %w", name, err), errors.New(strings.TrimSpace(errs.String())))
	}
	return out.String(), nil
}

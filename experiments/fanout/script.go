package fanout

import (
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"github.com/sliced-wasserstein/lab/internal/durable"
)

const scriptFile = "job.sh"

// options are the #SBATCH lines that o asks for.
func (o SlurmOptions) options() (lines []string, err error) {
	for _, f := range []struct{ option, name, value string }{
		{"partition", "Partition", o.Partition}, {"account", "Account", o.Account}, {"time", "Time", o.Time}, {"mem", "Memory", o.Memory},
	} {
		if strings.ContainsAny(f.value, " \t\r\n\"'\\#") {
			return nil, fmt.Errorf("Slurm options: %s: expected one word, found %q", f.name, f.value)
		}
		if f.value != "" {
			lines = append(lines, "--"+f.option+"="+f.value)
		}
	}
	for _, f := range []struct {
		option, name string
		value        int
	}{{"cpus-per-task=", "CPUs", o.CPUs}, {"gres=gpu:", "GPUs", o.GPUs}, {"", "MaxParallel", o.MaxParallel}, {"", "Retries", o.Retries}} {
		if f.value < 0 {
			return nil, fmt.Errorf("Slurm options: %s: expected 0 or more, found %d", f.name, f.value)
		}
		if f.value > 0 && f.option != "" {
			lines = append(lines, fmt.Sprintf("--%s%d", f.option, f.value))
		}
	}
	for _, extra := range o.Extra {
		if !strings.HasPrefix(extra, "-") || strings.ContainsAny(extra, "\r\n") {
			return nil, fmt.Errorf("Slurm options: Extra: expected an option of sbatch such as --constraint=a100, found %q", extra)
		}
	}
	return append(lines, o.Extra...), nil
}

// writeScript writes the batch script of an array over the given jobs. worker is the command whose call with --plan and --index
// is Work.
func (p Plan) writeScript(dir string, o SlurmOptions, indices []int, worker string) error {
	options, err := o.options()
	if err != nil {
		return err
	}
	array := compress(indices)
	if o.MaxParallel > 0 {
		array += fmt.Sprintf("%%%d", o.MaxParallel)
	}
	abs, err := filepath.Abs(dir)
	if err != nil {
		return err
	}
	return durable.Write(filepath.Join(dir, scriptFile), func(w io.Writer) error {
		var b strings.Builder
		line := func(format string, args ...any) { fmt.Fprintf(&b, format+"\n", args...) }
		line("#!/bin/sh")
		line("# The jobs of plan.json that were not done when this was written. By hand: cd to this folder, sbatch job.sh")
		line("#SBATCH --job-name=fanout")
		line("#SBATCH --array=%s", array)
		for _, option := range options {
			line("#SBATCH %s", option)
		}
		line("# After the failure of a node or a preemption the task runs again; its job goes on where it was.")
		line("#SBATCH --requeue")
		line("# A minute before the time limit the job is told to stop.")
		line("#SBATCH --signal=B:TERM@60")
		line("# What jobs write is in logs/<i>.log; this is what Slurm and the worker say.")
		line("#SBATCH --output=logs/slurm-%%a.txt")
		line("#SBATCH --open-mode=append")
		line("")
		line("# As many threads as processors were granted: Go's, and XLA's on the CPU.")
		line(`export GOMAXPROCS="${SLURM_CPUS_ON_NODE:-1}" NPROC="${SLURM_CPUS_ON_NODE:-1}"`)
		for _, name := range p.Env {
			if value, set := os.LookupEnv(name); set {
				line("export %s=%s", name, quote(value))
			}
		}
		line("")
		line("# The worker takes the place of this shell, so Slurm's signals reach it; it passes SIGTERM on and waits for its job.")
		line(`exec %s work --plan %s --index "$SLURM_ARRAY_TASK_ID"`, quote(worker), quote(abs))
		_, err := io.WriteString(w, b.String())
		return err
	})
}

// quote makes text one word of a shell.
func quote(text string) string { return "'" + strings.ReplaceAll(text, "'", `'\''`) + "'" }

// compress writes increasing indices as sbatch reads them: 0-3,7.
func compress(indices []int) string {
	var parts []string
	for at := 0; at < len(indices); {
		end := at + 1
		for end < len(indices) && indices[end] == indices[end-1]+1 {
			end++
		}
		part := fmt.Sprint(indices[at])
		if end-at > 1 {
			part += fmt.Sprintf("-%d", indices[end-1])
		}
		parts, at = append(parts, part), end
	}
	return strings.Join(parts, ",")
}

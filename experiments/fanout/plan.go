// Package fanout runs many jobs: as n processes on this machine ([Local]) or as a job array of Slurm ([Slurm]). Both read the
// same plan, a folder, and both run a job through [Work], so a plan that one has begun the other can finish.
//
//	plan.json        the jobs
//	status/<i>.json  what became of job i, written whole
//	logs/<i>.log     what job i wrote, every attempt
//	job.sh           the batch script, slurm.json the array it was submitted as; with Slurm only
//
// A job is a program with arguments. It must be idempotent and resumable: killed anywhere and started again it goes on, and when
// its work is done it ends at once. Exit code 0 says that the work is done.
package fanout

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"regexp"
	"strconv"

	"github.com/sliced-wasserstein/lab/internal/durable"
)

// Plan is a list of jobs and what they share.
type Plan struct {
	Jobs       []Job    `json:"jobs"`
	Executable string   `json:"executable"`    // the program of every job; empty: this program
	Env        []string `json:"env,omitempty"` // names of variables that a job must see as they are here, wherever it runs
	Dir        string   `json:"dir"`           // the working folder of every job; empty: the current one
}

// Job is one call of the plan's program.
type Job struct {
	Name string   `json:"name"` // for people: progress, errors, logs
	Args []string `json:"args"`
}

const planFile = "plan.json"

func statusPath(dir string, i int) string {
	return filepath.Join(dir, "status", strconv.Itoa(i)+".json")
}
func logPath(dir string, i int) string { return filepath.Join(dir, "logs", strconv.Itoa(i)+".log") }

var variable = regexp.MustCompile(`^[A-Za-z_][A-Za-z0-9_]*$`)

// Write writes the plan into the folder dir, which it makes. A folder that holds the same jobs keeps what became of them; one
// that holds other jobs is an error, because the states there are theirs.
func Write(dir string, p Plan) error {
	if len(p.Jobs) == 0 {
		return errors.New("plan: expected at least one job, found none")
	}
	for i, j := range p.Jobs {
		if j.Name == "" {
			return fmt.Errorf("plan: job %d: expected a name, found none", i)
		}
	}
	for _, name := range p.Env {
		if !variable.MatchString(name) {
			return fmt.Errorf("plan: env: expected names of environment variables, found %q", name)
		}
	}
	if err := p.complete(); err != nil {
		return err
	}
	if _, err := os.Stat(filepath.Join(dir, planFile)); err == nil {
		old, err := Read(dir)
		if err != nil {
			return err
		}
		if old.Dir != p.Dir || !reflect.DeepEqual(old.Jobs, p.Jobs) {
			return fmt.Errorf("%s holds other jobs: %d in %s, expected %d in %s or an equal list; take another folder or remove this one",
				dir, len(old.Jobs), old.Dir, len(p.Jobs), p.Dir)
		}
	}
	for _, sub := range []string{"status", "logs"} {
		if err := os.MkdirAll(filepath.Join(dir, sub), 0o755); err != nil {
			return err
		}
	}
	return durable.WriteJSON(filepath.Join(dir, planFile), p)
}

// complete fills in the empty fields and makes paths absolute.
func (p *Plan) complete() (err error) {
	if p.Executable == "" {
		p.Executable, err = os.Executable()
	} else {
		p.Executable, err = exec.LookPath(p.Executable)
	}
	if err != nil {
		return fmt.Errorf("plan: executable: %w", err)
	}
	if p.Executable, err = filepath.Abs(p.Executable); err != nil {
		return err
	}
	if p.Dir, err = filepath.Abs(p.Dir); err != nil {
		return err
	}
	if info, err := os.Stat(p.Dir); err != nil {
		return fmt.Errorf("plan: dir: %w", err)
	} else if !info.IsDir() {
		return fmt.Errorf("plan: dir: expected a folder, found the file %s", p.Dir)
	}
	jobs := make([]Job, len(p.Jobs)) // no nil slices: what is read back is equal
	for i, j := range p.Jobs {
		jobs[i] = Job{j.Name, append([]string{}, j.Args...)}
	}
	p.Jobs = jobs
	return nil
}

// Read reads the plan in dir.
func Read(dir string) (Plan, error) {
	path := filepath.Join(dir, planFile)
	raw, err := os.ReadFile(path)
	if errors.Is(err, os.ErrNotExist) {
		return Plan{}, fmt.Errorf("%s holds no plan: no %s in it", dir, planFile)
	}
	if err != nil {
		return Plan{}, err
	}
	var p Plan
	if err := json.Unmarshal(raw, &p); err != nil {
		return Plan{}, fmt.Errorf("%s: %w", path, err)
	}
	if len(p.Jobs) == 0 || p.Executable == "" {
		return Plan{}, fmt.Errorf("%s: expected jobs and an executable, found %d jobs and %q", path, len(p.Jobs), p.Executable)
	}
	return p, nil
}

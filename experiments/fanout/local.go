package fanout

import (
	"context"
	"errors"
	"fmt"
	"os"
	"runtime"
	"sync"
	"time"

	"github.com/sliced-wasserstein/lab/internal/durable"
)

// pollEvery is how often the end of a job that another process runs is looked for, and the shortest time between two questions
// to Slurm.
var pollEvery = time.Second

// Local runs the jobs of the plan in dir that are not done, n at a time, each as a process. A job that fails does not stop the
// others; [Summary.Err] tells. When ctx ends no further job is begun, those that run get SIGTERM and, 20 s later, SIGKILL, and
// the error is that of ctx. Other errors: the plan cannot be read or is in use, n < 1, a status cannot be written. progress may
// be nil; it is called whenever a count changes, never twice at a time.
//
// The processes share the processors of this machine: GOMAXPROCS and NPROC, which sizes the thread pools of XLA on the CPU, are
// set to processors / n, at least 1, where the environment does not set them. XLA's plugin keeps four threads at least.
func Local(ctx context.Context, dir string, n int, progress func(Counts)) (Summary, error) {
	plan, err := Read(dir)
	if err != nil {
		return Summary{}, err
	}
	if n < 1 {
		return Summary{}, fmt.Errorf("expected at least one process at a time, found %d", n)
	}
	unlock, err := durable.Lock(dir)
	if err != nil {
		return Summary{}, fmt.Errorf("%s: %w", dir, err)
	}
	defer unlock()

	l := local{Summary: plan.look(dir), progress: progress}
	var todo []int
	for i, s := range l.Status {
		if s.State != Done {
			todo = append(todo, i)
			l.Status[i].State = Waiting
		}
	}
	env := shared(os.Environ(), max(1, runtime.NumCPU()/n))
	l.tell()
	next := make(chan int)
	var workers sync.WaitGroup
	for range min(n, len(todo)) {
		workers.Go(func() {
			for i := range next {
				l.set(i, Status{State: Running}, nil)
				err := plan.persist(ctx, dir, i, env)
				l.set(i, status(dir, i), err)
			}
		})
	}
	for _, i := range todo {
		if ctx.Err() != nil {
			break
		}
		select {
		case next <- i:
		case <-ctx.Done():
		}
	}
	close(next)
	workers.Wait()
	return plan.look(dir), errors.Join(append(l.errs, ctx.Err())...)
}

// persist is work, which waits while another process runs the job: one that a worker left behind, or a task of Slurm.
func (p Plan) persist(ctx context.Context, dir string, i int, env []string) error {
	for {
		err := p.work(ctx, dir, i, env, "")
		if !errors.Is(err, ErrBusy) {
			if ctx.Err() != nil && errors.Is(err, ctx.Err()) {
				return nil // Local says it once
			}
			return err
		}
		select {
		case <-ctx.Done():
			return nil
		case <-time.After(pollEvery):
		}
	}
}

// shared adds to env how many threads a process may use.
func shared(env []string, threads int) []string {
	for _, name := range []string{"GOMAXPROCS", "NPROC"} {
		if _, set := os.LookupEnv(name); !set {
			env = append(env, fmt.Sprintf("%s=%d", name, threads))
		}
	}
	return env
}

// local keeps the states of a call of Local.
type local struct {
	Summary
	mu       sync.Mutex
	errs     []error
	progress func(Counts)
}

func (l *local) set(i int, s Status, err error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.Status[i] = s; err != nil {
		l.errs = append(l.errs, fmt.Errorf("job %d (%s): %w", i, l.Jobs[i].Name, err))
	}
	l.tell()
}

func (l *local) tell() {
	if l.progress != nil {
		l.progress(l.Counts())
	}
}

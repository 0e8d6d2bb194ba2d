package fanout

import (
	"errors"
	"fmt"
	"strings"
)

// Summary says what became of every job of a plan.
type Summary struct {
	Dir    string
	Jobs   []Job
	Status []Status // [len(Jobs)]
}

// Counts are numbers of jobs by state.
type Counts struct {
	Waiting, Running, Done, Failed, Interrupted int
	Reason                                      string // why Slurm lets a job wait, in its words
}

// Look reads the states of the plan in dir and changes nothing.
func Look(dir string) (Summary, error) {
	plan, err := Read(dir)
	if err != nil {
		return Summary{}, err
	}
	return plan.look(dir), nil
}

func (p Plan) look(dir string) Summary {
	s := Summary{Dir: dir, Jobs: p.Jobs, Status: make([]Status, len(p.Jobs))}
	for i := range s.Status {
		s.Status[i] = status(dir, i)
	}
	return s
}

// Counts counts.
func (s Summary) Counts() Counts {
	var c Counts
	for _, status := range s.Status {
		c.add(status.State, 1)
	}
	return c
}

func (c *Counts) add(s State, n int) {
	switch s {
	case Waiting:
		c.Waiting += n
	case Running:
		c.Running += n
	case Done:
		c.Done += n
	case Failed:
		c.Failed += n
	case Interrupted:
		c.Interrupted += n
	}
}

func (c Counts) String() string {
	parts := []string{fmt.Sprintf("%d waiting", c.Waiting), fmt.Sprintf("%d running", c.Running), fmt.Sprintf("%d done", c.Done)}
	if c.Reason != "" {
		parts[0] += " (" + c.Reason + ")"
	}
	if c.Failed > 0 {
		parts = append(parts, fmt.Sprintf("%d failed", c.Failed))
	}
	if c.Interrupted > 0 {
		parts = append(parts, fmt.Sprintf("%d interrupted", c.Interrupted))
	}
	return strings.Join(parts, ", ")
}

// Err is nil if every job is done. Otherwise it counts, and says of the first jobs that failed or were interrupted why, and
// where their logs are.
func (s Summary) Err() error {
	const most = 5
	c := s.Counts()
	if c.Done == len(s.Jobs) {
		return nil
	}
	errs := []error{fmt.Errorf("%s: expected %d jobs done, found %s", s.Dir, len(s.Jobs), c)}
	for i, status := range s.Status {
		if status.State != Failed && status.State != Interrupted {
			continue
		}
		if len(errs) > most {
			errs = append(errs, errors.New("and more"))
			break
		}
		errs = append(errs, s.jobError(i))
	}
	return errors.Join(errs...)
}

// jobError says why job i is not done.
func (s Summary) jobError(i int) error {
	status := s.Status[i]
	return fmt.Errorf("job %d (%s) %s, code %d: %s; log: %s", i, s.Jobs[i].Name, status.State, status.Code, status.Error, logPath(s.Dir, i))
}

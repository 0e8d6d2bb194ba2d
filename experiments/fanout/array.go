package fanout

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"time"
)

// array is slurm.json: the newest submission of a plan.
type array struct {
	Job     string    `json:"job"`
	Cluster string    `json:"cluster,omitempty"`
	Indices []int     `json:"indices"`
	Time    time.Time `json:"submitted"`
}

const arrayFile = "slurm.json"

func (a array) id(i int) string { return a.Job + "_" + strconv.Itoa(i) }

// settle is how long a status file may lag behind the queue, as network file systems do; patience how long squeue may fail.
var (
	settle   = 10 * time.Second
	patience = 10 * time.Minute
)

// readArray reads the newest submission; there may be none.
func readArray(dir string) (a array, err error) {
	path := filepath.Join(dir, arrayFile)
	raw, err := os.ReadFile(path)
	if errors.Is(err, os.ErrNotExist) {
		return array{}, nil
	}
	if err == nil {
		err = json.Unmarshal(raw, &a)
	}
	if err == nil && a.Job == "" {
		err = errors.New("expected the number of an array, found none")
	}
	if err != nil {
		return array{}, fmt.Errorf("%s: %w; if squeue lists no array of this plan, remove the file", path, err)
	}
	return a, nil
}

// wait polls until no task of the array is queued and every status has followed.
func (p Plan) wait(ctx context.Context, dir string, a array, progress func(Counts)) error {
	var told *Counts
	var gone, failing time.Time // since when; zero: not so
	for pause := pollEvery; ; pause = min(pause*3/2, 15*pollEvery) {
		tasks, err := a.tasks(ctx)
		now := time.Now()
		switch {
		case ctx.Err() != nil:
			return ctx.Err()
		case err != nil && failing.IsZero():
			failing = now
		case err != nil && now.Sub(failing) > patience:
			return err
		case err == nil:
			failing = time.Time{}
			counts, lagging := p.queued(dir, a, tasks)
			if progress != nil && (told == nil || *told != counts) {
				progress(counts)
				told = &counts
			}
			if len(tasks) > 0 {
				gone = time.Time{}
				break
			}
			if gone.IsZero() {
				gone = now
			}
			if !lagging || now.Sub(gone) >= settle {
				return p.collect(dir, a)
			}
			pause = pollEvery
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(pause):
		}
	}
}

// queued counts the jobs as their files and the queue tell. lagging: a task has left the queue and its file does not say how.
func (p Plan) queued(dir string, a array, tasks map[string]task) (c Counts, lagging bool) {
	s := p.look(dir)
	for _, i := range a.Indices {
		t, queued := tasks[a.id(i)]
		status := readStatus(dir, i)
		switch {
		case s.Status[i].State == Done:
		case queued && t.state == "PENDING":
			s.Status[i].State = Waiting
		case queued && !(status.Slurm == a.id(i) && status.State != Running):
			s.Status[i].State = Running
		case !queued && (status.Slurm != a.id(i) || status.State == Running):
			lagging = true
		}
	}
	c = s.Counts()
	for _, id := range slices.Sorted(maps.Keys(tasks)) {
		if t := tasks[id]; t.state == "PENDING" && c.Reason == "" && t.reason != "None" {
			c.Reason = t.reason
		}
	}
	return c, lagging
}

// collect marks the jobs whose tasks have left the queue without saying how they ended.
func (p Plan) collect(dir string, a array) error {
	for _, i := range a.Indices {
		if i < 0 || i >= len(p.Jobs) {
			return fmt.Errorf("%s: expected indices of %d jobs, found %d", filepath.Join(dir, arrayFile), len(p.Jobs), i)
		}
		s := readStatus(dir, i)
		switch {
		case s.Slurm == a.id(i) && s.State == Running:
			s.Error = "its task " + a.id(i) + " left the queue: killed, or its node failed"
		case s.State == Waiting, (s.State == Failed || s.State == Interrupted) && s.Slurm != a.id(i) && s.Started.Before(a.Time):
			s = Status{Slurm: a.id(i), Error: "its task " + a.id(i) + " left the queue before the job began"}
		default:
			continue
		}
		s.State, s.Ended = Interrupted, time.Now()
		if err := s.write(dir, i); err != nil {
			return err
		}
	}
	return nil
}

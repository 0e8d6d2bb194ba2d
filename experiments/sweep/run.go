package sweep

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"strings"

	"github.com/janpfeifer/must"

	"github.com/sliced-wasserstein/lab/experiments"
	"github.com/sliced-wasserstein/lab/experiments/reproduce"
	"github.com/sliced-wasserstein/lab/experiments/runs"
	"github.com/sliced-wasserstein/lab/experiments/table"
)

// Run does what is missing, point by point. A failing point does not stop the others: its row says
// why, and the error joins all failures. changed, if not nil, is called with the result before the
// first point (row -1) and after each point (its row). When ctx ends, the next call resumes.
func (p *Grid) Run(ctx context.Context, l *runs.Store, changed func(r *Result, row int)) (*Result, error) {
	r, err := p.Result(l)
	if err != nil {
		return nil, err
	}
	if changed != nil {
		changed(r, -1)
	}
	var failed []error
	for i := range p.Points {
		if r.Rows[i].State != Pending {
			continue
		}
		if err := reproduce.Do(ctx, l, p.Points[i].jobs, nil, nil); err != nil {
			if ctx.Err() != nil {
				return r, ctx.Err()
			}
			r.Rows[i].State, r.Rows[i].Reason = Failed, err.Error()
			failed = append(failed, fmt.Errorf("%s: %w", r.Label(i), err))
		}
		for k := range r.Rows {
			if k == i || i == r.Reference {
				if err := p.fill(l, r, k); err != nil {
					return r, err
				}
			}
		}
		if changed != nil {
			changed(r, i)
		}
	}
	return r, errors.Join(failed...)
}

// Result returns what exists of the sweep.
func (p *Grid) Result(l *runs.Store) (*Result, error) {
	r := &Result{Vary: p.Config.Vary, Fixed: map[string]any{}, Seeds: p.Config.Seeds, Data: p.train, Test: p.test, Reference: p.reference(), Uncertainty: uncertainty, Conventions: experiments.Conventions()}
	for _, f := range fields(&p.Config.Base) {
		if !r.varies(f.Name) {
			r.Fixed[f.Name] = f.Value()
		}
	}
	for _, q := range p.Points {
		row := Row{Settings: map[string]any{}, State: Pending}
		for _, v := range p.Config.Vary {
			row.Settings[v.Name] = must.M1(fields(&q.Config).Find(v.Name)).Value()
		}
		if q.Refused != nil {
			row.State, row.Reason = Refused, q.Refused.Error()
		}
		r.Rows = append(r.Rows, row)
	}
	for i := range r.Rows {
		if err := p.fill(l, r, i); err != nil {
			return nil, err
		}
	}
	return r, nil
}

// fill reads a row's numbers, as far as they exist.
func (p *Grid) fill(l *runs.Store, r *Result, i int) error {
	row := &r.Rows[i]
	if row.State == Refused {
		return nil
	}
	numbers, err := reproduce.Read(l, p.Points[i].jobs)
	if err != nil {
		return err
	}
	for _, b := range numbers.Backends {
		if !slices.Contains(strings.Split(r.Backend, ", "), b) {
			r.Backend = strings.TrimPrefix(r.Backend+", "+b, ", ")
		}
	}
	row.Values = map[string]table.Cell{}
	for key, v := range numbers.Values {
		row.Values[key] = table.NewCell(v...)
	}
	if len(numbers.Missing) == 0 {
		row.State, row.Reason = Done, ""
	}
	if i == r.Reference {
		return nil
	}
	var pairs [][2]experiments.Scores // of the seeds for which both exist
	for k, j := range p.Points[i].jobs {
		var pair [2]experiments.Scores
		err := errors.Join(l.Result(j.Runs[1].Run, &pair[0]), l.Result(p.Points[r.Reference].jobs[k].Runs[1].Run, &pair[1]))
		switch {
		case err == nil:
			pairs = append(pairs, pair)
		case !errors.Is(err, fs.ErrNotExist):
			return err
		}
	}
	row.Difference = differences(pairs)
	return nil
}

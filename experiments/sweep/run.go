package sweep

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"strings"

	"github.com/sliced-wasserstein/lab/experiments"
	"github.com/sliced-wasserstein/lab/experiments/runs"
	"github.com/sliced-wasserstein/lab/experiments/table"
)

// Run does what is missing, point by point. A failing point does not stop the others: its row says
// why, and the error joins all failures. changed, if not nil, is called with the result before the
// first point (row -1) and after each point (its row). When ctx ends, the next call resumes.
func (p *Grid) Run(ctx context.Context, l *runs.Store, changed func(r *Result, row int)) (*Result, error) {
	if ctx == nil {
		ctx = context.Background()
	}
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
		if err := p.do(ctx, l, i); err != nil {
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

// do runs the missing tasks of a point, for every seed.
func (p *Grid) do(ctx context.Context, l *runs.Store, i int) error {
	var failed []error
	for _, j := range p.Points[i].jobs {
		if err := l.Do(ctx, j.scores); err != nil {
			if ctx.Err() != nil {
				return ctx.Err()
			}
			failed = append(failed, fmt.Errorf("seed %d: %w", j.training.Config.Seed, err))
		}
	}
	return errors.Join(failed...)
}

// Result returns what exists of the sweep.
func (p *Grid) Result(l *runs.Store) (*Result, error) {
	r := &Result{Vary: p.Config.Vary, Fixed: map[string]any{}, Seeds: p.Config.Seeds, Data: p.train, Test: p.test, Reference: p.reference(), Uncertainty: uncertainty, Conventions: conventions()}
	for _, f := range fields(&p.Config.Base) {
		if !r.varies(f.Name) {
			r.Fixed[f.Name] = f.Value()
		}
	}
	for _, q := range p.Points {
		row := Row{Settings: map[string]any{}, State: Pending}
		for _, v := range p.Config.Vary {
			f, err := fields(&q.Config).Find(v.Name)
			if err != nil {
				return nil, err
			}
			row.Settings[v.Name] = f.Value()
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
	values := map[string][]float64{}
	var pairs [][2]experiments.Scores // of the seeds for which both exist
	for k, j := range p.Points[i].jobs {
		var t runs.TrainingResult
		var s, first experiments.Scores
		if there, err := read(l, j.training, &t); err != nil || !there {
			if err != nil {
				return err
			}
			continue
		}
		if there, err := read(l, j.scores, &s); err != nil || !there {
			if err != nil {
				return err
			}
			continue
		}
		if known := strings.Split(r.Backend, ", "); !slices.Contains(known, t.Backend) {
			r.Backend = strings.TrimPrefix(r.Backend+", "+t.Backend, ", ")
		}
		for key, v := range map[string]float64{"cd": s.CD.Mean, "sw": s.SW.Mean, "emd_approx": s.EMD.Mean, "emd_exact": s.ExactEMD.Mean, "time": t.SecondsPerEpoch} {
			values[key] = append(values[key], v)
		}
		there, err := read(l, p.Points[r.Reference].jobs[k].scores, &first)
		if err != nil {
			return err
		}
		if there {
			pairs = append(pairs, [2]experiments.Scores{s, first})
		}
	}
	row.Values = map[string]table.Cell{}
	for key, v := range values {
		row.Values[key] = table.NewCell(v...)
	}
	if len(values["cd"]) == len(p.Points[i].jobs) {
		row.State, row.Reason = Done, ""
	}
	row.Difference = nil
	if i != r.Reference {
		row.Difference = differences(pairs)
	}
	return nil
}

// read reads a task's result, if it exists.
func read(l *runs.Store, r runs.Task, into any) (bool, error) {
	err := l.Result(r, into)
	if errors.Is(err, fs.ErrNotExist) {
		return false, nil
	}
	return err == nil, err
}

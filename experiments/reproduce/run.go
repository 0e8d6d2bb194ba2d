package reproduce

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"slices"
	"strings"

	"github.com/sliced-wasserstein/lab/experiments/runs"
	"github.com/sliced-wasserstein/lab/experiments/table"
)

// Missing returns the jobs with missing results.
func (p *Schedule) Missing(l *runs.Store) []Item {
	var out []Item
	for _, j := range p.Jobs {
		if !j.Done(l) {
			out = append(out, j)
		}
	}
	return out
}

// Done reports whether all results of the job exist.
func (j Item) Done(l *runs.Store) bool {
	return !slices.ContainsFunc(j.Runs, func(r Reading) bool { return !l.Done(r.Run) })
}

// Item returns the schedule's job of that name.
func (p *Schedule) Item(name string) (Item, error) {
	i := slices.IndexFunc(p.Jobs, func(j Item) bool { return j.Name() == name })
	if i < 0 {
		return Item{}, fmt.Errorf("table %s has no job %q", p.Table.Name, name)
	}
	return p.Jobs[i], nil
}

// Do runs the jobs in order. A failing job does not stop the others: the error joins all failures
// and failures, if not nil, gets each by the job's name. begin, if not nil, is called before each
// job.
func Do(ctx context.Context, l *runs.Store, jobs []Item, begin func(i int, j Item), failures map[string]string) error {
	var failed []error
	for i, j := range jobs {
		if begin != nil {
			begin(i, j)
		}
		for _, r := range j.Runs {
			if err := l.Do(ctx, r.Run); err != nil {
				if ctx.Err() != nil {
					return ctx.Err()
				}
				failed = append(failed, fmt.Errorf("%s: %w", j.Name(), err))
				if failures != nil {
					failures[j.Name()] = err.Error()
				}
				break
			}
		}
	}
	return errors.Join(failed...)
}

// Numbers is what exists of the results of some jobs.
type Numbers struct {
	Values   map[string][]float64 // by column, in the order of the jobs
	Backends []string             // of the runs
	Missing  []Item               // the jobs without all results
}

// Read reads the numbers of jobs.
func Read(l *runs.Store, jobs []Item) (Numbers, error) {
	n := Numbers{Values: map[string][]float64{}}
	for _, j := range jobs {
		lacks := false
		for _, r := range j.Runs {
			v, err := r.Read(l)
			if errors.Is(err, fs.ErrNotExist) {
				lacks = true
				continue
			}
			if err != nil {
				return n, err
			}
			for key, x := range v {
				n.Values[key] = append(n.Values[key], x)
			}
			if b := backendOf(l, r.Run); b != "" {
				n.Backends = append(n.Backends, b)
			}
		}
		if lacks {
			n.Missing = append(n.Missing, j)
		}
	}
	n.Backends = unique(n.Backends)
	return n, nil
}

// unique returns the values in the order of their first occurrence.
func unique[T comparable](values []T) []T {
	var out []T
	for _, v := range values {
		if !slices.Contains(out, v) {
			out = append(out, v)
		}
	}
	return out
}

// Fill returns the table with what exists: cells over the seeds with results, and the reason why
// others are missing. failures, by job name, may be nil.
func (p *Schedule) Fill(l *runs.Store, failures map[string]string) (table.Results, error) {
	f := table.Results{Table: p.Table, Preset: p.Preset.Name, Settings: p.Settings, Seeds: p.seeds(), Data: p.Data,
		Cells: map[string]map[string]table.Cell{}, Failed: map[string]string{}}
	f.Table.Rows = slices.Clone(p.Table.Rows)
	var backends []string
	for i, row := range p.Table.Rows {
		var all []measured
		var missing []string
		for _, candidate := range p.Preset.candidates(row) {
			jobs := slices.DeleteFunc(slices.Clone(p.Jobs), func(j Item) bool { return j.Row != row.ID || !maps.Equal(j.Candidate, candidate) })
			r, err := Read(l, jobs)
			if err != nil {
				return f, err
			}
			all = append(all, measured{candidate, r.Values})
			backends = append(backends, r.Backends...)
			for _, j := range r.Missing {
				missing = append(missing, fmt.Sprintf("%s: %s", j.setting(), cmp.Or(failures[j.Name()], "not finished")))
			}
		}
		values := p.Preset.choose(&f.Table.Rows[i], all, missing)
		if missing != nil {
			f.Failed[row.ID] = strings.Join(missing, "; ")
		}
		cells := map[string]table.Cell{}
		for _, c := range p.Table.Columns {
			if v := values[c.Key]; v != nil {
				cell := table.NewCell(v...)
				if c.Key == "time" && row.Overrides["loss"] == "asw" {
					cell.Note = fmt.Sprintf("Time of all %v slices: a compiled graph cannot stop after the first ones, as the released program does", row.Overrides["slices"])
				}
				cells[c.Key] = cell
			} else if n, ok := setting(row, c); ok {
				cells[c.Key] = table.NewCell(n)
			}
		}
		f.Cells[row.ID] = cells
	}
	f.Backend = strings.Join(unique(backends), ", ")
	return f, nil
}

// seeds lists the seeds of all rows.
func (p *Schedule) seeds() []uint64 {
	var out []uint64
	for _, r := range p.Table.Rows {
		out = append(out, p.Preset.seeds(p.Table.Study, r.ID)...)
	}
	return unique(out)
}

// setting returns the number of a column that repeats a setting of the run.
func setting(r table.Row, c table.Column) (float64, bool) {
	switch v := r.Overrides[c.Key].(type) {
	case int:
		return float64(v), true
	case float64:
		return v, true
	}
	return 1, c.Key == "ascent_steps" && r.Overrides["amortizer"] != nil // the single prediction
}

// backendOf returns the backend that a task's training, or the task itself, names.
func backendOf(l *runs.Store, r runs.Task) string {
	var v struct {
		Backend string `json:"backend"`
	}
	if l.Result(r, &v) == nil && v.Backend != "" {
		return v.Backend
	}
	for _, n := range r.Needs() {
		if b := backendOf(l, n); b != "" {
			return b
		}
	}
	return ""
}

// Left counts the missing runs of schedules and what they need, and the trainings of autoencoders
// among them. A run that several of them need counts once.
func Left(l *runs.Store, schedules ...*Schedule) (all, trainings int) {
	seen := map[string]bool{}
	var add func(r runs.Task)
	add = func(r runs.Task) {
		hash := runs.Hash(r)
		if seen[hash] || l.Done(r) {
			return
		}
		seen[hash] = true
		for _, n := range r.Needs() {
			add(n)
		}
		all++
		if r.Kind() == (runs.Training{}).Kind() {
			trainings++
		}
	}
	for _, p := range schedules {
		for _, j := range p.Missing(l) {
			for _, r := range j.Runs {
				add(r.Run)
			}
		}
	}
	return all, trainings
}

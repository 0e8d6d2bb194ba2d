package notebook

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strings"

	"github.com/sliced-wasserstein/lab/datasets"
	"github.com/sliced-wasserstein/lab/experiments/reproduce"
	"github.com/sliced-wasserstein/lab/experiments/runs"
	"github.com/sliced-wasserstein/lab/experiments/table"
	"github.com/sliced-wasserstein/lab/internal/xlaenv"
	"github.com/sliced-wasserstein/lab/vmfviz/show"
)

// Table computes the paper's table of that name at a preset (smoke, quick or paper) and shows it
// beside the paper's numbers, below a bar that counts rows and seeds. rows are ids or names; none
// means all, and the short form only the first. The user's own clouds replace the preset's.
// Finished runs are kept in Out, shared by all tables and sweeps. Running the cell again reads
// them; the stop button ends it with an error, after which running it again resumes. The other rows
// are shown even if one fails; the error then says why.
//
//	show.Must(book.Table("ablation_kappa", "smoke"))
func (b *Session) Table(name, preset string, rows ...string) (table.Results, error) {
	p, err := reproduce.PresetOf(preset)
	if err != nil {
		return table.Results{}, err
	}
	if b.Data != datasets.Builtin {
		p.Clouds(b.Data, "")
	}
	return b.table(name, p, rows)
}

func (b *Session) table(name string, p reproduce.Preset, rows []string) (table.Results, error) {
	if b.Fast {
		t, err := table.Get(name)
		if err != nil {
			return table.Results{}, err
		}
		rows = append(rows, t.Rows[0].ID)[:1]
	}
	if p.Name == "smoke" {
		xlaenv.FastCompile()
	}
	lab := &runs.Store{Dir: b.Out}
	plan, err := reproduce.NewSchedule(lab, name, p, rows, true)
	if err != nil {
		return table.Results{}, err
	}
	if err := reproduce.Ready(plan); err != nil {
		return table.Results{}, err
	}
	if p.Name == "paper" {
		left, trainings := reproduce.Left(lab, plan)
		show.Markdown(fmt.Sprintf("At the paper's size: %d runs, of them %d trainings.", left, trainings))
	}
	failures := map[string]string{}
	failed := b.do(lab, plan, failures)
	if errors.Is(failed, context.Canceled) {
		return table.Results{}, errStopped
	}
	f, err := plan.Fill(lab, failures)
	if err == nil {
		err = showTable(f)
	}
	if err == nil && p.Name != "smoke" { // at smoke, dots would look like results
		b.tablePicture(f)
	}
	return f, errors.Join(err, failed)
}

// do does what is missing of the schedule, with one bar over all of it.
func (b *Session) do(lab *runs.Store, plan *reproduce.Schedule, failures map[string]string) error {
	w := stoppable(b.context())
	defer w.end()
	total, missing := len(plan.Jobs), plan.Missing(lab)
	tick := show.Progress(total, plan.Table.Name+", preset "+plan.Preset.Name)
	done, job := total-len(missing), ""
	lab.Progress = func(what string, part, of int) {
		w.part(part, of)
		tick(done, fmt.Sprintf("%s: %s %d/%d", job, what, part, of))
	}
	err := reproduce.Do(w, lab, missing, func(i int, j reproduce.Item) {
		done, job = total-len(missing)+i, fmt.Sprintf("row %s, seed %d", j.Row, j.Seed)
		tick(done, job)
	}, failures)
	if err == nil {
		tick(total, "")
	}
	return err
}

// showTable shows f as HTML, or outside a notebook as text on standard error.
func showTable(f table.Results) error {
	if !show.InNotebook() {
		return table.Write(os.Stderr, f, "text")
	}
	var html strings.Builder
	if err := table.Write(&html, f, "html"); err != nil {
		return err
	}
	if f.Preset == "smoke" {
		show.HTML("<details><summary>The table at toy size, whose numbers mean nothing</summary>\n" + html.String() + "</details>\n")
		return nil
	}
	show.HTML(html.String())
	return nil
}

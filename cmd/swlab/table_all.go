package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/sliced-wasserstein/lab/datasets"
	"github.com/sliced-wasserstein/lab/datasets/fetch"
	"github.com/sliced-wasserstein/lab/experiments/reproduce"
	"github.com/sliced-wasserstein/lab/experiments/runs"
	"github.com/sliced-wasserstein/lab/experiments/table"
)

// printable returns an error for a format that the call's output does not have.
func (t *tableRun) printable(name string) error {
	switch {
	case t.dryRun && t.format != "text" && t.format != "json":
		return fmt.Errorf("--format: expected text or json with --dry-run, found %q", t.format)
	case name == allTables && (t.format == "csv" || t.format == "html"):
		return fmt.Errorf("--format: expected text, md, latex or json with all, found %q: nine tables are nine files, in tables/ of --out", t.format)
	}
	return nil
}

// resultsFolder holds the pages of all tables, within the store.
const resultsFolder = "results"

// makeAll makes all tables in one store and writes a page with pictures for each.
func (t *tableRun) makeAll(ctx context.Context, lab *runs.Store, plans []*reproduce.Schedule) error {
	if err := announce(lab, plans...); err != nil {
		return err
	}
	printed := []json.RawMessage{}
	var errs []error
	for _, plan := range plans {
		f, done, err := t.fill(ctx, lab, plan)
		if ctx.Err() != nil {
			return err
		}
		errs = append(errs, err)
		if !done {
			continue
		}
		errs = append(errs, keep(lab, f), draw(f, "out", filepath.Join(t.out, resultsFolder)), t.page(lab, plan, f))
		var text bytes.Buffer
		errs = append(errs, t.write(&text, f))
		if t.format == "json" {
			printed = append(printed, bytes.TrimSpace(text.Bytes()))
			continue
		}
		fmt.Fprintf(os.Stdout, "%s\n", text.Bytes())
	}
	if t.format == "json" {
		errs = append(errs, t.print(map[string]any{"name": allTables, "preset": t.preset, "tables": printed}))
	}
	return errors.Join(errs...)
}

// verify compares the data sets of the catalogue that have been fetched with the sums recorded then.
func verify(names ...string) error {
	ctx, stop := interruptible()
	defer stop()
	for _, name := range slices.Compact(slices.Sorted(slices.Values(names))) {
		source, err := datasets.FindSource(name)
		path, missing := datasets.Locate(name)
		if err != nil || source.Files == nil || path == name || missing != nil {
			continue // not of the catalogue, made in memory, a file of this name, or not fetched
		}
		record, err := fetch.FindRecord(path)
		if err != nil {
			return err
		}
		problems, err := verifyRecord(ctx, record)
		if err != nil {
			return stopped(err)
		}
		if problems != nil {
			return fmt.Errorf("%s: not as fetched: %s; remove the folder and fetch again", name, strings.Join(problems, "; "))
		}
	}
	return nil
}

// page writes the table with its pictures, and what it took to make it.
func (t *tableRun) page(lab *runs.Store, plan *reproduce.Schedule, f table.Results) error {
	pictures, err := reproduce.Pictures(f)
	if err != nil {
		return err
	}
	name := f.Table.Name + "-" + f.Preset
	return lab.Write(filepath.Join(resultsFolder, name+".md"), func(w io.Writer) error {
		var b bytes.Buffer
		fmt.Fprintf(&b, "# %s, preset %s\n\n%s\n\n", f.Table.Name, f.Preset, cost(lab, plan))
		for _, p := range slices.Sorted(maps.Keys(pictures)) {
			fmt.Fprintf(&b, "![%s](%s)\n\n", pictures[p].Title, pictureName(f, p))
		}
		fmt.Fprintf(&b, "The numbers: [csv](../tables/%[1]s.csv), [json](../tables/%[1]s.json).\n\n## The table\n\n", name)
		if err := table.Write(&b, f, "md"); err != nil {
			return err
		}
		_, err := w.Write(b.Bytes())
		return err
	})
}

// cost describes the trainings of a table, with the seconds that their steps took.
func cost(lab *runs.Store, plan *reproduce.Schedule) string {
	seen, steps, seconds := map[string]bool{}, 0, 0.0
	for _, j := range plan.Jobs {
		for _, r := range j.Runs {
			tasks := append(r.Run.Needs(), r.Run)
			for _, task := range tasks {
				var v runs.TrainingResult
				if _, ok := task.(runs.Training); ok && !seen[runs.Hash(task)] && lab.Result(task, &v) == nil {
					seen[runs.Hash(task)] = true
					steps, seconds = steps+v.Steps, seconds+v.Seconds
				}
			}
		}
	}
	if len(seen) == 0 {
		return fmt.Sprintf("%d rows and seeds, without training an autoencoder.", len(plan.Jobs))
	}
	return fmt.Sprintf("%d rows and seeds; %d trainings, some of which other tables share, of %d steps in all, which took %.3g hours.",
		len(plan.Jobs), len(seen), steps, seconds/3600)
}

// report says what a call would do.
func (t *tableRun) report(lab *runs.Store, name string, plans []*reproduce.Schedule) error {
	type missing struct {
		Name     string   `json:"name"`
		What     string   `json:"what"`
		Licence  string   `json:"licence"`
		Commands []string `json:"commands"`
	}
	type counted struct {
		Name string `json:"name"`
		reproduce.Estimate
	}
	left, err := reproduce.NewEstimate(lab, plans...)
	if err != nil {
		return err
	}
	tables, unfetched := []counted{}, []missing{}
	rows := [][2]string{{"left", left.String()}}
	for _, plan := range plans {
		e, err := reproduce.NewEstimate(lab, plan)
		if err != nil {
			return err
		}
		tables = append(tables, counted{plan.Table.Name, e})
		if name == allTables {
			rows = append(rows, [2]string{plan.Table.Name, e.String()})
		}
	}
	for _, s := range reproduce.Unfetched(plans...) {
		m := missing{s.Name, s.What, s.Licence, fetchCommands(s)}
		unfetched = append(unfetched, m)
		rows = append(rows, [2]string{"missing", m.Name + ": " + m.What + " (" + m.Licence + ")"})
		for _, c := range m.Commands {
			rows = append(rows, [2]string{"", c})
		}
	}
	if len(unfetched) == 0 {
		rows = append(rows, [2]string{"missing", "no data"})
	}
	return t.print(map[string]any{"name": name, "preset": t.preset, "left": left, "tables": tables, "missing": unfetched}, rows...)
}

// fetchCommands returns what to do for a data set, in order.
func fetchCommands(s datasets.Source) []string {
	fetch := "swlab data fetch " + s.Name + " --accept-licence"
	if s.Manual == "" {
		return []string{fetch}
	}
	return []string{"# " + s.Manual, fetch + " --from DIR"}
}

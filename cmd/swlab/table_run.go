package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"golang.org/x/term"

	"github.com/sliced-wasserstein/lab/datasets"
	"github.com/sliced-wasserstein/lab/experiments/reproduce"
	"github.com/sliced-wasserstein/lab/experiments/runs"
	"github.com/sliced-wasserstein/lab/experiments/table"
	"github.com/sliced-wasserstein/lab/internal/xlaenv"
)

type tableRun struct {
	*common
	preset, seeds, rows, data, test, out, format, pictures string
	selection                                              string
	set                                                    []string
	job                                                    string
	jobs                                                   int
	ours, dryRun                                           bool
}

func newTableRun(c *common) *cobra.Command {
	t := &tableRun{common: c}
	cmd := &cobra.Command{
		Use:   "run NAME|all --preset smoke|quick|desk|paper",
		Short: "reproduce a table of the paper, or all nine: finished runs are reused, interrupted ones resume",
		Args:  cobra.ExactArgs(1),
		RunE:  func(_ *cobra.Command, args []string) error { return t.run(args[0]) },
	}
	f := cmd.Flags()
	f.StringVar(&t.preset, "preset", "", strings.Join(reproduce.PresetNames(), ", "))
	f.StringVar(&t.rows, "rows", "", "only these rows, by id or name, or LOSS[+SLICING][+AMORTIZER], separated by commas")
	f.StringVar(&t.seeds, "seeds", "", "training seeds, separated by commas; default: the preset's")
	f.StringVar(&t.data, "data", "", "clouds in place of the preset's: to train on; for the generation tables, all parts")
	f.StringVar(&t.test, "test", "", "clouds to reconstruct and to transfer to; default: the preset's, or the test part of --data")
	f.StringArrayVar(&t.set, "set", nil, "NAME=VALUE overrides a setting of the preset; may be repeated, and is printed with the result")
	f.StringVar(&t.selection, "select", "", "how the widths of A, EA, LA and the steps T of Max-SW and v-DSW are chosen: none (one of each), or the lowest EMD on held-out training clouds (validation) or on the test clouds (test, as in the paper); default: test for the preset paper, else none")
	f.StringVar(&t.out, "out", "runs", "folder of the finished runs, which all tables and sweeps share")
	f.StringVar(&t.format, "format", "text", strings.Join(table.Formats(), ", "))
	f.StringVar(&t.pictures, "pictures", "", "also draw the table into this folder: NAME-PRESET-COLUMN.png")
	f.BoolVar(&t.ours, "ours", true, "also the rows and columns that the paper does not have")
	f.BoolVar(&t.dryRun, "dry-run", false, "only say what would run: runs, disk, and how to get the data that are missing")
	f.IntVar(&t.jobs, "jobs", 1, "processes at a time on this machine")
	f.StringVar(&t.job, "job", "", "do one job of the table, ROW/SEED, and print nothing: what --jobs calls")
	_ = f.MarkHidden("job")
	reads(cmd, "data", "test")
	writes(cmd, "out", workFolder)
	writes(cmd, "pictures", anyFolder)
	return required(refuse(cmd, t.unused), "preset")
}

// unused says why a flag has no effect in this call.
func (t *tableRun) unused(flag string) (why string, err error) {
	name := t.call.Flags().Arg(0)
	tables, err := tablesOf(name)
	if err != nil {
		return "", err
	}
	used := func(setting string) bool {
		return slices.ContainsFunc(tables, func(x table.Table) bool { return reproduce.Reads(x.Study, setting) })
	}
	switch {
	case t.dryRun && slices.Contains([]string{"pictures", "job", "jobs", "force"}, flag):
		return "with --dry-run nothing runs", nil
	case t.job != "" && slices.Contains([]string{"pictures", "jobs", "force"}, flag):
		return "with --job one job runs, and no table is made", nil
	case name == allTables && flag == "rows":
		return "with all every table has all its rows", nil
	case name == allTables && flag == "pictures":
		return "with all the pictures are in results/ of --out, beside the tables", nil
	case flag == "seed":
		return "a table has several training seeds: --seeds", nil
	case flag == "select" && !slices.ContainsFunc(tables, reproduce.Selects):
		return fmt.Sprintf("the table %s has one setting per row", name), nil
	case flag == "test" && !used("test"):
		return fmt.Sprintf("the table %s takes its clouds from --data alone", name), nil
	case flag == "set":
		seen := map[string]bool{}
		for _, s := range t.set {
			setting, _, _ := strings.Cut(s, "=")
			if seen[setting] {
				return "", fmt.Errorf("--set: %s is given twice", setting)
			}
			for path, settings := range map[string][]string{"data": {"data", "chairs"}, "test": {"test"}} {
				if slices.Contains(settings, setting) && t.given(path) {
					return "", fmt.Errorf("--set: %s is given twice, also by --%s", setting, path)
				}
			}
			seen[setting] = true
			if slices.Contains(reproduce.SettingNames(), setting) && !used(setting) {
				return fmt.Sprintf("the table %s has no use for %s", name, setting), nil
			}
		}
	}
	return "", nil
}

// allTables names all tables in a call.
const allTables = "all"

// tablesOf returns the tables that a name means.
func tablesOf(name string) ([]table.Table, error) {
	names := []string{name}
	if name == allTables {
		names = table.Names()
	}
	var out []table.Table
	for _, n := range names {
		x, err := table.Get(n)
		if err != nil {
			return nil, err
		}
		out = append(out, x)
	}
	return out, nil
}

func (t *tableRun) run(name string) error {
	tables, err := tablesOf(name)
	if err != nil {
		return usageError(err)
	}
	p, full, err := t.sized()
	if err != nil {
		return usageError(err)
	}
	if t.jobs < 1 {
		return usageError(fmt.Errorf("--jobs: expected at least 1, found %d", t.jobs))
	}
	if err := t.printable(name); err != nil {
		return usageError(err)
	}
	t.common.format = t.format // of print
	if p.Name == "smoke" {
		xlaenv.FastCompile()
	}
	if name == allTables && !t.dryRun {
		if err := verify(full.Data, full.Test, full.Chairs); err != nil {
			return err
		}
	}
	said, err := t.fit(&p, tables)
	if err != nil {
		return err
	}
	lab := &runs.Store{Dir: t.out, Backend: t.backend, Progress: passes()}
	defer lab.Close()
	var plans []*reproduce.Schedule
	for _, x := range tables {
		plan, err := t.plan(lab, x, p)
		if err != nil {
			return usageError(err)
		}
		plans = append(plans, plan)
	}
	if t.pictures != "" {
		force, _ := t.call.Flags().GetBool("force") // writes has added the flag
		if err := replaceable("pictures", filepath.Join(t.pictures, plans[0].Table.Name+"-"+p.Name+"-*.png"), force); err != nil {
			return usageError(err)
		}
	}
	for _, line := range said {
		fmt.Fprintln(os.Stderr, line)
	}
	if t.dryRun {
		return t.report(lab, name, plans)
	}
	if err := reproduce.Ready(plans...); err != nil {
		return usageError(err)
	}
	ctx, stop := interruptible()
	defer stop()
	switch {
	case t.job != "":
		j, err := plans[0].Item(t.job)
		if err != nil {
			return usageError(fmt.Errorf("--job: %w", err))
		}
		return stopped(reproduce.Do(ctx, lab, []reproduce.Item{j}, nil, nil))
	case name == allTables:
		return t.makeAll(ctx, lab, plans)
	}
	return t.make(ctx, lab, plans[0])
}

// plan schedules one table at the size p, with the settings of the call that it reads.
func (t *tableRun) plan(lab *runs.Store, x table.Table, p reproduce.Preset) (*reproduce.Schedule, error) {
	if err := t.override(&p, t.settings(x.Study)); err != nil {
		return nil, err
	}
	var rows []string
	if t.rows != "" {
		for _, r := range strings.Split(t.rows, ",") {
			rows = append(rows, strings.TrimSpace(r))
		}
	}
	return reproduce.NewSchedule(lab, x.Name, p, rows, t.ours)
}

// settings returns the values of --set that a table of that study reads. A call for one table has
// no others.
func (t *tableRun) settings(study string) []string {
	var out []string
	for _, s := range t.set {
		if name, _, _ := strings.Cut(s, "="); reproduce.Reads(study, name) {
			out = append(out, s)
		}
	}
	return out
}

// sized returns the preset with the seeds and clouds of the call; full has its --set, too, whichever
// table reads it.
func (t *tableRun) sized() (p, full reproduce.Preset, err error) {
	if p, err = reproduce.PresetOf(t.preset); err != nil {
		return p, p, fmt.Errorf("--%w", err)
	}
	if t.seeds != "" {
		if p.Seeds, err = reproduce.ParseSeeds(t.seeds); err != nil {
			return p, p, fmt.Errorf("--%w", err)
		}
		p.ClaimSeeds = nil
	}
	if t.selection != "" {
		p.Select = t.selection
	}
	p.Clouds(t.data, t.test)
	full = p
	return p, full, t.override(&full, t.set)
}

// override applies values of --set.
func (t *tableRun) override(p *reproduce.Preset, set []string) error {
	for _, s := range set {
		name, value, ok := strings.Cut(s, "=")
		if !ok {
			return fmt.Errorf("--set: expected NAME=VALUE, found %q", s)
		}
		if err := p.Override(name, value); err != nil {
			return fmt.Errorf("--set: %w", err)
		}
	}
	return nil
}

// fit lowers points and batch of the preset to what the clouds of --data and --test have, unless
// --set asks for them, and returns what to say about it. The tables name them beside the paper's.
// Clouds that the tables cannot use are an error.
func (t *tableRun) fit(p *reproduce.Preset, tables []table.Table) (said []string, err error) {
	ours := func(name string) bool {
		return !slices.ContainsFunc(t.set, func(s string) bool { return strings.HasPrefix(s, name+"=") })
	}
	for _, in := range [][2]string{{"data", t.data}, {"test", t.test}} {
		flag, path := in[0], in[1]
		if path == "" || path == datasets.Builtin {
			continue
		}
		set, err := t.openWith(flag, flag, path, "all", datasets.Options{Points: max(p.Points, p.GapPoints), AtMost: true})
		if errors.As(err, new(*datasets.NotFetchedError)) {
			continue // the plan lists it
		}
		if err != nil {
			return nil, err
		}
		fits := true
		for name, points := range map[string]*int{"points": &p.Points, "gap_points": &p.GapPoints} {
			if ours(name) && *points > set.Points {
				*points, fits = set.Points, false
			}
		}
		if !fits {
			said = append(said, fmt.Sprintf("points: %d per cloud, all that %s has; the preset wants more", set.Points, set.Name))
		}
		if flag != "data" {
			continue
		}
		if err := t.tested(set, tables); err != nil {
			return nil, err
		}
		train, err := trainPart(set)
		if err != nil {
			return nil, err
		}
		if n := train.Clouds; ours("batch") && n < p.Batch {
			said = append(said, fmt.Sprintf("batch: %d clouds per step, all of %s; the preset wants more", n, set.Name))
			p.Batch = n
		}
	}
	return said, nil
}

// tested returns an error for clouds of --data without the test part that a table needs.
func (t *tableRun) tested(h *datasets.Set, tables []table.Table) error {
	for _, x := range tables {
		switch elsewhere := reproduce.Reads(x.Study, "test"); {
		case h.Split != nil, x.Study == "gap", elsewhere && t.test != "":
		case elsewhere:
			return noTest(h)
		default:
			return usageError(fmt.Errorf("--data: %s has no test part, which the table %s needs", h.Name, x.Name))
		}
	}
	return nil
}

// make does what is missing and prints the table.
func (t *tableRun) make(ctx context.Context, lab *runs.Store, plan *reproduce.Schedule) error {
	if err := announce(lab, plan); err != nil {
		return err
	}
	f, done, failed := t.fill(ctx, lab, plan)
	if !done {
		return failed
	}
	kept, drawn := keep(lab, f), draw(f, "pictures", t.pictures)
	return errors.Join(t.write(os.Stdout, f), kept, drawn, failed)
}

// announce prints the estimate of what is left at the paper's size.
func announce(lab *runs.Store, plans ...*reproduce.Schedule) error {
	if plans[0].Preset.Name != "paper" {
		return nil
	}
	left, err := reproduce.NewEstimate(lab, plans...)
	if err == nil && left.Runs > 0 {
		fmt.Fprintf(os.Stderr, "at the paper's size: %s\n", left)
	}
	return err
}

// fill does what is missing and fills the table. done is false if there is no table yet.
func (t *tableRun) fill(ctx context.Context, lab *runs.Store, plan *reproduce.Schedule) (f table.Results, done bool, failed error) {
	missing := plan.Missing(lab)
	failures := map[string]string{}
	if len(missing) > 0 {
		if t.jobs > 1 {
			failed = t.spread(ctx, lab, plan, missing, failures)
		} else {
			failed = reproduce.Do(ctx, lab, missing, func(i int, j reproduce.Item) {
				fmt.Fprintf(os.Stderr, "%s: row %s, seed %d (%d of %d)\n", plan.Table.Name, path.Dir(j.Name()), j.Seed, i+1, len(missing))
			}, failures)
		}
		if ctx.Err() != nil {
			return f, false, stopped(ctx.Err())
		}
	}
	f, err := plan.Fill(lab, failures)
	if err != nil {
		return f, false, err
	}
	return f, true, failed
}

// write writes the table in the format of the call; text is as wide as the terminal.
func (t *tableRun) write(w io.Writer, f table.Results) error {
	if width, _, err := term.GetSize(int(os.Stdout.Fd())); t.format == "text" && err == nil {
		return table.Text(w, f, max(width, 60))
	}
	return table.Write(w, f, t.format)
}

// draw saves the table's pictures in the folder of a flag, if it has a value.
func draw(f table.Results, flag, dir string) error {
	if dir == "" {
		return nil
	}
	pictures, err := reproduce.Pictures(f)
	if err != nil {
		return err
	}
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return fmt.Errorf("--%s: %w", flag, err)
	}
	for name, p := range pictures {
		if err := save(flag, filepath.Join(dir, pictureName(f, name)), p.Save).err; err != nil {
			return err
		}
	}
	return nil
}

func pictureName(f table.Results, name string) string {
	return f.Table.Name + "-" + f.Preset + "-" + name + ".png"
}

// keep writes the table in every format beside the runs.
func keep(lab *runs.Store, f table.Results) error {
	for _, format := range table.Formats() {
		extension := map[string]string{"text": "txt", "latex": "tex"}[format]
		if extension == "" {
			extension = format
		}
		name := filepath.Join("tables", f.Table.Name+"-"+f.Preset+"."+extension)
		if err := lab.Write(name, func(w io.Writer) error { return table.Write(w, f, format) }); err != nil {
			return fmt.Errorf("--out: %w", err)
		}
	}
	return nil
}

func stopped(err error) error {
	if errors.Is(err, context.Canceled) {
		return fmt.Errorf("interrupted; the same command resumes")
	}
	return err
}

package main

import (
	"bytes"
	"context"
	"encoding/json"
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
	"github.com/sliced-wasserstein/lab/datasets/catalogue"
	"github.com/sliced-wasserstein/lab/experiments/reproduce"
	"github.com/sliced-wasserstein/lab/experiments/runs"
	"github.com/sliced-wasserstein/lab/experiments/table"
	"github.com/sliced-wasserstein/lab/internal/xlaenv"
)

type tableRun struct {
	*common
	Name     string   `arg:"NAME" need:"x" words:"table" help:"table, or all for the nine"`
	Preset   string   `flag:"preset" need:"x" unit:"NAME" help:"size: %s"`
	Rows     string   `flag:"rows" unit:"ROWS" help:"only these rows, by id or name, or LOSS[+SLICING][+AMORTIZER], separated by commas"`
	Seeds    string   `flag:"seeds" unit:"1,2,..." help:"training seeds, separated by commas (default: the preset's)"`
	Set      []string `flag:"set" unit:"NAME=VALUE" help:"override a setting of the preset; may be repeated, and is printed with the result"`
	Select   string   `flag:"select" unit:"NAME" help:"how the widths of A, EA, LA and the steps T of Max-SW and v-DSW are chosen: none (one of each), or the lowest EMD on held-out training clouds (validation) or on the test clouds (test, as in the paper) (default: test for the preset paper, else none)"`
	Data     string   `flag:"data" unit:"FILE|DIR" reads:"clouds" help:"clouds to train on in place of the preset's; for the generation tables, all parts"`
	Test     string   `flag:"test" unit:"FILE|DIR" reads:"clouds" help:"clouds to reconstruct and to transfer to (default: the preset's, or the test part of --data)"`
	Jobs     int      `flag:"jobs" range:"1.." help:"processes at a time on this machine"`
	DryRun   bool     `flag:"dry-run" help:"only print what would run, and how to get the data that are missing"`
	Ours     bool     `flag:"ours" help:"also the rows and columns that the paper does not have"`
	Out      string   `flag:"out" unit:"DIR" writes:"work folder" group:"Output" help:"folder of the finished runs, which all tables and sweeps share"`
	As       string   `flag:"format" unit:"NAME" words:"table format" group:"Output" help:"%s"`
	Pictures string   `flag:"pictures" unit:"DIR" writes:"folder" group:"Output" help:"also draw the table into this folder: NAME-PRESET.png"`
	Job      string   `flag:"job" unit:"ROW/SEED" help:"do one job of the table and print nothing: what --jobs calls"`

	tables []table.Table
}

func newTableRun(c *common) *cobra.Command {
	cmd := c.command("run NAME --preset NAME", "Reproduce a table of the paper: finished runs are reused, interrupted ones resume", `swlab table run ablation_kappa --preset smoke
swlab table run ablation_L --preset quick --rows sw,la-v-dsw --set epochs=10 --jobs 2
swlab table run all --preset paper --dry-run`, &tableRun{common: c, Jobs: 1, Ours: true, Out: "runs", As: "text"})
	_ = cmd.Flags().MarkHidden("job")
	return cmd
}

func (t *tableRun) prepare() (err error) {
	t.tables, err = tablesOf(t.Name)
	return err
}

// unused says why a flag has no effect in this call.
func (t *tableRun) unused(flag string) (why string, err error) {
	used := func(setting string) bool {
		return slices.ContainsFunc(t.tables, func(x table.Table) bool { return reproduce.Reads(x.Study, setting) })
	}
	switch {
	case t.DryRun && slices.Contains([]string{"pictures", "job", "jobs", "force"}, flag):
		return "with --dry-run nothing runs", nil
	case t.Job != "" && slices.Contains([]string{"pictures", "jobs", "force"}, flag):
		return "with --job one job runs, and no table is made", nil
	case t.Name == allTables && flag == "rows":
		return "with all every table has all its rows", nil
	case flag == "seed":
		return "a table has several training seeds: --seeds", nil
	case flag == "select" && !slices.ContainsFunc(t.tables, reproduce.Selects):
		return fmt.Sprintf("the table %s has one setting per row", t.Name), nil
	case flag == "test" && !used("test"):
		return fmt.Sprintf("the table %s takes its clouds from --data alone", t.Name), nil
	case flag == "set":
		return t.unusedSetting(used)
	}
	return "", nil
}

// unusedSetting is unused for the values of --set.
func (t *tableRun) unusedSetting(used func(string) bool) (why string, err error) {
	seen := map[string]bool{"data": t.Data != "", "chairs": t.Data != "", "test": t.Test != ""}
	for _, s := range t.Set {
		setting, _, _ := strings.Cut(s, "=")
		switch {
		case seen[setting] && slices.Contains([]string{"data", "chairs", "test"}, setting):
			return "", fmt.Errorf("--set: %s is given twice, also by a flag", setting)
		case seen[setting]:
			return "", fmt.Errorf("--set: %s is given twice", setting)
		case slices.Contains(reproduce.SettingNames(), setting) && !used(setting):
			return fmt.Sprintf("the table %s has no use for %s", t.Name, setting), nil
		}
		seen[setting] = true
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

func (t *tableRun) run() error {
	p, err := t.sized()
	if err != nil {
		return usageError(err)
	}
	if t.Name == allTables && (t.As == "csv" || t.As == "html") {
		return usageError(fmt.Errorf("--format: expected text, md, latex or json with all, found %q: the nine files are in tables/ of --out", t.As))
	}
	if t.DryRun && t.As != "text" && t.As != "json" {
		return usageError(fmt.Errorf("--format: expected text or json with --dry-run, found %q", t.As))
	}
	t.Format = t.As // of print
	if p.Name == "smoke" {
		xlaenv.FastCompile()
	}
	notices, err := t.fit(&p)
	if err != nil {
		return err
	}
	store := &runs.Store{Dir: t.Out, Backend: t.Backend, Progress: bars()}
	var plans []*reproduce.Schedule
	for _, x := range t.tables {
		plan, err := t.plan(store, x, p)
		if err != nil {
			return usageError(err)
		}
		plans = append(plans, plan)
		if t.Pictures != "" {
			force, _ := t.call.Flags().GetBool("force")
			if err := replaceable("pictures", filepath.Join(t.Pictures, x.Name+"-"+p.Name+".png"), force); err != nil {
				return usageError(err)
			}
		}
	}
	for _, line := range notices {
		fmt.Fprintln(os.Stderr, line)
	}
	if t.DryRun {
		return t.print(t.dryRun(store, plans))
	}
	if err := reproduce.Ready(plans...); err != nil {
		return usageError(err)
	}
	ctx, stop := interruptible()
	defer stop()
	if t.Job != "" {
		j, err := plans[0].Item(t.Job)
		if err != nil {
			return usageError(fmt.Errorf("--job: %w", err))
		}
		return stopped(reproduce.Do(ctx, store, []reproduce.Item{j}, nil, nil))
	}
	var failed error
	answer := allAnswer{Name: t.Name, Preset: t.Preset, Tables: []json.RawMessage{}}
	for _, plan := range plans {
		var text bytes.Buffer
		if failed = errors.Join(failed, t.make(ctx, store, plan, &text)); ctx.Err() != nil {
			return failed
		}
		if t.Name == allTables && t.As == "json" {
			answer.Tables = append(answer.Tables, bytes.TrimSpace(text.Bytes()))
			continue
		}
		_, err := text.WriteTo(os.Stdout)
		failed = errors.Join(failed, err)
	}
	if t.Name == allTables && t.As == "json" {
		return errors.Join(t.print(answer), failed)
	}
	return failed
}

// allAnswer has all tables.
type allAnswer struct {
	Name   string            `json:"name"`
	Preset string            `json:"preset"`
	Tables []json.RawMessage `json:"tables"`
}

func (allAnswer) String() string { return "" }

// plan schedules one table at the size p, with the settings of the call that it reads.
func (t *tableRun) plan(store *runs.Store, x table.Table, p reproduce.Preset) (*reproduce.Schedule, error) {
	if err := t.override(&p, t.settings(x.Study)); err != nil {
		return nil, err
	}
	var rows []string
	if t.Rows != "" {
		for _, r := range strings.Split(t.Rows, ",") {
			rows = append(rows, strings.TrimSpace(r))
		}
	}
	return reproduce.NewSchedule(store, x.Name, p, rows, t.Ours)
}

// settings returns the values of --set that a table of that study reads. A call for one table has
// no others.
func (t *tableRun) settings(study string) []string {
	var out []string
	for _, s := range t.Set {
		if name, _, _ := strings.Cut(s, "="); reproduce.Reads(study, name) {
			out = append(out, s)
		}
	}
	return out
}

// sized returns the preset with the seeds and clouds of the call.
func (t *tableRun) sized() (p reproduce.Preset, err error) {
	if p, err = reproduce.PresetOf(t.Preset); err != nil {
		return p, fmt.Errorf("--%w", err)
	}
	if t.Seeds != "" {
		if p.Seeds, err = reproduce.ParseSeeds(t.Seeds); err != nil {
			return p, fmt.Errorf("--%w", err)
		}
		p.ClaimSeeds = nil
	}
	if t.Select != "" {
		p.Select = t.Select
	}
	p.Clouds(t.Data, t.Test)
	full := p
	return p, t.override(&full, t.Set) // whichever table reads a setting
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
func (t *tableRun) fit(p *reproduce.Preset) (notices []string, err error) {
	adjustable := func(name string) bool {
		return !slices.ContainsFunc(t.Set, func(s string) bool { return strings.HasPrefix(s, name+"=") })
	}
	for _, in := range [][2]string{{"data", t.Data}, {"test", t.Test}} {
		flag, path := in[0], in[1]
		if path == "" || path == datasets.Builtin {
			continue
		}
		set, err := t.openWith(flag, flag, path, "all", datasets.Options{Points: max(p.Points, p.GapPoints), AtMost: true})
		if errors.As(err, new(*catalogue.NotFetchedError)) {
			continue // the plan lists it
		}
		if err != nil {
			return nil, err
		}
		fits := true
		for name, points := range map[string]*int{"points": &p.Points, "gap_points": &p.GapPoints} {
			if adjustable(name) && *points > set.Points {
				*points, fits = set.Points, false
			}
		}
		if !fits {
			notices = append(notices, fmt.Sprintf("points: %d per cloud, all that %s has; the preset wants more", set.Points, set.Name))
		}
		if flag != "data" {
			continue
		}
		if err := t.tested(set); err != nil {
			return nil, err
		}
		train, err := trainPart(set)
		if err != nil {
			return nil, err
		}
		if n := train.Clouds; adjustable("batch") && n < p.Batch {
			notices = append(notices, fmt.Sprintf("batch: %d clouds per step, all of %s; the preset wants more", n, set.Name))
			p.Batch = n
		}
	}
	return notices, nil
}

// tested returns an error for clouds of --data without the test part that a table needs.
func (t *tableRun) tested(h *datasets.Set) error {
	for _, x := range t.tables {
		switch elsewhere := reproduce.Reads(x.Study, "test"); {
		case h.Split != nil, x.Study == "gap", elsewhere && t.Test != "":
		case elsewhere:
			return noTest(h)
		default:
			return usageError(fmt.Errorf("--data: %s has no test part, which the table %s needs", h.Name, x.Name))
		}
	}
	return nil
}

// make does what is missing, keeps the table and prints it.
func (t *tableRun) make(ctx context.Context, store *runs.Store, plan *reproduce.Schedule, w io.Writer) (failed error) {
	missing, failures := plan.Missing(store), map[string]string{}
	switch {
	case len(missing) == 0:
	case t.Jobs > 1:
		failed = t.spread(ctx, store, plan, missing, failures)
	default:
		failed = reproduce.Do(ctx, store, missing, func(i int, j reproduce.Item) {
			fmt.Fprintf(os.Stderr, "%s: row %s, seed %d (%d of %d)\n", plan.Table.Name, path.Dir(j.Name()), j.Seed, i+1, len(missing))
		}, failures)
	}
	if len(missing) > 0 && ctx.Err() != nil {
		return stopped(ctx.Err())
	}
	f, err := plan.Fill(store, failures)
	if err != nil {
		return err
	}
	kept, drawn := keep(store, f), drawTable(f, t.Pictures)
	return errors.Join(t.write(w, f), kept, drawn, failed)
}

// write writes the table in the format of the call; text is as wide as the terminal.
func (t *tableRun) write(w io.Writer, f table.Results) error {
	if width, _, err := term.GetSize(int(os.Stdout.Fd())); t.As == "text" && err == nil {
		return table.Text(w, f, max(width, 60))
	}
	return table.Write(w, f, t.As)
}

// drawTable saves the table's picture in the folder of --pictures, if it is given and the table has two rows.
func drawTable(f table.Results, dir string) error {
	if dir == "" {
		return nil
	}
	p, err := reproduce.Picture(f, "", reproduce.View{})
	if err != nil {
		return err
	}
	if p == nil {
		fmt.Fprintln(os.Stderr, "--pictures: a picture compares two rows or more, so there is none")
		return nil
	}
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return fmt.Errorf("--pictures: %w", err)
	}
	return save("pictures", filepath.Join(dir, f.Table.Name+"-"+f.Preset+".png"), p.Save).err
}

// keep writes the table in every format beside the runs.
func keep(store *runs.Store, f table.Results) error {
	for _, format := range table.Formats() {
		extension := map[string]string{"text": "txt", "latex": "tex"}[format]
		if extension == "" {
			extension = format
		}
		name := filepath.Join("tables", f.Table.Name+"-"+f.Preset+"."+extension)
		if err := store.Write(name, func(w io.Writer) error { return table.Write(w, f, format) }); err != nil {
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

// dryAnswer says what a call would do.
type dryAnswer struct {
	Name    string   `json:"name"`
	Preset  string   `json:"preset"`
	Left    left     `json:"left"`
	Tables  []left   `json:"tables"`
	Missing []source `json:"missing"`
}

// left counts what is not done yet; runs that several tables need count once in the sum.
type left struct {
	Name      string `json:"name,omitempty"`
	Runs      int    `json:"runs"`
	Trainings int    `json:"trainings"`
}

func (l left) String() string {
	return fmt.Sprintf("%d runs, of them %d trainings", l.Runs, l.Trainings)
}

// source is a data set that has not been fetched.
type source struct {
	Name     string   `json:"name"`
	What     string   `json:"what"`
	Licence  string   `json:"licence"`
	Commands []string `json:"commands"`
}

func (a dryAnswer) String() string {
	rows := [][2]string{{"left", a.Left.String()}}
	for _, l := range a.Tables {
		rows = append(rows, [2]string{l.Name, l.String()})
	}
	for _, m := range a.Missing {
		rows = append(rows, [2]string{"missing", m.Name + ": " + m.What + " (" + m.Licence + ")"})
		for _, c := range m.Commands {
			rows = append(rows, [2]string{"", c})
		}
	}
	return lines(rows...)
}

func (t *tableRun) dryRun(store *runs.Store, plans []*reproduce.Schedule) dryAnswer {
	count := func(plans ...*reproduce.Schedule) (l left) {
		l.Runs, l.Trainings = reproduce.Left(store, plans...)
		return l
	}
	a := dryAnswer{Name: t.Name, Preset: t.Preset, Left: count(plans...), Missing: []source{}}
	for _, plan := range plans {
		l := count(plan)
		l.Name = plan.Table.Name
		a.Tables = append(a.Tables, l)
	}
	for _, s := range reproduce.Unfetched(plans...) {
		fetch := "swlab data fetch " + s.Name + " --accept-licence"
		commands := []string{fetch}
		if s.Manual != "" {
			commands = []string{"# " + s.Manual, fetch + " --from DIR"}
		}
		a.Missing = append(a.Missing, source{s.Name, s.What, s.Licence, commands})
	}
	return a
}

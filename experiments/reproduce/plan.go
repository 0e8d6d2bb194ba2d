package reproduce

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/sliced-wasserstein/lab/datasets"
	"github.com/sliced-wasserstein/lab/datasets/catalogue"
	"github.com/sliced-wasserstein/lab/experiments"
	"github.com/sliced-wasserstein/lab/experiments/gap"
	"github.com/sliced-wasserstein/lab/experiments/runs"
	"github.com/sliced-wasserstein/lab/experiments/table"
	"github.com/sliced-wasserstein/lab/internal/settings"
	"github.com/sliced-wasserstein/lab/internal/suggest"
	"github.com/sliced-wasserstein/lab/swlab/amortizer"
	"github.com/sliced-wasserstein/lab/swlab/latent"
	"github.com/sliced-wasserstein/lab/swlab/loss"
	"github.com/sliced-wasserstein/lab/swlab/metric"
	"github.com/sliced-wasserstein/lab/swlab/slicing"
	"github.com/sliced-wasserstein/lab/swlab/train"
)

// Schedule is a table at a size: which runs give which cells.
type Schedule struct {
	Table    table.Table
	Preset   Preset
	Settings []string
	Data     string
	Jobs     []Item // row by row, seed by seed
	// unfetched lists the data sets that are not on this machine. The schedule is complete without
	// them, except for the digests of their clouds: it can be counted and not run.
	unfetched []catalogue.Source
	tooFew    []error // clouds for a batch or for the pairs
}

// Item gives the numbers of a row, or of one of its candidates, for one seed.
type Item struct {
	Row string // its id
	// Candidate holds the settings of one of the row's candidates; nil if the row has one setting.
	Candidate map[string]int
	Seed      uint64
	Runs      []Reading // in order
}

// Reading is a run and the cells that its result gives.
type Reading struct {
	Run  runs.Task
	Read func(l *runs.Store) (map[string]float64, error) // by column, in natural units
}

// NewReading returns a run and the cells given by its result, a T.
func NewReading[T any](r runs.Task, cells func(v T) map[string]float64) Reading {
	return Reading{r, func(l *runs.Store) (map[string]float64, error) {
		var v T
		if err := l.Result(r, &v); err != nil {
			return nil, err
		}
		return cells(v), nil
	}}
}

// Name returns the job's name, unique in its table: ROW/SEED or ROW/CANDIDATE/SEED.
func (j Item) Name() string {
	if j.Candidate == nil {
		return fmt.Sprintf("%s/%d", j.Row, j.Seed)
	}
	return fmt.Sprintf("%s/%s/%d", j.Row, settingsText(j.Candidate, "%s%d", "-"), j.Seed)
}

// NewSchedule plans the table of that name. only lists ids or names of rows, or losses, slicing
// distributions and amortizers (named); nil means all rows. ours says whether to include rows and
// columns that the paper does not have. The clouds are read from l. Data sets of the catalogue need
// not be there yet ([Ready]).
func NewSchedule(l *runs.Store, name string, p Preset, only []string, ours bool) (*Schedule, error) {
	if err := p.check(); err != nil {
		return nil, err
	}
	t, err := table.Get(name)
	if err != nil {
		return nil, err
	}
	if seeds := p.ClaimSeeds[name]; seeds != nil {
		p.ClaimSeeds = map[string][]uint64{t.Study: seeds}
	}
	plan := &Schedule{Table: p.With(t), Preset: p, Settings: p.Settings(t.Study)}
	if !ours {
		plan.Table = plan.Table.WithoutOurs()
	}
	if plan.Table.Rows, err = chosen(plan.Table, only); err != nil {
		return nil, err
	}
	if t.Study != "gap" {
		if err := p.trainable(plan.Table); err != nil {
			return nil, err
		}
	} else if len(p.training) > 0 {
		return nil, fmt.Errorf("override: the gap study trains no autoencoder, found %s", strings.Join(p.overrides, ", "))
	}
	var jobs func(r setRow, c train.Config) []Reading
	switch t.Study {
	case "reconstruction":
		jobs, err = plan.reconstruction(l)
	case "shapes":
		jobs, err = plan.shapes(l)
	case "gap":
		jobs, err = plan.gap(l)
	case "generation":
		jobs, err = plan.generation(l)
	}
	if err != nil {
		return nil, err
	}
	if p.Select == selectTest && Selects(plan.Table) {
		plan.Settings = append(plan.Settings, "widths of A, EA, LA and T of Max-SW and v-DSW: of each row's candidates the one with the lowest mean EMD on the test clouds, as in the paper")
	}
	for _, r := range plan.Table.Rows {
		for _, candidate := range p.candidates(r) {
			for _, seed := range p.seeds(t.Study, r.ID) {
				c, err := p.config(setRow{r, candidate}, seed, t.Study)
				if err != nil {
					return nil, fmt.Errorf("row %s: %w", r.ID, err)
				}
				plan.Jobs = append(plan.Jobs, Item{r.ID, candidate, seed, jobs(setRow{r, candidate}, c)})
			}
		}
	}
	return plan, nil
}

// chosen returns the rows with those ids or names, or made of registered names.
func chosen(t table.Table, only []string) ([]table.Row, error) {
	rows := t.Rows
	if only == nil {
		return rows, nil
	}
	var out []table.Row
	for _, want := range only {
		i := slices.IndexFunc(rows, func(r table.Row) bool { return r.ID == want || r.Name == want })
		if i < 0 {
			r, err := named(t, want)
			if err != nil {
				return nil, err
			}
			i, rows = len(rows), append(rows, r)
		}
		if !slices.ContainsFunc(out, func(r table.Row) bool { return r.ID == rows[i].ID }) {
			out = append(out, rows[i])
		}
	}
	return out, nil
}

// named returns a row of ours for a loss by its registered name, optionally followed by a slicing
// distribution, an amortizer or both: energy-distance, v-dsw+la, v-dsw+vmf+la.
func named(t table.Table, id string) (table.Row, error) {
	parts := strings.Split(id, "+")
	run := map[string]any{"loss": parts[0]}
	known := slices.Contains(loss.Names(), parts[0]) && t.Study != "gap"
	for _, part := range parts[1:] {
		switch {
		case run["amortizer"] == nil && slices.Contains(amortizer.Names(), part):
			run["amortizer"] = part
		case run["slicing"] == nil && slices.Contains(slicing.Names(), part):
			run["slicing"] = part
		default:
			known = false
		}
	}
	if !known {
		var ids []string
		for _, r := range t.Rows {
			ids = append(ids, r.ID)
		}
		expected := "one of " + strings.Join(ids, ", ")
		if t.Study != "gap" {
			expected += "; or a loss, with +SLICING or +AMORTIZER where it has one"
		}
		return table.Row{}, fmt.Errorf("rows: unknown row %q, expected %s%s", id, expected, suggest.Hint(id, ids))
	}
	c := train.DefaultConfig()
	if err := settings.Of(&c, "help").Apply(run); err != nil {
		return table.Row{}, fmt.Errorf("rows: %q: %w", id, err)
	}
	if _, err := c.Model(); err != nil {
		return table.Row{}, fmt.Errorf("rows: %q: %w", id, err)
	}
	group := 0
	for _, r := range t.Rows {
		group = max(group, r.Group)
	}
	return table.Row{ID: id, Name: strings.Join(parts, ", "), Group: group, Overrides: run, Ours: true, Note: "asked for by name"}, nil
}

// config returns the training of the row's autoencoder, in a table of that study.
func (p Preset) config(r setRow, seed uint64, study string) (train.Config, error) {
	c := train.DefaultConfig()
	c.Seed, c.Batch, c.Epochs, c.DK, c.K = seed, p.Batch, p.Epochs, p.DK, p.K
	switch study {
	case "gap": // which trains none
		return c, nil
	case "generation":
		c.Batch, c.Epochs = p.ChairBatch, p.ChairEpochs
	}
	fields := settings.Of(&c, "help")
	if err := fields.Apply(p.training); err != nil {
		return c, err
	}
	overrides := maps.Clone(r.Overrides)
	delete(overrides, generatedFrom)
	if err := fields.Apply(overrides); err != nil {
		return c, err
	}
	r.set(&c)
	return c, nil
}

// trainable checks the overrides of the trainings. They must not change what defines a row, they
// must be valid together with the rest, and at least one training must read each of them.
func (p Preset) trainable(t table.Table) error {
	names := slices.Sorted(maps.Keys(p.training))
	var configs []train.Config
	for _, r := range t.Rows {
		for _, name := range names {
			if own := r.Overrides[name]; own != nil {
				return fmt.Errorf("override %s: row %s has a value of its own, %v", name, r.ID, own)
			}
		}
		c, err := p.config(setRow{Row: r}, 1, t.Study)
		if err == nil {
			_, err = c.Model()
		}
		if err != nil {
			return fmt.Errorf("row %s: %w", r.ID, err)
		}
		configs = append(configs, c)
	}
	for _, name := range names {
		if !train.Reads(configs, name) {
			return fmt.Errorf("override %s: it would do nothing, no row reads it", name)
		}
	}
	return nil
}

// clouds returns the preset's clouds for reconstruction.
func (p Preset) clouds(path, split string, points int) runs.Data {
	return runs.Data{Path: path, Split: split, Points: points, Train: p.PerClass, Test: p.PerTest}
}

// described fills descriptions of data into a text.
func described(l *runs.Store, format string, data ...runs.Data) (string, error) {
	var texts []any
	for _, d := range data {
		text, err := l.Describe(d)
		if err != nil {
			return "", err
		}
		texts = append(texts, text)
	}
	return fmt.Sprintf(format, texts...), nil
}

// fill notes a batch of that setting with more clouds than there are to train on.
func (plan *Schedule) fill(l *runs.Store, setting string, batch int, data runs.Data) {
	if set, err := l.Clouds(data); err == nil && batch > set.Clouds { // else it has not been fetched
		plan.tooFew = append(plan.tooFew,
			fmt.Errorf("%s: %d is larger than the %d training clouds of %s", setting, batch, set.Clouds, data.Path))
	}
}

// data is [runs.Store.Data]. It notes a data set that has not been fetched and leaves its content
// unknown.
func (plan *Schedule) data(l *runs.Store, d runs.Data) (runs.Data, error) {
	found, err := l.Data(d)
	var missing *catalogue.NotFetchedError
	if !errors.As(err, &missing) {
		return found, err
	}
	plan.unfetched = append(plan.unfetched, missing.Source)
	return d, nil
}

// Ready returns an error if the runs of the schedules cannot be done: it names the data sets that must
// be fetched, and the settings that want more clouds than there are.
func Ready(schedules ...*Schedule) error {
	var errs []error
	for _, s := range schedules {
		errs = append(errs, s.tooFew...)
	}
	for _, s := range Unfetched(schedules...) {
		_, err := catalogue.Locate(s.Name)
		errs = append(errs, err)
	}
	return errors.Join(errs...)
}

// Unfetched lists the data sets of the schedules that are not on this machine, each once.
func Unfetched(schedules ...*Schedule) []catalogue.Source {
	var out []catalogue.Source
	for _, plan := range schedules {
		for _, s := range plan.unfetched {
			if !slices.ContainsFunc(out, func(x catalogue.Source) bool { return x.Name == s.Name }) {
				out = append(out, s)
			}
		}
	}
	return out
}

// hasClasses is [runs.Store.HasClasses], answered by the catalogue for a data set that has not been
// fetched.
func hasClasses(l *runs.Store, d runs.Data) (bool, error) {
	has, err := l.HasClasses(d)
	var missing *catalogue.NotFetchedError
	if errors.As(err, &missing) {
		return missing.Source.Classes > 0 && missing.Source.Parts != nil, nil
	}
	return has, err
}

// shows reports whether the table has the column.
func (plan *Schedule) shows(key string) bool {
	return slices.ContainsFunc(plan.Table.Columns, func(c table.Column) bool { return c.Key == key })
}

func (plan *Schedule) reconstruction(l *runs.Store) (func(setRow, train.Config) []Reading, error) {
	p := plan.Preset
	whole, err := plan.data(l, p.clouds(p.Data, "train", p.Points))
	if err != nil {
		return nil, err
	}
	data := whole
	if data.Val = p.heldOut(); data.Val > 0 {
		var missing *catalogue.NotFetchedError
		if _, err := l.Clouds(data.Part("val")); err != nil && !errors.As(err, &missing) { // before anything is trained
			return nil, fmt.Errorf("validation clouds: %w", err)
		}
	}
	test, transfer := whole.Part("test"), whole
	if p.Test != "" {
		if test, err = plan.data(l, p.clouds(p.Test, "all", p.Points)); err != nil {
			return nil, err
		}
		transfer = test.Part("train")
	}
	if plan.Data, err = described(l, "trained on %s; scored on %s", data, test); err != nil {
		return nil, err
	}
	plan.fill(l, "batch", p.Batch, data)
	classes, err := hasClasses(l, transfer)
	if err != nil {
		return nil, err
	}
	accuracy := plan.shows("acc")
	if accuracy && !classes {
		plan.Settings = append(plan.Settings, fmt.Sprintf("no Acc, no Acc SVM: %s has no classes, or no parts", test.Path))
	}
	return func(r setRow, c train.Config) []Reading {
		t := p.trained(data, c)
		best := runs.Scores{Of: t, State: "best", Data: test, Exact: true, Seed: 1}
		// Where the exact EMD is not shown, it is not computed either; scores that have it already
		// serve.
		best.Exact = plan.shows("emd_exact") || l.Done(best)
		out := []Reading{
			NewReading(t, func(v runs.TrainingResult) map[string]float64 { return map[string]float64{"time": v.SecondsPerEpoch} }),
			NewReading(best, func(v experiments.Scores) map[string]float64 {
				cells := map[string]float64{"cd": v.CD.Mean, "sw": v.SW.Mean, "emd": v.EMD.Mean}
				if v.ExactEMD != nil {
					cells["emd_exact"] = v.ExactEMD.Mean
				}
				if p.Select == selectTest {
					maps.Copy(cells, judgement(v))
				}
				return cells
			}),
		}
		if plan.shows("cd_last") {
			out = append(out, NewReading(runs.Scores{Of: t, State: "last", Data: test, Seed: 1}, func(v experiments.Scores) map[string]float64 {
				return map[string]float64{"cd_last": v.CD.Mean, "sw_last": v.SW.Mean, "emd_last": v.EMD.Mean}
			}))
		}
		if accuracy && classes {
			config := latent.DefaultClassifier(0)
			config.Epochs, config.Batch = p.ClassifierEpochs, p.ClassifierBatch
			coded := runs.Coded{Of: t, State: "best", Train: transfer, Test: transfer.Part("test")}
			classified := runs.Accuracy{Coded: coded, Config: config}
			out = append(out, NewReading(classified, func(v runs.AccuracyResult) map[string]float64 { return map[string]float64{"acc": v.Accuracy} }))
			if plan.shows("acc_svm") {
				svm := runs.SVMAccuracy{Coded: coded, Config: latent.DefaultSVM(0)}
				out = append(out, NewReading(svm, func(v runs.SVMAccuracyResult) map[string]float64 { return map[string]float64{"acc_svm": v.Accuracy} }))
			}
		}
		if p.Select == selectValidation && r.candidate != nil {
			out = append(out, judged(t, data.Part("val")))
		}
		return out
	}, nil
}

// trained returns the run that trains on those clouds. Those held out choose its best epoch if the
// preset has a share for them.
func (p Preset) trained(data runs.Data, c train.Config) runs.Training {
	t := runs.NewTraining(data, c)
	if p.Val > 0 {
		val := data.Part("val")
		t.Validation = &val
	}
	return t
}

func (plan *Schedule) shapes(l *runs.Store) (func(setRow, train.Config) []Reading, error) {
	p := plan.Preset
	data, err := plan.data(l, p.clouds(p.Data, "train", p.Points))
	if err != nil {
		return nil, err
	}
	data.Val = p.Val
	if plan.Data, err = described(l, "trained on %s; six of them scored", data); err != nil {
		return nil, err
	}
	plan.fill(l, "batch", p.Batch, data)
	return func(r setRow, c train.Config) []Reading {
		t := p.trained(data, c)
		six := runs.Scores{Of: t, State: "best", Data: data, Six: true, Seed: 1}
		return []Reading{NewReading(six, func(v experiments.Scores) map[string]float64 {
			out := map[string]float64{"avg": v.EMD.Mean}
			for i, d := range v.PerCloud.EMD {
				out[fmt.Sprintf("pc%d", i+1)] = d
			}
			return out
		})}
	}, nil
}

func (plan *Schedule) gap(l *runs.Store) (func(setRow, train.Config) []Reading, error) {
	p := plan.Preset
	data, err := plan.data(l, runs.Data{Path: p.Data, Split: "train", Points: p.GapPoints, Train: p.GapPerClass})
	if err != nil {
		return nil, err
	}
	if plan.Data, err = described(l, "%s", data); err != nil {
		return nil, err
	}
	study := p.gap()
	if set, err := l.Clouds(data); err == nil { // else it has not been fetched
		if err := study.Suffices(set); err != nil {
			plan.tooFew = append(plan.tooFew, fmt.Errorf("data: %w; lower gap_batches, gap_pairs or gap_held_out", err))
		}
		if study.Clouds() < set.Clouds {
			plan.Data += fmt.Sprintf("; %d of them in pairs", study.Clouds())
		}
	}
	configs := append(gap.PaperRows(study), gap.OurRows(study, p.GapPasses)...)
	return func(r setRow, c train.Config) []Reading {
		row := configs[slices.IndexFunc(configs, func(c gap.Config) bool { return c.ID() == r.ID })]
		row.Seed = gap.Paper().Seed + c.Seed - 1 // seed 1 is the paper's
		return []Reading{NewReading(runs.Gap{Data: data, Config: row}, func(v gap.Result) map[string]float64 {
			out := map[string]float64{
				"distance": v.Paper.Distance.Mean, "time": v.Paper.SearchSeconds + v.Paper.PredictSeconds + v.Paper.EvaluateSeconds,
				"training": v.Training.Exact.Mean, "held_out": v.HeldOut.Exact.Mean, "gap": v.HeldOut.Gap.Mean,
				"range": v.HeldOut.NormalizedGap.Mean, "off": v.HeldOut.AngleToOptimum.Mean,
			}
			for _, t := range v.Times {
				if t.Backend == "go" {
					out["locate_go"] = t.Median
				} else {
					out["locate_xla"] = t.Median
				}
			}
			return out
		})}
	}, nil
}

func (plan *Schedule) generation(l *runs.Store) (func(setRow, train.Config) []Reading, error) {
	p := plan.Preset
	d := runs.Data{Path: p.Chairs, Split: "train", Points: p.Points, Val: 0.05}
	if p.Chairs == datasets.Builtin {
		d.Classes, d.Train, d.Test = []string{"chair"}, p.ChairTrain, p.ChairTest
	}
	data, err := plan.data(l, d)
	if err != nil {
		return nil, err
	}
	val, test := data.Part("val"), data.Part("test")
	if plan.Data, err = described(l, "%s; %s; %s", data, val, test); err != nil {
		return nil, err
	}
	plan.fill(l, "chair_batch", p.ChairBatch, data)
	return func(r setRow, c train.Config) []Reading {
		t := runs.NewTraining(data, c)
		t.Validation = &val
		config := latent.DefaultGenerator()
		config.Epochs, config.Batch, config.Sinkhorn, config.Seed = p.GeneratorEpochs, p.GeneratorBatch, p.Sinkhorn, c.Seed
		g := runs.Generation{Of: t, State: "best", Train: data, Test: test, Config: config, Count: p.Generated, Seed: c.Seed, Distances: metric.PaperDistances()}
		g.From, _ = r.Overrides[generatedFrom].(string)
		out := []Reading{NewReading(g, func(v metric.Report) map[string]float64 {
			cd, emd := v.Scores("cd"), v.Scores("emd-approx")
			return map[string]float64{"jsd": v.JSD, "jsd_half": v.JSDScaled,
				"mmd_cd": cd.MMDPaper, "mmd_emd": emd.MMDPaper, "cov_cd": cd.COVPaper, "cov_emd": emd.COVPaper, "nna_cd": cd.NNA, "nna_emd": emd.NNA,
				"mmd_cd_std": cd.MMDStandard, "mmd_emd_std": emd.MMDStandard, "cov_cd_std": cd.COVStandard, "cov_emd_std": emd.COVStandard}
		})}
		if on := map[string]runs.Data{selectValidation: val, selectTest: test}; r.candidate != nil {
			out = append(out, judged(t, on[p.Select]))
		}
		return out
	}, nil
}

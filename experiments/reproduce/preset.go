// Package reproduce turns a table of the paper into runs, and runs into the table. It decides which
// run gives which cell, at which size, with our own rows and columns beside the paper's.
package reproduce

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/sliced-wasserstein/lab/datasets"
	"github.com/sliced-wasserstein/lab/experiments/gap"
	"github.com/sliced-wasserstein/lab/internal/settings"
	"github.com/sliced-wasserstein/lab/internal/suggest"
	"github.com/sliced-wasserstein/lab/swlab/latent"
	"github.com/sliced-wasserstein/lab/swlab/train"
)

// Preset is the size of a reproduction. Override sets a field by its JSON name.
type Preset struct {
	Name  string   `json:"-"`
	Seeds []uint64 `json:"-"`
	// ClaimSeeds are the seeds of the rows of claimRows in the tables that score reconstructions;
	// nil: Seeds.
	ClaimSeeds []uint64 `json:"-"`
	// Select says how the rows with candidates get their settings, one of Selections.
	Select string `json:"-"`

	Data string `json:"data" study:"reconstruction shapes gap"` // clouds to train on
	// Test names clouds to reconstruct and for transfer; "": the test part of Data.
	Test string `json:"test" study:"reconstruction"`
	// Chairs names clouds of the generation tables with train, val and test parts; builtin: its
	// class chair.
	Chairs string `json:"chairs" study:"generation"`
	Points int    `json:"points" study:"reconstruction shapes generation"` // per cloud
	// PerClass is the number of training clouds per class of the built-in shapes; 0: the default
	// set.
	PerClass int `json:"per_class" study:"reconstruction shapes"`
	PerTest  int `json:"per_test" study:"reconstruction"` // and test clouds
	// Val is the share of the training clouds that no training sees and whose loss chooses the best
	// epoch; 0: the training loss chooses, as in the paper.
	Val float64 `json:"val" study:"reconstruction shapes"`

	Batch  int `json:"batch" study:"reconstruction shapes"`
	Epochs int `json:"epochs" study:"reconstruction shapes"`
	// DK is the width of A, EA, LA where none is selected.
	DK int `json:"dk" study:"reconstruction shapes generation"`
	K  int `json:"k" study:"reconstruction shapes generation"`
	// MovingSteps is the number of ascent steps of our row of v-DSW whose location moves.
	MovingSteps int `json:"moving_steps" study:"reconstruction shapes"`

	ClassifierEpochs int `json:"classifier_epochs" study:"reconstruction"`
	ClassifierBatch  int `json:"classifier_batch" study:"reconstruction"`

	// ChairTrain is the train part of the built-in chairs; a twentieth of it chooses the best
	// epoch.
	ChairTrain      int    `json:"chair_train" study:"generation"`
	ChairTest       int    `json:"chair_test" study:"generation"`
	ChairEpochs     int    `json:"chair_epochs" study:"generation"`
	ChairBatch      int    `json:"chair_batch" study:"generation"`
	GeneratorEpochs int    `json:"generator_epochs" study:"generation"`
	GeneratorBatch  int    `json:"generator_batch" study:"generation"`
	Sinkhorn        string `json:"sinkhorn" study:"generation"`  // log, or released
	Generated       int    `json:"generated" study:"generation"` // clouds; 0: as many as real ones

	GapBatches  int `json:"gap_batches" study:"gap"`
	GapPairs    int `json:"gap_pairs" study:"gap"` // per batch
	GapHeldOut  int `json:"gap_held_out" study:"gap"`
	GapPerClass int `json:"gap_per_class" study:"gap"` // as PerClass; no cloud is in two pairs
	GapCommon   int `json:"gap_common" study:"gap"`
	GapPoints   int `json:"gap_points" study:"gap"`
	// GapPasses is the number of epochs of our amortizers that are trained longer.
	GapPasses int `json:"gap_passes" study:"gap"`

	// training holds settings of every row's training, in addition to the row and the fields above.
	training  map[string]any
	overrides []string
}

// Presets returns the sizes, smallest first.
func Presets() []Preset { return []Preset{smoke(), quick(), desk(), paper()} }

// PresetNames returns their names.
func PresetNames() []string {
	var out []string
	for _, p := range Presets() {
		out = append(out, p.Name)
	}
	return out
}

// PresetOf returns the preset of that name.
func PresetOf(name string) (Preset, error) {
	for _, p := range Presets() {
		if p.Name == name {
			return p, nil
		}
	}
	return Preset{}, fmt.Errorf("preset: expected %s, found %q%s", strings.Join(PresetNames(), ", "), name, suggest.Hint(name, PresetNames()))
}

// paper is the protocol: full data, 301 epochs, three seeds.
func paper() Preset {
	study := gap.Paper()
	return Preset{Name: "paper", Seeds: []uint64{1, 2, 3}, Select: selectTest,
		Data: "shapenet-core55", Test: "modelnet40-hdf5", Chairs: "shapenet-chairs", Points: 2048,
		Batch: 128, Epochs: 301, DK: 64, K: 64, MovingSteps: 50,
		ClassifierEpochs: 500, ClassifierBatch: 256,
		ChairEpochs: 101, ChairBatch: 128, GeneratorEpochs: 25, GeneratorBatch: 64, Sinkhorn: "released",
		GapBatches: study.Batches, GapPairs: study.Pairs, GapHeldOut: study.HeldOut, GapCommon: study.Common, GapPoints: 2048, GapPasses: 20,
	}
}

// claimRows lists the rows that answer the paper's claims about reconstruction: their differences
// must be resolved.
func claimRows() []string {
	return []string{"chamfer-summed", "emd-approx", "sw", "max-sw-T50-moving", "v-dsw-T10-moving", "l-v-dsw", "g-v-dsw", "n-v-dsw",
		"a-v-dsw", "ea-v-dsw", "la-v-dsw", "la-sorted-v-dsw", "la-v-dsw-kappa0.1", "la-v-dsw-kappa0", "la-v-dsw-untrained", "la-v-dsw-other-location"}
}

// scoresReconstructions reports whether tables of that study score reconstructed clouds.
func scoresReconstructions(study string) bool { return study == "reconstruction" || study == "shapes" }

// seeds returns the seeds of the row of that id in a table of that study.
func (p Preset) seeds(study, row string) []uint64 {
	if p.ClaimSeeds != nil && scoresReconstructions(study) && slices.Contains(claimRows(), row) {
		return p.ClaimSeeds
	}
	return p.Seeds
}

// desk is a size that takes two cores about 10 hours for all tables, and that resolves differences
// between losses: see docs/results/power.md. A fifth of the 1280 training clouds is held out.
func desk() Preset {
	p := quick()
	p.Name, p.ClaimSeeds = "desk", []uint64{1, 2, 3, 4, 5}
	p.Points, p.PerClass, p.PerTest, p.Val, p.Epochs, p.MovingSteps = 512, 40, 8, 0.2, 30, 10
	p.ClassifierEpochs = paper().ClassifierEpochs
	p.ChairTrain, p.ChairTest, p.ChairEpochs, p.GeneratorEpochs = 800, 100, 30, 190 // as many steps as in the paper: 2280
	study := gap.Paper()
	p.GapPairs, p.GapHeldOut, p.GapPerClass, p.GapCommon = study.Pairs, study.HeldOut, 125, study.Common
	return p
}

// quick is a size at which a laptop's CPU finishes a table in half an hour.
func quick() Preset {
	p, study := paper(), gap.Quick()
	p.Name, p.Data, p.Test, p.Chairs, p.Points = "quick", datasets.Builtin, "", datasets.Builtin, 256
	p.Select = selectNone
	p.Batch, p.Epochs = 32, 3
	p.ClassifierEpochs, p.Sinkhorn = 100, "log"
	p.ChairTrain, p.ChairTest, p.ChairEpochs, p.ChairBatch = 640, 100, 3, 32
	p.GapPairs, p.GapHeldOut, p.GapCommon, p.GapPoints = study.Pairs, study.HeldOut, study.Common, 1024
	return p
}

// smoke shows in a minute that every row of a table can be computed. Its numbers mean nothing.
func smoke() Preset {
	p, study := quick(), gap.Smoke()
	p.Name, p.Seeds, p.Points, p.PerClass, p.PerTest = "smoke", []uint64{1}, 64, 2, 1
	p.Batch, p.Epochs, p.DK, p.K = 16, 2, 16, 16
	p.ClassifierEpochs, p.ClassifierBatch = 20, 32
	// 32 train, 1 validation
	p.ChairTrain, p.ChairTest, p.ChairEpochs, p.ChairBatch, p.GeneratorEpochs, p.GeneratorBatch = 33, 12, 2, 16, 2, 16
	p.GapPairs, p.GapHeldOut, p.GapPerClass, p.GapCommon, p.GapPoints, p.GapPasses = study.Pairs, study.HeldOut, 2, study.Common, 128, 2
	return p
}

// Clouds sets the data that a call names in place of the preset's; "" keeps the preset's. With data
// only, its own test part is scored.
func (p *Preset) Clouds(data, test string) {
	if data != "" {
		p.Data, p.Chairs, p.Test = data, data, ""
		p.overrides = append(slices.Clip(p.overrides), "data="+data)
	}
	if test != "" {
		p.Test = test
		p.overrides = append(slices.Clip(p.overrides), "test="+test)
	}
}

// What describes the preset in a sentence: its size, its time, what it needs.
func (p Preset) What() string { return presetWords[p.Name] }

// presetWords give the measured times of Presets: see docs/reproduction.md.
var presetWords = map[string]string{
	"smoke": "every row once, at toy size, on the built-in shapes: shows that it runs, the numbers mean nothing, nor does the time: XLA compiles fast and not well. Up to a minute a table on 2 cores",
	"quick": "three seeds on the built-in shapes, 256 points, 3 epochs. Up to half an hour a table on 2 cores",
	"desk":  "the built-in shapes, 512 points, 30 epochs, three seeds, in reconstruction five of the rows that a claim is about, the best epoch chosen by validation clouds. About 10 hours for all tables on 2 cores",
	"paper": "full data, 2048 points, 301 epochs, three seeds, widths of A, EA, LA and T of Max-SW and v-DSW selected on test clouds: needs ShapeNet, ModelNet40 and a GPU. The time is estimated before it starts",
}

// Override sets the field of that JSON name to the value, written as on a command line. A name
// without a field is a setting of train.Config, for the trainings of all rows.
func (p *Preset) Override(name, value string) error {
	f, own, err := p.setting(name)
	if err != nil {
		return fmt.Errorf("override: %w", err)
	}
	if err := f.Set(value); err != nil {
		return fmt.Errorf("override %s: %w", name, err)
	}
	if !own {
		p.training = maps.Clone(p.training)
		if p.training == nil {
			p.training = map[string]any{}
		}
		p.training[name] = value
	}
	p.overrides = append(slices.Clip(p.overrides), name+"="+value)
	return nil
}

// fields returns the fields of p that have a name.
func (p *Preset) fields() settings.Fields { return settings.Of(p, "study") }

// setting returns the field of that name, of p itself (own) or of a training.
func (p *Preset) setting(name string) (f settings.Field, own bool, err error) {
	fields := p.fields()
	if f, err := fields.Find(name); err == nil {
		return f, true, nil
	}
	f, err = append(fields, settings.Of(new(train.Config), "help")...).Find(name)
	return f, false, err
}

// SettingNames lists the settings of Override: those of a preset, and the others of a training.
func SettingNames() []string {
	out := new(Preset).fields().Names()
	for _, name := range settings.Of(new(train.Config), "help").Names() {
		if !slices.Contains(out, name) {
			out = append(out, name)
		}
	}
	return out
}

// Reads reports whether a table of that study depends on the setting of that name.
func Reads(study, name string) bool {
	f, own, err := new(Preset).setting(name)
	if !own {
		return err == nil && study != "gap"
	}
	return slices.Contains(strings.Fields(f.Tag.Get("study")), study)
}

// check rejects impossible sizes.
func (p Preset) check() error {
	for _, f := range p.fields() {
		least := 1.0
		switch f.Name {
		case "per_class", "gap_per_class", "per_test", "val", "generated", "chair_train", "chair_test":
			least = 0
		}
		if n, ok := f.Number(); ok && n < least {
			return fmt.Errorf("%s: expected at least %g, found %g", f.Name, least, n)
		}
	}
	if !slices.Contains(latent.Sinkhorns, p.Sinkhorn) {
		return fmt.Errorf("sinkhorn: expected %s, found %q", strings.Join(latent.Sinkhorns, " or "), p.Sinkhorn)
	}
	if len(p.Seeds) == 0 {
		return fmt.Errorf("seeds: expected at least one")
	}
	if err := p.checkSelection(); err != nil {
		return err
	}
	if p.Val >= 1 {
		return fmt.Errorf("val: expected a share below 1, found %g", p.Val)
	}
	for _, seeds := range [][]uint64{p.Seeds, p.ClaimSeeds} {
		seen := map[uint64]bool{}
		for _, s := range seeds {
			if seen[s] {
				return fmt.Errorf("seeds: %d twice", s)
			}
			seen[s] = true
		}
	}
	return nil
}

// ParseSeeds parses "1,2,3".
func ParseSeeds(list string) ([]uint64, error) {
	var out []uint64
	for _, s := range strings.Split(list, ",") {
		n, err := strconv.ParseUint(strings.TrimSpace(s), 10, 64)
		if err != nil {
			return nil, fmt.Errorf("seeds: expected numbers separated by commas, found %q", list)
		}
		out = append(out, n)
	}
	return out, nil
}

// Settings describes how a table of that study differs from the paper's size.
func (p Preset) Settings(study string) []string {
	var out []string
	printed := paper()
	papers := printed.fields()
	for i, f := range p.fields() {
		if !slices.Contains(strings.Fields(f.Tag.Get("study")), study) {
			continue
		}
		if x, y := f.Value(), papers[i].Value(); x != y {
			out = append(out, fmt.Sprintf("%s %s (paper: %s)", f.Name, shown(f.Name, x), shown(f.Name, y)))
		}
	}
	switch {
	case p.ClaimSeeds != nil && scoresReconstructions(study):
		out = append(out, fmt.Sprintf("%d seeds of the rows that a claim is about, %d of the others (paper: %d)", len(p.ClaimSeeds), len(p.Seeds), len(paper().Seeds)))
	case len(p.Seeds) != len(paper().Seeds):
		out = append(out, fmt.Sprintf("%d seed(s) (paper: %d)", len(p.Seeds), len(paper().Seeds)))
	}
	if p.Select != paper().Select && (study == "reconstruction" || study == "generation") {
		out = append(out, p.selection())
	}
	for _, o := range p.overrides {
		out = append(out, "override "+o)
	}
	return out
}

func shown(name string, v any) string {
	switch {
	case name == "val":
		return fmt.Sprint(v)
	case v == 0:
		return "all"
	case name == "test" && v == "":
		return "the test part of data"
	}
	return fmt.Sprint(v)
}

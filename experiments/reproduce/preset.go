// Package reproduce turns a table of the paper into runs, and runs into the table. It decides which
// run gives which cell, at which size, with our own rows and columns beside the paper's.
package reproduce

import (
	_ "embed"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/janpfeifer/must"

	"github.com/sliced-wasserstein/lab/internal/settings"
	"github.com/sliced-wasserstein/lab/internal/suggest"
	"github.com/sliced-wasserstein/lab/swlab/latent"
	"github.com/sliced-wasserstein/lab/swlab/train"
)

// Preset is the size of a reproduction. Override sets a field that a study reads, by its JSON name.
type Preset struct {
	Name string `json:"name"`
	// What describes the preset in a sentence: its size, its time, what it needs.
	What  string   `json:"what"`
	Seeds []uint64 `json:"seeds"`
	// ClaimSeeds are, by table or else by study, the seeds of ClaimRows, the rows that answer the
	// paper's claims. Rows and studies without any have Seeds.
	ClaimSeeds map[string][]uint64 `json:"claim_seeds"`
	ClaimRows  []string            `json:"claim_rows"`
	// Select says how the rows with candidates get their settings, one of Selections.
	Select string `json:"select"`

	Data string `json:"data" study:"reconstruction shapes gap"` // clouds to train on
	// Test names clouds to reconstruct and for transfer; "": the test part of Data.
	Test string `json:"test" study:"reconstruction"`
	// Chairs names clouds of the generation tables with train, val and test parts; builtin: its
	// class chair.
	Chairs string `json:"chairs" study:"generation"`
	Points int    `json:"points" range:"1.." study:"reconstruction shapes generation"` // per cloud
	// PerClass is the number of training clouds per class of the built-in shapes; 0: the default
	// set.
	PerClass int `json:"per_class" range:"0.." study:"reconstruction shapes"`
	PerTest  int `json:"per_test" range:"0.." study:"reconstruction"` // and test clouds
	// Val is the share of the training clouds that no training sees and whose loss chooses the best
	// epoch; 0: the training loss chooses, as in the paper.
	Val float64 `json:"val" range:"0..<1" study:"reconstruction shapes"`

	Batch  int `json:"batch" range:"1.." study:"reconstruction shapes"`
	Epochs int `json:"epochs" range:"1.." study:"reconstruction shapes"`
	// DK is the width of A, EA, LA where none is selected.
	DK int `json:"dk" range:"1.." study:"reconstruction shapes generation"`
	K  int `json:"k" range:"1.." study:"reconstruction shapes generation"`
	// MovingSteps is the number of ascent steps of our row of v-DSW whose location moves.
	MovingSteps int `json:"moving_steps" range:"1.." study:"reconstruction shapes"`

	ClassifierEpochs int `json:"classifier_epochs" range:"1.." study:"reconstruction"`
	ClassifierBatch  int `json:"classifier_batch" range:"1.." study:"reconstruction"`

	// ChairTrain is the train part of the built-in chairs; a twentieth of it chooses the best
	// epoch.
	ChairTrain      int    `json:"chair_train" range:"0.." study:"generation"`
	ChairTest       int    `json:"chair_test" range:"0.." study:"generation"`
	ChairEpochs     int    `json:"chair_epochs" range:"1.." study:"generation"`
	ChairBatch      int    `json:"chair_batch" range:"1.." study:"generation"`
	GeneratorEpochs int    `json:"generator_epochs" range:"1.." study:"generation"`
	GeneratorBatch  int    `json:"generator_batch" range:"1.." study:"generation"`
	Sinkhorn        string `json:"sinkhorn" study:"generation"`              // log, or released
	Generated       int    `json:"generated" range:"0.." study:"generation"` // clouds; 0: as many as real ones

	GapBatches  int `json:"gap_batches" range:"1.." study:"gap"`
	GapPairs    int `json:"gap_pairs" range:"1.." study:"gap"` // per batch
	GapHeldOut  int `json:"gap_held_out" range:"1.." study:"gap"`
	GapPerClass int `json:"gap_per_class" range:"0.." study:"gap"` // as PerClass; no cloud is in two pairs
	GapCommon   int `json:"gap_common" range:"1.." study:"gap"`
	GapPoints   int `json:"gap_points" range:"1.." study:"gap"`
	// GapPasses is the number of epochs of our amortizers that are trained longer.
	GapPasses int `json:"gap_passes" range:"1.." study:"gap"`

	// training holds settings of every row's training, in addition to the row and the fields above.
	training  map[string]any
	overrides []string
}

// presetsJSON holds the presets. One that is like another says only in what it differs.
//
//go:embed presets.json
var presetsJSON []byte

// Presets returns the sizes, smallest first.
func Presets() []Preset {
	var raw []json.RawMessage
	must.M(json.Unmarshal(presetsJSON, &raw))
	texts := map[string][]json.RawMessage{} // of a preset, after those of the one that it is like
	var out []Preset
	for _, r := range raw {
		var of struct{ Name, Like string }
		must.M(json.Unmarshal(r, &of))
		texts[of.Name] = append(slices.Clip(texts[of.Like]), r)
		var p Preset
		for _, text := range texts[of.Name] {
			must.M(json.Unmarshal(text, &p))
		}
		out = append(out, p)
	}
	slices.Reverse(out)
	return out
}

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
func paper() Preset { return Presets()[3] }

// seeds returns the seeds of the row of that id in a table of that study.
func (p Preset) seeds(study, row string) []uint64 {
	if seeds := p.ClaimSeeds[study]; seeds != nil && slices.Contains(p.ClaimRows, row) {
		return seeds
	}
	return p.Seeds
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
		training := map[string]any{}
		maps.Copy(training, p.training)
		training[name], p.training = value, training
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
	return unique(append(new(Preset).fields().Names(), settings.Of(new(train.Config), "help").Names()...))
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
	if err := p.fields().Check(); err != nil {
		return err
	}
	if !slices.Contains(latent.Sinkhorns, p.Sinkhorn) {
		return fmt.Errorf("sinkhorn: expected %s, found %q", strings.Join(latent.Sinkhorns, " or "), p.Sinkhorn)
	}
	if err := CheckSeeds(p.Seeds); err != nil {
		return err
	}
	return p.checkSelection()
}

// CheckSeeds returns an error for seeds that are none, or not all different.
func CheckSeeds(seeds []uint64) error {
	if len(seeds) == 0 {
		return errors.New("seeds: expected at least one")
	}
	for i, s := range seeds {
		if slices.Contains(seeds[:i], s) {
			return fmt.Errorf("seeds: %d twice", s)
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
	case p.ClaimSeeds[study] != nil:
		out = append(out, fmt.Sprintf("%d seeds of the rows that a claim is about, %d of the others (paper: %d)",
			len(p.ClaimSeeds[study]), len(p.Seeds), len(paper().Seeds)))
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

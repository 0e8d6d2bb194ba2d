package train

import (
	"cmp"
	"errors"
	"fmt"
	"strings"

	"github.com/sliced-wasserstein/lab/datasets"
	"github.com/sliced-wasserstein/lab/internal/settings"
	"github.com/sliced-wasserstein/lab/swlab/amortizer"
	"github.com/sliced-wasserstein/lab/swlab/loss"
	"github.com/sliced-wasserstein/lab/swlab/ot1d"
	"github.com/sliced-wasserstein/lab/swlab/pointnet"
	"github.com/sliced-wasserstein/lab/swlab/slicing"
	"github.com/sliced-wasserstein/lab/swlab/weights"
)

// Config is a run as a value: with the data, it determines every number of the run on one backend.
// A field with the tag help is a setting: a flag of `swlab train` and `swlab sweep` and, by its
// JSON name, a setting of table rows, overrides and points of a sweep.
type Config struct {
	// Name of the data, as given.
	Data string `json:"data"`
	// Array in Data; "": data.
	Key string `json:"key,omitempty"`
	// Part of Data: test, val or all; "": train.
	Split string `json:"split,omitempty"`
	// Points per cloud.
	Points int `json:"points" help:"points per cloud, a seeded subset of a file's (default: as many as the file has, 2048 for meshes and builtin)"`
	// Number of training clouds.
	Clouds int `json:"clouds"`
	// Hash of the training clouds.
	DataHash string `json:"data_hash"`
	// Hash of the held-out clouds that choose the best epoch; "": the training loss does.
	Validation string `json:"validation,omitempty"`
	Batch      int    `json:"batch" help:"clouds per step (default: 128, or all where there are fewer)" group:"Training"`
	Epochs     int    `json:"epochs" help:"epochs, each over all training clouds" group:"Training"`
	// Upper bound on the steps; -1: none.
	Steps       int    `json:"steps" help:"stop after so many steps; 0 initialises and saves only; -1: no bound" group:"Training"`
	Seed        uint64 `json:"seed"`
	Loss        string `json:"loss" help:"loss to train on: %s" group:"Loss"`
	loss.Config        // its choices
	DK          int    `json:"dk" range:"1.." help:"width of the amortizer's queries and keys" group:"Ascent and amortizer"`
	K           int    `json:"k" range:"1.." help:"projected keys and values of the amortizer la" group:"Ascent and amortizer"`
	// The amortizers as released or as in the paper.
	Variant amortizer.Variant `json:"variant" help:"amortizers as released, or as in the paper" group:"Ascent and amortizer"`

	// Settings of the autoencoder's SGD (optim.SGD) and the amortizer's Adam (optim.Adam). The
	// amortizer takes AmortizerSteps ascent steps per batch before the autoencoder's step. JSON
	// leaves them out at DefaultConfig's values.
	LearningRate          float64 `json:"learning_rate" help:"learning rate of the autoencoder's SGD" range:">0..3.4e38" group:"Training"`
	Momentum              float64 `json:"momentum" help:"momentum of the autoencoder's SGD, from 0 to below 1" range:"0..<1" group:"Training"`
	WeightDecay           float64 `json:"weight_decay" help:"weight decay of the autoencoder's SGD" range:"0..3.4e38" group:"Training"`
	AmortizerLearningRate float64 `json:"amortizer_learning_rate" help:"learning rate of the amortizer's Adam" range:">0..3.4e38" group:"Ascent and amortizer"`
	AmortizerBeta1        float64 `json:"amortizer_beta1" help:"decay of the mean gradient of the amortizer's Adam, from 0 to below 1" range:"0..<1" group:"Ascent and amortizer"`
	AmortizerBeta2        float64 `json:"amortizer_beta2" help:"decay of the mean squared gradient of the amortizer's Adam, from 0 to below 1" range:"0..<1" group:"Ascent and amortizer"`
	AmortizerSteps        int     `json:"amortizer_steps" range:"1.." help:"ascent steps of the amortizer per batch" group:"Ascent and amortizer"`

	// Objective of the amortizer: "plan" lowers the cost of the lifted plan (Model.Plan); "" raises the loss.
	Objective string `json:"objective,omitempty" help:"what the amortizer is trained for: plan, to lower the cost of the lifted plan of its direction (default: to raise the loss)" group:"Ascent and amortizer"`

	// How an amortizer and the autoencoder are trained together where the paper's text differs from
	// the released code (Model).
	Simultaneous     bool `json:"simultaneous,omitempty" help:"with an amortizer: one evaluation gives both updates, so that the autoencoder's step uses the prediction before the amortizer's, as in the paper's text"`
	CommonSlices     bool `json:"common_slices,omitempty" help:"with an amortizer: both steps draw the same random numbers for their slices, as in the paper's text"`
	LocationGradient bool `json:"location_gradient,omitempty" help:"with an amortizer: the autoencoder's gradient also passes through the predicted location, as in the paper's text"`
	OtherLocation    bool `json:"other_location,omitempty" help:"with an amortizer: the autoencoder's step takes for every pair the location of the next pair of the batch, a control"`

	// Source identifies the code of the loss, slicing distribution and amortizer that are not this
	// module's (loss.SourceOf); "" without any. Run fills it in.
	Source string `json:"source,omitempty"`

	Backend string `json:"backend"` // xla:cuda, xla:cpu or go: random numbers and rounding differ between them
}

// DefaultConfig is the paper's ShapeNet run: 2048 points, batch 128, epochs 0 to 300, L = 100,
// kappa = 1, d_k = k = 64, and its optimizers.
func DefaultConfig() Config {
	return Config{Data: "builtin", Points: 2048, Batch: paperBatch, Epochs: 301, Steps: -1, Seed: 1, Loss: "sw", Config: loss.Defaults(), DK: 64, K: 64,
		LearningRate: AutoencoderSGD.LearningRate, Momentum: AutoencoderSGD.Momentum, WeightDecay: AutoencoderSGD.WeightDecay, AmortizerLearningRate: AmortizerAdam.LearningRate,
		AmortizerBeta1: AmortizerAdam.Beta1, AmortizerBeta2: AmortizerAdam.Beta2, AmortizerSteps: 1}
}

// LossConfig returns the loss's settings, with those of its amortizer.
func (c Config) LossConfig() loss.Config {
	s := c.Config
	s.Maps = amortizer.Config{Points: c.Points, Dim: pointnet.Dim, DK: c.DK, K: c.K, Variant: c.Variant}
	return s
}

// Model builds the configured model.
func (c Config) Model() (Model, error) {
	net, err := pointnet.New(c.Points)
	if err != nil {
		return Model{}, err
	}
	l, err := loss.NewGraph(c.Loss, c.LossConfig())
	if err != nil {
		return Model{}, err
	}
	if err := l.Check(c.Points, c.Points, pointnet.Dim); err != nil {
		return Model{}, err
	}
	if err := c.checkOptimizers(len(l.Specs()) > 0); err != nil {
		return Model{}, err
	}
	if c.Objective != "" && c.Objective != planObjective {
		return Model{}, fmt.Errorf("objective: expected %s, or none, found %q", planObjective, c.Objective)
	}
	m := Model{Net: net, Loss: l, SGD: c.sgd(), Adam: c.adam(), AmortizerSteps: c.AmortizerSteps, Plan: c.Objective == planObjective,
		Simultaneous: c.Simultaneous, CommonSlices: c.CommonSlices, LocationGradient: c.LocationGradient, OtherLocation: c.OtherLocation}
	if err := m.checkUpdates(); err != nil {
		return Model{}, err
	}
	if c.OtherLocation && c.Batch < 2 {
		return Model{}, fmt.Errorf("other-location: expected a batch of at least 2 clouds, found %d", c.Batch)
	}
	return m, nil
}

// completed is c with the numbers that the loss decides, slices and exponent.
func (c Config) completed(m Model) Config {
	if s, ok := m.Loss.(loss.Sliced); ok {
		c.Slices = s.Slicer.Slices
	}
	if c.Cost == ot1d.Wasserstein {
		c.P = cmp.Or(m.Loss.Convention().Exponent, c.P)
	}
	c.Source, _ = c.source()
	return c
}

// source returns Source.
func (c Config) source() (string, error) {
	var texts []string
	var errs []error
	for _, s := range []struct {
		of   func(string) (string, error)
		name string
	}{{loss.SourceOf, c.Loss}, {slicing.SourceOf, c.Slicing}, {amortizer.SourceOf, c.Amortizer}} {
		text, err := s.of(s.name)
		errs = append(errs, err)
		if text != "" {
			texts = append(texts, text)
		}
	}
	return strings.Join(texts, ", "), errors.Join(errs...)
}

// CheckSource returns an error if no other process can find or resume the run of c, because the code
// of its loss, slicing distribution or amortizer is not known (loss.SourceOf).
func (c Config) CheckSource() error {
	_, err := c.source()
	if err == nil {
		return nil
	}
	return fmt.Errorf("the run cannot be found or resumed later, for the code of what is registered is not known: %w; Register takes a version in its place", err)
}

// Completed is c with what the loss decides, Slices, P and Source, filled in, so that it does not
// matter who sets them. An invalid configuration is returned unchanged.
func (c Config) Completed() Config {
	m, err := c.Model()
	if err != nil {
		return c
	}
	return c.completed(m)
}

// Reads reports whether one of these configurations depends on the named setting, that is, whether
// its loss uses it. If all configurations are invalid it is true: another error will say why.
func Reads(configs []Config, setting string) bool {
	possible := false
	for _, c := range configs {
		why, err := loss.Unread(c.Loss, c.LossConfig(), false, setting)
		if err == nil && why == "" {
			return true
		}
		possible = possible || err == nil
	}
	return !possible
}

// Convention says what the numbers of the loss are ([loss.Loss]); "" if there is no such loss.
func (c Config) Convention() string {
	l, err := loss.NewGraph(c.Loss, c.LossConfig())
	if err != nil {
		return ""
	}
	return l.Convention().String()
}

// Start returns the autoencoder's weights before the first step.
func (c Config) Start() (*weights.Set, error) {
	m, err := c.Model()
	if err != nil {
		return nil, err
	}
	return group(m.initial(c.Seed).tensors, "net/"), nil
}

// paperBatch is the number of clouds per step of the paper's reconstruction runs.
const paperBatch = 128

// Fit returns c with Points and Batch taken from the data where they are 0: all points of a cloud,
// and 128 clouds per step, or all clouds if there are fewer. Run does the same.
func (c Config) Fit(set *datasets.Set) Config {
	if c.Points == 0 {
		c.Points = set.Points
	}
	if c.Batch == 0 {
		c.Batch = min(paperBatch, set.Clouds)
	}
	return c
}

// Check checks the configuration, after Fit, against its data.
func (c Config) Check(data *datasets.Set) error {
	switch {
	case data.Dim != pointnet.Dim:
		return fmt.Errorf("%s: the autoencoder takes clouds of dimension %d, found dimension %d", data.Name, pointnet.Dim, data.Dim)
	case data.Clouds < 2:
		return fmt.Errorf("%s: expected at least 2 clouds to train on, for the decoder's batch norm needs two, found %d", data.Name, data.Clouds)
	case data.Points != c.Points:
		return fmt.Errorf("%s: expected %d points per cloud, found %d", data.Name, c.Points, data.Points)
	case data.Points < 2:
		return fmt.Errorf("points: expected at least 2 per cloud, found %d", data.Points)
	case c.Batch < 2:
		return fmt.Errorf("batch: expected at least 2, for the decoder's batch norm needs two clouds, found %d", c.Batch)
	case c.Batch > data.Clouds:
		return fmt.Errorf("batch: %d is larger than the %d training clouds of %s", c.Batch, data.Clouds, data.Name)
	case c.Epochs < 1:
		return fmt.Errorf("epochs: expected at least 1, found %d", c.Epochs)
	case c.Steps < -1:
		return fmt.Errorf("steps: expected at least 0, found %d", c.Steps)
	}
	return nil
}

// On returns c with the fields that the training clouds decide (Data, Points, Clouds, DataHash, and
// Batch if 0) and those that the loss decides (Source and, unless set, Slices and P). Run reports
// errors in them.
func (c Config) On(set *datasets.Set) Config {
	c, _ = c.on(set)
	return c
}

func (c Config) on(set *datasets.Set) (Config, error) {
	if set.Clouds < 1 {
		return c, fmt.Errorf("%s: no clouds to train on", set.Name)
	}
	c = c.Fit(set)
	c.Data, c.Points, c.Clouds, c.DataHash = set.Name, set.Points, set.Clouds, set.Digest()[:12]
	m, err := c.Model()
	if err != nil {
		return c, err
	}
	return c.completed(m), nil
}

// validatedOn returns c with the field that the held-out clouds decide.
func (c Config) validatedOn(held *datasets.Set) (Config, error) {
	if held == nil {
		c.Validation = ""
		return c, nil
	}
	if held.Points != c.Points || held.Dim != pointnet.Dim || held.Clouds == 0 {
		return c, fmt.Errorf("validation clouds %s: expected at least one of %d points of dimension %d, found %d of %d points of dimension %d", held.Name, c.Points, pointnet.Dim, held.Clouds, held.Points, held.Dim)
	}
	c.Validation = held.Digest()[:12]
	return c, nil
}

// CheckMemory returns an error if a step on that backend would not fit into the memory of this
// machine. It ignores memory of a GPU.
func (c Config) CheckMemory(backend string) error {
	m, err := c.Model()
	if err != nil {
		return err
	}
	return loss.CheckStepMemory(m.Loss, backend, c.Batch, c.Points, pointnet.Dim)
}

// Differences lists the fields in which two configurations differ, as "field: a here, b there".
func (c Config) Differences(other Config) []string {
	var out []string
	theirs := settings.Of(&other)
	for i, f := range settings.Of(&c) {
		a, b := f.Value(), theirs[i].Value()
		switch {
		case a != b && f.Name == "source":
			out = append(out, fmt.Sprintf("the code of what is registered: %s, the run has %s", cmp.Or(c.Source, "none"), cmp.Or(other.Source, "none")))
		case a != b:
			out = append(out, fmt.Sprintf("%s: %v, the run has %v", f.Name, a, b))
		}
	}
	return out
}

// ChangedSource returns how the code of what is registered differs from that of the run of c; nil if
// it does not, or if this program has no such loss, slicing distribution or amortizer.
func (c Config) ChangedSource() error {
	now, err := c.source()
	if _, missing := c.Model(); missing != nil || now == c.Source {
		return nil
	}
	changed := fmt.Errorf("the run was trained with other code: %s, now %s", cmp.Or(c.Source, "not recorded"), cmp.Or(now, "built in"))
	if err != nil {
		changed = fmt.Errorf("%w (%w)", changed, err)
	}
	return changed
}

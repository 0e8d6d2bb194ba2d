package train

import (
	"encoding/json"
	"errors"
	"fmt"
	"iter"
	"os"
	"path/filepath"

	"github.com/sliced-wasserstein/lab/datasets"
	"github.com/sliced-wasserstein/lab/internal/settings"
	"github.com/sliced-wasserstein/lab/swlab/amortizer"
	"github.com/sliced-wasserstein/lab/swlab/loss"
	"github.com/sliced-wasserstein/lab/swlab/ot1d"
	"github.com/sliced-wasserstein/lab/swlab/pointnet"
	"github.com/sliced-wasserstein/lab/swlab/weights"
)

// Config is a run as a value: with the data, it determines every number of the run on one backend. A field with the tag help is a setting:
// a flag of `swlab train` and `swlab sweep`, and by its JSON name what rows of tables, overrides and points of a sweep set.
type Config struct {
	Data          string         `json:"data"`                                                                                                                       // what was given as data
	Key           string         `json:"key,omitempty"`                                                                                                              // array in it; "": data
	Split         string         `json:"split,omitempty"`                                                                                                            // part of it: test, val or all; "": train
	Points        int            `json:"points" help:"points per cloud, a seeded subset of a file's; default: as many as the file has, 2048 for meshes and builtin"` // points per cloud
	Clouds        int            `json:"clouds"`                                                                                                                     // training clouds
	DataHash      string         `json:"data_hash"`                                                                                                                  // of the training clouds
	Validation    string         `json:"validation,omitempty"`                                                                                                       // hash of the clouds that choose the best epoch; "": the training loss does
	Batch         int            `json:"batch" help:"clouds per step; default: 128, or all where there are fewer"`
	Devices       int            `json:"devices,omitempty" help:"devices of the backend that share every batch, whose size they must divide"` // devices that share every batch; 0: one. They change rounding, and a run may go on on another number
	Epochs        int            `json:"epochs" help:"passes over the data"`
	Steps         int            `json:"steps" help:"stop after so many steps; 0 initialises and saves only; -1: no bound"` // upper bound on the steps; -1: none
	Seed          uint64         `json:"seed"`
	Loss          string         `json:"loss" help:"%s"`
	loss.Settings                // its choices
	DK            int            `json:"dk" help:"width of the amortizer's queries and keys"`
	K             int            `json:"k" help:"projected keys and values of LA"`
	Form          amortizer.Form `json:"form" help:"the amortizers as coded, or as written in the paper"`                                                   // the amortizers as coded or as written
	Plain         string         `json:"plain,omitempty" help:"fast paths to switch off, separated by commas: %s; the same numbers up to rounding, slower"` // FastPaths that are switched off, separated by commas

	// SGD of the autoencoder (optim.SGD), and Adam of the amortizer (optim.Adam), which takes AmortizerSteps ascent steps per batch before the
	// autoencoder's one. In JSON they are left out at DefaultConfig's values.
	LearningRate          float64 `json:"learning_rate" help:"of the autoencoder's SGD"`
	Momentum              float64 `json:"momentum" help:"of the same, from 0 to below 1"`
	WeightDecay           float64 `json:"weight_decay" help:"of the same"`
	AmortizerLearningRate float64 `json:"amortizer_learning_rate" help:"of the amortizer's Adam"`
	AmortizerBeta1        float64 `json:"amortizer_beta1" help:"decay of its mean gradient, from 0 to below 1"`
	AmortizerBeta2        float64 `json:"amortizer_beta2" help:"decay of its mean squared gradient, from 0 to below 1"`
	AmortizerSteps        int     `json:"amortizer_steps" help:"ascent steps of the amortizer per batch"`

	Backend string `json:"backend"` // xla:cuda, xla:cpu or go: random numbers and rounding differ between them
}

// DefaultConfig is the paper's ShapeNet run: 2048 points, batch 128, passes 0 to 300, L = 100, kappa = 1, d_k = k = 64,
// and its optimizers.
func DefaultConfig() Config {
	return Config{Data: "builtin", Points: 2048, Batch: paperBatch, Epochs: 301, Steps: -1, Seed: 1, Loss: "sw", Settings: loss.Defaults(), DK: 64, K: 64,
		LearningRate: Descent.Rate, Momentum: Descent.Momentum, WeightDecay: Descent.Decay, AmortizerLearningRate: Ascent.Rate,
		AmortizerBeta1: Ascent.Beta1, AmortizerBeta2: Ascent.Beta2, AmortizerSteps: 1}
}

// LossSettings are the loss's part of the configuration, with what its amortizer depends on.
func (c Config) LossSettings() loss.Settings {
	s := c.Settings
	s.Maps = amortizer.Config{Points: c.Points, Dim: pointnet.Dim, DK: c.DK, K: c.K, Form: c.Form, Plain: c.plain(FastAttention)}
	return s
}

// Model builds what the configuration describes.
func (c Config) Model() (Model, error) {
	if err := c.checkPlain(); err != nil {
		return Model{}, err
	}
	net, err := pointnet.New(c.Points)
	if err != nil {
		return Model{}, err
	}
	net.Plain = c.plain(FastEncoder)
	l, err := loss.NewGraph(c.Loss, c.LossSettings())
	if err != nil {
		return Model{}, err
	}
	if err := l.Fits(c.Points, c.Points, pointnet.Dim); err != nil {
		return Model{}, err
	}
	if err := c.checkOptimizers(len(l.Specs()) > 0); err != nil {
		return Model{}, err
	}
	m := Model{Net: net, Loss: l, SGD: c.sgd(), Adam: c.adam(), AmortizerSteps: c.AmortizerSteps, Stored: c.plain(FastTables)}
	m.Climb.Graph = c.plain(FastAscent)
	if c.plain(FastSort) {
		m.Method, m.Climb.Method = ot1d.Sort, ot1d.Sort
	}
	return m, c.checkState(m)
}

// completed is c with the numbers that it leaves to its loss, slices and exponent.
func (c Config) completed(m Model) Config {
	if s, ok := m.Loss.(loss.Sliced); ok {
		c.Slices = s.Rule.Slices
	}
	if e, ok := m.Loss.(interface{ Exponent() float64 }); ok {
		c.P = e.Exponent()
	}
	return c
}

// Completed is c with the numbers that it leaves to its loss, Slices and P, so that it does not matter who says them. A
// configuration that cannot be stays as it is.
func (c Config) Completed() Config {
	m, err := c.Model()
	if err != nil {
		return c
	}
	return c.completed(m)
}

// Reads says whether one of these configurations depends on the setting of that name: what its loss has no use for, it does not read. Where
// none of them can be, it is true: what is wrong is something else.
func Reads(configs []Config, setting string) bool {
	possible := false
	for _, c := range configs {
		read, err := loss.Reads(c.Loss, c.LossSettings(), false, setting)
		if err == nil && read {
			return true
		}
		possible = possible || err == nil
	}
	return !possible
}

// Convention says what the numbers of the loss are ([loss.Loss]); "" where there is no such loss.
func (c Config) Convention() string {
	l, err := loss.NewGraph(c.Loss, c.LossSettings())
	if err != nil {
		return ""
	}
	return l.Convention()
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

// Fit returns c with Points and Batch as the data have them where they are 0: all points of a cloud, and 128 clouds per step, or
// all clouds where there are fewer. Run does the same.
func (c Config) Fit(set datasets.Header) Config {
	if c.Points == 0 {
		c.Points = set.M
	}
	if c.Batch == 0 {
		c.Batch = min(paperBatch, set.N)
	}
	return c
}

// Check compares the configuration, in which Fit has left no 0, with the data it is to run on.
func (c Config) Check(data datasets.Clouds) error {
	set := datasets.HeaderOf(data)
	switch {
	case set.D != pointnet.Dim:
		return fmt.Errorf("%s: the autoencoder takes clouds of dimension %d, found dimension %d", set.Name, pointnet.Dim, set.D)
	case set.N < 2:
		return fmt.Errorf("%s: expected at least 2 clouds to train on, for the decoder's batch norm needs two, found %d", set.Name, set.N)
	case set.M != c.Points:
		return fmt.Errorf("%s: expected %d points per cloud, found %d", set.Name, c.Points, set.M)
	case set.M < 2:
		return fmt.Errorf("points: expected at least 2 per cloud, found %d", set.M)
	case c.Batch < 2:
		return fmt.Errorf("batch: expected at least 2, for the decoder's batch norm needs two clouds, found %d", c.Batch)
	case c.Batch > set.N:
		return fmt.Errorf("batch: %d is larger than the %d training clouds of %s", c.Batch, set.N, set.Name)
	case c.Epochs < 1:
		return fmt.Errorf("epochs: expected at least 1, found %d", c.Epochs)
	case c.DK < 1:
		return fmt.Errorf("dk: expected at least 1, found %d", c.DK)
	case c.K < 1:
		return fmt.Errorf("k: expected at least 1, found %d", c.K)
	case c.Steps < -1:
		return fmt.Errorf("steps: expected at least 0, found %d", c.Steps)
	case c.Devices < 0:
		return fmt.Errorf("devices: expected at least 1, found %d", c.Devices)
	}
	c.Clouds = set.N
	return c.checkDivision()
}

// checkDivision returns an error where the devices do not divide every batch of a pass evenly.
func (c Config) checkDivision() error {
	if c.Devices <= 1 {
		return nil
	}
	if c.Batch%c.Devices != 0 {
		return fmt.Errorf("devices: %d do not divide the batch of %d clouds evenly", c.Devices, c.Batch)
	}
	all := c.batches(0)
	if last := len(all[len(all)-1]); last%c.Devices != 0 {
		return fmt.Errorf("devices: %d do not divide a pass's last batch evenly, %d of the %d clouds; choose another batch", c.Devices, last, c.Clouds)
	}
	return nil
}

// batches are the rows of every step of a pass, in the pass's own order. The last batch is smaller where Batch does not divide the
// clouds; a single cloud left over joins the batch before it, for the decoder's batch norm needs two (PyTorch refuses one).
func (c Config) batches(epoch int) [][]int32 {
	order := datasets.EpochOrder(c.Clouds, c.Seed, epoch)
	all := datasets.Batches(order, c.Batch)
	if n := len(all); n > 1 && len(all[n-1]) == 1 {
		all = append(all[:n-2], order[(n-2)*c.Batch:])
	}
	return all
}

// batchesFrom are the rows of every step after that many, to the end of the run.
func (c Config) batchesFrom(step int) iter.Seq[[]int32] {
	return func(yield func([]int32) bool) {
		total, per := c.totalSteps(), c.perEpoch()
		for step < total {
			for _, rows := range c.batches(step / per)[step%per:] {
				if step == total || !yield(rows) {
					return
				}
				step++
			}
		}
	}
}

// perEpoch is the number of steps of one pass.
func (c Config) perEpoch() int { return len(c.batches(0)) }

// totalSteps is the number of steps of the whole run.
func (c Config) totalSteps() int {
	n := c.Epochs * c.perEpoch()
	if c.Steps >= 0 {
		n = min(n, c.Steps)
	}
	return n
}

// Names of the files of a run folder.
const (
	configFile    = "config.json"
	logFile       = "log.jsonl"
	resultFile    = "result.json"
	weightsFile   = "weights.safetensors"   // the last state of the autoencoder
	bestFile      = "best.safetensors"      // the autoencoder after the epoch of lowest mean training loss
	amortizerFile = "amortizer.safetensors" // the last state of the amortizer
	checkpointDir = "checkpoints"
)

// ReadConfig reads the configuration of the run in dir.
func ReadConfig(dir string) (Config, error) {
	var c Config
	path := filepath.Join(dir, configFile)
	raw, err := os.ReadFile(path)
	if errors.Is(err, os.ErrNotExist) {
		return c, fmt.Errorf("%s holds no run: no %s in it", dir, configFile)
	}
	if err != nil {
		return c, err
	}
	if err := json.Unmarshal(raw, &c); err != nil {
		return c, fmt.Errorf("%s: %w", path, err)
	}
	return c, nil
}

// WeightsFile returns the autoencoder's weights in a run folder: state "last", or "best", which is the last where no epoch was
// finished.
func WeightsFile(dir, state string) (string, error) {
	best, last := filepath.Join(dir, bestFile), filepath.Join(dir, weightsFile)
	switch state {
	case "best":
		if _, err := os.Stat(best); err == nil {
			return best, nil
		}
	case "last":
	default:
		return "", fmt.Errorf("expected best or last, found %q", state)
	}
	if _, err := os.Stat(last); err != nil {
		return "", fmt.Errorf("%s holds no trained weights: no %s in it", dir, weightsFile)
	}
	return last, nil
}

// Differences lists the fields in which two configurations differ, as "field: a here, b there".
func (c Config) Differences(other Config) []string {
	var out []string
	theirs := settings.Of(&other)
	for i, f := range settings.Of(&c) {
		if a, b := f.Value(), theirs[i].Value(); a != b {
			out = append(out, fmt.Sprintf("%s: %v, the run has %v", f.Name, a, b))
		}
	}
	return out
}

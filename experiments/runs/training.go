package runs

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/sliced-wasserstein/lab/datasets"
	"github.com/sliced-wasserstein/lab/internal/durable"
	"github.com/sliced-wasserstein/lab/internal/settings"
	"github.com/sliced-wasserstein/lab/swlab/train"
	"github.com/sliced-wasserstein/lab/swlab/weights"
)

// Training is an autoencoder trained on a loss. What Config says of the data is left empty, since
// Data says it.
type Training struct {
	Data Data `json:"data"`
	// Validation names clouds that choose the best epoch; nil: the training loss chooses.
	Validation *Data        `json:"validation,omitempty"`
	Config     train.Config `json:"config"`
}

// NewTraining returns the training of c, completed, on d. train.Run reports what is wrong with c.
func NewTraining(d Data, c train.Config) Training {
	c.Data, c.Key, c.Split, c.DataHash, c.Validation, c.Backend = "", "", "", "", "", ""
	c.Clouds, c.Points = 0, d.Points
	return Training{Data: d, Config: c.Completed()}
}

func (Training) Kind() string { return "train" }

// Name is built from the settings that differ from the defaults, such as la-v-dsw-kappa10-s1.
func (t Training) Name() string {
	c := t.Config
	parts := []string{c.Loss}
	if c.Amortizer != "" {
		parts = []string{c.Amortizer, c.Loss}
	}
	switch c.Loss {
	case "max-sw", "v-dsw":
		if c.Amortizer == "" {
			parts = append(parts, fmt.Sprintf("T%d", c.AscentSteps))
		}
	}
	usual := train.DefaultConfig()
	usual.Loss, usual.Amortizer, usual.Points = c.Loss, c.Amortizer, c.Points
	usual.Batch, usual.Epochs, usual.AscentSteps = c.Batch, c.Epochs, c.AscentSteps
	usual = usual.Completed()
	before := settings.Of(&usual, "help")
	for i, f := range settings.Of(&c, "help") {
		if text := f.Text(); text != before[i].Text() && len(parts) < 6 {
			parts = append(parts, strings.ReplaceAll(f.Name, "_", "-")+strings.Map(inName, text))
		}
	}
	return strings.Join(append(parts, fmt.Sprintf("s%d", c.Seed)), "-")
}

// inName replaces what the name of a task may not have.
func inName(r rune) rune {
	if strings.ContainsRune("0123456789abcdefghijklmnopqrstuvwxyz.-", r) {
		return r
	}
	return '-'
}

func (Training) Needs() []Task { return nil }

func (t Training) Clouds() []Data {
	if t.Validation != nil {
		return []Data{t.Data, *t.Validation}
	}
	return []Data{t.Data}
}

// RunFolder is the run's folder within the folder of a Training, as `swlab train` leaves it,
// without checkpoints.
const RunFolder = "run"

func (t Training) do(ctx context.Context, l *Store, dir string) (any, error) {
	set, err := l.Clouds(t.Data)
	if err != nil {
		return nil, err
	}
	var held *datasets.Set
	if t.Validation != nil {
		if held, err = l.Clouds(*t.Validation); err != nil {
			return nil, err
		}
	}
	e, err := l.Engine()
	if err != nil {
		return nil, err
	}
	o := train.Options{Out: filepath.Join(dir, RunFolder), Validation: held, Note: func(text string) { l.say(text, 0, 0) },
		Progress: func(r train.Record, total int) { l.say("training "+t.Name(), r.Step, total) }}
	c := t.Config
	c.Key, c.Split = t.Data.Key, t.Data.Split
	if c.Split == "train" {
		c.Split = ""
	}
	old, err := train.ReadConfig(o.Out)
	o.Resume = err == nil
	// The same clouds at another path.
	if name := set.Name; o.Resume && (old.Data != name || old.Key != c.Key) {
		old.Data, old.Key = name, c.Key
		if err := durable.WriteJSON(filepath.Join(o.Out, "config.json"), old); err != nil {
			return nil, err
		}
	}
	r, err := train.ReadResult(o.Out)
	if err != nil { // not finished; a finished run may have lost its checkpoints already
		if r, err = train.Run(ctx, e, set, c, o); err != nil {
			return nil, err
		}
		old.Backend = e.Name
	}
	r.Run = RunFolder
	return TrainingResult{Result: r, Backend: old.Backend, SecondsPerEpoch: r.SecondsPerStep * float64(r.Steps) / float64(max(r.Epochs, 1))},
		os.RemoveAll(filepath.Join(o.Out, "checkpoints")) // a finished run does not resume
}

// TrainedOn loads the clouds that a run folder of a store was trained on, as they are now; nil if the
// folder is not in a store, or they are built in.
func TrainedOn(run string) (*datasets.Set, error) {
	var kept struct {
		Kind  string   `json:"kind"`
		Value Training `json:"value"`
		Paths []string `json:"paths"`
	}
	_, err := durable.ReadJSON(filepath.Join(filepath.Dir(filepath.Clean(run)), valueFile), &kept)
	if errors.Is(err, fs.ErrNotExist) || err == nil && (kept.Kind != Training{}.Kind() || len(kept.Paths) == 0 || kept.Paths[0] == datasets.Builtin) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	config, err := train.ReadConfig(run)
	if err != nil {
		return nil, err
	}
	d := kept.Value.Data
	d.Path, d.Key = kept.Paths[0], config.Key
	return (&Store{}).Clouds(d)
}

// TrainingResult is the result of a Training.
type TrainingResult struct {
	train.Result
	Backend         string  `json:"backend"`
	SecondsPerEpoch float64 `json:"seconds_per_epoch"` // median step, times the steps of an epoch
}

// weights reads the autoencoder of a finished training. state is "best" or "last".
func (l *Store) weights(t Training, state string) (*weights.Set, error) {
	return Weights(filepath.Join(l.Folder(t), RunFolder), state)
}

// Weights reads the autoencoder in the folder of a finished run. state is "best" or "last".
func Weights(run, state string) (*weights.Set, error) {
	file, err := train.WeightsFile(run, state)
	if err != nil {
		return nil, err
	}
	return weights.ReadSafetensors(file)
}

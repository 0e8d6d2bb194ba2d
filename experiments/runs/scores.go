package runs

import (
	"context"

	"github.com/sliced-wasserstein/lab/datasets"
	"github.com/sliced-wasserstein/lab/experiments"
	"github.com/sliced-wasserstein/lab/swlab/pointnet"
)

// Scores scores a training's autoencoder on some clouds by reconstruction.
type Scores struct {
	Of    Training `json:"of"`
	State string   `json:"state"` // best, or last
	Data  Data     `json:"data"`
	Six   bool     `json:"six,omitempty"` // on the six shapes only (experiments.SixShapes)
	Exact bool     `json:"exact"`         // also the exact EMD
	// of the directions
	Seed uint64 `json:"seed"`
}

func (Scores) Kind() string { return "scores" }

func (s Scores) Name() string { return s.Of.Name() + "-" + s.State }

func (s Scores) Needs() []Task { return []Task{s.Of} }

func (s Scores) Clouds() []Data { return []Data{s.Data} }

func (s Scores) do(ctx context.Context, l *Store, _ string) (any, error) {
	w, err := l.weights(s.Of, s.State)
	if err != nil {
		return nil, err
	}
	clouds, err := l.Clouds(s.Data)
	if err != nil {
		return nil, err
	}
	if s.Six {
		var six *datasets.Set
		if six, _, err = experiments.SixShapes(clouds); err != nil {
			return nil, err
		}
		clouds = six
	}
	e, err := l.Engine()
	if err != nil {
		return nil, err
	}
	return experiments.Evaluate(e, &pointnet.Autoencoder{Points: s.Data.Points}, w, clouds, experiments.EvaluateOptions{
		Seed: s.Seed, ExactEMD: s.Exact, PerCloud: true, Context: ctx, Progress: func(done, total int) { l.say("evaluating "+s.Name(), done, total) }})
}

package runs

import (
	"context"
	"fmt"
	"path/filepath"

	"github.com/sliced-wasserstein/lab/datasets"
	"github.com/sliced-wasserstein/lab/datasets/format"
	"github.com/sliced-wasserstein/lab/internal/durable"
	"github.com/sliced-wasserstein/lab/swlab/latent"
	"github.com/sliced-wasserstein/lab/swlab/metric"
)

// Generation compares the clouds of a latent generator with real ones. The generator is trained on
// the codes of some clouds, its codes are decoded by the autoencoder of a training, and both sets
// are compared. In place of a generator's clouds, controls compare Count of the clouds themselves,
// chosen by Seed, or their reconstructions.
type Generation struct {
	Of        Training               `json:"of"`
	State     string                 `json:"state"`          // best, or last
	From      string                 `json:"from,omitempty"` // "": a generator; else [FromCodes] or [FromClouds]
	Train     Data                   `json:"train"`
	Test      Data                   `json:"test"` // the real clouds
	Config    latent.GeneratorConfig `json:"config"`
	Count     int                    `json:"clouds"` // to generate; 0: as many as Test has
	Seed      uint64                 `json:"seed"`   // of the noise
	Distances []string               `json:"distances"`
}

func (Generation) Kind() string { return "generation" }

// The controls of a Generation.
const (
	FromCodes  = "codes"  // the decoded codes of clouds it is trained on: a perfect generator of codes
	FromClouds = "clouds" // these clouds: a perfect generator of clouds, which needs no training
)

func (g Generation) Name() string { return g.Of.Name() + "-" + g.State }

func (g Generation) Needs() []Task {
	if g.From == FromClouds {
		return nil
	}
	return []Task{g.Of}
}

func (g Generation) Clouds() []Data { return []Data{g.Train, g.Test} }

// GeneratedFile holds the generated clouds, in the folder of a Generation; generatorFile the mean
// loss of every epoch of its generator, and in how many steps the released Sinkhorn loop lost it.
const (
	GeneratedFile = "generated.npy"
	generatorFile = "generator.json"
)

func (g Generation) do(ctx context.Context, l *Store, dir string) (any, error) {
	real, err := l.Clouds(g.Test)
	if err != nil {
		return nil, err
	}
	made, err := l.generated(ctx, g, dir, real)
	if err != nil {
		return nil, err
	}
	e, err := l.Engine()
	if err != nil {
		return nil, err
	}
	// All tasks share the distances, so that those between real clouds are computed once.
	return metric.Compare(ctx, e, real, made, metric.Config{Distances: g.Distances, Store: filepath.Join(l.Dir, "distances"), Progress: func(what string, done, total int) { l.say("comparing "+g.Name()+": "+what, done, total) }})
}

// generated makes the clouds, or reads those of an earlier attempt.
func (l *Store) generated(ctx context.Context, g Generation, dir string, real *datasets.Set) (*datasets.Set, error) {
	file := filepath.Join(dir, GeneratedFile)
	if set, err := datasets.Load(file, datasets.Options{Raw: true}); err == nil {
		return set, nil
	}
	n := g.Count
	if n == 0 {
		n = real.Clouds
	}
	set, err := l.made(ctx, g, n)
	if err != nil {
		return nil, err
	}
	set.Name = GeneratedFile
	return set, format.WriteNPY(file, set.Coords, set.Clouds, set.Points, set.Dim)
}

// made makes n clouds.
func (l *Store) made(ctx context.Context, g Generation, n int) (*datasets.Set, error) {
	if g.From == FromClouds {
		return l.chosen(g, n)
	}
	w, err := l.weights(g.Of, g.State)
	if err != nil {
		return nil, err
	}
	if g.From == FromCodes {
		set, err := l.chosen(g, n)
		if err != nil {
			return nil, err
		}
		codes, err := l.encode(ctx, w, set)
		if err != nil {
			return nil, err
		}
		return l.clouds(ctx, w, codes)
	}
	codes, err := l.codes(ctx, w, g.Train)
	if err != nil {
		return nil, err
	}
	e, err := l.Engine()
	if err != nil {
		return nil, err
	}
	trained, err := latent.TrainGenerator(ctx, e, codes, g.Config, func(done, total int, _ float64) { l.say("generator of "+g.Name(), done, total) })
	if err != nil {
		return nil, err
	}
	if err := durable.WriteJSON(filepath.Join(l.Folder(g), generatorFile), map[string]any{"losses": trained.Losses, "short_steps": trained.Short}); err != nil {
		return nil, err
	}
	drawn, err := latent.Generate(e, trained.Weights, n, g.Seed)
	if err != nil {
		return nil, err
	}
	return l.clouds(ctx, w, drawn)
}

// chosen returns n of the clouds that a generator is trained on.
func (l *Store) chosen(g Generation, n int) (*datasets.Set, error) {
	clouds, err := l.Clouds(g.Train)
	if err != nil {
		return nil, err
	}
	if n > clouds.Clouds {
		return nil, fmt.Errorf("generation from %s: expected at most the %d clouds of %s, found %d", g.From, clouds.Clouds, g.Train, n)
	}
	set := &datasets.Set{Kind: "npy", Clouds: n, Points: clouds.Points, Dim: clouds.Dim, Coords: make([]float32, n*clouds.Points*clouds.Dim)}
	return set, clouds.Read(set.Coords, datasets.EpochOrder(clouds.Clouds, g.Seed, 0)[:n])
}

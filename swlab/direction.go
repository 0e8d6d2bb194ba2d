package swlab

import (
	"cmp"
	"context"
	"fmt"
	"math"

	"github.com/sliced-wasserstein/lab/datasets"
	"github.com/sliced-wasserstein/lab/swlab/amortizer"
	"github.com/sliced-wasserstein/lab/swlab/engine"
	"github.com/sliced-wasserstein/lab/swlab/internal/vec"
	"github.com/sliced-wasserstein/lab/swlab/weights"
)

// DirectionConfig configures Direction.
type DirectionConfig struct {
	Weights *weights.Set      // nil: initial ones, drawn with Seed
	Seed    uint64            // of the initial weights
	DK, K   int               // sizes of the attention maps; 0: those of Weights, or 64
	Variant amortizer.Variant // released (default) or paper
	// Engine nil: as the environment says, else the pure-Go backend for few points and the best
	// backend found for more.
	Engine *engine.Engine
}

// Prediction is the result of Direction.
type Prediction struct {
	Amortizer  string
	Backend    string    // name of the given or chosen Engine
	Parameters int       // number of weights of the map
	DK, K      int       // its sizes; 0 for a map without attention
	Directions []float32 // [B, d] unit vectors
	// Warnings say, one sentence each, why a direction may not be what the caller expects; nil without
	// any.
	Warnings []string
}

// Direction predicts one slicing direction per pair (x_b, y_b) of two sets of clouds, [B, m, d]
// each, with the named amortizer (amortizer.Names). It neither centres nor scales the clouds, and reads
// their coordinates in float32, wherever they are. Large
// sets are processed in parts.
func Direction(name string, x, y *datasets.Set, o DirectionConfig) (p *Prediction, err error) {
	defer recovered(&err, "amortizer", name)
	a, w, err := prepareDirection(name, x, y, o)
	if err != nil {
		return nil, err
	}
	e, err := choose(o.Engine, directionWork(x, y))
	if err != nil {
		return nil, err
	}
	x, y = x.Rebase(nil), y.Rebase(nil)
	found := amortizer.SizesOf(w)
	p = &Prediction{Amortizer: name, Backend: e.Name, Parameters: amortizer.Parameters(a), DK: found.DK, K: found.K,
		Warnings: warnOf(nil, x, y)}
	m := pairMap{graphKey{"direction", directionGraph{name, o.DK, o.K, o.Variant}}, w, min(x.Clouds, pairsAtOnce(x, y)), nil,
		a.Direction}
	p.Directions, err = m.rows(context.Background(), e, x, y)
	if err != nil {
		return nil, err
	}
	for b := range x.Clouds {
		if norm := vec.Norm(p.Directions[b*x.Dim : (b+1)*x.Dim]); !(math.Abs(norm-1) < 1e-3) {
			return nil, fmt.Errorf("pair %d of %s and %s has no direction: amortizer %q gives a vector of norm %.3g (it is zero before division by its norm, or not finite)",
				b, x.Name, y.Name, name, norm)
		}
	}
	return p, nil
}

// pairsAtOnce is the number of pairs of a part: attention has tables of m^2 entries per pair.
func pairsAtOnce(x, y *datasets.Set) int { return max(1, (16<<20)/x.Points/y.Points) }

// directionGraph identifies a map's graph, with the weights, which tell the sizes that were not given.
type directionGraph struct {
	name    string
	dk, k   int
	variant amortizer.Variant
}

// directionWork counts pairs of points: attention compares every two.
func directionWork(x, y *datasets.Set) float64 {
	m := float64(max(x.Points, y.Points))
	return float64(x.Clouds) * m * m
}

// CheckDirection returns the error that Direction would return for an invalid call, before any
// work.
func CheckDirection(name string, x, y *datasets.Set, o DirectionConfig) error {
	_, _, err := prepareDirection(name, x, y, o)
	return err
}

// prepareDirection checks the call and returns the map and its weights.
func prepareDirection(name string, x, y *datasets.Set, o DirectionConfig) (amortizer.Amortizer, *weights.Set, error) {
	if err := checkClouds(x, y); err != nil {
		return nil, nil, err
	}
	c := amortizer.Config{Points: x.Points, Dim: x.Dim, DK: o.DK, K: o.K, Variant: o.Variant}
	if _, err := amortizer.New(name, c); err != nil {
		return nil, nil, err
	}
	if o.Weights != nil {
		found := amortizer.SizesOf(o.Weights)
		if found.Points > 0 && found.Points != x.Points {
			return nil, nil, fmt.Errorf("the weights are for clouds of %d points, found %d in %s",
				found.Points, x.Points, x.Name)
		}
		c.DK, c.K = cmp.Or(c.DK, found.DK), cmp.Or(c.K, found.K)
	}
	a, err := amortizer.New(name, c)
	if err != nil {
		return nil, nil, err
	}
	for _, s := range []*datasets.Set{x, y} {
		if err := a.Check(s.Points); err != nil {
			return nil, nil, fmt.Errorf("%s: %w", s.Name, err)
		}
	}
	w := o.Weights
	if w == nil {
		w = weights.Init(a.Specs(), o.Seed)
	}
	if w, err = w.Match(a.Specs()); err != nil {
		return nil, nil, fmt.Errorf("amortizer %q: %w", name, err)
	}
	return a, w, nil
}

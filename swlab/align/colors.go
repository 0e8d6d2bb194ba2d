package align

import (
	"fmt"
	"math"

	"github.com/sliced-wasserstein/lab/datasets"
	"github.com/sliced-wasserstein/lab/internal/settings"
	"github.com/sliced-wasserstein/lab/swlab"
	"github.com/sliced-wasserstein/lab/swlab/internal/vec"
	"github.com/sliced-wasserstein/lab/swlab/loss"
)

// large is the number of points of both clouds from which on a step is one frame.
const large = 500_000

// ColorsConfig configures Colors.
type ColorsConfig struct {
	Steps  int    `json:"steps" help:"steps, each along new perpendicular directions (default 50)" range:"1.." unset:"0"`
	Slices int    `json:"slices" help:"directions of the distances before and after (default 100)" range:"1.." unset:"0"`
	Seed   uint64 `json:"-"`
}

// Colors moves the points of one cloud to the distribution of another, of any number of points: colours
// of pixels [n, 3] to those of another picture. Each step draws an orthonormal frame and moves along each
// of its directions by the optimal transport of the projections, x <- x + sum_l (T_l(theta_l'x) - theta_l'x)
// theta_l, for fewer than 500,000 points the mean of 5 frames, up to 5 times (Pitie, Kokaram and Dahyot 2005; Rabin, Peyre, Delon and Bernot 2011). Equal colours may become
// different ones, in the order of the points. Both clouds are one cloud each; limit, if not nil, is
// applied to the result, such as rounding to 8 bits, before the distance after is measured.
//
// before and after are SW_2 to the target, with the root and as a mean over points, along directions of
// their own.
func Colors(from, to *datasets.Set, c ColorsConfig, limit func([]float64)) (
	moved []float64, before, after float64, err error) {
	if err := settings.Of(&c).Check(); err != nil {
		return nil, 0, 0, err
	}
	if err := single(from, to); err != nil {
		return nil, 0, 0, err
	}
	o := loss.Defaults()
	frames, rounds := 1, 1
	if points := from.Points + to.Points; points < large {
		frames, rounds = 5, min(5, large/points)
	}
	o.Slices, o.Slicing = frames*from.Dim, "orthogonal"
	if from.Dim == 1 {
		o.Slicing = ""
	}
	f, err := newFlow(to, "sw", o, c.Seed)
	if err != nil {
		return nil, 0, 0, err
	}
	distance := func(cloud []float64) (float64, error) {
		o := swlab.DistanceConfig{Config: loss.Defaults(), Seed: c.Seed, Path: swlab.HostPath}
		o.Slices, o.Reduce, o.Root = c.Slices, loss.Mean, true
		x, err := datasets.New(cloud, len(cloud)/to.Dim, to.Dim)
		if err != nil {
			return 0, err
		}
		d, err := swlab.Distance("sw", x, to, o)
		if err != nil {
			return 0, err
		}
		return d.Value, nil
	}
	moved = from.Positions(0)
	if before, err = distance(moved); err != nil {
		return nil, 0, 0, err
	}
	if c.Steps == 0 {
		c.Steps = 50
	}
	for step := range c.Steps * rounds {
		farthest, err := f.step(moved)
		if err != nil {
			return nil, 0, 0, fmt.Errorf("step %d: %w", step/rounds, err)
		}
		if farthest <= 1e-9*before { // the target is one point, for example
			break
		}
	}
	if limit != nil {
		limit(moved)
	}
	after, err = distance(moved)
	return moved, before, after, err
}

// Round8 rounds numbers from 0 to 1 to multiples of 1/255, what 8 bits hold.
func Round8(v []float64) {
	for i, x := range v {
		v[i] = math.Round(255*math.Min(1, math.Max(0, x))) / 255
	}
}

// step moves a cloud in place to the minimum along new directions, with the matching held fixed, and
// returns the largest change of a coordinate.
func (f *flow) step(cloud []float64) (farthest float64, err error) {
	if err := f.draw(cloud); err != nil {
		return 0, err
	}
	d, gradient, err := f.value(cloud, true)
	if err != nil {
		return 0, err
	}
	move := f.displacement(d, gradient)
	for i, v := range move {
		cloud[i] += v
	}
	return vec.Largest(move), nil
}

// single returns an error unless both are one cloud, of one dimension.
func single(a, b *datasets.Set) error {
	for _, s := range []*datasets.Set{a, b} {
		if err := s.Validate(); err != nil {
			return err
		}
		if s.Clouds != 1 {
			return fmt.Errorf("%s: expected one cloud, found %d", s.Name, s.Clouds)
		}
	}
	if a.Dim != b.Dim {
		return fmt.Errorf("expected clouds of one dimension, found %d in %s and %d in %s", a.Dim, a.Name, b.Dim, b.Name)
	}
	return nil
}

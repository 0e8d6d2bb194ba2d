package align

import (
	"fmt"
	"math/rand/v2"
	"slices"

	"github.com/sliced-wasserstein/lab/datasets"
	"github.com/sliced-wasserstein/lab/internal/memory"
	"github.com/sliced-wasserstein/lab/internal/settings"
	"github.com/sliced-wasserstein/lab/swlab/loss"
	"github.com/sliced-wasserstein/lab/swlab/sets"
)

// BarycenterConfig configures Barycenter. The zero value is 100 steps of sw and a cloud as large as those
// of the set.
type BarycenterConfig struct {
	Loss string `json:"loss"` // a sliced loss; "": sw
	// Config are its settings; the zero Config is Descent of the loss. Reduce is not read: it is a mean over
	// points.
	Config loss.Config `json:"-"`
	Steps  int         `json:"steps" help:"steps, each along new directions (default 100)" range:"1.." unset:"0"`
	Points int         `json:"points" help:"points of the barycenter (default: as many as a cloud has)" range:"1.." unset:"0"`
	Seed   uint64      `json:"-"`
}

// Descent are the settings of a loss for Barycenter: the defaults, but for an ascent that finds the
// maximum, and a control variate whose gradient at the mean of translates is 0.
func Descent(name string) loss.Config {
	c := loss.Defaults()
	c.AscentSteps, c.AscentLearningRate, c.Control = 100, 0.03, "lower"
	why, err := loss.Unread(name, c, false, "ascent_tangent")
	c.AscentTangent = err == nil && why == ""
	return c
}

// Middle is the result of Barycenter.
type Middle struct {
	Points     []float64 // [n, d]
	Value      float64   // mean loss to the clouds, along the directions of the seed
	StdErr     float64   // of Value, over directions
	Convention string
}

// Barycenter returns a cloud Y of n points of equal mass that minimises the mean of a sliced loss to the
// clouds of a set,
//
//	(1/N) sum_b loss(X_b, Y)
//
// where the points are free (Rabin, Peyre, Delon and Bernot 2011; Bonneel et al. 2015). It starts with the
// first cloud, moved to the mean of the centroids, or for another number of points with points of all
// clouds. Each step draws directions, which all clouds share (but max-sw, where each has its own), and
// moves the points to the minimum for the matching at hand. Directions that depend on the clouds (v-dsw,
// rp-sw) come from all pairs in turn. In the second half step k moves by 1/k, which averages over the
// directions. A step that would raise its loss is halved until it does not. The minimum is local. Of
// translates of one cloud it is the cloud at their mean, for p = 2 and directions of equal weight (eb-sw has
// others, and so has the control variate upper).
//
// A loss without slices, and settings that it refuses, are errors.
func Barycenter(s *datasets.Set, c BarycenterConfig) (*Middle, error) {
	if err := settings.Of(&c).Check(); err != nil {
		return nil, err
	}
	if err := s.Validate(); err != nil {
		return nil, err
	}
	if c.Loss == "" {
		c.Loss = "sw"
	}
	if c.Steps == 0 {
		c.Steps = 100
	}
	if c.Points == 0 {
		c.Points = s.Points
	}
	if c.Points > s.Clouds*s.Points {
		return nil, fmt.Errorf("points: expected at most %d, all points of the clouds, found %d", s.Clouds*s.Points, c.Points)
	}
	if err := memory.Check(fmt.Sprintf("points: %d for each of %d clouds", c.Points, s.Clouds),
		memory.Bytes(64, s.Clouds, max(c.Points, s.Points), s.Dim)); err != nil {
		return nil, err
	}
	centre := sets.Centre(s)
	near, err := centred(s, centre)
	if err != nil {
		return nil, err
	}
	if c.Config == (loss.Config{}) {
		c.Config = Descent(c.Loss)
	}
	f, err := newFlow(near, c.Loss, c.Config.WithDefaults(), c.Seed)
	if err != nil {
		return nil, err
	}
	y, err := f.descend(start(near, c), c.Steps)
	if err != nil {
		return nil, err
	}
	f.o.Seed, f.o.Directions = c.Seed, nil
	d, _, err := f.value(y, false)
	if err != nil {
		return nil, err
	}
	for i := range y {
		y[i] += centre[i%s.Dim]
	}
	return &Middle{Points: y, Value: d.Value, StdErr: d.StdErr, Convention: d.Convention}, nil
}

// start is the cloud that moves.
func start(s *datasets.Set, c BarycenterConfig) []float64 {
	var all []float64
	for i := range s.Clouds {
		all = append(all, s.Positions(i)...)
	}
	if c.Points != s.Points {
		var out []float64
		for _, i := range rand.New(rand.NewPCG(c.Seed, 0)).Perm(len(all) / s.Dim)[:c.Points] {
			out = append(out, all[i*s.Dim:(i+1)*s.Dim]...)
		}
		return out
	}
	first := slices.Clone(all[:s.Points*s.Dim])
	from, to := centroid(first, s.Dim), centroid(all, s.Dim)
	for i := range first {
		first[i] += to[i%s.Dim] - from[i%s.Dim]
	}
	return first
}

// descend moves a cloud by so many steps.
func (f *flow) descend(y []float64, steps int) ([]float64, error) {
	length := 1.0
	for step := range steps {
		if err := f.draw(y); err != nil {
			return nil, fmt.Errorf("step %d: %w", step, err)
		}
		d, gradient, err := f.value(y, true)
		if err != nil {
			return nil, fmt.Errorf("step %d: %w", step, err)
		}
		move := f.displacement(d, gradient)
		part := 1.0
		if half := steps / 2; step > half {
			part = 1 / float64(step-half)
		}
		for range 20 {
			next := slices.Clone(y)
			for i, v := range move {
				next[i] += length * part * v
			}
			after, _, err := f.value(next, false)
			if err != nil {
				return nil, fmt.Errorf("step %d: %w", step, err)
			}
			if after.Value <= d.Value {
				y, length = next, min(1, 2*length)
				break
			}
			length /= 2
		}
	}
	return y, nil
}

package swlab

import (
	"errors"
	"fmt"

	"gonum.org/v1/gonum/floats"

	"github.com/sliced-wasserstein/lab/datasets"
	"github.com/sliced-wasserstein/lab/internal/settings"
	"github.com/sliced-wasserstein/lab/swlab/internal/parallel"
	"github.com/sliced-wasserstein/lab/swlab/internal/vec"
	"github.com/sliced-wasserstein/lab/swlab/loss"
	"github.com/sliced-wasserstein/lab/swlab/ot1d"
	"github.com/sliced-wasserstein/lab/swlab/slicing"
)

// NormalityConfig says along which directions Normality looks. The zero value takes 100 uniform ones.
type NormalityConfig struct {
	// L; 0: 100.
	Slices int `json:"slices" help:"number L of directions (default 100)" range:"1.." unset:"0" group:"Directions"`
	// Name of the slicing distribution; "": uniform.
	Slicing string `json:"slicing" help:"slicing distribution in place of uniform: %s" group:"Directions"`
	// Seed of the directions, which are those of Distance and the loss sw.
	Seed uint64 `json:"-"`
	// Directions [L, dim] in place of random ones, used as given, of any length.
	Directions []float64 `json:"-"`
}

// NormalityStatistics are the result of Normality.
type NormalityStatistics struct {
	Value      float64   // mean over the directions
	Statistics []float64 // [L]
}

// Normality compares one cloud x [n, dim], row-major, with the standard normal distribution: the
// statistic ot1d.Normality of its projections on every direction, in float64. Points of N(0, I) have such
// projections on every unit vector. The points are taken as they are: centre and scale
// them first if that is what you ask.
func Normality(x []float64, dim int, c NormalityConfig) (*NormalityStatistics, error) {
	if err := settings.Of(&c).Check(); err != nil {
		return nil, err
	}
	if err := vec.CheckPoints("x", x, dim); err != nil {
		return nil, err
	}
	if err := c.complete(dim); err != nil {
		return nil, err
	}
	r := &NormalityStatistics{Statistics: make([]float64, len(c.Directions)/dim)}
	parallel.Each(len(r.Statistics), func() (func(l int), func()) {
		along := make([]float64, len(x)/dim)
		return func(l int) {
			for i := range along {
				along[i] = floats.Dot(x[i*dim:(i+1)*dim], c.Directions[l*dim:(l+1)*dim])
			}
			r.Statistics[l] = ot1d.Normality(along)
		}, func() {}
	})
	if i := vec.NotFinite(r.Statistics); i >= 0 {
		return nil, fmt.Errorf("x: its projection on direction %d does not fit into float64", i)
	}
	r.Value = mean(r.Statistics)
	return r, nil
}

// complete checks the given directions, or draws them.
func (c *NormalityConfig) complete(dim int) error {
	if c.Directions != nil {
		if c.Slices != 0 || c.Slicing != "" {
			return errors.New("slices and slicing would do nothing: the directions are given")
		}
		if err := vec.CheckDirections(c.Directions, dim); err != nil {
			return fmt.Errorf("directions: %w", err)
		}
		return nil
	}
	// Any cloud will do.
	at := &datasets.Set{Name: "x", Coords: make([]float32, dim), Clouds: 1, Points: 1, Dim: dim}
	o := DistanceConfig{Config: loss.Config{Slices: c.Slices, Slicing: c.Slicing}, Seed: c.Seed}
	p, l, err := prepare("sw", at, at, o)
	if err != nil {
		return err
	}
	sliced := l.(loss.Sliced)
	if _, depends := sliced.Slicer.Distribution.(slicing.CloudDependent); depends {
		return fmt.Errorf("slicing: the distribution %q looks at two clouds, expected one that does not", c.Slicing)
	}
	drawn, err := p.draw(sliced, nil)
	c.Directions = vec.To[float64](drawn)
	return err
}

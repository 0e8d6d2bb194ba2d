package ot1d

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"github.com/sliced-wasserstein/lab/swlab/ot1d/solve"
)

// exponent is P, 2 by default.
func (o Config) exponent() float64 { return cmp.Or(o.P, 2) }

// checkSolve returns an error for settings that package solve does not take.
func (o Config) checkSolve() error {
	switch {
	case o.Pairs < 0:
		return fmt.Errorf("ot1d: pairs to match: expected a number of at least 0, found %d", o.Pairs)
	case !(o.KL >= 0) || math.IsInf(o.KL, 1):
		return fmt.Errorf("ot1d: weight of the divergence: expected a finite number > 0, found %v", o.KL)
	case o.Uniform && o.Cost != Circle && o.Cost != Sphere:
		return fmt.Errorf("ot1d: the uniform distribution is that of a circle, expected no Uniform with cost %s", o.Cost)
	}
	return nil
}

// points are those of package solve, with the masses as they are.
func (o onLine) points() solve.Points { return solve.Points{At: o.at, Mass: o.mass} }

func circle(a, b onLine, o Config) (solve.Result, error) { return o.around(a.points(), b.points()) }

// around is the cost on a circle.
func (o Config) around(x, y solve.Points) (r solve.Result, err error) {
	if o.Uniform {
		r, err = solve.Uniform(x, o.exponent())
		r.DY = make([]float64, len(y.At))
	} else {
		r, err = solve.Circle(x, y, o.exponent())
	}
	if o.Reduce != Mean && !o.Uniform {
		n := float64(len(x.At))
		r.Cost *= n
		scale(r.DX, n)
		scale(r.DY, n)
	}
	return r, err
}

func partial(a, b onLine, o Config) (solve.Result, error) {
	return solve.Partial(a.at, b.at, cmp.Or(o.Pairs, min(len(a.at), len(b.at))), o.exponent())
}

func unbalanced(a, b onLine, o Config) (solve.Result, error) {
	weighted := func(c onLine) solve.Points {
		switch {
		case c.mass == nil && o.Reduce == Mean:
			c.mass = slices.Repeat([]float64{c.share(0)}, len(c.at))
		case c.mass != nil && o.Reduce != Mean:
			scale(c.mass, c.total)
		}
		return c.points()
	}
	return solve.Unbalanced(weighted(a), weighted(b), o.exponent(), cmp.Or(o.KL, 1))
}

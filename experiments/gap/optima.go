package gap

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"runtime"
	"sync"

	"github.com/sliced-wasserstein/lab/experiments"
	"github.com/sliced-wasserstein/lab/swlab/sphere"
	"github.com/sliced-wasserstein/lab/swlab/vmf"
)

// optima holds J of some pairs and its maxima.
type optima struct {
	pairs            pairs
	smoothed         []Harmonics // J of every pair
	best             [][3]float64
	optimum, uniform []float64
	quadrature, tail float64
}

// accuracy is the change of a pair's J with the resolution, relative to its SW, above which J is
// not called exact. That change is the error of the coarse rule. The error of the fine rule, which
// is used, is several times smaller.
const accuracy = 1e-2

// newOptima expands F and finds the optima.
func newOptima(ctx context.Context, p pairs, kappa float64, folder string, progress func(done, total int)) (optima, error) {
	t := optima{pairs: p}
	degree, err := degreeFor(kappa)
	if err != nil {
		return t, err
	}
	expansions, err := expanded(p, degree, folder, func() ([]Expansion, error) { return expand(ctx, p, degree, progress) })
	if err != nil {
		return t, err
	}
	a := vmf.FunkHecke(3, kappa, degree)
	for b, e := range expansions {
		j := e.F.Smooth(a)
		sw := j.Mean()
		t.smoothed, t.uniform = append(t.smoothed, j), append(t.uniform, sw)
		if sw == 0 {
			return t, fmt.Errorf("gap: pair %d: the two clouds are equal, so there is no gap to measure", b)
		}
		quadrature, tail := e.errors(kappa)
		t.quadrature, t.tail = max(t.quadrature, quadrature/sw), max(t.tail, tail/sw)
	}
	if t.quadrature+t.tail > accuracy {
		return t, fmt.Errorf("gap: kappa: at kappa = %g the exact value is only known to %.1g (quadrature) and %.1g (degrees left out) of SW, expected %g; take a smaller kappa", kappa,
			t.quadrature, t.tail, accuracy)
	}
	t.best, t.optimum = make([][3]float64, p.n), make([]float64, p.n)
	var wait sync.WaitGroup
	workers := runtime.GOMAXPROCS(0)
	for w := range workers {
		wait.Go(func() {
			for b := w; b < p.n && ctx.Err() == nil; b += workers {
				t.best[b], t.optimum[b] = maximum(t.smoothed[b])
			}
		})
	}
	wait.Wait()
	return t, ctx.Err()
}

// compare measures locations with the common slices of that random stream. start holds the starts
// of an ascent, or is nil.
func (t optima) compare(ctx context.Context, c Config, eps, start [][3]float64, stream uint64) (VersusOptimum, error) {
	r := VersusOptimum{Pairs: t.pairs.n, Optimum: experiments.NewScore(t.optimum), Uniform: experiments.NewScore(t.uniform), Quadrature: t.quadrature, Tail: t.tail}
	var gap, ofOptimum, ofRange, off, turn, values, squares []float64
	for b, e := range eps {
		v := t.smoothed[b].At(e)
		g, span := t.optimum[b]-v, t.optimum[b]-t.uniform[b]
		r.PerPair = append(r.PerPair, v)
		gap, ofOptimum, off = append(gap, g), append(ofOptimum, g/t.optimum[b]), append(off, axial(e, t.best[b]))
		part := 0.0 // where J does not depend on the location
		if span > 1e-12*t.optimum[b] {
			part = g / span
		}
		ofRange = append(ofRange, part)
		if part < 1e-4 {
			r.FractionConverged += 1 / float64(len(eps))
		}
		if start != nil {
			turn = append(turn, experiments.Angle(start[b][:], e[:]))
		}
	}
	s := sampler{c.Kappa, c.Common, vmf.Exact}
	source := rand.New(rand.NewPCG(c.PairSeed, stream))
	err := t.pairs.batches(50, func(from int, part pairs) error {
		if err := ctx.Err(); err != nil {
			return err
		}
		v, square, err := s.values(part, eps[from:from+part.n], s.noise(source, part.n))
		values, squares = append(values, v...), append(squares, square...)
		return err
	})
	r.MonteCarlo, r.Exact, r.Gap = sampled(values, squares), experiments.NewScore(r.PerPair), experiments.NewScore(gap)
	r.RelativeGap, r.NormalizedGap, r.AngleToOptimum = experiments.NewScore(ofOptimum), experiments.NewScore(ofRange), experiments.NewScore(off)
	if start != nil {
		m := experiments.NewScore(turn)
		r.AscentAngle = &m
	}
	return r, err
}

// ascend goes up f along the sphere from start. It steps along the gradient if that raises f by
// enough (Armijo), with longer steps after a success and shorter ones after a failure. It stops
// when a step no longer moves the location or the gradient is negligible.
func ascend(f Harmonics, start [3]float64) (at [3]float64, value float64) {
	at = start
	value, g := f.Slope(at)
	scale := math.Abs(f.Mean()) + math.Sqrt(f.power())
	length := 1.0 / math.Max(scale, math.SmallestNonzeroFloat64)
	for range 10000 {
		square := dot(g, g)
		if size := math.Sqrt(square); length*size < 1e-12 || size < 1e-9*scale {
			break
		}
		next := normalised([3]float64{at[0] + length*g[0], at[1] + length*g[1], at[2] + length*g[2]})
		v, gNext := f.Slope(next)
		if v > value && v >= value+0.3*length*square {
			at, value, g = next, v, gNext
			length *= 2
		} else {
			length /= 4
		}
	}
	return at, value
}

// maximum returns the largest value of f and its location: the certified maximum of package sphere, to
// 1e-6 of a bound of the range of f, and an ascent from there. Along a great circle
// f is at most its slope and half of its curvature's bound away.
func maximum(f Harmonics) (at [3]float64, value float64) {
	amplitude, curvature := f.bounds()
	least := f.Mean() - amplitude
	found, _ := sphere.Maximize(3, func(at []float64) (float64, sphere.Bound) { // the search is one that it takes
		v, g := f.Slope([3]float64(at))
		slope := math.Sqrt(dot(g, g))
		return v - least, func(c sphere.Cell) float64 {
			far := c.Farthest(at)
			return v - least + far*(slope+far*curvature/2)
		}
	}, sphere.Search{Gap: 1e-6})
	return ascend(f, [3]float64(found.At))
}

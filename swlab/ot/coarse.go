package ot

import (
	"math"

	"github.com/sliced-wasserstein/lab/swlab/internal/parallel"
)

// coarseRatio is how many points form one point of the next smaller problem.
const coarseRatio = 8

// guess is the start of a search: potentials of the columns, a matching (nil: the identity) and,
// per row, by how much its cost exceeds the bound of the potentials.
type guess struct {
	v     []float64
	match []int32
	gap   float64
}

func newGuess(c costs, v []float64, match []int32) guess {
	c.lowered(v)
	g := guess{v: v, match: match}
	m := c.size()
	excess := make([]float64, m)
	parallel.Pieces(m, 64, func(from, to int) {
		var h heap
		var l shortlist
		for i := from; i < to; i++ {
			l.col = l.col[:0]
			c.nearest(i, v, 1, &l, &h)
			j := g.of(i)
			excess[i] = (c.at(i, j) - v[j]) - (l.cost[0] - v[l.col[0]])
		}
	})
	for _, e := range excess {
		g.gap += e / float64(m)
	}
	return g
}

func (g *guess) of(i int) int {
	if g.match == nil {
		return i
	}
	return int(g.match[i])
}

// coarse guesses from the nearly solved problem of the means of coarseRatio consecutive points. The
// columns' potentials are v_j = min_I c(X_I, y_j) - U_I with the means X_I and their potentials
// U_I. The smallest problem starts from v_j = min_i c_ij.
func (c *cloudCosts) coarse() guess {
	v := make([]float64, c.m)
	if c.m <= 4*coarseRatio {
		for j := range v {
			v[j] = math.Inf(1)
			for i := range c.m {
				v[j] = min(v[j], c.at(i, j))
			}
		}
		return newGuess(c, v, nil)
	}
	k := (c.m + coarseRatio - 1) / coarseRatio
	part := func(n int) (from, to int) { return n * c.m / k, (n + 1) * c.m / k }
	means := func(x []float64) []float64 {
		out := make([]float64, k*c.dim)
		for n := range k {
			from, to := part(n)
			for i := from; i < to; i++ {
				for d := range c.dim {
					out[n*c.dim+d] += x[i*c.dim+d] / float64(to-from)
				}
			}
		}
		return out
	}
	small := newCloudCosts(means(c.x), means(c.y), c.dim, c.p)
	start := small.coarse()
	s := newSolver(small, start.v)
	s.auction(start, 0.02)
	u := make([]float64, k)
	for n := range k {
		u[n] = s.best(n).value
	}
	parallel.Pieces(c.m, 64, func(from, to int) {
		for j := from; j < to; j++ {
			v[j] = math.Inf(1)
			for n := range k {
				v[j] = min(v[j], cost(small.point(n), c.y[j*c.dim:(j+1)*c.dim], c.p)-u[n])
			}
		}
	})
	match := make([]int32, c.m)
	for n := range k {
		j := int(s.colOf[n])
		if j < 0 { // the auction ran out of bids
			return newGuess(c, v, nil)
		}
		rows, end := part(n)
		cols, _ := part(j)
		for i := rows; i < end; i++ {
			match[i] = int32(min(cols+i-rows, c.m-1)) // parts differ by at most one point: a guess
		}
	}
	return newGuess(c, v, match)
}

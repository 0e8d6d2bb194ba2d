// Package plan lifts the optimal plans of projected clouds to transport plans in space. On a direction
// theta, the plan gamma_theta that matches the projections theta'x_i and theta'y_j in their order is also a plan between
// the clouds. It costs
//
//	c(theta) = sum over i, j of gamma_theta(i, j) ||x_i - y_j||^2  >=  W_2^2
//
// in squared units of the coordinates, as a mean over points. The best of L directions is min-SWGG (Mahey,
// Chapel, Gasso, Bonet and Courty, "Fast optimal transport through sliced Wasserstein generalized
// geodesics", NeurIPS 2023). The expected plan is the mean of the plans (Liu, Diaz Martin, Bai, Shahbazi,
// Thorpe, Aldroubi and Kolouri, "Expected sliced transport plans", ICLR 2025).
package plan

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"slices"

	"github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/core/tensors"

	"github.com/sliced-wasserstein/lab/internal/memory"
	"github.com/sliced-wasserstein/lab/internal/settings"
	"github.com/sliced-wasserstein/lab/swlab/internal/parallel"
	"github.com/sliced-wasserstein/lab/swlab/internal/vec"
	"github.com/sliced-wasserstein/lab/swlab/ot1d"
	"github.com/sliced-wasserstein/lab/swlab/slicing"
)

// Match is an entry of a plan: the mass that goes from a point of x to one of y, by their rows.
type Match = ot1d.Match

// Config says which plans are made. The zero value takes 100 uniform directions and equal masses.
type Config struct {
	// L; 0: 100.
	Slices int `json:"slices" help:"number L of directions (default 100)" range:"1.." unset:"0" group:"Directions"`
	// T of the weights exp(-c/T), in squared units of the coordinates; 0: equal weights.
	Temperature float64 `json:"temperature" help:"temperature T of the expected plan: a direction of cost c weighs exp(-c/T) (default: all weigh the same)" range:">0.." unset:"0" group:"Directions"`
	// Seed of the directions, which are those of swlab.Distance and the loss sw.
	Seed uint64 `json:"-"`
	// Directions [L, dim] in place of random ones, used as given, of any length.
	Directions []float64 `json:"-"`
	// MassX and MassY are masses of the points, divided by their sum; nil: equal ones.
	MassX, MassY []float64 `json:"-"`
}

// Sliced are the plans of all directions.
type Sliced struct {
	Costs        []float64 // [L] c(theta)
	Weights      []float64 // [L] of the directions in the expected plan, with sum 1
	Best         int       // the first direction of the least cost
	Cost         float64   // Costs[Best]
	ExpectedCost float64   // of the expected plan: sum of Weights and Costs
	Plan         []Match   // of the direction Best, by rows of x, then of y

	pairs      *ot1d.HostPairs
	directions []float64
	points     int // of x
}

// New makes the plans between clouds x [m, dim] and y [n, dim], row-major. Costs are exact up to
// rounding in float64. The marginals are the masses; without masses m and n may differ, too.
//
// Points of one projection may be matched in any order: they are taken in the order of their
// coordinates (ot1d.HostPairs.Plans), so that costs do not depend on the order of the rows.
func New(x, y []float64, dim int, c Config) (*Sliced, error) {
	if err := check(x, y, dim, &c); err != nil {
		return nil, err
	}
	s := &Sliced{points: len(x) / dim}
	a, b, width := narrow(x, y, dim)
	a.Mass, b.Mass = c.MassX, c.MassY
	var err error
	if s.pairs, err = ot1d.NewHostPairs(a, b, ot1d.Config{Reduce: ot1d.Mean}); err != nil {
		return nil, err
	}
	for _, t := range c.Directions {
		s.directions = append(s.directions, slices.Repeat([]float64{t}, width)...)
	}
	s.Costs = make([]float64, len(c.Directions)/dim)
	s.each(s.directions, func(direction int, plan []Match) { s.Costs[direction] = ot1d.Lift(plan, x, y, dim) })
	if i := vec.NotFinite(s.Costs); i >= 0 {
		return nil, fmt.Errorf("the squared distances of x and y do not fit into float64: direction %d costs %v; scale the clouds", i, s.Costs[i])
	}
	s.Best = slices.Index(s.Costs, slices.Min(s.Costs))
	s.Cost = s.Costs[s.Best]
	s.Weights = weigh(s.Costs, c.Temperature)
	for i, w := range s.Weights {
		s.ExpectedCost += w * s.Costs[i]
	}
	at := s.Best * dim * width
	s.each(s.directions[at:at+dim*width], func(_ int, plan []Match) { s.Plan = slices.Clone(plan) })
	slices.SortFunc(s.Plan, byRow)
	return s, nil
}

// each calls visit with the plans of directions.
func (s *Sliced) each(directions []float64, visit func(direction int, plan []Match)) {
	n := len(directions) / (len(s.directions) / len(s.Costs))
	if err := s.pairs.Plans(directions, n, func(_, l int, plan []Match) { visit(l, plan) }); err != nil {
		panic(err) // they have been checked
	}
}

// Rows are matches as rows [len(matches), 3]: the row of x, the row of y, and the mass.
func Rows(matches []Match) []float64 {
	rows := make([]float64, 0, 3*len(matches))
	for _, m := range matches {
		rows = append(rows, float64(m.X), float64(m.Y), m.Mass)
	}
	return rows
}

func byRow(a, b Match) int { return cmp.Or(cmp.Compare(a.X, b.X), cmp.Compare(a.Y, b.Y)) }

// check checks a call, and draws its directions if none are given.
func check(x, y []float64, dim int, c *Config) error {
	if err := settings.Of(c).Check(); err != nil {
		return err
	}
	if err := cmp.Or(vec.CheckPoints("x", x, dim), vec.CheckPoints("y", y, dim)); err != nil {
		return err
	}
	if c.Directions == nil {
		return c.draw(dim)
	}
	if c.Slices != 0 {
		return errors.New("slices would do nothing: the directions are given")
	}
	if err := vec.CheckDirections(c.Directions, dim); err != nil {
		return fmt.Errorf("directions: %w", err)
	}
	return nil
}

// draw draws the directions. On a line there is one.
func (c *Config) draw(dim int) error {
	if dim == 1 {
		c.Directions = []float64{1}
		return nil
	}
	n := cmp.Or(c.Slices, 100)
	if err := memory.Check(fmt.Sprintf("slices: %d directions", n), memory.Bytes(64, n, dim)); err != nil {
		return err
	}
	state, err := graph.RNGStateFromSeed(int64(c.Seed))
	if err != nil {
		return err
	}
	c.Directions = vec.To[float64](slicing.Uniform{}.DrawOnHost(tensors.MustCopyFlatData[uint64](state), 1, n, dim))
	return nil
}

// narrow returns clouds in float32 whose projections are those of x and y: of numbers that float32 does
// not hold, each is the sum of width coordinates. Clouds are scaled then, by a power of 2.
func narrow(x, y []float64, dim int) (a, b ot1d.Clouds, width int) {
	isWide := func(v float64) bool { return float64(float32(v)) != v }
	width, exponent := 1, 0
	if slices.ContainsFunc(x, isWide) || slices.ContainsFunc(y, isWide) {
		width = 3 // 3 times 24 bits hold the 53 of float64
		_, exponent = math.Frexp(max(vec.Largest(x), vec.Largest(y)))
	}
	parts := func(points []float64) ot1d.Clouds {
		coords := make([]float32, 0, len(points)*width)
		for _, v := range points {
			v = math.Ldexp(v, -exponent)
			for range width {
				part := float32(v)
				coords, v = append(coords, part), v-float64(part)
			}
		}
		return ot1d.Clouds{Coords: coords, Batch: 1, Points: len(points) / dim, Dim: dim * width}
	}
	return parts(x), parts(y), width
}

// weigh returns the weights of directions in the expected plan.
func weigh(costs []float64, temperature float64) []float64 {
	w, sum, least := make([]float64, len(costs)), 0.0, slices.Min(costs)
	for i, c := range costs {
		w[i] = 1
		if temperature != 0 {
			w[i] = math.Exp((least - c) / temperature)
		}
		sum += w[i]
	}
	for i := range w {
		w[i] /= sum
	}
	return w
}

// Expected returns the expected plan, by rows of x, then of y: the mean of all plans by their Weights. It
// has up to L (m + n - 1) matches.
func (s *Sliced) Expected() ([]Match, error) {
	plans := make([][]Match, len(s.Costs))
	if err := memory.Check(fmt.Sprintf("slices: the expected plan of %d directions", len(plans)),
		memory.Bytes(2*24, len(plans), len(s.Plan))); err != nil {
		return nil, err
	}
	s.each(s.directions, func(l int, plan []Match) { plans[l] = slices.Clone(plan) })
	rows := make([][]Match, s.points)
	for l, plan := range plans {
		for _, m := range plan {
			if m.Mass *= s.Weights[l]; m.Mass > 0 {
				rows[m.X] = append(rows[m.X], m)
			}
		}
	}
	parallel.Each(len(rows), parallel.Alone(func(i int) {
		slices.SortStableFunc(rows[i], byRow)
		merged := rows[i][:0]
		for _, m := range rows[i] {
			if last := len(merged) - 1; last >= 0 && merged[last].Y == m.Y {
				merged[last].Mass += m.Mass
			} else {
				merged = append(merged, m)
			}
		}
		rows[i] = merged
	}))
	return slices.Concat(rows...), nil
}

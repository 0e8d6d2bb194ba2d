package ot1d

import (
	"cmp"
	"fmt"

	"github.com/sliced-wasserstein/lab/swlab/internal/names"
	"github.com/sliced-wasserstein/lab/swlab/ot1d/solve"
)

// LineCost is what one direction costs, a cost between the projections of two clouds. The zero value
// is the transport cost of [HostCosts].
//
// Of the others none is a sum over points or has an exponent, so Config.P and Reduce are 0. F and G
// are the distribution functions of the projected clouds a and b, phi their characteristic functions.
// Clouds may differ in size and have masses. At equal projections the derivative is the mean of those
// on both sides.
type LineCost int

const (
	// Wasserstein is sum_i |a_(i) - b_(i)|^p, or its mean W_p^p: Config.P and Reduce.
	Wasserstein LineCost = iota
	// Cramer is the squared L2 distance of the distribution functions (Cramer 1928, Szekely 2003),
	//
	//	int (F - G)^2 dt = E|a - b| - E|a - a'|/2 - E|b - b'|/2
	//
	// with all pairs of points in the means, those of a point and itself too (V-statistics).
	Cramer
	// Energy is the energy distance on the line, twice Cramer (Szekely and Rizzo 2013).
	Energy
	// EppsPulley is the squared L2 distance of the characteristic functions with a Gaussian weight (Epps
	// and Pulley 1983),
	//
	//	2 int_0^3 |phi_a(t) - phi_b(t)|^2 exp(-t^2/2) dt
	//
	// by the trapezoid rule with 17 knots, as in SIGReg (Balestriero and LeCun 2025).
	EppsPulley

	// The costs of package solve have an exponent P. Each is that of a loss, and no choice of others.

	// Circle is W_p^p of the fractional parts on a circle of length 1 (solve.Circle), a sum or a mean.
	Circle
	// Partial is that of Config.Pairs matched points (solve.Partial), a sum, without masses.
	Partial
	// Unbalanced is that with masses which may change (solve.Unbalanced). Reduce Sum: masses are as given, 1
	// without any. Mean: they are divided by their sum.
	Unbalanced
	// Sphere is W_p^p on a great circle of unit vectors (NewCoster), a sum or a mean.
	Sphere
)

// lines has the line costs in their order. A further one is a constant above and an entry here, with a
// function of two sorted lists of numbers. Every sliced loss then has it by its name, on the host, with
// its gradient, for any masses and sizes. A setting of its own is a field of Config.
var lines = []line{
	{name: "wasserstein"},
	{name: "cramer", words: "Cramer distance int (F - G)^2 dt", degree: 1, cost: cramer},
	{name: "energy", words: "energy distance 2 int (F - G)^2 dt", degree: 1, cost: energy},
	{name: "epps-pulley", words: "Epps-Pulley distance 2 int_0^3 |phi_x - phi_y|^2 exp(-t^2/2) dt", cost: eppsPulley},
	{name: "circle", words: "on a circle of length 1", solve: circle},
	{name: "partial", words: "of matched points of mass 1", solve: partial},
	{name: "unbalanced", words: "unbalanced, with the divergence of the masses", solve: unbalanced},
	{name: "sphere", words: "on great circles of length 1"},
}

// line is a LineCost other than Wasserstein's.
type line struct {
	name  string
	words string // what it is
	// degree is the homogeneity: clouds scaled by c cost c^degree times as much; 0: it has none.
	degree float64
	// cost is the cost of two clouds on a line, with the settings of the call. It sets their slopes. Both
	// clouds may have been moved along the line together, which must not change it.
	cost func(a, b onLine, o Config) float64
	// solve is a cost by package solve, whose exponent is P.
	solve func(a, b onLine, o Config) (solve.Result, error)
}

// onLine is a cloud on a line.
type onLine struct {
	at    []float64 // in ascending order, from an origin that both clouds share
	mass  []float64 // of these points, with sum 1; nil: equal
	total float64   // of the masses as given, with masses
	slope []float64 // to be set to the derivatives of the cost in at; nil: not asked for
}

// share is the mass of a point.
func (o onLine) share(i int) float64 {
	if o.mass == nil {
		return 1 / float64(len(o.at))
	}
	return o.mass[i]
}

// LineCosts lists the names of the line costs that any sliced loss may have.
func LineCosts() []string {
	out := make([]string, Circle)
	for i := range out {
		out[i] = lines[i].name
	}
	return out
}

// Powers reports whether the cost has an exponent: Wasserstein and the costs of package solve.
func (c LineCost) Powers() bool { return c == Wasserstein || c.Own() }

// Own reports whether the cost is that of a loss of its own, and no choice of others.
func (c LineCost) Own() bool { return c >= Circle }

// String is the name, such as "wasserstein".
func (c LineCost) String() string { return cmp.Or(c.line().name, fmt.Sprint(int(c))) }

// MarshalText writes the name.
func (c LineCost) MarshalText() ([]byte, error) { return []byte(c.String()), nil }

// UnmarshalText reads what MarshalText wrote.
func (c *LineCost) UnmarshalText(text []byte) error { return names.Read(c, text, LineCosts()) }

// Words say what the cost is, with its formula; "" for Wasserstein's, which depends on p.
func (c LineCost) Words() string { return c.line().words }

// Degree is the homogeneity of a cost other than Wasserstein's, whose is p: clouds scaled by s cost
// s^Degree times as much; 0: it has none.
func (c LineCost) Degree() float64 { return c.line().degree }

func (c LineCost) line() line {
	if c < 0 || int(c) >= len(lines) {
		return line{}
	}
	return lines[c]
}

// check returns an error for an unknown cost other than Wasserstein's, and for settings that only that reads.
func (c LineCost) check(o Config) error {
	switch {
	case c.line().solve != nil || c == Sphere:
		return o.checkSolve()
	case c.line().cost == nil:
		return fmt.Errorf("ot1d: line cost %d, expected one of %v", int(c), LineCosts())
	case o.P != 0 || o.Reduce != 0:
		return fmt.Errorf("ot1d: cost %s is a mean without an exponent: expected neither P nor Reduce, found P = %v and "+
			"Reduce = %q", c, o.P, o.Reduce)
	}
	return nil
}

// lineCost is the cost of a task's sorted projections by the line cost.
func (s *hostSorter) lineCost(c *coupling, task int) float64 {
	pair := task / s.slices
	number, masses := uint64(1)<<c.indexBits-1, s.hasMass()
	keys, slopes := [2][]uint64{c.a, c.b}, [2][]float64{c.dx, c.dy}
	var on [2]onLine
	for i, keys := range keys {
		l := &s.lines[i]
		if l.at == nil {
			*l = onLine{at: make([]float64, len(keys)), mass: make([]float64, len(keys)), slope: make([]float64, len(keys))}
		}
		on[i].at = l.at
		c.positions(l.at, i, keys)
		if masses {
			on[i].mass, on[i].total = l.mass, s.total(i, pair)
			mass := s.mass(i, pair)
			for k, key := range keys {
				l.mass[k] = mass(key & number)
			}
		}
		if slopes[i] != nil {
			on[i].slope = l.slope
		}
	}
	var cost float64
	if s.line.solve == nil {
		cost = s.line.cost(on[0], on[1], s.o)
	} else {
		r, err := s.line.solve(on[0], on[1], s.o)
		if err != nil {
			panic(err) // of what was checked
		}
		cost = r.Cost
		copy(on[0].slope, r.DX)
		copy(on[1].slope, r.DY)
		if s.o.Report != nil {
			s.o.Report(pair, task%s.slices, r)
		}
	}
	for i, keys := range keys {
		for k, slope := range on[i].slope {
			slopes[i][keys[k]&number] = slope
		}
	}
	return cost
}

// positions are the projections of cloud i from an origin that both clouds share.
func (c *coupling) positions(at []float64, i int, keys []uint64) {
	if c.exact == nil {
		for k, key := range keys {
			at[k] = float64(key>>c.indexBits) * c.step
		}
		return
	}
	origin := c.exact[0][c.a[0]]
	for k, key := range keys {
		p := c.exact[i][key]
		at[k] = (p.high - origin.high) + (p.low - origin.low)
	}
}

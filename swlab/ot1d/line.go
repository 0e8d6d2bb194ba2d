package ot1d

import (
	"fmt"

	"github.com/sliced-wasserstein/lab/swlab/internal/names"
)

// LineCost is what one direction costs, a cost between the projections of two clouds. The zero value
// is the transport cost of [HostCosts].
//
// Of the others none is a sum over points or has an exponent, so HostConfig.P and Reduce are 0. F and G
// are the distribution functions of the projected clouds a and b, phi their characteristic functions.
// Clouds may differ in size and have masses. At equal projections the derivative is the mean of those
// on both sides.
type LineCost int

const (
	// Wasserstein is sum_i |a_(i) - b_(i)|^p, or its mean W_p^p: HostConfig.P and Reduce.
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
)

// lines has the line costs in their order. A further one is a constant above and an entry here, with a
// function of two sorted lists of numbers. Every sliced loss then has it by its name, on the host, with
// its gradient, for any masses and sizes. A setting of its own is a field of HostConfig.
var lines = []line{
	{name: "wasserstein"},
	{name: "cramer", words: "Cramer distance int (F - G)^2 dt", degree: 1, cost: cramer},
	{name: "energy", words: "energy distance 2 int (F - G)^2 dt", degree: 1, cost: energy},
	{name: "epps-pulley", words: "Epps-Pulley distance 2 int_0^3 |phi_x - phi_y|^2 exp(-t^2/2) dt", cost: eppsPulley},
}

// line is a LineCost other than Wasserstein's.
type line struct {
	name  string
	words string // what it is
	// degree is the homogeneity: clouds scaled by c cost c^degree times as much; 0: it has none.
	degree float64
	// cost is the cost of two clouds on a line, with the settings of the call. It sets their slopes. Both
	// clouds may have been moved along the line together, which must not change it.
	cost func(a, b onLine, o HostConfig) float64
}

// onLine is a cloud on a line.
type onLine struct {
	at    []float64 // in ascending order, from an origin that both clouds share
	mass  []float64 // of these points, with sum 1; nil: equal
	slope []float64 // to be set to the derivatives of the cost in at; nil: not asked for
}

// share is the mass of a point.
func (o onLine) share(i int) float64 {
	if o.mass == nil {
		return 1 / float64(len(o.at))
	}
	return o.mass[i]
}

// LineCosts lists the names of the line costs.
func LineCosts() []string {
	out := make([]string, len(lines))
	for i, l := range lines {
		out[i] = l.name
	}
	return out
}

// String is the name, such as "wasserstein".
func (c LineCost) String() string { return names.Of(c, LineCosts()) }

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

// check returns an error for an unknown cost, and for settings that only Wasserstein's reads.
func (c LineCost) check(o HostConfig) error {
	switch {
	case c == Wasserstein:
		return nil
	case c.line().cost == nil:
		return fmt.Errorf("ot1d: line cost %d, expected one of %v", int(c), LineCosts())
	case o.P != 0 || o.Reduce != 0:
		return fmt.Errorf("ot1d: cost %s is a mean without an exponent: expected neither P nor Reduce, found P = %v and "+
			"Reduce = %q", c, o.P, o.Reduce)
	}
	return nil
}

// lineCost is the cost of a pair's sorted projections by the line cost.
func (s *hostSorter) lineCost(c *coupling, pair int) float64 {
	number, masses := uint64(1)<<c.indexBits-1, s.hasMass()
	keys, slopes := [2][]uint64{c.a, c.b}, [2][]float64{c.dx, c.dy}
	var on [2]onLine
	for i, keys := range keys {
		l := &s.lines[i]
		if l.at == nil {
			*l = onLine{make([]float64, len(keys)), make([]float64, len(keys)), make([]float64, len(keys))}
		}
		on[i].at = l.at
		c.positions(l.at, i, keys)
		if masses {
			on[i].mass = l.mass
			mass := s.mass(i, pair)
			for k, key := range keys {
				l.mass[k] = mass(key & number)
			}
		}
		if slopes[i] != nil {
			on[i].slope = l.slope
		}
	}
	cost := s.line.cost(on[0], on[1], s.o)
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

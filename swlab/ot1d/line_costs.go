package ot1d

import "math"

// cramer is int (F - G)^2 dt.
func cramer(a, b onLine, _ HostConfig) float64 { return levels(a, b, 1) }

// energy is twice cramer.
func energy(a, b onLine, _ HostConfig) float64 { return levels(a, b, 2) }

// levels is factor int (F - G)^2 dt. F - G changes by the masses of the points at a place, from c to d
// say. A point there with mass w has the derivative -factor w (c + d) if it is in a, and factor w (c + d)
// in b: the mean of what its move to the left and to the right would cost.
func levels(a, b onLine, factor float64) float64 {
	sum, before, last := 0.0, 0.0, 0.0
	f, g := cumulative{onLine: a}, cumulative{onLine: b}
	for f.next < len(a.at) || g.next < len(b.at) {
		place := math.Min(f.place(), g.place())
		sum += before * before * (place - last)
		firstA, firstB := f.next, g.next
		f.pass(place)
		g.pass(place)
		after := f.level - g.level
		f.setSlopes(firstA, -factor*(before+after))
		g.setSlopes(firstB, factor*(before+after))
		before, last = after, place
	}
	return factor * sum
}

// cumulative is a distribution function up to a place.
type cumulative struct {
	onLine
	next  int // the first point beyond
	level float64
}

// place is where the next point is.
func (c *cumulative) place() float64 {
	if c.next == len(c.at) {
		return math.Inf(1)
	}
	return c.at[c.next]
}

// pass goes beyond all points at a place. Equal masses are counted, so that levels that are equal are so
// to the last digit.
func (c *cumulative) pass(place float64) {
	for c.next < len(c.at) && c.at[c.next] == place {
		if c.mass != nil {
			c.level += c.mass[c.next]
		}
		c.next++
	}
	switch {
	case c.next == len(c.at):
		c.level = 1
	case c.mass == nil:
		c.level = float64(c.next) / float64(len(c.at))
	}
}

// setSlopes sets the slopes of the points from first on that were passed.
func (c *cumulative) setSlopes(first int, perMass float64) {
	if c.slope == nil {
		return
	}
	for i := first; i < c.next; i++ {
		c.slope[i] = perMass * c.share(i)
	}
}

// The trapezoid rule of Epps and Pulley's integral from 0 to 3.
const (
	eppsKnots = 17
	eppsStep  = 3.0 / (eppsKnots - 1)
)

// eppsWeight is 2 exp(-t^2/2) dt at knot k.
func eppsWeight(k int) float64 {
	t := float64(k) * eppsStep
	w := 2 * eppsStep * math.Exp(-t*t/2)
	if k == 0 || k == eppsKnots-1 {
		w /= 2
	}
	return w
}

// characteristic is a characteristic function at the knots.
type characteristic [eppsKnots]complex128

// knots calls f with exp(itx) at every knot t.
func knots(x float64, f func(k int, wave complex128)) {
	sin, cos := math.Sincos(eppsStep * x)
	turn, wave := complex(cos, sin), complex(1, 0)
	for k := range eppsKnots {
		f(k, wave)
		wave *= turn
	}
}

func (o onLine) characteristic() (phi characteristic) {
	for i, x := range o.at {
		w := complex(o.share(i), 0)
		knots(x, func(k int, wave complex128) { phi[k] += w * wave })
	}
	return phi
}

// eppsPulley is 2 int_0^3 |phi_a(t) - phi_b(t)|^2 exp(-t^2/2) dt. The derivative of |phi_a - phi_b|^2 in a
// point x of a with mass w is 2 w Re(conj(phi_a - phi_b) it exp(itx)).
func eppsPulley(a, b onLine, _ HostConfig) float64 {
	phi, other := a.characteristic(), b.characteristic()
	sum := 0.0
	for k, p := range other {
		phi[k] -= p
		sum += eppsWeight(k) * (real(phi[k])*real(phi[k]) + imag(phi[k])*imag(phi[k]))
	}
	a.setEppsSlopes(&phi, 2)
	b.setEppsSlopes(&phi, -2)
	return sum
}

// setEppsSlopes sets the slopes for the difference of the characteristic functions.
func (o onLine) setEppsSlopes(difference *characteristic, factor float64) {
	if o.slope == nil {
		return
	}
	var turned characteristic
	for k, d := range difference {
		t := float64(k) * eppsStep
		turned[k] = complex(imag(d), real(d)) * complex(eppsWeight(k)*t, 0) // conj(d) i
	}
	for i, x := range o.at {
		slope := 0.0
		knots(x, func(k int, wave complex128) {
			slope += real(turned[k])*real(wave) - imag(turned[k])*imag(wave)
		})
		o.slope[i] = factor * o.share(i) * slope
	}
}

// Normality is the statistic of Epps and Pulley (1983) of values against the standard normal
// distribution, whose characteristic function is exp(-t^2/2):
//
//	n 2 int_0^3 |phi(t) - exp(-t^2/2)|^2 exp(-t^2/2) dt
//
// with phi that of the n values, by the trapezoid rule with 17 knots, as in SIGReg (Balestriero and LeCun
// 2025). The values are neither centred nor scaled. It is 0.4020 n if all are 0, and 1.05 on average if
// they are independent and standard normal, for every n.
func Normality(values []float64) float64 {
	phi, sum := onLine{at: values}.characteristic(), 0.0
	for k, p := range phi {
		t := float64(k) * eppsStep
		re, im := real(p)-math.Exp(-t*t/2), imag(p)
		sum += eppsWeight(k) * (re*re + im*im)
	}
	return float64(len(values)) * sum
}

package ot1d

import "math"

// cramer is int (F - G)^2 dt.
func cramer(a, b onLine, _ Config) float64 { return levels(a, b, 1) }

// energy is twice cramer.
func energy(a, b onLine, _ Config) float64 { return levels(a, b, 2) }

// levels is factor int (F - G)^2 dt. F - G changes by the masses of the points at a place, from c to d
// say. A point there with mass w has the derivative -factor w (c + d) if it is in a, and factor w (c + d)
// in b: the mean of what its move to the left and to the right would cost.
func levels(a, b onLine, factor float64) float64 {
	sum, before, last, f, g := 0.0, 0.0, 0.0, 0.0, 0.0
	for i, j := 0, 0; i < len(a.at) || j < len(b.at); {
		firstA, firstB, place := i, j, 0.0
		if j == len(b.at) || i < len(a.at) && a.at[i] <= b.at[j] {
			place = a.at[i]
			i, f = a.pass(i, f)
		}
		if i == firstA || j < len(b.at) && b.at[j] == place {
			place = b.at[j]
			j, g = b.pass(j, g)
		}
		sum += before * before * (place - last)
		after := f - g
		if a.slope != nil {
			for k := firstA; k < i; k++ {
				a.slope[k] = -factor * (before + after) * a.share(k)
			}
		}
		if b.slope != nil {
			for k := firstB; k < j; k++ {
				b.slope[k] = factor * (before + after) * b.share(k)
			}
		}
		before, last = after, place
	}
	return factor * sum
}

// pass goes from point i beyond all at its place, and from the level of the distribution function before
// it to that behind. Equal masses are counted, so that levels that are equal are so to the last digit.
func (o onLine) pass(i int, level float64) (next int, after float64) {
	place := o.at[i]
	for ; i < len(o.at) && o.at[i] == place; i++ {
		if o.mass != nil {
			level += o.mass[i]
		}
	}
	if o.mass == nil {
		level = float64(i) / float64(len(o.at))
	}
	return i, level
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
type characteristic struct{ re, im [eppsKnots]float64 }

// characteristic is the mean of exp(itx) at every knot t.
func (o onLine) characteristic() (phi characteristic) {
	for i, x := range o.at {
		sin, cos := math.Sincos(eppsStep * x)
		re, im := o.share(i), 0.0
		for k := range eppsKnots {
			phi.re[k] += re
			phi.im[k] += im
			re, im = re*cos-im*sin, re*sin+im*cos
		}
	}
	return phi
}

// eppsPulley is 2 int_0^3 |phi_a(t) - phi_b(t)|^2 exp(-t^2/2) dt. The derivative of |phi_a - phi_b|^2 in a
// point x of a with mass w is 2 w Re(conj(phi_a - phi_b) it exp(itx)).
func eppsPulley(a, b onLine, _ Config) float64 {
	phi, other := a.characteristic(), b.characteristic()
	sum := 0.0
	for k := range eppsKnots {
		re, im := phi.re[k]-other.re[k], phi.im[k]-other.im[k]
		w := eppsWeight(k)
		sum += w * (re*re + im*im)
		t := float64(k) * eppsStep
		phi.re[k], phi.im[k] = 2*w*t*im, 2*w*t*re // 2 w i conj(phi_a - phi_b)
	}
	a.setEppsSlopes(&phi, 1)
	b.setEppsSlopes(&phi, -1)
	return sum
}

// setEppsSlopes sets the slopes to the real parts of the sums of c exp(itx) over the knots, by Horner's
// rule.
func (o onLine) setEppsSlopes(c *characteristic, sign float64) {
	for i := range o.slope {
		sin, cos := math.Sincos(eppsStep * o.at[i])
		re, im := 0.0, 0.0
		for k := eppsKnots - 1; k >= 0; k-- {
			re, im = re*cos-im*sin+c.re[k], re*sin+im*cos+c.im[k]
		}
		o.slope[i] = sign * o.share(i) * re
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
	for k := range eppsKnots {
		t := float64(k) * eppsStep
		re, im := phi.re[k]-math.Exp(-t*t/2), phi.im[k]
		sum += eppsWeight(k) * (re*re + im*im)
	}
	return float64(len(values)) * sum
}

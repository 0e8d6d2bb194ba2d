package gap

import "math"

// Harmonics is an even function on the unit sphere of R^3 as a sum of real orthonormal spherical
// harmonics of even degree,
//
//	f(theta) = sum_{l = 0, 2, .., Degree} sum_{m = -l..l} c_lm Y_lm(theta),   integral Y_lm Y_l'm' = 1 if equal, else 0
//	Y_l0 = Q_l0(z),   Y_lm = sqrt2 Q_lm(z) Re (x+iy)^m,   Y_l,-m = sqrt2 Q_lm(z) Im (x+iy)^m   (m > 0)
//
// where Q_lm(z) is the normalised associated Legendre function without its factor (1-z^2)^(m/2).
// The Y_lm are polynomials in x, y, z, smooth at the poles.
type Harmonics struct {
	Degree int       `json:"degree"` // even
	Coef   []float64 `json:"coef"`   // c_lm at place(l, m)
}

// place returns the index of c_lm, l even. The degrees below l have 1 + 5 + .. + (2l-3) = l(l-1)/2
// coefficients.
func place(l, m int) int { return l*(l-1)/2 + l + m }

// coefficients returns the number of coefficients up to an even degree.
func coefficients(degree int) int { return place(degree, degree) + 1 }

// recurrence holds the factors of Q_lm = up (z Q_l-1,m - down Q_l-2,m), l > m.
var recurrence = func() (r [maxDegree + 1][maxDegree + 1][2]float64) {
	for l := 1; l <= maxDegree; l++ {
		l2, before := float64(l*l), float64((l-1)*(l-1))
		for m := range l {
			m2 := float64(m * m)
			r[l][m] = [2]float64{math.Sqrt((4*l2 - 1) / (l2 - m2)), math.Sqrt((before - m2) / (4*before - 1))}
		}
	}
	return r
}()

// walk calls visit with every Y_lm of even degree up to degree and, if slopes is set, its
// derivatives in x, y and z as free variables. theta must be a unit vector.
func walk(theta [3]float64, degree int, slopes bool, visit func(at int, y float64, dy [3]float64)) {
	x, y, z := theta[0], theta[1], theta[2]
	diagonal := 1 / math.Sqrt(4*math.Pi) // Q_mm
	re, im := 1.0, 0.0                   // of (x+iy)^m
	reBefore, imBefore := 0.0, 0.0       // of (x+iy)^(m-1)
	for m := 0; m <= degree; m++ {
		if m > 0 {
			reBefore, imBefore = re, im
			re, im = re*x-im*y, re*y+im*x
			diagonal *= math.Sqrt(float64(2*m+1) / float64(2*m))
		}
		root := math.Sqrt2
		if m == 0 {
			root = 1
		}
		q, before := diagonal, 0.0 // Q_lm, Q_l-1,m
		dq, dBefore := 0.0, 0.0    // their derivatives
		for l := m; l <= degree; l++ {
			if l > m {
				up, down := recurrence[l][m][0], recurrence[l][m][1]
				next := up * (z*q - down*before)
				dNext := up * (q + z*dq - down*dBefore)
				q, before, dq, dBefore = next, q, dNext, dq
			}
			if l%2 != 0 {
				continue
			}
			a := root * q
			var dRe, dIm [3]float64
			if slopes {
				n := float64(m) * a
				dRe = [3]float64{n * reBefore, -n * imBefore, root * dq * re}
				dIm = [3]float64{n * imBefore, n * reBefore, root * dq * im}
			}
			visit(place(l, m), a*re, dRe)
			if m > 0 {
				visit(place(l, -m), a*im, dIm)
			}
		}
	}
}

// At returns f(theta).
func (h Harmonics) At(theta [3]float64) float64 {
	sum := 0.0
	walk(theta, h.Degree, false, func(at int, y float64, _ [3]float64) { sum += h.Coef[at] * y })
	return sum
}

// Slope returns f(theta) and its gradient along the sphere, orthogonal to theta.
func (h Harmonics) Slope(theta [3]float64) (f float64, g [3]float64) {
	walk(theta, h.Degree, true, func(at int, y float64, dy [3]float64) {
		c := h.Coef[at]
		f += c * y
		for i, d := range dy {
			g[i] += c * d
		}
	})
	radial := dot(g, theta)
	for i := range g {
		g[i] -= radial * theta[i]
	}
	return f, g
}

// Mean is the mean of f over the sphere.
func (h Harmonics) Mean() float64 { return h.Coef[0] / math.Sqrt(4*math.Pi) }

// Smooth returns the convolution of f with a zonal kernel that multiplies degree l by
// multipliers[l]. Higher degrees are dropped.
func (h Harmonics) Smooth(multipliers []float64) Harmonics {
	s := Harmonics{Degree: min(h.Degree, (len(multipliers)-1)/2*2)}
	for l := 0; l <= s.Degree; l += 2 {
		for _, c := range h.degree(l) {
			s.Coef = append(s.Coef, multipliers[l]*c)
		}
	}
	return s
}

// average returns the mean of functions of one degree.
func average(fs []Harmonics) Harmonics {
	h := Harmonics{Degree: fs[0].Degree, Coef: make([]float64, len(fs[0].Coef))}
	for _, f := range fs {
		for i, c := range f.Coef {
			h.Coef[i] += c / float64(len(fs))
		}
	}
	return h
}

// degree returns the coefficients of degree l.
func (h Harmonics) degree(l int) []float64 { return h.Coef[place(l, -l) : place(l, l)+1] }

// power returns the integral of f^2 over the sphere.
func (h Harmonics) power() float64 {
	sum := 0.0
	for _, c := range h.Coef {
		sum += c * c
	}
	return sum
}

// bounds are at least max |f - mean| over the sphere and the largest second derivative along a great circle:
// there a function of degree l is a trigonometric polynomial of degree l, whose second derivative is at most
// l^2 times its maximum (Bernstein).
func (h Harmonics) bounds() (amplitude, curvature float64) {
	for l := 2; l <= h.Degree; l += 2 {
		square := 0.0
		for _, c := range h.degree(l) {
			square += c * c
		}
		most := math.Sqrt(float64(2*l+1) / (4 * math.Pi) * square)
		amplitude, curvature = amplitude+most, curvature+float64(l*l)*most
	}
	return amplitude, curvature
}

// farthest bounds max |f - g| over the sphere: a function of degree l is at most sqrt((2l+1)/4pi)
// times its norm.
func farthest(f, g Harmonics) float64 {
	sum := 0.0
	for l := 0; l <= f.Degree; l += 2 {
		other, square := g.degree(l), 0.0
		for i, c := range f.degree(l) {
			square += (c - other[i]) * (c - other[i])
		}
		sum += math.Sqrt(float64(2*l+1) / (4 * math.Pi) * square)
	}
	return sum
}

func dot(a, b [3]float64) float64 { return a[0]*b[0] + a[1]*b[1] + a[2]*b[2] }

// normalised returns v divided by its norm.
func normalised(v [3]float64) [3]float64 {
	n := math.Sqrt(dot(v, v))
	return [3]float64{v[0] / n, v[1] / n, v[2] / n}
}

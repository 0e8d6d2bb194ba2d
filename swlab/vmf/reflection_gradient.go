package vmf

// PlaceGradient returns the derivative in the location of a loss of the directions x of Place: the
// host twin of the gradient of FromOmega.
//
//	upstream [L*d]  derivative g in every coordinate of x
//	returns  [d]    sum_l g_l dx_l/dlocation, the coordinates of the location taken as free
//
// With a = e1 - mu (-e1 - mu for Stable beyond its switch), n = ||a||, c = 1e-5 for Released and 0
// otherwise, r = a / (n+c):
//
//	u = -2 sum_l ((h_l.r) g_l + (g_l.r) h_l),   dmu = -u / (n+c) + a (a.u) / (n (n+c)^2)
//
// It is 0 at n = 0. The other arguments are those of Place.
func PlaceGradient(location, omega, normals []float64, refl Reflection, upstream []float64) []float64 {
	d := len(location)
	mirror := newMirror(location, refl)
	away := make([]float64, d)
	for i, x := range location {
		away[i] = -x
	}
	away[0] += mirror.sign
	norm := norm2(away)
	gradient := make([]float64, d)
	if norm*norm <= tinySquare {
		return gradient
	}
	full := norm
	if refl == Released {
		full += releasedEpsilon
	}
	u, h := make([]float64, d), make([]float64, d)
	for l, w := range omega {
		copy(h[1:], normals[l*(d-1):(l+1)*(d-1)])
		unit(h[1:])
		h[0] = mirror.sign * w
		g := upstream[l*d : (l+1)*d]
		hr, gr := h[0]*mirror.r[0], g[0]*mirror.r[0]
		for i := 1; i < d; i++ {
			h[i] *= refl.sine(w)
			hr += h[i] * mirror.r[i]
			gr += g[i] * mirror.r[i]
		}
		for i := range u {
			u[i] -= 2 * (hr*g[i] + gr*h[i])
		}
	}
	along := 0.0
	for i, a := range away {
		along += a * u[i]
	}
	for i, a := range away {
		gradient[i] = a*along/(norm*full*full) - u[i]/full
	}
	return gradient
}

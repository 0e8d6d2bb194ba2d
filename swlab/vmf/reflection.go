package vmf

import (
	"math"

	"github.com/sliced-wasserstein/lab/swlab/internal/names"
)

// Reflection says how h = (omega, sqrt(1-omega^2) v), a sample around the first axis e1, is carried
// to the location mu by a reflection x = h - 2 (h.r) r. A reflection reverses the orientation of v,
// which is isotropic, so the distribution is that of a rotation.
type Reflection int

const (
	// Released is the released code: r = (e1-mu) / (||e1-mu|| + 1e-5), and 1-omega^2 is at least
	// 1e-10. r is shorter than 1, so x is too: by 4e-4 at most at an angle of 0.1 between mu and
	// e1, 4e-2 at 1e-3, and x can vanish near 2.4e-5. At mu = e1 it is h. It is the default because
	// the paper's tables come from it.
	Released Reflection = iota
	// Exact has no 1e-5: r = (e1-mu) / ||e1-mu||, and r = 0 (so x = h) at mu = e1. x is a unit
	// vector everywhere. The derivative of x with respect to mu still grows like 1/||e1-mu|| near
	// e1, and is 0 by convention at e1.
	Exact
	// Stable starts from the opposite pole when mu_1 > 0: r = (e1+mu)/||e1+mu|| and omega changes
	// sign in h. The distribution is the same, x is a unit vector, and the derivative is bounded,
	// because the denominator is at least sqrt(2). For the same noise the sample differs from that
	// of Exact, and it jumps where mu_1 changes sign.
	Stable
)

var reflections = []string{"released", "exact", "stable"}

// String is the name of the constant in lower case.
func (r Reflection) String() string { return names.Of(r, reflections) }

// MarshalText writes the name: released, exact or stable.
func (r Reflection) MarshalText() ([]byte, error) { return []byte(r.String()), nil }

// UnmarshalText reads what MarshalText wrote.
func (r *Reflection) UnmarshalText(text []byte) error { return names.Read(r, text, reflections) }

const (
	releasedEpsilon = 1e-5  // added to the norm by Released
	releasedFloor   = 1e-10 // under the root of 1-omega^2 in Released
	tinySquare      = 1e-30 // squared norms up to here count as zero; above the smallest normal float32
)

// Place carries samples around e1 to a location: the host twin of FromOmega for one location.
//
//	location [d]        unit vector, d >= 2
//	omega    [L]        components along the location, in [-1, 1]
//	normals  [L*(d-1)]  tangent normals, row l being divided by its norm to give v (a zero row counts as e1)
//	returns  [L*d]      directions
func Place(location, omega, normals []float64, refl Reflection) []float64 {
	d := len(location)
	mirror := newMirror(location, refl)
	x := make([]float64, len(omega)*d)
	for l, w := range omega {
		row := x[l*d : (l+1)*d]
		copy(row[1:], normals[l*(d-1):(l+1)*(d-1)])
		unit(row[1:])
		mirror.carry(row, w, refl.sine(w))
	}
	return x
}

// sine is sqrt(1-omega^2).
func (r Reflection) sine(omega float64) float64 {
	sine2 := (1 - omega) * (1 + omega)
	if r == Released {
		sine2 = math.Max(sine2, releasedFloor)
	}
	return math.Sqrt(sine2)
}

// unit divides v by its norm; a zero vector becomes e1.
func unit(v []float64) {
	norm := norm2(v)
	if norm*norm <= tinySquare {
		clear(v)
		v[0] = 1
		return
	}
	for i := range v {
		v[i] /= norm
	}
}

// norm2 is the Euclidean norm.
func norm2(v []float64) float64 {
	sum := 0.0
	for _, x := range v {
		sum += x * x
	}
	return math.Sqrt(sum)
}

// mirror is a reflection with its pole: r and the sign of omega in h.
type mirror struct {
	r    []float64
	sign float64
}

func newMirror(location []float64, refl Reflection) mirror {
	m := mirror{r: make([]float64, len(location)), sign: 1}
	if refl == Stable && location[0] > 0 {
		m.sign = -1
	}
	for i, x := range location {
		m.r[i] = -x
	}
	m.r[0] += m.sign
	norm := norm2(m.r)
	switch {
	case refl == Released:
		norm += releasedEpsilon
	case norm*norm <= tinySquare:
		norm = math.Inf(1) // r = 0
	}
	for i := range m.r {
		m.r[i] /= norm
	}
	return m
}

// carry turns row, which holds v in row[1:], into the sample of the given omega and sqrt(1-omega^2).
func (m mirror) carry(row []float64, omega, sine float64) {
	row[0] = m.sign * omega
	for i := 1; i < len(row); i++ {
		row[i] *= sine
	}
	dot := 0.0
	for i, h := range row {
		dot += h * m.r[i]
	}
	for i := range row {
		row[i] -= 2 * dot * m.r[i]
	}
}

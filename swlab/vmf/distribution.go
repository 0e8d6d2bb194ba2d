package vmf

import (
	"fmt"
	"math"
	"math/rand/v2"
	"sync"
)

// Dist is the von Mises-Fisher distribution vMF(location, kappa) on S^{d-1}, in float64 on the
// host. It is immutable and safe for concurrent use, each goroutine with its own random source. Use
// New to make one. For a nil or zero Dist every number is NaN and every vector nil.
type Dist struct {
	location []float64 // unit
	kappa    float64
}

// unitTolerance is how far from 1 the norm of a location may be; within it the location is
// normalised.
const unitTolerance = 1e-4

// New returns vMF(location, kappa).
//
//	location [d]  unit vector, d >= 2; its norm may differ from 1 by 1e-4 (float32 rounding), which is divided out
//	kappa         concentration in [0, MaxKappa]; 0 is the uniform distribution
//
// It fails if location has fewer than two coordinates, is not finite or is not a unit vector, and
// if kappa is out of range. The location is copied.
func New[F float32 | float64](location []F, kappa float64) (*Dist, error) {
	wide := make([]float64, len(location))
	for i, x := range location {
		wide[i] = float64(x)
	}
	return newDist(wide, kappa)
}

// newDist is New; it may overwrite location.
func newDist(location []float64, kappa float64) (*Dist, error) {
	if len(location) < 2 {
		return nil, fmt.Errorf("vmf: location has %d coordinates, expected at least 2", len(location))
	}
	for i, x := range location {
		if math.IsNaN(x) || math.IsInf(x, 0) {
			return nil, fmt.Errorf("vmf: location[%d] is %g, expected a finite number", i, x)
		}
	}
	if err := CheckKappa(kappa); err != nil {
		return nil, err
	}
	norm := norm2(location)
	if !(math.Abs(norm-1) <= unitTolerance) {
		return nil, fmt.Errorf("vmf: location has norm %g, expected a unit vector (norm 1 within %g); divide it by its norm",
			norm, unitTolerance)
	}
	for i := range location {
		location[i] /= norm
	}
	return &Dist{location: location, kappa: kappa}, nil
}

// CheckKappa returns an error unless kappa is a concentration in [0, MaxKappa]. FromNoise panics in
// that case, so check user input here before building a graph.
func CheckKappa(kappa float64) error {
	if !(kappa >= 0 && kappa <= MaxKappa) {
		return fmt.Errorf("vmf: kappa is %g, expected a concentration in [0, %g]", kappa, float64(MaxKappa))
	}
	return nil
}

// Dim is the dimension d of the space around the sphere S^{d-1}; 0 for a Dist not made by New.
func (d *Dist) Dim() int {
	if d == nil {
		return 0
	}
	return len(d.location)
}

// Kappa is the concentration; NaN for a Dist not made by New.
func (d *Dist) Kappa() float64 {
	if d.Dim() == 0 {
		return math.NaN()
	}
	return d.kappa
}

// Location is a copy of the unit location vector, [d].
func (d *Dist) Location() []float64 {
	if d == nil {
		return nil
	}
	return append([]float64(nil), d.location...)
}

// LogProb is the natural logarithm of the density with respect to the surface measure of the
// sphere, log C_d(kappa) + kappa mu.x, for x [d] of norm 1 (not normalised here). NaN if len(x) is
// not Dim.
func (d *Dist) LogProb(x []float64) float64 {
	if d.Dim() == 0 || len(x) != d.Dim() {
		return math.NaN()
	}
	dot := 0.0
	for i, m := range d.location {
		dot += m * x[i]
	}
	_, rest := logMean(d.Dim(), d.Kappa())
	return rest - LogSurfaceArea(d.Dim()) - d.kappa*(1-dot)
}

// LogNormalizer is log C_d(kappa); see the function of that name.
func (d *Dist) LogNormalizer() float64 { return LogNormalizer(d.Dim(), d.Kappa()) }

// MeanResultantLength is A_d(kappa), the length of the mean vector; see the function of that name.
func (d *Dist) MeanResultantLength() float64 { return MeanResultantLength(d.Dim(), d.Kappa()) }

// MeanCos2 is E[(mu.x)^2]; see the function of that name.
func (d *Dist) MeanCos2() float64 { return MeanCos2(d.Dim(), d.Kappa()) }

// VarCos is the variance of mu.x; see the function of that name.
func (d *Dist) VarCos() float64 { return VarCos(d.Dim(), d.Kappa()) }

// Entropy is the differential entropy in nats; see the function of that name.
func (d *Dist) Entropy() float64 { return Entropy(d.Dim(), d.Kappa()) }

// KLUniform is the divergence from the uniform distribution in nats; see the function of that name.
func (d *Dist) KLUniform() float64 { return KLUniform(d.Dim(), d.Kappa()) }

// Mean is the mean vector A_d(kappa) mu, [d].
func (d *Dist) Mean() []float64 {
	a := d.MeanResultantLength()
	mean := d.Location()
	for i := range mean {
		mean[i] *= a
	}
	return mean
}

// SecondMoment is E[x x^T] = (A/kappa) I + (1 - d A/kappa) mu mu^T, [d*d] row by row; I/d at
// kappa = 0.
func (d *Dist) SecondMoment() []float64 { return d.axial(d.MeanCos2()) }

// Covariance is E[x x^T] - E[x] E[x]^T = (A/kappa) (I - mu mu^T) + A' mu mu^T, [d*d] row by row,
// where A' is VarCos.
func (d *Dist) Covariance() []float64 { return d.axial(d.VarCos()) }

// axial is the matrix with eigenvalue along on mu and A/kappa on the directions orthogonal to it.
func (d *Dist) axial(along float64) []float64 {
	n := d.Dim()
	if n == 0 {
		return nil
	}
	across := besselRatio(n, d.kappa).scale
	m := make([]float64, n*n)
	for i, x := range d.location {
		for j, y := range d.location {
			m[i*n+j] = (along - across) * x * y
		}
		m[i*n+i] += across
	}
	return m
}

// Rand draws n independent samples: n*d values, row i being sample i. The samples have norm 1 to
// rounding, and the component across the location keeps its relative accuracy at every kappa. nil
// if n < 1 or without a source.
func (d *Dist) Rand(src *rand.Rand, n int) []float64 {
	if n < 1 || src == nil || d.Dim() == 0 {
		return nil
	}
	dim := d.Dim()
	mirror := newMirror(d.location, Stable)
	x := make([]float64, n*dim)
	if dim == 3 {
		d.randSpace(src, mirror, x)
		return x
	}
	draw := angleSource(src, dim, d.kappa)
	for i := 0; i < n; i++ {
		row := x[i*dim : (i+1)*dim]
		omega, sine := draw()
		direction(src, row[1:])
		mirror.carry(row, omega, sine)
	}
	return x
}

// randSpace is Rand at d = 3. Random numbers are drawn in order; what is computed from them runs
// beside it on other cores, a block of samples at a time.
func (d *Dist) randSpace(src *rand.Rand, mirror mirror, x []float64) {
	const block = 3 * 4096
	c := newClosedForm(d.kappa)
	var wait sync.WaitGroup
	for from := 0; from < len(x); from += block {
		rows := x[from:min(from+block, len(x))]
		for i := 0; i < len(rows); i += 3 {
			row := rows[i : i+3 : i+3]
			row[0] = src.Float64()
			for row[1], row[2] = src.NormFloat64(), src.NormFloat64(); !(row[1]*row[1]+row[2]*row[2] > tinySquare); {
				row[1], row[2] = src.NormFloat64(), src.NormFloat64()
			}
		}
		wait.Go(func() {
			for i := 0; i < len(rows); i += 3 {
				row := rows[i : i+3 : i+3]
				omega, sine := c.at(row[0])
				norm := math.Sqrt(row[1]*row[1] + row[2]*row[2])
				row[1] /= norm
				row[2] /= norm
				mirror.carry(row, omega, sine)
			}
		})
	}
	wait.Wait()
}

// Rand32 is Rand rounded to float32, the type of swlab.Directions and of the directions of package
// vmfviz. Equal sources give the same samples.
func (d *Dist) Rand32(src *rand.Rand, n int) []float32 {
	samples := d.Rand(src, n)
	if samples == nil {
		return nil
	}
	x := make([]float32, len(samples))
	for i, v := range samples {
		x[i] = float32(v)
	}
	return x
}

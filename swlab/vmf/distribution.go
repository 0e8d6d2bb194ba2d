package vmf

import (
	"fmt"
	"math"
	"math/rand/v2"
	"sync"

	"github.com/sliced-wasserstein/lab/swlab/internal/vec"
)

// Dist is the von Mises-Fisher distribution vMF(location, kappa) on S^{d-1}, in float64 on the
// host. It is immutable and safe for concurrent use, each goroutine with its own random source. Use
// New to make one.
type Dist struct {
	location []float64 // unit
	kappa    float64
}

// unitTolerance is how far from 1 the norm of a location may be; within it the location is
// normalised.
const unitTolerance = 1e-4

// New returns vMF(mu, kappa).
//
//	mu [d]  unit vector, d >= 2; its norm may differ from 1 by 1e-4 (float32 rounding), which is divided out
//	kappa   concentration in [0, MaxKappa]; 0 is the uniform distribution
//
// It fails if mu has fewer than two coordinates, is not finite or is not a unit vector, and
// if kappa is out of range. It is copied.
func New[F float32 | float64](mu []F, kappa float64) (*Dist, error) {
	location := vec.To[float64](mu)
	if len(location) < 2 {
		return nil, fmt.Errorf("vmf: location has %d coordinates, expected at least 2", len(location))
	}
	if i := vec.NotFinite(location); i >= 0 {
		return nil, fmt.Errorf("vmf: location[%d] is %g, expected a finite number", i, location[i])
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

// Dim is the dimension d of the space around the sphere S^{d-1}.
func (d *Dist) Dim() int { return len(d.location) }

// LogProb is the natural logarithm of the density with respect to the surface measure of the
// sphere, log C_d(kappa) + kappa mu.x, for x [d] of norm 1 (not normalised here).
func (d *Dist) LogProb(x []float64) float64 {
	dot := 0.0
	for i, m := range d.location {
		dot += m * x[i]
	}
	_, rest := logMean(d.Dim(), d.kappa)
	return rest - LogSurfaceArea(d.Dim()) - d.kappa*(1-dot)
}

// MeanResultantLength is A_d(kappa), the length of the mean vector; see the function of that name.
func (d *Dist) MeanResultantLength() float64 { return MeanResultantLength(d.Dim(), d.kappa) }

// Rand draws n independent samples: n*d values, row i being sample i. The samples have norm 1 to
// rounding, and the component across the location keeps its relative accuracy at every kappa.
func (d *Dist) Rand(src *rand.Rand, n int) []float64 {
	dim := d.Dim()
	mirror := newMirror(d.location, Stable)
	x := make([]float64, n*dim)
	if dim == 3 {
		d.randSpace(src, mirror, x)
		return x
	}
	wood := newWood(dim, d.kappa)
	for i := 0; i < n; i++ {
		row := x[i*dim : (i+1)*dim]
		omega, sine := wood.draw(src)
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
	return vec.To[float32](d.Rand(src, n))
}

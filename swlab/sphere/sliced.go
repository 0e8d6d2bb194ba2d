package sphere

import (
	"cmp"
	"fmt"
	"math"

	"github.com/sliced-wasserstein/lab/swlab/internal/parallel"
	"github.com/sliced-wasserstein/lab/swlab/internal/vec"
	"github.com/sliced-wasserstein/lab/swlab/ot1d"
)

// MaxSliced finds, for every pair of clouds in two or three dimensions, the direction along which they
// are farthest apart: the maximum of W_p(theta), the distance of the projected points (a mean over
// points, with the root), which is Max-SW (Deshpande et al. 2019). p >= 1; 0 means 2.
//
// Every coupling pi of the points bounds W_p in all directions, the optimal one along theta best near
// theta:
//
//	W_p(theta')^p <= sum_ij pi_ij |theta'(x_i - y_j)|^p
//
// For p = 2 the right-hand side is a quadratic form theta' A theta', whose largest value within an angle
// of the centre of a cell is known. For any p its root is a norm of theta', and convex: in a cell of
// radius r it is at most the largest at a corner, divided by cos r. This is never worse than the
// Lipschitz constant of W_p.
//
// Upper includes all rounding, also that of package ot1d's costs, to which it is to be compared.
func MaxSliced(x, y ot1d.Clouds, p float64, s Search) ([]Maximum, error) {
	p = cmp.Or(p, 2)
	if x.Dim != 2 && x.Dim != 3 {
		return nil, fmt.Errorf("a certified maximum needs clouds of dimension 2 or 3, found %d", x.Dim)
	}
	if _, err := ot1d.NewHostPairs(x, y, ot1d.Config{P: p, Reduce: ot1d.Mean}); err != nil {
		return nil, err
	}
	found, errs := make([]Maximum, x.Batch), make([]error, x.Batch)
	parallel.Each(x.Batch, parallel.Alone(func(b int) {
		found[b], errs[b] = maxSliced(pair(x, b), pair(y, b), p, s)
	}))
	return found, cmp.Or(errs...)
}

// pair is one cloud of a batch.
func pair(c ot1d.Clouds, b int) ot1d.Clouds {
	n := c.Points * c.Dim
	c.Coords, c.Batch = c.Coords[b*n:(b+1)*n], 1
	if c.Mass != nil {
		c.Mass = c.Mass[b*c.Points : (b+1)*c.Points]
	}
	return c
}

// unit is more than the rounding of one operation.
const unit = 0x1p-52

// maxSliced is MaxSliced for one pair.
func maxSliced(x, y ot1d.Clouds, p float64, s Search) (Maximum, error) {
	pairs, err := ot1d.NewHostPairs(x, y, ot1d.Config{P: p, Reduce: ot1d.Mean})
	if err != nil {
		return Maximum{}, err
	}
	best, err := Maximize(x.Dim, func(at []float64) (value float64, bound Bound) {
		// The direction, the number of slices and the clouds are right.
		_ = pairs.Plans(at, 1, func(_, _ int, plan []ot1d.Match) {
			if p == 2 {
				f := newForm(plan, x, y)
				value, bound = f.along(at), f.bound
			} else {
				f := newNorm(plan, x, y, p)
				value, bound = f.along(at), f.bound
			}
		})
		return value, bound
	}, s)
	if err != nil {
		return best, err
	}
	// Costs are right to 1e-12 of the extent, see ot1d.HostCosts. Sums of masses move each point's share
	// by a rounding or, where two sums count as equal, by as many as there are points.
	extent := diagonal(x.Coords, y.Coords, x.Dim)
	best.Upper += 1e-12 * extent
	if x.Mass != nil || y.Mass != nil {
		n := float64(x.Points + y.Points)
		largest := max(best.Upper, extent)
		best.Upper = largest * math.Pow(math.Pow(best.Upper/largest, p)+n*n*unit*math.Pow(extent/largest, p), 1/p)
	}
	return best, nil
}

// diagonal is that of the box of both clouds.
func diagonal(x, y []float32, dim int) float64 {
	length := 0.0
	for j := range dim {
		low, high := math.Inf(1), math.Inf(-1)
		for _, cloud := range [][]float32{x, y} {
			for i := j; i < len(cloud); i += dim {
				low, high = min(low, float64(cloud[i])), max(high, float64(cloud[i]))
			}
		}
		length = math.Hypot(length, high-low)
	}
	return length
}

// difference writes x_i - y_j of a match to z.
func difference(z []float64, m ot1d.Match, x, y ot1d.Clouds) {
	for k := range z {
		z[k] = float64(x.Coords[m.X*x.Dim+k]) - float64(y.Coords[m.Y*x.Dim+k])
	}
}

// form is the quadratic form theta' A theta' of a coupling, A = sum pi_ij (x_i - y_j)(x_i - y_j)'.
type form struct {
	a        []float64 // [dim, dim]
	trace    float64
	square   float64 // of the Frobenius norm
	rounding float64 // of the form at a unit vector, at most
}

func newForm(plan []ot1d.Match, x, y ot1d.Clouds) form {
	dim := x.Dim
	f, z := form{a: make([]float64, dim*dim)}, make([]float64, dim)
	for _, m := range plan {
		difference(z, m, x, y)
		for i, v := range z {
			for j, w := range z {
				f.a[i*dim+j] += m.Mass * v * w
			}
		}
	}
	for i, v := range f.a {
		f.square += v * v
		if i%(dim+1) == 0 {
			f.trace += v
		}
	}
	f.rounding = float64(len(plan)+64) * unit * f.trace
	return f
}

// times returns theta'A theta and |A theta|^2.
func (f form) times(theta []float64) (value, square float64) {
	for i, t := range theta {
		sum := 0.0
		for j, u := range theta {
			sum += f.a[i*len(theta)+j] * u
		}
		value += t * sum
		square += sum * sum
	}
	return value, square
}

// along is the root of the form at a unit vector.
func (f form) along(theta []float64) float64 {
	value, _ := f.times(theta)
	return math.Sqrt(max(0, value))
}

// bound is also the root of the largest value within the radius of the centre c. With a = c'Ac, g the
// length of the part of Ac across c and b the largest eigenvalue of A across c, the form at the angle r
// from c is at most
//
//	a cos^2 r + 2 g sin r cos r + b sin^2 r = (a+b)/2 + R cos(2r - phi),   R e^(i phi) = (a-b)/2 + i g
func (f form) bound(c Cell) float64 {
	a, square := f.times(c.Centre)
	g := math.Sqrt(max(0, square-a*a))
	n, trace := float64(len(c.Centre)-1), f.trace-a
	// The largest of n numbers of that sum and that sum of squares, which is exact for n <= 2.
	spread := max(0, f.square-2*square+a*a-trace*trace/n)
	b := trace/n + math.Sqrt((n-1)/n*(spread+64*unit*f.square))
	r, phi := c.Radius, math.Atan2(g, (a-b)/2)
	most := (a+b)/2 + math.Hypot((a-b)/2, g)*math.Cos(max(0, phi-2*r))
	corner := c.atCorners(f.along)
	return math.Sqrt(max(0, min(most, corner*corner)) + f.rounding)
}

// norm is the root of sum pi_ij |theta'(x_i - y_j)|^p of a coupling.
type norm struct {
	z       []float64 // [matches, dim] differences
	mass    []float64 // [matches]
	p       float64
	largest float64 // |x_i - y_j|
}

func newNorm(plan []ot1d.Match, x, y ot1d.Clouds, p float64) norm {
	f := norm{z: make([]float64, len(plan)*x.Dim), mass: make([]float64, len(plan)), p: p}
	for i, m := range plan {
		z := f.z[i*x.Dim : (i+1)*x.Dim]
		difference(z, m, x, y)
		f.mass[i], f.largest = m.Mass, max(f.largest, vec.Norm(z))
	}
	return f
}

// along is the norm of theta, summed in units of its largest term.
func (f norm) along(theta []float64) float64 {
	sizes, largest := make([]float64, len(f.mass)), 0.0
	for i := range sizes {
		for j, t := range theta {
			sizes[i] += t * f.z[i*len(theta)+j]
		}
		sizes[i] = math.Abs(sizes[i])
		largest = max(largest, sizes[i])
	}
	if largest == 0 {
		return 0
	}
	sum := 0.0
	for i, v := range sizes {
		sum += f.mass[i] * math.Pow(v/largest, f.p)
	}
	return largest * math.Pow(sum, 1/f.p)
}

func (f norm) bound(c Cell) float64 {
	return c.atCorners(f.along)*(1+float64(len(f.mass)+64)*unit) + 64*unit*f.largest
}

// atCorners bounds a norm in the cell. A direction of the cell is a mean of its corners, divided by its
// length, which is at least the cosine of the radius.
func (c Cell) atCorners(norm func(theta []float64) float64) float64 {
	largest := 0.0
	for _, v := range c.Corners {
		largest = max(largest, norm(v))
	}
	return largest / math.Cos(c.Radius)
}

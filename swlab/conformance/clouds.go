package conformance

import (
	"math"
	"math/rand/v2"
	"slices"

	"github.com/sliced-wasserstein/lab/swlab/internal/vec"
)

// cloud is [points, dim].
type cloud struct {
	v   []float64
	dim int
}

// pair is two clouds; at, if set, are those at which Options.Held finds what it holds.
type pair struct {
	x, y cloud
	at   *pair
}

func heldOf(pairs []pair) []pair {
	out := make([]pair, len(pairs))
	for i, p := range pairs {
		out[i] = *p.at
	}
	return out
}

func random(seed uint64) *rand.Rand { return rand.New(rand.NewPCG(seed, 0x10557e57)) }

func (c cloud) points() int { return len(c.v) / c.dim }

// each is the cloud with its coordinates mapped by f.
func (c cloud) each(f func(point, axis int, v float64) float64) cloud {
	out := cloud{make([]float64, len(c.v)), c.dim}
	for i, v := range c.v {
		out.v[i] = f(i/c.dim, i%c.dim, v)
	}
	return out
}

// moved is the cloud translated by factor v.
func (c cloud) moved(v []float64, factor float64) cloud {
	return c.each(func(_, axis int, x float64) float64 { return x + factor*v[axis] })
}

func (c cloud) scaled(by float64) cloud {
	return c.each(func(_, _ int, x float64) float64 { return by * x })
}

// take returns the points at those places.
func (c cloud) take(at []int) cloud {
	out := cloud{dim: c.dim}
	for _, i := range at {
		out.v = append(out.v, c.v[i*c.dim:(i+1)*c.dim]...)
	}
	return out
}

func (c cloud) permuted(seed uint64) cloud { return c.take(random(seed).Perm(c.points())) }

// bootstrapped draws as many points with replacement, so some occur twice.
func (c cloud) bootstrapped(seed uint64) cloud {
	r, at := random(seed), make([]int, c.points())
	for i := range at {
		at[i] = r.IntN(len(at))
	}
	return c.take(at)
}

func (c cloud) doubled() cloud { return cloud{append(append([]float64{}, c.v...), c.v...), c.dim} }

// times multiplies every point by the orthogonal matrix q [dim, dim].
func (c cloud) times(q []float64) cloud {
	return c.each(func(point, axis int, _ float64) float64 {
		sum := 0.0
		for k := range c.dim {
			sum += q[axis*c.dim+k] * c.v[point*c.dim+k]
		}
		return sum
	})
}

// dense is the radius of clouds whose points are closer than a matching at a fixed scale resolves.
const dense = 0.01

// base are the clouds of which all lists consist: normal ones of several sizes and shapes at
// several places, clusters, a cube, a sphere, a dense one, a far one.
func (s *Subject) base() []cloud {
	r, m, dim := random(1), s.o.Points, s.o.Dim
	normal := func(sd float64) cloud {
		c := cloud{make([]float64, m*dim), dim}
		return c.each(func(_, _ int, _ float64) float64 { return sd * r.NormFloat64() })
	}
	along := func(axis int, v float64) []float64 {
		out := make([]float64, dim)
		out[axis] = v
		return out
	}
	sphere := normal(1)
	for i := range m {
		vec.Unit(sphere.v[i*dim : (i+1)*dim])
	}
	return []cloud{
		normal(0.3),
		normal(0.3).moved(along(0, 0.2), 1),
		normal(0.3).each(func(_, axis int, v float64) float64 { return v * float64(1+2*axis) }), // stretched
		normal(0.05).each(func(point, axis int, v float64) float64 { return v + float64(point%3*(axis+1))*0.2 }),
		normal(0).each(func(_, _ int, _ float64) float64 { return r.Float64() - 0.5 }),
		sphere.scaled(0.8),
		normal(dense),
		normal(1).moved(along(dim-1, 3), 1),
	}
}

// pairs are eight pairs of different clouds; the sixth has a dense cloud, the second last a
// translate, the last a bootstrapped copy.
func (s *Subject) pairs() []pair {
	b := s.base()
	out := s.smooth()
	return append(out, pair{x: b[6], y: b[0]}, pair{x: b[1], y: b[1].moved(s.shift(), 0.5)},
		pair{x: b[2], y: b[2].bootstrapped(9)})
}

// crossed are pairs long in one direction that differ in another, so that the cost of a slice
// follows neither the spread nor the gap of the means.
func (s *Subject) crossed() []pair {
	last := s.o.Dim - 1
	stretched := func(c cloud, axis int, by float64) cloud {
		return c.each(func(_, k int, v float64) float64 {
			if k == axis {
				return by * v
			}
			return v
		})
	}
	var out []pair
	for _, c := range s.base()[:4] {
		long, move := stretched(c, 0, 8), make([]float64, s.o.Dim)
		move[last] = 0.3
		out = append(out, pair{x: long, y: long.moved(move, 1)})
		move[0], move[last] = 0.3, 0
		out = append(out, pair{x: c, y: stretched(c, last, 5).moved(move, 1)})
	}
	c := s.crosses()
	return append(out, pair{x: c[0], y: c[1]}, pair{x: c[1], y: c[2]}, pair{x: c[2], y: c[0]})
}

// crosses are clouds half at v and half at -v: along the first axis, the last, and between. The
// cost of a slice between them has kinks.
func (s *Subject) crosses() []cloud {
	last := s.o.Dim - 1
	var out []cloud
	for _, angle := range []float64{0, 90, 45} {
		sin, cos := math.Sincos(angle * math.Pi / 180)
		out = append(out, s.base()[0].each(func(point, axis int, _ float64) float64 {
			sign := float64(1 - 2*(point%2))
			switch axis {
			case 0:
				return sign * cos
			case last:
				return sign * sin
			}
			return 0
		}))
	}
	return out
}

// two is a cloud of two places: that many points at shift, the others at 0.
func (s *Subject) two(points int) cloud {
	v := s.shift()
	return s.base()[0].each(func(point, axis int, _ float64) float64 {
		if point < points {
			return v[axis]
		}
		return 0
	})
}

// lookAlikes are pairs of different clouds that some losses cannot distinguish: the same places,
// taken by other numbers of points; the same mean and covariance; translates far apart.
func (s *Subject) lookAlikes() []pair {
	c := s.base()[1]
	mean := make([]float64, s.o.Dim)
	for i, v := range c.v {
		mean[i%s.o.Dim] += v / float64(c.points())
	}
	return []pair{
		{x: s.two(1), y: s.two(s.o.Points / 2)},
		{x: c, y: c.scaled(-1).moved(mean, 2)},
		{x: c, y: c.moved(s.shift(), 30)},
	}
}

// blind are different clouds with equal projections on the n directions theta: with vectors v_l
// orthogonal to theta_l, the sums of v_l over all subsets of 1..n with an even number of elements,
// and over those with an odd number. Adding or removing v_l pairs the points of x and y without
// changing their projections on theta_l.
func blind(theta []float64, dim int) pair {
	sums := [2]cloud{{[]float64{}, dim}, {[]float64{}, dim}}
	sums[0].v = make([]float64, dim) // the empty set
	for at := 0; at < len(theta); at += dim {
		t := theta[at : at+dim]
		flat := 0 // the axis furthest from t
		for k := range t {
			if math.Abs(t[k]) < math.Abs(t[flat]) {
				flat = k
			}
		}
		v := make([]float64, dim)
		for k := range t {
			v[k] = -t[flat] * t[k]
		}
		v[flat]++
		even, odd := sums[0], sums[1]
		sums[0].v = slices.Concat(even.v, odd.moved(v, 1).v)
		sums[1].v = slices.Concat(odd.v, even.moved(v, 1).v)
	}
	return pair{x: sums[0], y: sums[1]}
}

// smooth are pairs at which a loss between generic clouds has a derivative.
func (s *Subject) smooth() []pair {
	b := s.base()
	return []pair{{x: b[0], y: b[1]}, {x: b[1], y: b[2]}, {x: b[3], y: b[4]}, {x: b[5], y: b[0]}, {x: b[7], y: b[2]}}
}

// shift is a vector of length about 1 in general position.
func (s *Subject) shift() []float64 {
	v := make([]float64, s.o.Dim)
	for k := range v {
		v[k] = []float64{0.5, -0.3, 0.8}[k%3]
	}
	return v
}

// with maps the clouds of every pair.
func with(pairs []pair, x, y func(cloud) cloud) []pair {
	out := make([]pair, len(pairs))
	for i, p := range pairs {
		out[i] = pair{x: x(p.x), y: y(p.y)}
	}
	return out
}

func asIs(c cloud) cloud { return c }

// directions are n unit vectors, uniform on the sphere.
func directions(seed uint64, n, dim int) []float64 {
	r, out := random(seed), make([]float64, n*dim)
	for l := range n {
		v := out[l*dim : (l+1)*dim]
		for k := range v {
			v[k] = r.NormFloat64()
		}
		vec.Unit(v)
	}
	return out
}

// orthogonal is a rotation in general position: two reflections.
func orthogonal(dim int) []float64 {
	q := make([]float64, dim*dim)
	for k := range dim {
		q[k*dim+k] = 1
	}
	for _, seed := range []uint64{11, 12} {
		v := directions(seed, 1, dim)
		for column := range dim {
			along := 0.0
			for k := range dim {
				along += v[k] * q[k*dim+column]
			}
			for k := range dim {
				q[k*dim+column] -= 2 * along * v[k]
			}
		}
	}
	return q
}

// Package sets treats all clouds of a set at once. Along directions that all clouds share, a cloud is a
// vector, its sorted projections ([Embed]), and the sliced Wasserstein distance of two clouds is the
// Euclidean distance of their vectors. One projection and one sort per cloud and direction then give
// the matrix of distances ([Embedding.Distances]), a positive kernel ([Kernel]), nearest neighbours
// ([Embedding.Neighbours]) and k-means of clouds ([Embedding.Cluster]).
package sets

import (
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/gonum/floats"

	"github.com/sliced-wasserstein/lab/datasets"
	"github.com/sliced-wasserstein/lab/internal/memory"
	"github.com/sliced-wasserstein/lab/internal/settings"
	"github.com/sliced-wasserstein/lab/swlab"
	"github.com/sliced-wasserstein/lab/swlab/internal/parallel"
	"github.com/sliced-wasserstein/lab/swlab/internal/vec"
	"github.com/sliced-wasserstein/lab/swlab/loss"
	"github.com/sliced-wasserstein/lab/swlab/slicing"
)

// Config says how clouds become vectors. The zero value stands for 100 uniform directions and all
// points.
type Config struct {
	Slices  int    `json:"slices" help:"number L of directions, which all clouds share (default 100)" range:"1.." unset:"0" group:"Directions"`
	Slicing string `json:"slicing" help:"slicing distribution of the directions (default uniform): %s" group:"Directions"`
	// Quantiles per direction; 0: every point is one.
	Quantiles int `json:"quantiles" help:"means of the quantile function per direction, 8 q L bytes a cloud (default: all points)" range:"1.." unset:"0" group:"Directions"`
	// Seed of the directions. They are those that swlab.Distance draws for one pair.
	Seed uint64 `json:"-"`
	// Directions [L, d], used as given, replace those drawn.
	Directions []float64 `json:"-"`
	// Origin [d] is subtracted from every point; nil: 0. Vectors of one origin can be compared, and
	// their distances do not depend on it but for rounding, far from 0.
	Origin []float64 `json:"-"`
}

// Embedding holds clouds as vectors.
type Embedding struct {
	Vectors      []float64 // [Clouds, Size]
	Clouds, Size int
	Directions   []float64 // [Slices, d]
	Slices       int
	Quantiles    int // per direction: Size = Slices Quantiles
}

// Embed makes a vector of every cloud of m points,
//
//	E[l q + k] = (L q)^(-1/2) q int_(k/q)^((k+1)/q) Q_l(t) dt,   k = 0 ... q-1
//
// with Q_l the quantile function of the projections theta_l'x. With q = m, the default, these are the
// sorted projections, and for clouds X, Y along these directions
//
//	|E(X) - E(Y)|^2 = (1/L) sum_l (1/m) sum_i (a_(i) - b_(i))^2 = SW_2^2,   a = theta_l'x, b = theta_l'y
//
// With fewer quantiles the distance is a lower bound, and clouds of other sets and sizes can be compared
// by vectors of the same directions and the same q. It computes in float64, with all digits of sets that
// keep them ([datasets.Set.Rest]). Kolouri, Zou and Rohde (2016) use such vectors for kernels.
//
// Errors name the setting, what was expected and what was found; vectors that do not fit into memory are
// a *memory.Error.
func Embed(s *datasets.Set, o Config) (*Embedding, error) {
	e, err := o.plan(s)
	if err != nil {
		return nil, err
	}
	if err := memory.Check(fmt.Sprintf("quantiles: vectors of %d clouds, %d quantiles along %d directions each", e.Clouds,
		e.Quantiles, e.Slices), memory.Bytes(8, e.Clouds, e.Size)); err != nil {
		return nil, err
	}
	e.Vectors = make([]float64, e.Clouds*e.Size)
	scale := 1 / math.Sqrt(float64(e.Size))
	parallel.Each(e.Clouds, func() (func(int), func()) {
		columns, counts := make([]float64, s.Points*s.Dim), make([]int32, s.Points)
		line, sorted := make([]float64, s.Points), make([]float64, s.Points)
		return func(i int) {
			for j, v := range s.Positions(i) {
				if o.Origin != nil {
					v -= o.Origin[j%s.Dim]
				}
				columns[j%s.Dim*s.Points+j/s.Dim] = v
			}
			to := e.Vector(i)
			for l := range e.Slices {
				project(line, columns, e.Directions[l*s.Dim:(l+1)*s.Dim])
				order(sorted, line, counts)
				quantiles(to[l*e.Quantiles:(l+1)*e.Quantiles], sorted, scale)
			}
		}, func() {}
	})
	return e, nil
}

// Bytes is the size of a cloud's vector, 8 q L. It returns the errors of Embed but for memory, before
// any work.
func (o Config) Bytes(s *datasets.Set) (int64, error) {
	e, err := o.plan(s)
	if err != nil {
		return 0, err
	}
	return memory.Bytes(8, e.Size), nil
}

// plan checks a call and returns what it will make, without vectors.
func (o Config) plan(s *datasets.Set) (*Embedding, error) {
	if err := settings.Of(&o).Check(); err != nil {
		return nil, err
	}
	if s == nil {
		return nil, fmt.Errorf("clouds: expected a set, found nil")
	}
	if err := s.Validate(); err != nil {
		return nil, err
	}
	if o.Origin != nil && (len(o.Origin) != s.Dim || !vec.Finite(o.Origin...)) {
		return nil, fmt.Errorf("origin: expected %d finite numbers, found %v", s.Dim, o.Origin)
	}
	directions, err := o.directions(s.Dim)
	if err != nil {
		return nil, err
	}
	e := &Embedding{Clouds: s.Clouds, Directions: directions, Slices: len(directions) / s.Dim, Quantiles: s.Points}
	if o.Quantiles > 0 {
		e.Quantiles = o.Quantiles
	}
	e.Size = e.Slices * e.Quantiles
	return e, nil
}

// directions are those given, or those that Distance draws for one pair.
func (o Config) directions(dim int) ([]float64, error) {
	if o.Directions != nil {
		if err := vec.CheckDirections(o.Directions, dim); err != nil {
			return nil, fmt.Errorf("directions: %w", err)
		}
		return o.Directions, nil
	}
	c := loss.Defaults()
	c.Slices, c.Slicing = o.Slices, o.Slicing
	l, err := loss.New("sw", c)
	if err != nil {
		return nil, err
	}
	if _, is := l.(loss.Sliced).Slicer.Distribution.(slicing.CloudDependent); is {
		return nil, fmt.Errorf("slicing: expected directions that all clouds share, found %q, whose depend on the clouds",
			o.Slicing)
	}
	point, err := datasets.New(make([]float32, dim), 1, dim)
	if err != nil {
		return nil, err
	}
	d, err := swlab.Distance("sw", point, point, swlab.DistanceConfig{Config: c, Seed: o.Seed, Path: swlab.HostPath})
	if err != nil {
		return nil, err
	}
	return vec.To[float64](d.Directions), nil
}

// Centre is the mean [d] of the first points of all clouds: an Origin for clouds far from 0.
func Centre(s *datasets.Set) []float64 {
	out := make([]float64, s.Dim)
	for i := range s.Clouds {
		for k := range out {
			v := float64(s.Cloud(i)[k])
			if s.Origins != nil {
				v += s.Origin(i)[k]
			}
			out[k] += v / float64(s.Clouds)
		}
	}
	return out
}

// project writes theta'x of all points, [d, m] by columns of coordinates.
func project(line, columns, theta []float64) {
	m := len(line)
	floats.ScaleTo(line, theta[0], columns[:m])
	for k := 1; k < len(theta); k++ {
		floats.AddScaled(line, theta[k], columns[k*m:(k+1)*m])
	}
}

// order sorts v into to: by buckets, about one for each number, whose few numbers insertion then puts in
// place. Where outliers leave many numbers to a bucket, it leaves the work to package slices.
func order(to, v []float64, counts []int32) {
	const many = 32
	low, high := v[0], v[0]
	for _, x := range v {
		if x < low {
			low = x
		}
		if x > high {
			high = x
		}
	}
	scale := float64(len(v)-1) / (high - low)
	if !(scale > 0) || math.IsInf(scale, 1) {
		copy(to, v)
		slices.Sort(to)
		return
	}
	clear(counts)
	for _, x := range v {
		counts[int((x-low)*scale)]++
	}
	at, largest := int32(0), int32(0)
	for b, n := range counts {
		counts[b] = at
		at, largest = at+n, max(largest, n)
	}
	for _, x := range v {
		b := int((x - low) * scale)
		to[counts[b]] = x
		counts[b]++
	}
	if largest > many {
		slices.Sort(to)
		return
	}
	for i, x := range to {
		for ; i > 0 && to[i-1] > x; i-- {
			to[i] = to[i-1]
		}
		to[i] = x
	}
}

// quantiles writes the means of the quantile function over equal pieces of [0, 1], times scale. Each of
// m points has q shares of the mass 1/(mq), and each of q pieces takes m.
func quantiles(to, sorted []float64, scale float64) {
	m, q := len(sorted), len(to)
	if m == q {
		for k, v := range sorted {
			to[k] = scale * v
		}
		return
	}
	i, left := 0, q
	for k := range to {
		sum := 0.0
		for need := m; need > 0; {
			n := min(left, need)
			sum += float64(n) * sorted[i]
			need -= n
			if left -= n; left == 0 {
				i, left = i+1, q
			}
		}
		to[k] = scale * (sum / float64(m))
	}
}

// Vector is the vector of cloud i, a view.
func (e *Embedding) Vector(i int) []float64 { return e.Vectors[i*e.Size : (i+1)*e.Size : (i+1)*e.Size] }

const (
	tile  = 64  // clouds along each side of a tile of a matrix
	chunk = 256 // numbers of these clouds that fit into a core's cache
	// near is the part of the squared lengths, relative to the mean vector, below which a squared distance
	// is computed from differences: products would lose more than 1e-12 of it.
	near = 0.01
)

// Distances returns the Euclidean distances of all vectors, [Clouds, Clouds]: SW_2 between the clouds
// along the directions, a root and a mean over points. The diagonal is exactly 0, and the matrix is
// symmetric.
func (e *Embedding) Distances() ([]float64, error) {
	n := e.Clouds
	if err := memory.Check(fmt.Sprintf("clouds: distances between %d clouds", n), memory.Bytes(8, n, n)); err != nil {
		return nil, err
	}
	mean := make([]float64, e.Size)
	for i := range n {
		floats.AddScaled(mean, 1/float64(n), e.Vector(i))
	}
	out, side := make([]float64, n*n), (n+tile-1)/tile
	parallel.Each(side*side, func() (func(int), func()) {
		scratch := make([]float64, 2*tile*chunk)
		return func(task int) {
			if rows, columns := task/side*tile, task%side*tile; rows <= columns {
				e.tile(out, mean, scratch, rows, columns)
			}
		}, func() {}
	})
	return out, nil
}

// tile computes a tile of the matrix and the one mirrored at the diagonal, from its corner on:
// |a - b|^2 = |a|^2 + |b|^2 - 2 a'b for vectors relative to the mean.
func (e *Embedding) tile(out, mean, scratch []float64, rows, columns int) {
	n, lastRow, lastColumn := e.Clouds, min(rows+tile, e.Clouds), min(columns+tile, e.Clouds)
	var lengths [2][tile]float64
	for from := 0; from < e.Size; from += chunk {
		to := min(from+chunk, e.Size)
		piece := func(side, k int) []float64 { return scratch[(side*tile+k)*chunk:][:to-from] }
		for side, first := range [2]int{rows, columns} {
			for k := range min(tile, n-first) {
				p := floats.AddScaledTo(piece(side, k), e.Vector(first + k)[from:to], -1, mean[from:to])
				lengths[side][k] += floats.Dot(p, p)
			}
		}
		for i := rows; i < lastRow; i++ {
			for j := max(i+1, columns); j < lastColumn; j++ {
				out[i*n+j] += floats.Dot(piece(0, i-rows), piece(1, j-columns))
			}
		}
	}
	for i := rows; i < lastRow; i++ {
		for j := max(i+1, columns); j < lastColumn; j++ {
			lengths := lengths[0][i-rows] + lengths[1][j-columns]
			d := lengths - 2*out[i*n+j]
			if !(d > near*lengths) {
				d = square(e.Vector(i), e.Vector(j))
			}
			out[i*n+j] = math.Sqrt(d)
			out[j*n+i] = out[i*n+j]
		}
	}
}

// square is the squared Euclidean distance, by four sums that need not wait for each other.
func square(a, b []float64) float64 {
	var sum [4]float64
	b = b[:len(a)]
	for len(a) >= 4 && len(b) >= 4 {
		d0, d1, d2, d3 := a[0]-b[0], a[1]-b[1], a[2]-b[2], a[3]-b[3]
		sum[0] += d0 * d0
		sum[1] += d1 * d1
		sum[2] += d2 * d2
		sum[3] += d3 * d3
		a, b = a[4:], b[4:]
	}
	for i, v := range a {
		sum[0] += (v - b[i]) * (v - b[i])
	}
	return (sum[0] + sum[1]) + (sum[2] + sum[3])
}

// Kernel turns distances into exp(-distance^2 / (2 scale^2)). Of the distances of an Embedding it is a
// positive semidefinite matrix: they are Euclidean.
func Kernel(distances []float64, scale float64) ([]float64, error) {
	if !(scale > 0) || math.IsInf(scale, 1) {
		return nil, fmt.Errorf("kernel: expected a number > 0, found %v", scale)
	}
	out := make([]float64, len(distances))
	for i, d := range distances {
		out[i] = math.Exp(-d / scale * (d / scale) / 2)
	}
	return out, nil
}

package datasets

import (
	"cmp"
	"fmt"
	"math"
	"slices"
)

// The coordinates of a Set are float32. A number that is read as float64 or as text loses digits by
// that, and far from 0 it may lose all that tell the points of a cloud from each other. Such clouds
// are kept relative to an origin: a point is at Origins + Coords. Clouds whose numbers float32 holds,
// and clouds near 0, have none.

const (
	// far is how many times its extent a cloud must be from 0 to get an origin.
	far = 16
	// lossy is the part of a cloud's extent from which on rounding is worth a warning.
	lossy = 1e-4
	// extentSample is the largest number of points that originOf looks at.
	extentSample = 128
)

// round rounds the points src [points, d] of a cloud to float32, relative to the origin that it
// returns; nil is 0. lost is the largest rounding of a coordinate, as a fraction of the cloud's extent.
func round(dst []float32, src []float64, d int) (origin []float64, lost float64) {
	exact := true
	for i, v := range src {
		dst[i] = float32(v)
		exact = exact && float64(dst[i]) == v
	}
	if exact {
		return nil, 0
	}
	origin, extent := originOf(src, d)
	off := 0.0
	for i, v := range src {
		if origin != nil {
			v -= origin[i%d]
			dst[i] = float32(v)
		}
		off = max(off, math.Abs(v-float64(dst[i])))
	}
	return origin, fraction(off, extent)
}

// fraction is off / extent; 0 without an extent, or if a number is not finite.
func fraction(off, extent float64) float64 {
	if f := off / extent; f-f == 0 {
		return f
	}
	return 0
}

// originOf returns the origin of a cloud [points, d], nil for one near 0, and its extent: the range of
// the middle half of its points along the longest axis, so that a few outliers count for nothing. An
// origin is a multiple of a power of two: its difference from a coordinate is exact in float64, and
// clouds near each other mostly have one origin.
func originOf(cloud []float64, d int) (origin []float64, extent float64) {
	middle, extent := middleHalf(cloud, d, extentSample)
	distance, largest := 0.0, 0.0
	for k := range d {
		low, high := math.Inf(1), math.Inf(-1)
		for i := k; i < len(cloud); i += d {
			low, high = min(low, cloud[i]), max(high, cloud[i])
		}
		if !(high <= math.MaxFloat32/4 && low >= -math.MaxFloat32/4) { // NaN, too
			return nil, extent
		}
		largest, distance = max(largest, high-low), max(distance, math.Abs(middle[k]))
	}
	if extent == 0 { // more than half of the points are equal
		extent = largest
	}
	if distance <= far*extent {
		return nil, extent
	}
	step := math.Exp2(math.Ceil(math.Log2(max(4*extent, distance*0x1p-48))))
	for k, c := range middle {
		middle[k] = step * math.RoundToEven(c/step)
	}
	return middle, extent
}

// middleHalf returns the medians [d] of a cloud [points, d], and the range of the middle half of its
// points along the longest axis, of at most so many points.
func middleHalf[T float](cloud []T, d, most int) (middle []float64, extent float64) {
	m := len(cloud) / d
	sample := make([]float64, min(m, most))
	middle = make([]float64, d)
	for k := range d {
		for i := range sample {
			sample[i] = float64(cloud[i*m/len(sample)*d+k])
		}
		slices.Sort(sample)
		quarter := len(sample) / 4
		middle[k] = sample[len(sample)/2]
		extent = max(extent, sample[len(sample)-1-quarter]-sample[quarter])
	}
	return middle, extent
}

// roundingOf is at least the rounding of a cloud's coordinates once divided by scale, its radius, as a
// fraction of its extent; 0 if that is negligible. Far outliers leave the other points little of the
// radius.
func roundingOf(cloud []float32, d int, scale float64) float64 {
	const ulp, few = 0x1p-25, 16 // few points suffice to tell most clouds
	if _, extent := middleHalf(cloud, d, few); ulp*scale < lossy/8*extent {
		return 0
	}
	_, extent := middleHalf(cloud, d, extentSample)
	if extent == 0 || ulp*scale < lossy/8*extent {
		return 0
	}
	return ulp * scale / extent
}

// Origin returns what Coords of cloud i are relative to, [Dim]; nil is 0.
func (s *Set) Origin(i int) []float64 {
	if s.Origins == nil {
		return nil
	}
	return s.Origins[i*s.Dim : (i+1)*s.Dim : (i+1)*s.Dim]
}

// rest is Rest of cloud i, or nil.
func (s *Set) rest(i int) []float32 {
	if s.Rest == nil {
		return nil
	}
	size := s.Points * s.Dim
	return s.Rest[i*size : (i+1)*size : (i+1)*size]
}

// Positions returns the points of cloud i where they are, Origin + Coords + Rest, row-major [Points,
// Dim]. With Rest they are those given to a relative 2^-48.
func (s *Set) Positions(i int) []float64 {
	out, origin, rest := make([]float64, s.Points*s.Dim), s.Origin(i), s.rest(i)
	for j, v := range s.Cloud(i) {
		out[j] = float64(v)
		if rest != nil {
			out[j] += float64(rest[j])
		}
		if origin != nil {
			out[j] += origin[j%s.Dim]
		}
	}
	return out
}

// Rebase returns the same clouds relative to other origins, [Clouds, Dim]; nil is 0, and the result
// then has the coordinates themselves, rounded to float32. It is s itself if nothing changes, else a
// copy.
func (s *Set) Rebase(origins []float64) *Set {
	if origins == nil && s.Origins == nil || origins != nil && slices.Equal(origins, s.Origins) {
		return s
	}
	out := *s
	out.Origins, out.Coords, out.Rest = slices.Clone(origins), make([]float32, len(s.Coords)), nil
	wide, shift := make([]float64, s.Points*s.Dim), make([]float64, s.Dim)
	for i := range s.Clouds {
		from, to := s.Origin(i), out.Origin(i)
		for k := range shift {
			shift[k] = at0(from, k) - at0(to, k)
		}
		off, rounded := 0.0, out.Cloud(i)
		for j, v := range s.Cloud(i) {
			wide[j] = float64(v) + shift[j%s.Dim]
			rounded[j] = float32(wide[j])
			off = max(off, math.Abs(wide[j]-float64(rounded[j])))
		}
		if off > 0 {
			_, extent := originOf(wide, s.Dim)
			out.Rounding = max(out.Rounding, fraction(off, extent))
		}
	}
	return &out
}

// Warnings says, one sentence each, why the clouds may not be what the caller expects: by how much
// float32 rounds the coordinates, if that is more than 1e-4 of a cloud's extent, and
// that all were cut to the number of points of the smallest file. It is nil without any.
func (s *Set) Warnings() []string {
	var out []string
	if s.Fewest != "" {
		out = append(out, fmt.Sprintf("%s: %d points of every cloud are used, all that %s has: the files have unequal numbers", s.Name, s.Points, s.Fewest))
	}
	if w := s.roundingWarning(); w != "" {
		out = append(out, w)
	}
	return out
}

func (s *Set) roundingWarning() string {
	if s.Rounding <= lossy {
		return ""
	}
	return fmt.Sprintf("%s: float32 rounds coordinates by up to %.2g of their cloud's extent (that of the middle half of its points)", s.Name, s.Rounding)
}

// at0 is v[k], or 0 of a nil v.
func at0(v []float64, k int) float64 {
	if v == nil {
		return 0
	}
	return v[k]
}

// Aligned returns both sets with one origin for each pair of clouds (x_b, y_b), so that coordinates of
// x and y can be subtracted. Sets without origins, and of unequal numbers or dimensions, are returned
// as they are.
func Aligned(x, y *Set) (*Set, *Set) {
	if x.Clouds != y.Clouds || x.Dim != y.Dim || x.Origins == nil &&
		y.Origins == nil || slices.Equal(x.Origins, y.Origins) {
		return x, y
	}
	var origins []float64
	for b := range x.Clouds {
		origin := x.Origin(b)
		if !slices.Equal(origin, y.Origin(b)) {
			origin, _ = originOf(slices.Concat(x.Positions(b), y.Positions(b)), x.Dim)
		}
		if origin == nil {
			origin = make([]float64, x.Dim)
		}
		origins = append(origins, origin...)
	}
	return x.Rebase(origins), y.Rebase(origins)
}

// Together returns the sets with one origin for all their clouds, so that every cloud can be compared
// with every other. Sets without origins, and of different dimensions, are returned as they are.
func Together(sets ...*Set) []*Set {
	var points [][]float64 // of each cloud, the first
	for _, s := range sets {
		if s.Dim != sets[0].Dim {
			return sets
		}
		for i := range s.Clouds {
			point := make([]float64, s.Dim)
			for k := range point {
				point[k] = at0(s.Origin(i), k) + float64(s.Cloud(i)[k])
			}
			points = append(points, point)
		}
	}
	if !slices.ContainsFunc(sets, func(s *Set) bool { return s.Origins != nil }) || len(points) == 0 {
		return sets
	}
	middle := make([]float64, sets[0].Dim)
	for k := range middle {
		slices.SortFunc(points, func(a, b []float64) int { return cmp.Compare(a[k], b[k]) })
		middle[k] = points[len(points)/2][k]
	}
	out := make([]*Set, len(sets))
	for i, s := range sets {
		out[i] = s.Rebase(slices.Repeat(middle, s.Clouds))
	}
	return out
}

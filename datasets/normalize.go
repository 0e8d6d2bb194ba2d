package datasets

import (
	"errors"
	"fmt"
	"math"
	"slices"
)

// Normalize centres and scales every cloud in place (protocol section 4):
//
//	x_i <- (x_i - c) / r,   c = (1/m) sum_j x_j,   r = max_j |x_j - c|
//
// with sums and norms in float64, relative to the cloud's origin. Afterwards the centroid is 0 and the largest norm is 1, up to
// float32 rounding; c and r are in s.Frames. A cloud with a NaN or an infinity, or whose points are
// all equal, is an error that names it. The clouds before it are then normalised, the others
// unchanged.
func (s *Set) Normalize() error {
	frames, lost := make([]Frame, s.Clouds), 0.0
	for i := range s.Clouds {
		f, rounding, err := normalizeCloud(s.Cloud(i), s.Origin(i), s.Dim)
		if err != nil {
			return fmt.Errorf("%s: cloud %d: %w", s.Name, i, err)
		}
		clear(s.Origin(i))
		frames[i], lost = f, max(lost, rounding)
		if s.Frames != nil {
			frames[i] = frames[i].within(s.Frames[i])
		}
	}
	s.Frames, s.Origins, s.Rest, s.Rounding = frames, nil, nil, lost
	return nil
}

// Frame is the position of a cloud before it was normalised: its points were Centre + Scale x.
type Frame struct {
	Centre []float64 `json:"centre"` // centroid, a number per coordinate
	Scale  float64   `json:"scale"`  // largest distance of a point from the centroid
}

var errZeroExtent = errors.New("zero extent: all points are equal, so there is no radius to scale by")

// FrameOf returns centre and scale of a cloud [points, dim]. A cloud with a NaN or an infinity, or
// whose points are all equal, is an error.
func FrameOf(cloud []float32, dim int) (Frame, error) {
	if dim < 1 || len(cloud) == 0 || len(cloud)%dim != 0 {
		return Frame{}, fmt.Errorf("a cloud of dimension %d: expected a multiple of as many coordinates, found %d", dim,
			len(cloud))
	}
	if err := checkFinite(cloud, dim); err != nil {
		return Frame{}, err
	}
	if allEqual(cloud, dim) {
		return Frame{}, errZeroExtent
	}
	m := len(cloud) / dim
	mean := make([]float64, dim)
	for j := 0; j < len(cloud); j += dim {
		for k := range dim {
			mean[k] += float64(cloud[j+k])
		}
	}
	for k := range mean {
		mean[k] /= float64(m)
	}
	largest := 0.0
	for j := 0; j < len(cloud); j += dim {
		sum := 0.0
		for k := range dim {
			v := float64(cloud[j+k]) - mean[k]
			sum += float64(v * v)
		}
		largest = max(largest, sum)
	}
	return Frame{Centre: mean, Scale: math.Sqrt(largest)}, nil
}

// Apply normalises points [points, dim] in place: x <- (x - Centre) / Scale.
func (f Frame) Apply(points []float32) {
	d := len(f.Centre)
	for j := 0; d > 0 && j+d <= len(points); j += d {
		for k := range d {
			points[j+k] = float32((float64(points[j+k]) - f.Centre[k]) / f.Scale)
		}
	}
}

// Undo is the inverse of Apply: x <- Centre + Scale x.
func (f Frame) Undo(points []float32) {
	d := len(f.Centre)
	for j := 0; d > 0 && j+d <= len(points); j += d {
		for k := range d {
			points[j+k] = float32(f.Centre[k] + f.Scale*float64(points[j+k]))
		}
	}
}

// Offset is the distance of the centre from the origin.
func (f Frame) Offset() float64 {
	sum := 0.0
	for _, c := range f.Centre {
		sum += c * c
	}
	return math.Sqrt(sum)
}

// within returns the frame of a cloud that was normalised before, by outer.
func (f Frame) within(outer Frame) Frame {
	centre := make([]float64, len(f.Centre))
	for k, c := range f.Centre {
		centre[k] = outer.Centre[k] + outer.Scale*c
	}
	return Frame{Centre: centre, Scale: outer.Scale * f.Scale}
}

// From returns the frame of a cloud whose coordinates were relative to an origin ([Set.Origin]).
func (f Frame) From(origin []float64) Frame {
	f.Centre = slices.Clone(f.Centre)
	for k := range min(len(origin), len(f.Centre)) {
		f.Centre[k] += origin[k]
	}
	return f
}

// Restore returns the clouds where they were before they were normalised with these frames, one for
// each cloud.
func (s *Set) Restore(frames []Frame) (*Set, error) {
	if len(frames) != s.Clouds {
		return nil, fmt.Errorf("%s: %d frames for %d clouds", s.Name, len(frames), s.Clouds)
	}
	wide := make([]float64, 0, len(s.Coords))
	for i, f := range frames {
		if len(f.Centre) != s.Dim {
			return nil, fmt.Errorf("%s: cloud %d: a centre of %d coordinates for dimension %d", s.Name, i, len(f.Centre), s.Dim)
		}
		for j, v := range s.Positions(i) {
			wide = append(wide, f.Centre[j%s.Dim]+float64(f.Scale*v))
		}
	}
	out := *s
	out.Frames, out.Origins, out.Rest, out.Rounding = nil, nil, nil, 0
	out.setCoords(wide)
	return &out, nil
}

// normalizeCloud is Normalize for one cloud [points, d] with that origin. On error the cloud is
// unchanged. lost is that of round.
func normalizeCloud(cloud []float32, origin []float64, d int) (f Frame, lost float64, err error) {
	if f, err = FrameOf(cloud, d); err == nil {
		lost = roundingOf(cloud, d, f.Scale)
		f.Apply(cloud)
	}
	return f.From(origin), lost, err
}

// allEqual reports whether every point equals the first.
func allEqual(cloud []float32, d int) bool {
	for j := d; j < len(cloud); j++ {
		if cloud[j] != cloud[j-d] {
			return false
		}
	}
	return true
}

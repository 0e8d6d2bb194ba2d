package datasets

import (
	"cmp"
	"fmt"

	"github.com/sliced-wasserstein/lab/datasets/format"
	"github.com/sliced-wasserstein/lab/datasets/internal/rng"
)

// readClouds reads one file of clouds, normalised and cut to Options.Points. seedName is the file's
// name in seeds.
func readClouds(path, seedName string, o Options) (*Set, error) {
	d, err := format.Read(path, o.Key)
	if err != nil {
		return nil, err
	}
	var set *Set
	if d.Mesh != nil {
		set, err = sampled(path, seedName, d.Mesh, o)
	} else if set, err = fromArray(path, d.Kind, d.Array); err == nil {
		err = set.setLabels(path, d.Labels)
	}
	if err != nil {
		return nil, err
	}
	file := rng.Hash(seedName)
	if err := set.finish(o, func(i int) *rng.Stream {
		return rng.New(o.Seed, uint64(i), file, rng.Hash("subset"))
	}); err != nil {
		return nil, err
	}
	return set, nil
}

// sampled is the set of a mesh's points.
func sampled(path, seedName string, m *format.Mesh, o Options) (*Set, error) {
	n := cmp.Or(o.Points, meshPoints)
	points, err := m.Sample(n, rng.New(o.Seed, rng.Hash(seedName), rng.Hash("mesh")))
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	set, err := newSet(path, "mesh", points, []int{n, 3})
	if err == nil {
		set.DegenerateFaces = []int32{int32(m.Flat)}
	}
	return set, err
}

// fromArray is newSet of an array as read.
func fromArray(path, kind string, a format.Array) (*Set, error) {
	if a.Wide != nil {
		return newSet(path, kind, a.Wide, a.Shape)
	}
	return newSet(path, kind, a.Narrow, a.Shape)
}

// newSet makes a set of an array [m, d] or [B, m, d]. It shares numbers that are float32, and rounds
// others.
func newSet[T float](path, kind string, data []T, shape []int) (*Set, error) {
	set := &Set{Name: path, Kind: kind}
	switch len(shape) {
	case 2:
		set.Clouds, set.Points, set.Dim = 1, shape[0], shape[1]
	case 3:
		set.Clouds, set.Points, set.Dim = shape[0], shape[1], shape[2]
	default:
		return nil, fmt.Errorf("%s: expected an array [points, dim] or [clouds, points, dim], found shape %v", path, shape)
	}
	if set.Clouds < 1 || set.Points < 1 || set.Dim < 1 {
		return nil, fmt.Errorf("%s: shape %v holds no points", path, shape)
	}
	if want, ok := format.Product(shape...); !ok || want != len(data) {
		return nil, fmt.Errorf("%s: shape %v needs N*M*D coordinates, found %d", path, shape, len(data))
	}
	set.setCoords(data)
	return set, nil
}

// setCoords stores the coordinates.
func (s *Set) setCoords(data any) {
	wide, ok := data.([]float64)
	if !ok {
		s.Coords = data.([]float32)
		return
	}
	s.Coords = make([]float32, len(wide))
	for i := range s.Clouds {
		size := s.Points * s.Dim
		origin, lost := round(s.Cloud(i), wide[i*size:(i+1)*size], s.Dim)
		s.Rounding = max(s.Rounding, lost)
		if origin != nil {
			if s.Origins == nil {
				s.Origins = make([]float64, s.Clouds*s.Dim)
			}
			copy(s.Origin(i), origin)
		}
	}
	rest, left := make([]float32, len(wide)), false
	for i, v := range wide {
		cloud := i / (s.Points * s.Dim)
		rest[i] = float32(v - at0(s.Origin(cloud), i%s.Dim) - float64(s.Coords[i]))
		left = left || rest[i] != 0
	}
	if left {
		s.Rest = rest
	}
}

// finish normalises the stored clouds, unless o.Raw, and cuts them to o.Points. random seeds the
// subset of a cloud.
func (s *Set) finish(o Options, random func(cloud int) *rng.Stream) error {
	if o.AtMost {
		o.Points = min(o.Points, s.Points)
	}
	if s.Points < o.Points {
		return fmt.Errorf("%s: %d points per cloud were asked for, the file has %d", s.Name, o.Points, s.Points)
	}
	lost := 0.0
	if !o.Raw {
		s.Frames = make([]Frame, s.Clouds)
	}
	for i := range s.Clouds {
		f, rounding, err := o.prepare(s.Cloud(i), s.Origin(i), s.Dim)
		if err != nil {
			return fmt.Errorf("%s: cloud %d: %w", s.Name, i, err)
		}
		if !o.Raw {
			s.Frames[i], lost = f, max(lost, rounding)
		}
	}
	if !o.Raw { // normalised clouds are at 0
		s.Origins, s.Rounding = nil, lost
	}
	if !o.Raw || !o.Exact {
		s.Rest = nil
	}
	if o.Points != 0 && o.Points != s.Points {
		s.cut(o.Points, random)
	}
	return nil
}

// prepare checks a stored cloud with that origin and, unless o.Raw, is normalizeCloud.
func (o Options) prepare(cloud []float32, origin []float64, d int) (f Frame, lost float64, err error) {
	switch {
	case o.NonFinite:
		return f, 0, nil
	case o.Raw:
		return f, 0, checkFinite(cloud, d)
	}
	return normalizeCloud(cloud, origin, d)
}

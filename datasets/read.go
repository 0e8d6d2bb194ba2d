package datasets

import (
	"fmt"
	"io"
	"path/filepath"
	"strings"

	"github.com/sliced-wasserstein/lab/datasets/internal/rng"
)

// readClouds reads one file of clouds, normalised and cut to Options.Points. seedName is the file's
// name in seeds.
func readClouds(path, seedName string, o Options) (*Set, error) {
	var set *Set
	var err error
	switch extension := strings.ToLower(filepath.Ext(path)); extension {
	case ".npy":
		a, readErr := readNPY(path)
		if readErr != nil {
			return nil, readErr
		}
		set, err = a.set(path, "npy")
	case ".npz":
		set, err = readNPZSet(path, o.Key)
	case ".h5", ".hdf5":
		array, labels, readErr := readH5(path, o.h5Key())
		if readErr != nil {
			return nil, readErr
		}
		if set, err = array.set(path, "h5"); err == nil {
			err = set.setLabels(path, labels)
		}
	case ".pt", ".pth":
		set, err = readTorchSet(path, o.Key)
	case ".csv", ".tsv", ".txt":
		data, dim, readErr := readTable(path)
		if readErr != nil {
			return nil, readErr
		}
		set, err = newSet(path, "points", data, []int{len(data) / dim, dim})
	default:
		if readerOf(path) == nil {
			return nil, fmt.Errorf("%s: type %q: expected %s, a folder, or the word %s", path, extension, cloudTypes(), Builtin)
		}
		set, err = readMeshSet(path, seedName, o)
	}
	if err != nil {
		return nil, err
	}
	file := rng.Hash(seedName)
	if err := set.finish(o, func(i int) *rng.Stream { return rng.New(o.Seed, uint64(i), file, rng.Hash("subset")) }); err != nil {
		return nil, err
	}
	return set, nil
}

// storedShape reads the shape of the array of clouds in a file from its header.
func storedShape(path string) (shape []int, err error) {
	header := func(r io.Reader, _ int64) error {
		head, _, err := readNPYHeader(r)
		shape = head.shape
		return err
	}
	switch strings.ToLower(filepath.Ext(path)) {
	case ".npz":
		archive, err := openNPZ(path)
		if err != nil {
			return nil, err
		}
		defer archive.Close()
		key, err := archive.key("")
		if err != nil {
			return nil, err
		}
		err = archive.open(key, header)
		return shape, err
	case ".h5", ".hdf5":
		err = withH5(path, dataKey, func(f *h5File) error {
			shape = f.set.Shape
			return nil
		})
	default:
		err = withNPYFile(path, header)
	}
	return shape, err
}

// readNPZSet reads the clouds under key and, where present, the class labels.
func readNPZSet(path, key string) (*Set, error) {
	archive, err := openNPZ(path)
	if err != nil {
		return nil, err
	}
	defer archive.Close()
	if key, err = archive.key(key); err != nil {
		return nil, err
	}
	a, err := archive.floats(key)
	if err != nil {
		return nil, err
	}
	set, err := a.set(path, "npz")
	if err != nil {
		return nil, err
	}
	labels, err := archive.labels(key)
	if err != nil {
		return nil, err
	}
	return set, set.setLabels(path, labels)
}

// readMeshSet reads a mesh and samples it; a file without faces gives its vertices.
func readMeshSet(path, seedName string, o Options) (*Set, error) {
	m, err := readMesh(path)
	if err != nil {
		return nil, err
	}
	if m.faces == 0 {
		if len(m.vertices) == 0 {
			return nil, fmt.Errorf("%s: the file is empty: no points and no faces", path)
		}
		return newSet(path, "points", m.points(), []int{len(m.vertices), 3})
	}
	n := o.Points
	if n == 0 {
		n = meshPoints
	}
	points, err := m.sample(n, rng.New(o.Seed, rng.Hash(seedName), rng.Hash("mesh")))
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	set, err := newSet(path, "mesh", points, []int{n, 3})
	if err == nil {
		set.DegenerateFaces = []int32{int32(m.flat)}
	}
	return set, err
}

// array is an array as read: float32 where that holds every number of its type, else float64.
type array struct {
	narrow []float32
	wide   []float64
	shape  []int
}

// set is newSet of the array.
func (a array) set(path, kind string) (*Set, error) {
	if a.wide != nil {
		return newSet(path, kind, a.wide, a.shape)
	}
	return newSet(path, kind, a.narrow, a.shape)
}

// float32s are the array's numbers, rounded.
func (a array) float32s() []float32 {
	if a.wide == nil {
		return a.narrow
	}
	return converted[float32](a.wide)
}

// float64s are the array's numbers.
func (a array) float64s() []float64 {
	if a.narrow == nil {
		return a.wide
	}
	return converted[float64](a.narrow)
}

func converted[To, From float](v []From) []To {
	out := make([]To, len(v))
	for i, x := range v {
		out[i] = To(x)
	}
	return out
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
	size, ok := product(s.Points, s.Dim)
	for i := 0; ok && size > 0 && (i+1)*size <= len(wide); i++ {
		origin, lost := round(s.Coords[i*size:(i+1)*size], wide[i*size:(i+1)*size], s.Dim)
		s.Rounding = max(s.Rounding, lost)
		if origin != nil {
			if s.Origins == nil {
				s.Origins = make([]float64, s.Clouds*s.Dim)
			}
			copy(s.Origin(i), origin)
		}
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
	if o.Points == 0 || o.Points == s.Points {
		return nil
	}
	points := make([]float32, 0, s.Clouds*o.Points*s.Dim)
	order := make([]int32, s.Points)
	for i := range s.Clouds {
		points = appendSubset(points, s.Cloud(i), s.Dim, o.Points, random(i), order)
	}
	s.Coords, s.Points = points, o.Points
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

package datasets

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

// Builtin is the path that stands for the procedural shapes.
const Builtin = "builtin"

// meshPoints is the number of points sampled from a mesh, or from a procedural shape, when none is asked for.
const meshPoints = 2048

// Options say how [Load] reads.
type Options struct {
	Points    int      // points per cloud; 0: as stored, and 2048 for meshes, mixed folders and the built-in shapes
	Seed      uint64   // of the subsets taken when Points is smaller than stored, of mesh sampling, and of Val and Test
	Key       string   // array in a .npz or .h5 file; "": data
	Raw       bool     // keep the file's coordinates: no centring, no scaling
	NonFinite bool     // with Raw: keep coordinates of arrays that are NaN or infinite, for [Set.Summary] to count
	Classes   []string // only clouds of these classes, names or label numbers; nil: all ([Set.OfClasses])
	Val, Test float64  // unless both 0: fractions of the clouds (of Classes) to draw as parts ([Set.WithRandomSplit])
}

func (o Options) key() string {
	if o.Key == "" {
		return "data"
	}
	return o.Key
}

// Load reads a set of clouds. path is one of
//
//	builtin              the procedural shapes (see [Shapes]); their content does not depend on Options.Seed
//	a name of the [Catalogue]   that data set, once it has been fetched ([Locate])
//	FILE.npy             float or integer array [m, d] (one cloud) or [B, m, d]
//	FILE.npz, FILE.h5    the same under Options.Key, with class labels from an array label or labels where present
//	FILE.off .obj .ply .stl   one mesh, sampled uniformly by area; without faces, its vertices
//	FILE.xyz .pts .pcd   one cloud, as stored
//	DIR with points.npy  the array, with labels.npy, classes.txt and split.npy (0 train, 1 test, 2 val) where present
//	DIR with train_files.txt, test_files.txt   the HDF5 files in DIR itself, as in PointNet's ModelNet40 ([loadModelNet])
//	DIR                  every cloud or mesh file below it; classes and parts from the folder names (see below)
//
// The steps are: read; check that all coordinates are finite; unless Raw, normalise each stored cloud ([Set.Normalize]);
// take a seeded subset ([Set.Subset]) when Points is smaller than stored. More points than stored is an error that says
// how many there are. The subset is not normalised again, so its radius may be slightly below 1. Meshes are sampled
// with Points points by a generator seeded with (Seed, file name), then normalised.
//
// In a folder of files the class of a file is the first folder below DIR that is not called train, test or val, and its
// part is given by a folder of that name: DIR/chair/train/chair_0001.off. Files directly in DIR have no class; if others do,
// they form a class named after DIR. Files of other types are ignored, hidden ones too; a cloud file that cannot be read
// is an error that names it. All clouds are brought to the same number of points: Points where given, else the common
// stored size when there are only arrays of one size, else 2048.
//
// Every error names the file, what was expected and what was found.
func Load(path string, o Options) (*Set, error) {
	if o.Points < 0 {
		return nil, fmt.Errorf("points: expected 0 (as stored) or more, found %d", o.Points)
	}
	if o.NonFinite && !o.Raw {
		return nil, errors.New("non-finite: a cloud with NaN or infinite coordinates can only be read raw")
	}
	path, err := Locate(path)
	if err != nil {
		return nil, err
	}
	set, err := loadAll(path, o)
	if err != nil {
		return nil, err
	}
	return set.choose(o)
}

// choose takes the classes and draws the parts that o asks for.
func (s *Set) choose(o Options) (_ *Set, err error) {
	if o.Classes != nil {
		s, err = s.OfClasses(o.Classes...)
	}
	if err == nil && (o.Val != 0 || o.Test != 0) {
		s, err = s.WithRandomSplit(o.Val, o.Test, o.Seed)
	}
	return s, err
}

// loadAll is Load without the choice of classes, except that mesh files of other classes need not be read, and without
// parts.
func loadAll(path string, o Options) (*Set, error) {
	if path == Builtin {
		return loadBuiltin(o)
	}
	info, err := os.Stat(path)
	if err != nil {
		return nil, fileError(path, err)
	}
	if info.IsDir() {
		if _, err := os.Stat(filepath.Join(path, "points.npy")); err == nil {
			return loadPointsFolder(path, o)
		}
		if isModelNet(path) {
			return loadModelNet(path, o)
		}
		return loadTree(path, o)
	}
	if !info.Mode().IsRegular() {
		return nil, fmt.Errorf("%s: expected a file or a folder, found %s", path, describeMode(info.Mode()))
	}
	return readClouds(path, filepath.Base(path), o)
}

// loadBuiltin generates the procedural shapes.
func loadBuiltin(o Options) (*Set, error) {
	set, err := Shapes{Points: max(o.Points, meshPoints), Raw: o.Raw}.Generate()
	if err != nil || o.Points == 0 || o.Points >= set.M {
		return set, err
	}
	return set.Subset(o.Points, o.Seed)
}

// loadPointsFolder reads points.npy and its companions.
func loadPointsFolder(dir string, o Options) (*Set, error) {
	points := filepath.Join(dir, "points.npy")
	data, shape, err := ReadNPY(points)
	if err != nil {
		return nil, err
	}
	set, err := newSet(points, "folder", data, shape)
	if err != nil {
		return nil, err
	}
	if err := set.setCompanions(dir); err != nil {
		return nil, err
	}
	if err := set.finish(o, func(i int) *stream { return newStream(o.Seed, uint64(i), hashName("subset")) }); err != nil {
		return nil, err
	}
	set.Name = dir
	return set, nil
}

// setCompanions reads labels.npy, classes.txt and split.npy where present.
func (s *Set) setCompanions(dir string) error {
	labels, err := optionalInts(filepath.Join(dir, "labels.npy"))
	if err != nil {
		return err
	}
	if err := s.setLabels(filepath.Join(dir, "labels.npy"), labels); err != nil {
		return err
	}
	if s.Classes, err = readClasses(filepath.Join(dir, "classes.txt")); err != nil {
		return err
	}
	split, err := optionalInts(filepath.Join(dir, "split.npy"))
	if err != nil {
		return err
	}
	if split != nil {
		if len(split) != s.N {
			return fmt.Errorf("%s: %d entries for %d clouds", filepath.Join(dir, "split.npy"), len(split), s.N)
		}
		s.Split = make([]uint8, s.N)
		for i, p := range split {
			if p < 0 || p >= int64(len(partNames)) {
				return fmt.Errorf("%s: entry %d: expected %s, found %d", filepath.Join(dir, "split.npy"), i, partCodes, p)
			}
			s.Split[i] = uint8(p)
		}
	}
	if err := s.checkNamed(filepath.Join(dir, "labels.npy"), filepath.Join(dir, "classes.txt")); err != nil {
		return err
	}
	return nil
}

// readClouds reads one file of clouds, normalised and cut to Options.Points. seedName is the file's name in seeds.
func readClouds(path, seedName string, o Options) (*Set, error) {
	var set *Set
	var err error
	switch extension := strings.ToLower(filepath.Ext(path)); extension {
	case ".npy":
		data, shape, readErr := ReadNPY(path)
		if readErr != nil {
			return nil, readErr
		}
		set, err = newSet(path, "npy", data, shape)
	case ".npz":
		set, err = readNPZSet(path, o.key())
	case ".h5", ".hdf5":
		array, labels, readErr := readH5(path, o.key())
		if readErr != nil {
			return nil, readErr
		}
		if set, err = newSet(path, "h5", array.data, array.shape); err == nil {
			err = set.setLabels(path, labels)
		}
	default:
		if readerOf(path) == nil {
			return nil, fmt.Errorf("%s: type %q: expected %s, a folder, or the word %s", path, extension, cloudTypes(), Builtin)
		}
		set, err = readMeshSet(path, seedName, o)
	}
	if err != nil {
		return nil, err
	}
	file := hashName(seedName)
	if err := set.finish(o, func(i int) *stream { return newStream(o.Seed, uint64(i), file, hashName("subset")) }); err != nil {
		return nil, err
	}
	return set, nil
}

// readNPZSet reads the clouds under key and, where present, the class labels.
func readNPZSet(path, key string) (*Set, error) {
	archive, err := openNPZ(path)
	if err != nil {
		return nil, err
	}
	defer archive.Close()
	data, shape, err := archive.floats(key)
	if err != nil {
		return nil, err
	}
	set, err := newSet(path, "npz", data, shape)
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
	points, err := m.sample(n, newStream(o.Seed, hashName(seedName), hashName("mesh")))
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	set, err := newSet(path, "mesh", points, []int{n, 3})
	if err == nil {
		set.Flat = []int32{int32(m.flat)}
	}
	return set, err
}

// newSet wraps an array [m, d] or [B, m, d].
func newSet(path, kind string, data []float32, shape []int) (*Set, error) {
	set := &Set{Name: path, Kind: kind, Points: data}
	switch len(shape) {
	case 2:
		set.N, set.M, set.D = 1, shape[0], shape[1]
	case 3:
		set.N, set.M, set.D = shape[0], shape[1], shape[2]
	default:
		return nil, fmt.Errorf("%s: expected an array [points, dim] or [clouds, points, dim], found shape %v", path, shape)
	}
	if set.N < 1 || set.M < 1 || set.D < 1 {
		return nil, fmt.Errorf("%s: shape %v holds no points", path, shape)
	}
	return set, nil
}

// setLabels stores one label per cloud; nil leaves the set without.
func (s *Set) setLabels(path string, labels []int64) error {
	if labels == nil {
		return nil
	}
	if len(labels) != s.N {
		return fmt.Errorf("%s: %d labels for %d clouds", path, len(labels), s.N)
	}
	s.Labels = make([]int32, s.N)
	for i, l := range labels {
		if l < 0 || l >= 1<<24 {
			return fmt.Errorf("%s: label %d of cloud %d: expected 0 to %d", path, l, i, 1<<24-1)
		}
		s.Labels[i] = int32(l)
	}
	return nil
}

// checkNamed checks that every label has a class name, where there are names; the paths are named in the error.
func (s *Set) checkNamed(labels, classes string) error {
	for i, l := range s.Labels {
		if s.Classes != nil && int(l) >= len(s.Classes) {
			return fmt.Errorf("%s: label %d of cloud %d: %s names %d classes", labels, l, i, classes, len(s.Classes))
		}
	}
	return nil
}

// finish normalises the stored clouds, unless o.Raw, and cuts them to o.Points. random seeds the subset of a cloud.
func (s *Set) finish(o Options, random func(cloud int) *stream) error {
	if s.M < o.Points {
		return fmt.Errorf("%s: %d points per cloud were asked for, the file has %d", s.Name, o.Points, s.M)
	}
	for i := range s.N {
		if err := o.prepare(s.Cloud(i), s.D); err != nil {
			return fmt.Errorf("%s: cloud %d: %w", s.Name, i, err)
		}
	}
	if o.Points == 0 || o.Points == s.M {
		return nil
	}
	points := make([]float32, 0, s.N*o.Points*s.D)
	order := make([]int32, s.M)
	for i := range s.N {
		points = appendSubset(points, s.Cloud(i), s.D, o.Points, random(i), order)
	}
	s.Points, s.M = points, o.Points
	return nil
}

// prepare checks a stored cloud and normalises it, unless o.Raw.
func (o Options) prepare(cloud []float32, d int) error {
	switch {
	case o.NonFinite:
		return nil
	case o.Raw:
		return checkFinite(cloud, d)
	}
	return normalizeCloud(cloud, d)
}

// optionalInts reads a companion file; one that does not exist gives nil.
func optionalInts(path string) ([]int64, error) {
	values, _, err := ReadNPYInts(path)
	if errors.Is(err, os.ErrNotExist) {
		return nil, nil
	}
	return values, err
}

// readClasses reads one class name per line; a file that does not exist gives nil. Blank lines at the end are dropped.
func readClasses(path string) ([]string, error) {
	data, err := os.ReadFile(path)
	if errors.Is(err, os.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, fileError(path, err)
	}
	var names []string
	for i, line := range strings.Split(strings.TrimRight(string(data), " \t\r\n"), "\n") {
		name := strings.TrimSpace(line)
		if name == "" {
			return nil, fmt.Errorf("%s:%d: expected a class name, found an empty line", path, i+1)
		}
		names = append(names, name)
	}
	return names, nil
}

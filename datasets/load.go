package datasets

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"

	"github.com/sliced-wasserstein/lab/datasets/catalogue"
	"github.com/sliced-wasserstein/lab/datasets/format"
	"github.com/sliced-wasserstein/lab/internal/durable"
)

// Builtin is the path of the procedural shapes.
const Builtin = catalogue.Builtin

// meshPoints is the default number of points sampled from a mesh or a procedural shape.
const meshPoints = 2048

// Options say how [Load] reads.
type Options struct {
	// Points is the number per cloud; 0: as stored, and 2048 for meshes, mixed folders and the
	// built-in shapes.
	Points int
	// AtMost uses all points of files with fewer than Points, instead of failing.
	AtMost bool
	// Seed is that of subsets of the stored points, of mesh sampling, and of Val and Test.
	Seed uint64
	// Key names the array in a .npz, .h5 or .pt file; "": data, and in .npz and .pt files without
	// one the only array.
	Key string
	Raw bool // keep the file's coordinates: no centring, no scaling
	// Exact, with Raw, also keeps what float32 leaves of float64 ([Set.Rest]).
	Exact bool
	// NonFinite, with Raw, keeps coordinates of arrays that are NaN or infinite, for [Set.Summary]
	// to count.
	NonFinite bool
	// Classes selects clouds by class names or label numbers; nil: all ([Set.OfClasses]).
	Classes []string
	// Val and Test, unless both 0, are fractions of the clouds (of Classes) to draw as parts
	// ([Set.WithRandomSplit]).
	Val, Test float64
}

// Load reads a set of clouds. path is one of
//
//	builtin              the procedural shapes (see [Shapes]); their content does not depend on Options.Seed
//	a name of the [catalogue.All]   that data set, once it has been fetched ([catalogue.Locate])
//	FILE.npy             float or integer array [m, d] (one cloud) or [B, m, d]
//	FILE.npz, FILE.h5    the same under Options.Key, with class labels, numbers or names, from an array label or labels where present
//	FILE.pt, FILE.pth    the same for a tensor, or a dict of tensors, that torch.save wrote
//	FILE.csv .tsv .txt   one cloud, a point per line; with a header that has columns x, y, z only these
//	FILE.off .obj .ply .stl   one mesh, sampled uniformly by area; without faces, its vertices
//	FILE.xyz .pts .pcd   one cloud, as stored; commas or blanks between the numbers of .xyz and .pts
//	DIR with points.npy  the array, with labels.npy, classes.txt and split.npy (0 train, 1 test, 2 val) where present
//	DIR with train_files.txt, test_files.txt   the HDF5 files in DIR itself, as in PointNet's ModelNet40
//	DIR                  every cloud or mesh file below it; classes and parts from the folder names (see below)
//
// The steps are: read; check that all coordinates are finite; unless Raw, normalise each stored
// cloud ([Set.Normalize]); take a seeded subset ([Set.Subset]) when Points is smaller than stored.
// More points than stored is an error that says how many there are, or with AtMost means all: in a
// folder, as many as the smallest file has. The subset is not normalised again, so its radius may
// be slightly below 1. Meshes are sampled with Points points by a generator seeded with (Seed, file
// name), then normalised.
//
// In a folder of files the class of a file is the first folder below DIR that is not called train,
// test or val, and its part is given by a folder of that name: DIR/chair/train/chair_0001.off.
// Files directly in DIR have no class; if others do, they form a class named after DIR. Hidden
// files and files of other types are ignored, and so are .csv, .tsv, .txt, .pt and .pth files, which in
// a folder are mostly lists and weights. A cloud file that cannot be read is an error that names it.
// All clouds are brought to the same number of points: Points if given, else the common stored size
// if there are only arrays of one size, else 2048 or, with a warning ([Set.Warnings]), as many as the
// smallest file has.
//
// Every error names the file, what was expected and what was found.
func Load(path string, o Options) (*Set, error) {
	if o.Points < 0 {
		return nil, fmt.Errorf("points: expected 0 (as stored) or more, found %d", o.Points)
	}
	if o.NonFinite && !o.Raw {
		return nil, errors.New("non-finite: a cloud with NaN or infinite coordinates can only be read raw")
	}
	path, err := catalogue.Locate(path)
	if err != nil {
		return nil, err
	}
	set, err := loadAll(path, o)
	if err == nil && o.Classes != nil {
		set, err = set.OfClasses(o.Classes...)
	}
	if err == nil && (o.Val != 0 || o.Test != 0) {
		set, err = set.WithRandomSplit(o.Val, o.Test, o.Seed)
	}
	return set, err
}

// ReadsKey reports whether Load of that path uses Options.Key: for a .npz or .h5 file, and for a
// folder of files with one among them. It is true for a missing path, which Load reports.
func ReadsKey(path string) bool {
	if path == Builtin {
		return false
	}
	path, err := catalogue.Locate(path)
	if err != nil {
		return true
	}
	info, err := os.Stat(path)
	switch {
	case err != nil:
		return true
	case !info.IsDir():
		return format.IsKeyed(path)
	case isModelNet(path):
		return false
	}
	files, err := findClouds(path)
	return err != nil || slices.ContainsFunc(files, func(f cloudFile) bool { return format.IsKeyed(f.path) })
}

// loadAll is Load without the choice of classes and without parts, except that mesh files of other
// classes need not be read.
func loadAll(path string, o Options) (*Set, error) {
	if path == Builtin {
		return loadBuiltin(o)
	}
	info, err := os.Stat(path)
	if err != nil {
		return nil, format.FileError(path, err)
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
		return nil, fmt.Errorf("%s: expected a file or a folder, found %s", path, durable.Kind(info.Mode()))
	}
	return readClouds(path, filepath.Base(path), o)
}

// loadBuiltin generates the procedural shapes.
func loadBuiltin(o Options) (*Set, error) {
	set, err := storedShapes(max(o.Points, meshPoints), o.Raw)
	if err != nil || o.Points == 0 || o.Points >= set.Points {
		return set, err
	}
	return set.Subset(o.Points, o.Seed)
}

// Package format reads and writes files of point clouds: NumPy arrays and archives, HDF5, tensors of
// torch.save, tables of text, meshes and point lists.
//
// Files are not trusted: no header can cause allocations larger than the file can hold. Errors name
// the file, what was expected and what was found.
package format

import (
	"cmp"
	"fmt"
	"io"
	"maps"
	"math"
	"path/filepath"
	"slices"
	"strings"
)

// Data are the clouds in a file.
type Data struct {
	Kind   string // "npy", "npz", "h5", "torch", "points" (one cloud) or "mesh"
	Array         // [points, dim] or [clouds, points, dim]
	Labels Labels // of the clouds, if the file has them
	Mesh   *Mesh  // of a mesh with faces, which has no Array
}

// Array is an array as read: float32 where that holds every number of its type, else float64.
type Array struct {
	Narrow []float32
	Wide   []float64
	Shape  []int
}

// float32s are the array's numbers, rounded.
func (a Array) float32s() []float32 {
	if a.Wide == nil {
		return a.Narrow
	}
	return converted[float32](a.Wide)
}

// float64s are the array's numbers.
func (a Array) float64s() []float64 {
	if a.Narrow == nil {
		return a.Wide
	}
	return converted[float64](a.Narrow)
}

func converted[To, From float32 | float64](v []From) []To {
	out := make([]To, len(v))
	for i, x := range v {
		out[i] = To(x)
	}
	return out
}

// Labels is an array of class labels: numbers, or the names of the classes.
type Labels struct {
	Numbers []int64
	Names   []string
	shape   []int
}

// meshReaders parses each mesh format; name is used in errors, which give the line or byte offset.
var meshReaders = map[string]func(name string, data []byte) (*Mesh, error){
	".off": parseOFF,
	".obj": parseOBJ,
	".ply": parsePLY,
	".stl": parseSTL,
}

// pointReaders parse formats that hold one cloud as vertices without faces.
var pointReaders = map[string]func(name string, data []byte) (*Mesh, error){
	".xyz": parseXYZ,
	".pts": parsePTS,
	".pcd": parsePCD,
}

// arrayTypes are the extensions of array formats.
var arrayTypes = []string{".npy", ".npz", ".h5", ".hdf5"}

// loneTypes are formats that are read if a file is named, but ignored in a folder, where they
// mostly hold something else.
var loneTypes = []string{".pt", ".pth", ".csv", ".tsv", ".txt"}

// FolderTypes lists the extensions of formats that are read in a folder.
func FolderTypes() []string {
	return slices.Concat(arrayTypes, slices.Sorted(maps.Keys(meshReaders)), slices.Sorted(maps.Keys(pointReaders)))
}

func extension(path string) string { return strings.ToLower(filepath.Ext(path)) }

// IsMesh reports whether a file of that name is a mesh.
func IsMesh(path string) bool { return meshReaders[extension(path)] != nil }

// IsKeyed reports whether a file of that name holds named arrays.
func IsKeyed(path string) bool {
	return slices.Contains([]string{".npz", ".h5", ".hdf5"}, extension(path))
}

// dataKey is the default name of the clouds in a file of several arrays.
const dataKey = "data"

// labelKeys name the class labels beside them.
var labelKeys = []string{"label", "labels"}

// Read reads a file by its extension. key names the array in a .npz, .h5 or .pt file; "": data, and
// in .npz and .pt files without one the only array.
func Read(path, key string) (d *Data, err error) {
	d = &Data{}
	switch extension := extension(path); extension {
	case ".npy":
		d.Kind = "npy"
		d.Array, err = readNPY(path)
	case ".npz":
		d.Kind = "npz"
		d.Array, d.Labels, err = readNPZ(path, key)
	case ".h5", ".hdf5":
		d.Kind = "h5"
		d.Array, d.Labels, err = readH5(path, cmp.Or(key, dataKey))
	case ".pt", ".pth":
		d.Kind = "torch"
		d.Array, d.Labels, err = readTorch(path, key)
	case ".csv", ".tsv", ".txt":
		d.Kind = "points"
		var dim int
		if d.Wide, dim, err = readTable(path); err == nil {
			d.Shape = []int{len(d.Wide) / dim, dim}
		}
	default:
		if readerOf(path) == nil {
			all := slices.Concat(FolderTypes(), loneTypes)
			return nil, fmt.Errorf("%s: type %q: expected %s, a folder, or the word builtin", path, extension,
				strings.Join(all, ", "))
		}
		var m *Mesh
		if m, err = readMesh(path); err != nil {
			return nil, err
		}
		switch {
		case m.faces > 0:
			d.Kind, d.Mesh = "mesh", m
		case len(m.vertices) == 0:
			return nil, fmt.Errorf("%s: the file is empty: no points and no faces", path)
		default:
			d.Kind, d.Wide, d.Shape = "points", m.points(), []int{len(m.vertices), 3}
		}
	}
	return d, err
}

// Shape reads the shape of the array of clouds in a .npy, .npz or .h5 file from its header.
func Shape(path string) (shape []int, err error) {
	header := func(r io.Reader, _ int64) error {
		head, _, err := readNPYHeader(r)
		shape = head.shape
		return err
	}
	switch extension(path) {
	case ".npz":
		archive, err := openNPZ(path)
		if err != nil {
			return nil, err
		}
		defer archive.Close()
		key, err := arrayKey(path, "", archive.keys())
		if err != nil {
			return nil, err
		}
		err = archive.open(key, header)
		return shape, err
	case ".h5", ".hdf5":
		_, set, err := openH5(path, dataKey)
		if err != nil {
			return nil, err
		}
		return set.Shape, nil
	default:
		err = withNPYFile(path, header)
	}
	return shape, err
}

// errNotFinite is the error of a coordinate as it was read, if float32 does not hold it.
func errNotFinite(x float64) error {
	return fmt.Errorf("expected a finite number up to 3.4e38, the largest of float32, found %v", x)
}

// Product multiplies sizes; ok is false when one is negative or the result does not fit an int.
func Product(sizes ...int) (p int, ok bool) {
	if slices.Contains(sizes, 0) {
		return 0, slices.Min(sizes) == 0
	}
	p = 1
	for _, n := range sizes {
		if n < 0 || p > math.MaxInt/n {
			return 0, false
		}
		p *= n
	}
	return p, true
}

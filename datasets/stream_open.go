package datasets

import (
	"archive/zip"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"
	"strings"
)

// DefaultMemory is the size of a set's coordinates, in bytes of float32, up to which [Open] loads
// it.
const DefaultMemory = 256 << 20

// OpenOptions say how [Open] reads.
type OpenOptions struct {
	Options
	// Memory is the size of all coordinates of the file, in bytes of float32, up to which it is
	// loaded; 0: DefaultMemory; below 0: only what cannot be streamed is loaded.
	Memory int64
	// Unpacked is the folder for unpacked copies of compressed arrays; "": unpacked in the folder
	// that the environment variable SWLAB_CACHE names, or in swlab in the user's cache folder
	// ([os.UserCacheDir]).
	Unpacked string
	// Progress, if not nil, is called in passes over the whole file, with a description.
	Progress func(what string, done, total int)
}

// Open is [Load] for sets that may be larger than memory. It returns a [Set], or a [Stream] of the
// same numbers if one array of more than o.Memory bytes holds the clouds. A Stream reads a cloud:
//
//	.npy, or folder with points.npy          in place
//	.npz as numpy.savez writes it            in place
//	.npz as numpy.savez_compressed does      in an unpacked copy: a compressed array has no middle to start from
//	.h5 contiguous                           in place
//	.h5 chunked                              in an unpacked copy: chunks may cut through clouds, and are unpacked whole
//
// A copy is made when the file is first opened and found again by the file's path, size and time of
// change. It may be removed at any time; Open removes copies of earlier states of the file.
// Everything else is loaded, whatever its size: meshes, folders of files, arrays in Fortran order.
// Checksums of what is read in place are not verified, since that would require reading all of it.
func Open(path string, o OpenOptions) (Clouds, error) {
	if o.Memory == 0 {
		o.Memory = DefaultMemory
	}
	path, err := Locate(path)
	if err != nil {
		return nil, err
	}
	// Load reports what cannot be found here.
	if a, err := findArray(path, o.Options); err == nil && a.bytes() > o.Memory && o.Points >= 0 && (o.Raw || !o.NonFinite) {
		return asClouds(a.open(o))
	}
	return asClouds(Load(path, o.Options))
}

// storedArray is an array in a file whose clouds can be read by number.
type storedArray struct {
	file   string // that holds it, for errors
	name   string // of the set
	kind   string
	shape  []int
	random func(o Options) func(cloud int) *rng
	// describe, if not nil, adds what the file says about the clouds besides their points.
	describe func(index *Set) error
	// rows opens the array.
	rows func(o OpenOptions) (rowReader, error)
}

// errNotStored says that a path is not an array that can be streamed.
var errNotStored = errors.New("no array that can be read by cloud")

// findArray reads only headers.
func findArray(path string, o Options) (*storedArray, error) {
	info, err := os.Stat(path)
	if err != nil {
		return nil, err
	}
	byFile := func(o Options) func(int) *rng {
		return func(i int) *rng {
			return newStream(o.Seed, uint64(i), hashName(filepath.Base(path)), hashName("subset"))
		}
	}
	a := &storedArray{file: path, name: path, random: byFile}
	switch extension := strings.ToLower(filepath.Ext(path)); {
	case info.IsDir():
		a.file, a.kind = filepath.Join(path, "points.npy"), "folder"
		a.random = func(o Options) func(int) *rng {
			return func(i int) *rng { return newStream(o.Seed, uint64(i), hashName("subset")) }
		}
		a.describe = func(index *Set) error { return index.setCompanions(path) }
		return a, a.findNPY()
	case !info.Mode().IsRegular():
		return nil, errNotStored
	case extension == ".npy":
		a.kind = "npy"
		return a, a.findNPY()
	case extension == ".npz":
		a.kind = "npz"
		return a, a.findNPZ(o.Key)
	case extension == ".h5" || extension == ".hdf5":
		a.kind = "h5"
		return a, a.findH5(o.h5Key())
	}
	return nil, errNotStored
}

// bytes returns the size of the coordinates as float32.
func (a *storedArray) bytes() int64 {
	n, ok := product(append([]int{4}, a.shape...)...)
	if !ok {
		return 0
	}
	return int64(n)
}

func (a *storedArray) findNPY() error {
	return withNPYFile(a.file, func(r io.Reader, size int64) error {
		head, used, err := readNPYHeader(r)
		if err != nil {
			return err
		}
		a.shape = head.shape
		a.rows = func(OpenOptions) (rowReader, error) { return openFlat(a.file, head, used) }
		return head.checkFlat(size - used)
	})
}

// findNPZ reads the archive's directory and the beginning of the entry.
func (a *storedArray) findNPZ(key string) error {
	archive, err := openNPZ(a.file)
	if err != nil {
		return err
	}
	defer archive.Close()
	if key, err = archive.key(key); err != nil {
		return err
	}
	entry := archive.find(key)
	if entry == nil || entry.UncompressedSize64 > math.MaxInt64 {
		return errNotStored
	}
	r, err := entry.Open()
	if err != nil {
		return err
	}
	defer r.Close()
	head, used, err := readNPYHeader(r)
	if err != nil {
		return err
	}
	at, err := entry.DataOffset()
	if err != nil {
		return err
	}
	a.shape = head.shape
	a.describe = func(index *Set) error { return index.setLabelsNPZ(a.file, key) }
	a.rows = func(o OpenOptions) (rowReader, error) {
		if entry.Method == zip.Store {
			return openFlat(a.file, head, at+used)
		}
		return openCached(a.file, key, o, func(w io.Writer, progress func(done, total int64)) error {
			return unpackNPZ(a.file, key, w, progress)
		})
	}
	return head.checkFlat(int64(entry.UncompressedSize64) - used)
}

// setLabelsNPZ reads the labels in an archive.
func (s *Set) setLabelsNPZ(path, key string) error {
	archive, err := openNPZ(path)
	if err != nil {
		return err
	}
	defer archive.Close()
	labels, err := archive.labels(key)
	if err != nil {
		return err
	}
	return s.setLabels(path, labels)
}

// open makes the stream.
func (a *storedArray) open(o OpenOptions) (*Stream, error) {
	sizes, err := newSet[float32](a.file, a.kind, nil, a.shape)
	if err != nil {
		return nil, err
	}
	s := &Stream{m: sizes.Points, d: sizes.Dim, file: a.file, stored: sizes.Points, options: o.Options, random: a.random(o.Options), progress: o.Progress}
	if o.Points > 0 && !(o.AtMost && s.m < o.Points) {
		s.m = o.Points
	}
	if s.m > s.stored {
		return nil, fmt.Errorf("%s: %d points per cloud were asked for, the file has %d", a.file, s.m, s.stored)
	}
	if sizes.Clouds > 1<<24 {
		return nil, fmt.Errorf("%s: expected at most %d clouds, found %d", a.file, 1<<24, sizes.Clouds)
	}
	index := &Set{Name: a.name, Kind: a.kind, Clouds: sizes.Clouds, Points: 1, Dim: 1, Coords: make([]float32, sizes.Clouds)}
	for i := range index.Coords {
		index.Coords[i] = float32(i)
	}
	if a.describe != nil {
		if err := a.describe(index); err != nil {
			return nil, err
		}
	}
	if s.index, err = index.choose(o.Options); err != nil {
		return nil, err
	}
	if s.array, err = a.rows(o); err != nil {
		return nil, err
	}
	return s, nil
}

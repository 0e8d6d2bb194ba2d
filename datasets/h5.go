package datasets

import (
	"fmt"
	"os"
	"regexp"
	"strconv"
	"strings"

	"github.com/scigolib/hdf5"
)

const (
	h5WholeLimit  = 100 << 20 // bytes of float32: larger arrays are read in slabs, which need little extra memory
	h5SlabEntries = 32 * 6144 // numbers per slab: 32 clouds of 2048 points, the fastest size for chunked files
	h5DeflateBest = 1000      // deflate cannot pack tighter than about 1032 to 1
	h5Rewrite     = `rewrite it: copy the arrays with h5py.File(OUT, "w"), whose default libver is the layout this reader knows, or run h5repack IN OUT`
)

// h5Array is an array read from an HDF5 file.
type h5Array struct {
	data  []float32
	shape []int
}

// readH5 reads the array named key as float32 and, where the file has one, the class labels: a data set "label" or
// "labels" beside it with one integer per cloud. It reads what h5py writes by default, contiguous or chunked, gzip,
// shuffle, LZF; newer layouts are an error that says how to rewrite the file. wholeLimit is h5WholeLimit except in tests.
func readH5(path, key string, wholeLimit int) (data h5Array, labels []int64, err error) {
	err = withH5(path, key, func(f *h5File) error {
		if data, err = readH5Floats(f.set, f.size, wholeLimit); err != nil {
			return fmt.Errorf("array %q: %w", key, err)
		}
		labels, err = f.labels(key)
		return err
	})
	return data, labels, err
}

// h5File is an open HDF5 file: its arrays by name, the one asked for, and the file's size in bytes.
type h5File struct {
	*hdf5.File
	sets map[string]*hdf5.Dataset
	set  *hdf5.Dataset
	size int64
}

// withH5 opens path for read and closes it; errors are prefixed with the path.
func withH5(path, key string, read func(f *h5File) error) (err error) {
	defer recoverH5(path, &err)
	f, err := openH5(path, key)
	if err != nil {
		return err
	}
	defer f.Close()
	if err := read(f); err != nil {
		return fmt.Errorf("%s: %w", path, err)
	}
	return nil
}

// recoverH5, deferred, turns a panic into an error: the library panics on some damaged files.
func recoverH5(path string, err *error) {
	if r := recover(); r != nil {
		*err = fmt.Errorf("%s: damaged HDF5 file: %v", path, r)
	}
}

// openH5 finds the array named key.
func openH5(path, key string) (*h5File, error) {
	info, err := os.Stat(path)
	if err != nil {
		return nil, fileError(path, err)
	}
	if !info.Mode().IsRegular() {
		return nil, fmt.Errorf("%s: expected an HDF5 file, found %s", path, describeMode(info.Mode()))
	}
	file, err := hdf5.Open(path)
	if err != nil {
		return nil, fmt.Errorf("%s: cannot read as HDF5 (if h5py opens it, %s): %w", path, h5Rewrite, err)
	}
	f := &h5File{File: file, sets: map[string]*hdf5.Dataset{}, size: info.Size()}
	var names []string
	file.Walk(func(at string, object hdf5.Object) {
		if set, ok := object.(*hdf5.Dataset); ok {
			name := strings.TrimLeft(at, "/")
			f.sets[name] = set
			names = append(names, name)
		}
	})
	set, ok := f.sets[strings.TrimLeft(key, "/")]
	if !ok {
		file.Close()
		return nil, fmt.Errorf("%s: no array named %q: it holds %s (if h5py lists more, %s)", path, key, listed(names), h5Rewrite)
	}
	f.set = set
	return f, nil
}

// labels reads the class labels beside the array named key, nil where there are none.
func (f *h5File) labels(key string) ([]int64, error) {
	for _, name := range []string{"label", "labels"} {
		if set, ok := f.sets[name]; ok && name != key {
			labels, err := readH5Labels(set, f.size)
			if err != nil {
				return nil, fmt.Errorf("array %q: %w", name, err)
			}
			return labels, nil
		}
	}
	return nil, nil
}

// readH5Floats reads a data set of any rank, in slabs along the first axis when it is large.
func readH5Floats(set *hdf5.Dataset, fileSize int64, wholeLimit int) (h5Array, error) {
	shape, count, err := h5Shape(set, fileSize)
	if err != nil {
		return h5Array{}, err
	}
	if 4*count <= wholeLimit || len(shape) < 2 {
		values, err := set.Read()
		if err != nil {
			return h5Array{}, h5ReadError(err)
		}
		if len(values) != count {
			return h5Array{}, fmt.Errorf("shape %v needs %d values, found %d", shape, count, len(values))
		}
		data := make([]float32, count)
		for i, v := range values {
			data[i] = float32(v)
		}
		return h5Array{data, shape}, nil
	}
	var data []float32
	err = readH5Slabs(set, shape, func(slab []float32) error {
		data = append(data, slab...)
		return nil
	})
	return h5Array{data, shape}, err
}

// readH5Slabs reads an array of that shape, rank 2 or more, in slabs along the first axis.
func readH5Slabs(set *hdf5.Dataset, shape []int, take func(slab []float32) error) error {
	row, _ := product(shape[1:]...)
	step := max(1, h5SlabEntries/max(1, row))
	for first := 0; first < shape[0]; first += step {
		slab, err := readH5Rows(set, shape, first, min(step, shape[0]-first))
		if err != nil {
			return err
		}
		if err := take(slab); err != nil {
			return err
		}
	}
	return nil
}

// readH5Rows reads rows of the first axis of an array of that shape.
func readH5Rows(set *hdf5.Dataset, shape []int, first, rows int) ([]float32, error) {
	start, extent := make([]uint64, len(shape)), make([]uint64, len(shape))
	want := rows
	for k, n := range shape {
		extent[k] = uint64(n)
		if k > 0 {
			want *= n
		}
	}
	start[0], extent[0] = uint64(first), uint64(rows)
	slab, err := set.ReadSlice(start, extent)
	if err != nil {
		return nil, h5ReadError(err)
	}
	var data []float32
	switch values := slab.(type) {
	case []float64:
		data = make([]float32, len(values))
		for i, v := range values {
			data[i] = float32(v)
		}
	case []float32:
		data = values
	default:
		return nil, fmt.Errorf("rows %d to %d: expected numbers, found %T", first, first+rows-1, slab)
	}
	if len(data) != want {
		return nil, fmt.Errorf("rows %d to %d: expected %d values, found %d", first, first+rows-1, want, len(data))
	}
	return data, nil
}

// readH5Labels reads one whole number per entry, whatever the shape.
func readH5Labels(set *hdf5.Dataset, fileSize int64) ([]int64, error) {
	shape, count, err := h5Shape(set, fileSize)
	if err != nil {
		return nil, err
	}
	values, err := set.Read()
	if err != nil {
		return nil, h5ReadError(err)
	}
	if len(values) != count {
		return nil, fmt.Errorf("shape %v needs %d values, found %d", shape, count, len(values))
	}
	labels := make([]int64, count)
	for i, v := range values {
		if labels[i], err = wholeNumber(v); err != nil {
			return nil, fmt.Errorf("entry %d: %w", i, err)
		}
	}
	return labels, nil
}

var (
	h5ArrayText = regexp.MustCompile(`(\d+)D array \[([0-9 x]*)\]`)
	h5ItemText  = regexp.MustCompile(`size=(\d+) bytes`)
)

// h5Shape takes the shape of a data set from the library's description of it, the only place that shows it before the
// data is read, and refuses shapes that the file cannot hold: running out of memory cannot be recovered from.
func h5Shape(set *hdf5.Dataset, fileSize int64) ([]int, int, error) {
	text, err := set.Info()
	if err != nil {
		return nil, 0, h5ReadError(err)
	}
	array, item := h5ArrayText.FindStringSubmatch(text), h5ItemText.FindStringSubmatch(text)
	if array == nil || item == nil {
		return nil, 0, fmt.Errorf("expected an array of numbers, found %s", text)
	}
	var shape []int
	for _, field := range strings.FieldsFunc(array[2], func(r rune) bool { return r == ' ' || r == 'x' }) {
		n, err := strconv.Atoi(field)
		if err != nil {
			return nil, 0, fmt.Errorf("size %s does not fit this machine", field)
		}
		shape = append(shape, n)
	}
	size, err := strconv.Atoi(item[1])
	if err != nil || strconv.Itoa(len(shape)) != array[1] {
		return nil, 0, fmt.Errorf("cannot understand the shape in %q", text)
	}
	count, ok := product(shape...)
	need, ok2 := product(count, size)
	if !ok || !ok2 || int64(need)/h5DeflateBest > fileSize {
		return nil, 0, fmt.Errorf("shape %v of %d-byte entries cannot come from a file of %d bytes", shape, size, fileSize)
	}
	return shape, count, nil
}

// h5ReadError adds the way out to errors that newer file layouts cause.
func h5ReadError(err error) error {
	text := err.Error()
	for _, sign := range []string{"B-tree", "layout version", "unsupported", "not supported", "EOF"} {
		if strings.Contains(text, sign) {
			return fmt.Errorf("cannot be read, most likely because it is stored in a newer HDF5 layout (%s): %w", h5Rewrite, err)
		}
	}
	return err
}

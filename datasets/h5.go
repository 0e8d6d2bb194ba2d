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
	info, err := os.Stat(path)
	if err != nil {
		return data, nil, fileError(path, err)
	}
	if !info.Mode().IsRegular() {
		return data, nil, fmt.Errorf("%s: expected an HDF5 file, found %s", path, describeMode(info.Mode()))
	}
	// The library panics on some damaged files; that is an error of the file, not of the program.
	defer func() {
		if r := recover(); r != nil {
			err = fmt.Errorf("%s: damaged HDF5 file: %v", path, r)
		}
	}()
	file, err := hdf5.Open(path)
	if err != nil {
		return data, nil, fmt.Errorf("%s: cannot read as HDF5 (if h5py opens it, %s): %w", path, h5Rewrite, err)
	}
	defer file.Close()

	sets := map[string]*hdf5.Dataset{}
	var names []string
	file.Walk(func(at string, object hdf5.Object) {
		if set, ok := object.(*hdf5.Dataset); ok {
			name := strings.TrimLeft(at, "/")
			sets[name] = set
			names = append(names, name)
		}
	})
	set, ok := sets[strings.TrimLeft(key, "/")]
	if !ok {
		return data, nil, fmt.Errorf("%s: no array named %q: it holds %s (if h5py lists more, %s)", path, key, listed(names), h5Rewrite)
	}
	data, err = readH5Floats(set, info.Size(), wholeLimit)
	if err != nil {
		return data, nil, fmt.Errorf("%s: array %q: %w", path, key, err)
	}
	for _, name := range []string{"label", "labels"} {
		if set, ok := sets[name]; ok && name != key {
			if labels, err = readH5Labels(set, info.Size()); err != nil {
				return data, nil, fmt.Errorf("%s: array %q: %w", path, name, err)
			}
			break
		}
	}
	return data, labels, nil
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
	start, extent := make([]uint64, len(shape)), make([]uint64, len(shape))
	for k, n := range shape {
		extent[k] = uint64(n)
	}
	step := max(1, h5SlabEntries/max(1, count/max(1, shape[0])))
	for first := 0; first < shape[0]; first += step {
		rows := min(step, shape[0]-first)
		start[0], extent[0] = uint64(first), uint64(rows)
		slab, err := set.ReadSlice(start, extent)
		if err != nil {
			return h5Array{}, h5ReadError(err)
		}
		want := count / shape[0] * rows
		before := len(data)
		switch values := slab.(type) {
		case []float64:
			for _, v := range values {
				data = append(data, float32(v))
			}
		case []float32:
			data = append(data, values...)
		default:
			return h5Array{}, fmt.Errorf("rows %d to %d: expected numbers, found %T", first, first+rows-1, slab)
		}
		if len(data)-before != want {
			return h5Array{}, fmt.Errorf("rows %d to %d: expected %d values, found %d", first, first+rows-1, want, len(data)-before)
		}
	}
	return h5Array{data, shape}, nil
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

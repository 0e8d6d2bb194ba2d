package format

import (
	"errors"
	"fmt"
	"os"

	"github.com/sliced-wasserstein/lab/datasets/internal/hdf5"
	"github.com/sliced-wasserstein/lab/internal/durable"
)

const (
	h5SlabEntries = 32 * 6144 // numbers read at a time: about 32 clouds of 2048 points
	h5Rewrite     = "rewrite the file with plain numbers, `h5repack -f GZIP=4 IN.h5 OUT.h5`, or with h5py as it writes by default"
)

// readH5 reads the array named key and, if the file has them, the class labels: an array "label" or
// "labels" beside it with one number or text per cloud. It reads what h5py writes by default. For
// anything else the error says how to rewrite the file.
func readH5(path, key string) (data Array, labels Labels, err error) {
	err = withH5(path, key, func(f *hdf5.File, set *hdf5.Array) error {
		data.Shape = set.Shape
		if err := readH5Slabs(set, &data); err != nil {
			return fmt.Errorf("array %q: %w", key, err)
		}
		labels, err = h5Labels(f, key)
		return err
	})
	return data, labels, err
}

// withH5 opens a file and finds the array named key for read.
func withH5(path, key string, read func(f *hdf5.File, set *hdf5.Array) error) error {
	info, err := os.Stat(path)
	if err != nil {
		return FileError(path, err)
	}
	if !info.Mode().IsRegular() {
		return fmt.Errorf("%s: expected an HDF5 file, found %s", path, durable.Kind(info.Mode()))
	}
	f, err := hdf5.Open(path)
	if err != nil {
		return FileError(path, fmt.Errorf("cannot read as HDF5: %w", h5Error(err)))
	}
	defer f.Close()
	set, err := f.Array(key)
	if errors.Is(err, hdf5.ErrMissing) {
		return fmt.Errorf("%s: no array named %q: it holds %s", path, key, Listed(f.Names))
	}
	if err == nil && set.Type.Class == 'S' {
		err = errText
	}
	if err != nil {
		return fmt.Errorf("%s: array %q: %w", path, key, h5Error(err))
	}
	if err := read(f, set); err != nil {
		return fmt.Errorf("%s: %w", path, err)
	}
	return nil
}

// h5Labels reads the class labels beside the array named key, one whole number or text per entry whatever
// the shape, if there are any.
func h5Labels(f *hdf5.File, key string) (l Labels, err error) {
	for _, name := range labelKeys {
		if name == key {
			continue
		}
		set, err := f.Array(name)
		if errors.Is(err, hdf5.ErrMissing) {
			continue
		}
		if err == nil {
			err = eachH5(set, 0, set.Rows(), func(t npyType, raw []byte) error {
				if !t.isText() {
					n, err := t.integer(raw)
					l.Numbers = append(l.Numbers, n)
					return err
				}
				text, err := set.Text(raw)
				if err == nil {
					text, err = t.text([]byte(text))
				}
				l.Names = append(l.Names, text)
				return err
			})
		}
		if err != nil {
			return l, fmt.Errorf("array %q: %w", name, h5Error(err))
		}
		return l, nil
	}
	return l, nil
}

// readH5Slabs reads an array of any rank in slabs along the first axis.
func readH5Slabs(set *hdf5.Array, out *Array) error {
	narrow, step := h5Type(set).narrow(), h5Step(set)
	for first := 0; first < set.Rows(); first += step {
		err := eachH5(set, first, min(step, set.Rows()-first), func(t npyType, raw []byte) error {
			v, err := number[float64](t, raw)
			if narrow {
				out.Narrow = append(out.Narrow, float32(v))
			} else {
				out.Wide = append(out.Wide, v)
			}
			return err
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// h5Type is the element type of an array.
func h5Type(set *hdf5.Array) npyType {
	return npyType{class: set.Type.Class, size: set.Type.Size, order: set.Type.Order}
}

// h5Step returns the number of rows to read at a time: about h5SlabEntries numbers, in whole
// chunks.
func h5Step(set *hdf5.Array) int {
	row := max(1, set.Bytes()/set.Type.Size/max(1, set.Rows()))
	chunks := h5SlabEntries / row / set.Step()
	return max(1, chunks) * set.Step()
}

// eachH5 calls take with every number of some rows.
func eachH5(set *hdf5.Array, first, rows int, take func(t npyType, raw []byte) error) error {
	t := h5Type(set)
	buffer := make([]byte, set.Bytes()/max(1, set.Rows())*rows)
	if err := set.ReadRows(buffer, first, rows); err != nil {
		return fmt.Errorf("rows %d to %d: %w", first, first+rows-1, h5Error(err))
	}
	for at := 0; at < len(buffer); at += t.size {
		if err := take(t, buffer[at:at+t.size]); err != nil {
			return fmt.Errorf("entry %d: %w", at/t.size, err)
		}
	}
	return nil
}

// h5Error adds a remedy to errors about unsupported features of HDF5.
func h5Error(err error) error {
	var unsupported *hdf5.Unsupported
	if errors.As(err, &unsupported) {
		return fmt.Errorf("%w: %s", err, h5Rewrite)
	}
	return err
}

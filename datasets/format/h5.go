package format

import (
	"errors"
	"fmt"
	"os"

	"github.com/sliced-wasserstein/lab/datasets/internal/hdf5"
	"github.com/sliced-wasserstein/lab/internal/durable"
	"github.com/sliced-wasserstein/lab/internal/memory"
	"github.com/sliced-wasserstein/lab/internal/numbers"
)

const h5Rewrite = "rewrite the file with plain numbers, `h5repack -f GZIP=4 IN.h5 OUT.h5`, or with h5py as it writes by default"

// readH5 reads the array named key and, if the file has them, the class labels: an array "label" or
// "labels" beside it with one number or text per cloud. It reads what h5py writes by default. For
// anything else the error says how to rewrite the file.
func readH5(path, key string) (data Array, labels Labels, err error) {
	f, set, err := openH5(path, key)
	if err != nil {
		return data, labels, err
	}
	data.Shape = set.Shape
	if set.Type.Narrow() {
		data.Narrow, err = readH5Array(set, numbers.Number[float32])
	} else {
		data.Wide, err = readH5Array(set, numbers.Number[float64])
	}
	if err != nil {
		return data, labels, fmt.Errorf("%s: array %q: %w", path, key, err)
	}
	if labels, err = h5Labels(f, key); err != nil {
		return data, labels, fmt.Errorf("%s: %w", path, err)
	}
	return data, labels, nil
}

// openH5 reads a file and finds its array of numbers named key.
func openH5(path, key string) (*hdf5.File, *hdf5.Array, error) {
	info, err := os.Stat(path)
	if err != nil {
		return nil, nil, FileError(path, err)
	}
	if !info.Mode().IsRegular() {
		return nil, nil, fmt.Errorf("%s: expected an HDF5 file, found %s", path, durable.Kind(info.Mode()))
	}
	if err := memory.Check(path, info.Size()); err != nil {
		return nil, nil, err
	}
	raw, err := os.ReadFile(path)
	if err != nil {
		return nil, nil, FileError(path, err)
	}
	f, err := hdf5.Read(raw)
	if err != nil {
		return nil, nil, fmt.Errorf("%s: cannot read as HDF5: %w", path, h5Error(err))
	}
	set, err := f.Array(key)
	if errors.Is(err, hdf5.ErrMissing) {
		return nil, nil, fmt.Errorf("%s: no array named %q: it holds %s", path, key, Listed(f.Names))
	}
	if err == nil && set.Type.IsText() {
		err = numbers.ErrText
	}
	if err != nil {
		return nil, nil, fmt.Errorf("%s: array %q: %w", path, key, h5Error(err))
	}
	return f, set, nil
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
		switch {
		case err != nil:
		case set.Type.IsText():
			l.Names, err = readH5Array(set, func(t numbers.Type, raw []byte) (string, error) {
				text, err := set.Text(raw)
				if err != nil {
					return "", err
				}
				return numbers.Text(t, []byte(text))
			})
		default:
			l.Numbers, err = readH5Array(set, numbers.Integer)
		}
		if err != nil {
			return l, fmt.Errorf("array %q: %w", name, h5Error(err))
		}
		return l, nil
	}
	return l, nil
}

// readH5Array converts every entry of an array.
func readH5Array[T any](set *hdf5.Array, convert func(t numbers.Type, raw []byte) (T, error)) ([]T, error) {
	raw, err := set.Read()
	if err != nil {
		return nil, h5Error(err)
	}
	return numbers.Append(make([]T, 0, len(raw)/set.Type.Size), set.Type, raw, convert)
}

// h5Error adds a remedy to errors about unsupported features of HDF5.
func h5Error(err error) error {
	if errors.As(err, new(*hdf5.Unsupported)) {
		return fmt.Errorf("%w: %s", err, h5Rewrite)
	}
	return err
}

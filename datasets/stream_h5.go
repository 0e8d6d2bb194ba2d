package datasets

import (
	"bufio"
	"io"
	"math"
	"strings"
	"sync"
)

// h5Rows reads the rows of a contiguous array of an HDF5 file.
type h5Rows struct {
	path  string
	mu    sync.Mutex // the library says nothing of goroutines
	file  *h5File
	shape []int
}

func (a *storedArray) findH5(key string) error {
	return withH5(a.file, key, func(f *h5File) error {
		shape, _, err := h5Shape(f.set, f.size)
		if err != nil {
			return err
		}
		if len(shape) != 3 {
			return errNotStored // one cloud
		}
		text, err := f.set.Info()
		if err != nil {
			return err
		}
		a.shape = shape
		a.describe = func(index *Set) error {
			return withH5(a.file, key, func(f *h5File) error {
				labels, err := f.labels(key)
				if err != nil {
					return err
				}
				return index.setLabels(a.file, labels)
			})
		}
		a.rows = func(o OpenOptions) (rowReader, error) {
			if strings.Contains(text, "contiguous") {
				return openH5Rows(a.file, key, shape)
			}
			return openCached(a.file, key, o, func(w io.Writer, progress func(done, total int64)) error {
				return unpackH5(a.file, key, shape, w, progress)
			})
		}
		return nil
	})
}

func openH5Rows(path, key string, shape []int) (r rowReader, err error) {
	defer recoverH5(path, &err)
	f, err := openH5(path, key)
	if err != nil {
		return nil, err
	}
	return &h5Rows{path: path, file: f, shape: shape}, nil
}

func (r *h5Rows) Close() error { return r.file.Close() }

func (r *h5Rows) readRow(dst []float32, row int, buffer []byte) (_ []byte, err error) {
	defer recoverH5(r.path, &err)
	r.mu.Lock()
	defer r.mu.Unlock()
	values, err := readH5Rows(r.file.set, r.shape, row, 1)
	copy(dst, values)
	return buffer, err
}

// unpackH5 writes a chunked array as .npy of float32.
func unpackH5(path, key string, shape []int, w io.Writer, progress func(done, total int64)) error {
	return withH5(path, key, func(f *h5File) error {
		b := bufio.NewWriterSize(w, 1<<18)
		if _, err := io.WriteString(b, npyHeaderText("<f4", shape)); err != nil {
			return err
		}
		count, _ := product(shape...)
		done := 0
		err := readH5Slabs(f.set, shape, func(slab []float32) error {
			done += len(slab)
			progress(4*int64(done), 4*int64(count))
			return writeWords(b, len(slab), func(i int) uint32 { return math.Float32bits(slab[i]) })
		})
		if err != nil {
			return err
		}
		return b.Flush()
	})
}

package datasets

import (
	"bufio"
	"encoding/binary"
	"io"
	"math"
)

// h5Rows reads the rows of a contiguous array of an HDF5 file.
type h5Rows struct{ file *h5File }

func (a *storedArray) findH5(key string) error {
	return withH5(a.file, key, func(f *h5File) error {
		if len(f.set.Shape) != 3 {
			return errNotStored // one cloud
		}
		contiguous := f.set.Contiguous()
		a.shape = f.set.Shape
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
			if contiguous {
				return openH5Rows(a.file, key)
			}
			return openCached(a.file, key, o, func(w io.Writer, progress func(done, total int64)) error {
				return unpackH5(a.file, key, w, progress)
			})
		}
		return nil
	})
}

func openH5Rows(path, key string) (rowReader, error) {
	f, err := openH5(path, key)
	if err != nil {
		return nil, err
	}
	return &h5Rows{f}, nil
}

func (r *h5Rows) Close() error { return r.file.Close() }

func (r *h5Rows) readRow(dst []float32, d, row int, buffer []byte) (origin []float64, lost float64, grown []byte, err error) {
	a, err := readH5Rows(r.file.set, row, 1)
	if a.wide != nil && err == nil {
		origin, lost = round(dst, a.wide, d)
		return origin, lost, buffer, nil
	}
	copy(dst, a.narrow)
	return nil, 0, buffer, err
}

// unpackH5 writes a chunked array as .npy of float32 or, where that does not hold its numbers, of
// float64.
func unpackH5(path, key string, w io.Writer, progress func(done, total int64)) error {
	return withH5(path, key, func(f *h5File) error {
		b := bufio.NewWriterSize(w, 1<<18)
		descr := "<f8"
		if h5Type(f.set).narrow() {
			descr = "<f4"
		}
		if _, err := io.WriteString(b, npyHeaderText(descr, f.set.Shape)); err != nil {
			return err
		}
		count, _ := product(f.set.Shape...)
		done := 0
		err := readH5Slabs(f.set, func(slab array) error {
			done += len(slab.narrow) + len(slab.wide)
			progress(4*int64(done), 4*int64(count))
			if slab.wide != nil {
				return binary.Write(b, binary.LittleEndian, slab.wide)
			}
			return writeWords(b, len(slab.narrow), func(i int) uint32 { return math.Float32bits(slab.narrow[i]) })
		})
		if err != nil {
			return err
		}
		return b.Flush()
	})
}

package datasets

import (
	"fmt"
	"io"
	"math"
	"os"
)

// flatRows reads the rows of an uncompressed row-major array in a file.
type flatRows struct {
	file *os.File
	at   int64 // where the array begins
	kind npyType
	rows int
	row  int // numbers per row
}

// checkFlat checks that a row-major array takes exactly the available bytes.
func (h npyHeader) checkFlat(size int64) error {
	if h.fortran && len(h.shape) > 1 || h.kind.isText() {
		return errNotStored
	}
	count, ok := product(h.shape...)
	need, ok2 := product(count, h.kind.size)
	if !ok || !ok2 || int64(need) != size {
		return errNotStored
	}
	return nil
}

// openFlat opens path, whose array with that header begins at byte at.
func openFlat(path string, head npyHeader, at int64) (rowReader, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, fileError(path, err)
	}
	r := &flatRows{file: f, at: at, kind: head.kind, rows: 1}
	shape := head.shape
	if len(shape) == 3 {
		r.rows, shape = shape[0], shape[1:]
	}
	r.row, _ = product(shape...)
	info, err := f.Stat()
	if err == nil && info.Size() < at+int64(r.rows)*int64(r.row)*int64(r.kind.size) {
		err = fmt.Errorf("shape %v of %s at byte %d does not fit in %d bytes", head.shape, head.kind, at, info.Size())
	}
	if err != nil {
		f.Close()
		return nil, fileError(path, err)
	}
	return r, nil
}

func (r *flatRows) Close() error { return r.file.Close() }

func (r *flatRows) readRow(dst []float32, d, row int, buffer []byte) (origin []float64, lost float64, grown []byte, err error) {
	width := r.kind.size
	if cap(buffer) < width*r.row {
		buffer = make([]byte, width*r.row)
	}
	buffer = buffer[:width*r.row]
	if n, err := r.file.ReadAt(buffer, r.at+int64(row)*int64(len(buffer))); n < len(buffer) {
		if err == io.EOF {
			err = fmt.Errorf("the file ends after %d of %d bytes", n, len(buffer))
		}
		return nil, 0, buffer, err
	}
	if r.kind.class == 'f' && width == 4 {
		for i := range dst {
			dst[i] = math.Float32frombits(r.kind.order.Uint32(buffer[4*i:]))
		}
		return nil, 0, buffer, nil
	}
	wide := make([]float64, len(dst))
	for i := range wide {
		wide[i] = r.kind.float(r.kind.bits(buffer[width*i:]))
	}
	origin, lost = round(dst, wide, d)
	return origin, lost, buffer, nil
}

package format

import (
	"bufio"
	"fmt"
	"io"
	"os"
	"unsafe"

	"github.com/sliced-wasserstein/lab/internal/durable"
	"github.com/sliced-wasserstein/lab/internal/memory"
	"github.com/sliced-wasserstein/lab/internal/numbers"
)

// ReadNPY reads a NumPy .npy file (format versions 1 to 3) as float32 in row-major order, in
// whatever order on disk. Numbers of type f2, f4, f8, i1-i8, u1-u8 and bool, little or big endian,
// are converted; f8 values beyond float32 become infinite. The header is checked against the file's
// size before anything is allocated: a mismatch is an error.
func ReadNPY(path string) (data []float32, shape []int, err error) {
	a, err := readNPY(path)
	return a.float32s(), a.Shape, err
}

// readNPY is ReadNPY without the rounding.
func readNPY(path string) (a Array, err error) {
	err = withNPYFile(path, func(r io.Reader, size int64) error {
		a, err = readNPYArray(r, size, true)
		return err
	})
	return a, err
}

// readNPYArray reads one .npy stream of numbers; size and certain are those of readNPYBody.
func readNPYArray(r io.Reader, size int64, certain bool) (a Array, err error) {
	head, used, err := readNPYHeader(r)
	if err != nil {
		return a, err
	}
	a.Shape = head.shape
	switch {
	case head.kind.IsText():
		return a, numbers.ErrText
	case head.kind.Narrow():
		a.Narrow, err = readNPYBody(r, head, size-used, certain, numbers.Number[float32])
	default:
		a.Wide, err = readNPYBody(r, head, size-used, certain, numbers.Number[float64])
	}
	return a, err
}

// ReadNPYFloat64 is [ReadNPY] without the rounding to float32, for masses.
func ReadNPYFloat64(path string) (data []float64, shape []int, err error) {
	a, err := readNPY(path)
	return a.float64s(), a.Shape, err
}

// ReadNPYInts is [ReadNPY] for labels and split files: every entry must be an integer that fits
// int64. Float arrays are accepted when all their entries are whole numbers.
func ReadNPYInts(path string) (data []int64, shape []int, err error) {
	labels, err := ReadLabels(path)
	if err == nil && labels.Names != nil {
		err = fmt.Errorf("%s: %w", path, numbers.ErrText)
	}
	return labels.Numbers, labels.shape, err
}

// ReadLabels reads a .npy file of class labels, numbers or names.
func ReadLabels(path string) (labels Labels, err error) {
	err = withNPYFile(path, func(r io.Reader, size int64) error {
		labels, err = readNPYLabels(r, size, true)
		return err
	})
	return labels, err
}

// withNPYFile opens path for read, which gets a buffered reader and the file's size; errors are
// prefixed with the path.
func withNPYFile(path string, read func(r io.Reader, size int64) error) error {
	f, err := os.Open(path)
	if err != nil {
		return FileError(path, err)
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return FileError(path, err)
	}
	if !info.Mode().IsRegular() {
		return fmt.Errorf("%s: expected a .npy file, found %s", path, durable.Kind(info.Mode()))
	}
	if err := read(bufio.NewReaderSize(f, 1<<18), info.Size()); err != nil {
		return fmt.Errorf("%s: %w", path, err)
	}
	return nil
}

// readNPYLabels reads one .npy stream of whole numbers or text.
func readNPYLabels(r io.Reader, size int64, certain bool) (l Labels, err error) {
	head, used, err := readNPYHeader(r)
	if err != nil {
		return l, err
	}
	l.shape = head.shape
	if head.kind.IsText() {
		l.Names, err = readNPYBody(r, head, size-used, certain, numbers.Text)
	} else {
		l.Numbers, err = readNPYBody(r, head, size-used, certain, numbers.Integer)
	}
	return l, err
}

// readNPYBody reads what follows a header, exactly size bytes, and converts every entry. If size is
// certain (the length of a file), the whole array is allocated at once. If it is only claimed (by
// an archive), memory grows as the bytes arrive.
func readNPYBody[T any](r io.Reader, head npyHeader, size int64, certain bool, convert func(t numbers.Type, raw []byte) (T,
	error)) (values []T, err error) {
	count, ok := Product(head.shape...)
	need, ok2 := Product(count, head.kind.Size)
	if !ok || !ok2 || int64(need) != size {
		return nil, fmt.Errorf("npy: shape %v of %s needs %s bytes after the header, found %d", head.shape, head.kind,
			bytesText(head), size)
	}
	if err := memory.Check(fmt.Sprintf("npy: an array of shape %v", head.shape), memory.Bytes(count,
		int(unsafe.Sizeof(*new(T))))); err != nil {
		return nil, err
	}
	ahead := count
	if !certain {
		ahead = min(count, 1<<20)
	}
	values = make([]T, 0, ahead)
	step := min(count, max(1, 1<<16/head.kind.Size))
	buffer := make([]byte, step*head.kind.Size)
	for done := 0; done < count; {
		n := min(count-done, step)
		chunk := buffer[:n*head.kind.Size]
		if k, err := io.ReadFull(r, chunk); err != nil {
			return nil, fmt.Errorf("npy: shape %v of %s needs %d bytes, the data ends after %d: %w", head.shape, head.kind,
				need, done*head.kind.Size+k, err)
		}
		if values, err = numbers.Append(values, head.kind, chunk, convert); err != nil {
			return nil, fmt.Errorf("npy: %w", err)
		}
		done += n
	}
	if head.fortran && len(head.shape) > 1 {
		values = rowMajor(values, head.shape)
	}
	return values, nil
}

// bytesText formats the number of bytes a header asks for, which may not fit an int.
func bytesText(h npyHeader) string {
	total := float64(h.kind.Size)
	for _, n := range h.shape {
		total *= float64(n)
	}
	return fmt.Sprintf("%.6g", total)
}

// rowMajor reorders an array stored with the first axis fastest (Fortran order).
func rowMajor[T any](values []T, shape []int) []T {
	out, strides, step := make([]T, len(values)), make([]int, len(shape)), 1
	for k, n := range shape {
		strides[k] = step
		step *= n
	}
	if len(out) > 0 {
		for i, at := range numbers.Places(shape, strides) {
			out[i] = values[at]
		}
	}
	return out
}

package format

import (
	"bufio"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"strings"
	"unsafe"

	"github.com/gomlx/compute/dtypes/float16"

	"github.com/sliced-wasserstein/lab/internal/durable"
	"github.com/sliced-wasserstein/lab/internal/memory"
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
	case head.kind.isText():
		return a, errText
	case head.kind.narrow():
		a.Narrow, err = readNPYBody(r, head, size-used, certain, number[float32])
	default:
		a.Wide, err = readNPYBody(r, head, size-used, certain, number[float64])
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
		err = fmt.Errorf("%s: %w", path, errText)
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
	if head.kind.isText() {
		l.Names, err = readNPYBody(r, head, size-used, certain, npyType.text)
	} else {
		l.Numbers, err = readNPYBody(r, head, size-used, certain, npyType.integer)
	}
	return l, err
}

// readNPYBody reads what follows a header, exactly size bytes, and converts every entry. If size is
// certain (the length of a file), the whole array is allocated at once. If it is only claimed (by
// an archive), memory grows as the bytes arrive.
func readNPYBody[T any](r io.Reader, head npyHeader, size int64, certain bool, convert func(t npyType, raw []byte) (T,
	error)) (values []T, err error) {
	count, ok := Product(head.shape...)
	need, ok2 := Product(count, head.kind.size)
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
	step := min(count, max(1, 1<<16/head.kind.size))
	buffer := make([]byte, step*head.kind.size)
	for done := 0; done < count; {
		n := min(count-done, step)
		chunk := buffer[:n*head.kind.size]
		if k, err := io.ReadFull(r, chunk); err != nil {
			return nil, fmt.Errorf("npy: shape %v of %s needs %d bytes, the data ends after %d: %w", head.shape, head.kind,
				need, done*head.kind.size+k, err)
		}
		if values, err = entries(values, head.kind, chunk, convert); err != nil {
			return nil, fmt.Errorf("npy: %w", err)
		}
		done += n
	}
	if head.fortran && len(head.shape) > 1 {
		values = rowMajor(values, head.shape)
	}
	return values, nil
}

// entries appends every entry of raw, converted.
func entries[T any](values []T, t npyType, raw []byte, convert func(t npyType, raw []byte) (T, error)) ([]T, error) {
	for ; len(raw) >= t.size; raw = raw[t.size:] {
		v, err := convert(t, raw[:t.size])
		if err != nil {
			return nil, fmt.Errorf("entry %d: %w", len(values), err)
		}
		values = append(values, v)
	}
	return values, nil
}

// bytesText formats the number of bytes a header asks for, which may not fit an int.
func bytesText(h npyHeader) string {
	total := float64(h.kind.size)
	for _, n := range h.shape {
		total *= float64(n)
	}
	return fmt.Sprintf("%.6g", total)
}

// rowMajor reorders an array stored with the first axis fastest (Fortran order).
func rowMajor[T any](values []T, shape []int) []T {
	out := make([]T, len(values))
	index := make([]int, len(shape))
	strides := make([]int, len(shape))
	step := 1
	for k, n := range shape {
		strides[k] = step
		step *= n
	}
	from := 0
	for to := range out {
		out[to] = values[from]
		for k := len(shape) - 1; k >= 0; k-- {
			index[k]++
			from += strides[k]
			if index[k] < shape[k] {
				break
			}
			from -= index[k] * strides[k]
			index[k] = 0
		}
	}
	return out
}

// npyType is the element type of a .npy array.
type npyType struct {
	class byte // 'f', 'i', 'u' or 'b'; 'S' (bytes) or 'U' (UTF-32) for text
	size  int  // bytes per entry: 1, 2, 4 or 8; any for text
	order binary.ByteOrder
}

func (t npyType) String() string {
	switch {
	case t.class == 'b':
		return "bool"
	case t.isText():
		return "text"
	}
	return fmt.Sprintf("%c%d", t.class, t.size)
}

// narrow reports whether float32 holds every number of the type.
func (t npyType) narrow() bool { return t.size < 4 || t.class == 'f' && t.size == 4 || t.class == 'b' }

// bits returns the entry at the start of b as an unsigned word.
func (t npyType) bits(b []byte) uint64 {
	switch t.size {
	case 1:
		return uint64(b[0])
	case 2:
		return uint64(t.order.Uint16(b))
	case 4:
		return uint64(t.order.Uint32(b))
	default:
		return t.order.Uint64(b)
	}
}

// signed extends the sign of an integer entry.
func (t npyType) signed(bits uint64) int64 {
	shift := 64 - 8*t.size
	return int64(bits<<shift) >> shift
}

// float returns an entry as float64.
func (t npyType) float(bits uint64) float64 {
	switch t.class {
	case 'f':
		switch t.size {
		case 2:
			return float16.FromBits(uint16(bits)).Float64()
		case 4:
			return float64(math.Float32frombits(uint32(bits)))
		default:
			return math.Float64frombits(bits)
		}
	case 'i':
		return float64(t.signed(bits))
	case 'b':
		if bits != 0 {
			return 1
		}
		return 0
	default:
		return float64(bits)
	}
}

// number is float, rounded to T; float64 must hold a whole number exactly.
func number[T float32 | float64](t npyType, raw []byte) (T, error) {
	bits := t.bits(raw)
	v := t.float(bits)
	if signed := t.signed(bits); t.class == 'i' && (v >= 1<<63 || int64(v) != signed) {
		return 0, inexact(signed)
	}
	if t.class == 'u' && (v >= 1<<64 || uint64(v) != bits) {
		return 0, inexact(bits)
	}
	return T(v), nil
}

// inexact is the error of a whole number that float64 does not hold.
func inexact(v any) error {
	return fmt.Errorf("float64 holds whole numbers up to 2^53 = 9007199254740992 exactly, found %d; subtract an origin first", v)
}

// integer returns an entry as int64, or an error when it is not a whole number in range.
func (t npyType) integer(raw []byte) (int64, error) {
	bits := t.bits(raw)
	switch t.class {
	case 'f':
		return wholeNumber(t.float(bits))
	case 'i':
		return t.signed(bits), nil
	case 'b':
		return int64(t.float(bits)), nil
	default:
		if bits > math.MaxInt64 {
			return 0, fmt.Errorf("%d does not fit a signed 64-bit integer", bits)
		}
		return int64(bits), nil
	}
}

func (t npyType) isText() bool { return t.class == 'S' || t.class == 'U' }

// text returns an entry of text, or an error when it is empty.
func (t npyType) text(raw []byte) (string, error) {
	text := string(raw)
	if t.class == 'U' {
		var runes []rune
		for ; len(raw) >= 4; raw = raw[4:] {
			runes = append(runes, rune(t.order.Uint32(raw)))
		}
		text = string(runes)
	}
	if text = strings.TrimSpace(strings.TrimRight(text, "\x00")); text == "" {
		return "", errors.New("expected a name, found an empty text")
	}
	return text, nil
}

// errText is the error of arrays of text in the place of numbers.
var errText = errors.New("expected numbers, found text")

// wholeNumber converts a float64 that holds an integer exactly.
func wholeNumber(v float64) (int64, error) {
	if v != math.Trunc(v) || math.Abs(v) >= 1<<53 {
		return 0, fmt.Errorf("expected a whole number, found %v", v)
	}
	return int64(v), nil
}

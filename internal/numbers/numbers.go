// Package numbers decodes the numbers and texts of arrays in files, by types like NumPy's.
package numbers

import (
	"encoding/binary"
	"errors"
	"fmt"
	"iter"
	"math"
	"math/bits"
	"strings"

	"github.com/gomlx/compute/dtypes/float16"
)

// Type is the type of an array's entries.
type Type struct {
	Class byte // 'f', 'B' (bfloat16), 'i', 'u' or 'b' (bool); 'S' (bytes) or 'U' (UTF-32) for text
	Size  int  // bytes per entry: 1, 2, 4 or 8; any for text
	Big   bool // big-endian
}

// Of returns the little-endian type of a class and a size, such as "f4".
func Of(code string) Type { return Type{Class: code[0], Size: int(code[1] - '0')} }

func (t Type) String() string {
	switch {
	case t.Class == 'b':
		return "bool"
	case t.IsText():
		return "text"
	}
	return fmt.Sprintf("%c%d", t.Class, t.Size)
}

// IsText reports whether the entries are text.
func (t Type) IsText() bool { return t.Class == 'S' || t.Class == 'U' }

// Narrow reports whether float32 holds every number of the type.
func (t Type) Narrow() bool { return t.Size < 4 || t.Class == 'f' && t.Size == 4 || t.Class == 'b' }

// bits returns the entry at the start of b as an unsigned word.
func (t Type) bits(b []byte) (word uint64) {
	switch t.Size {
	case 1:
		word = uint64(b[0])
	case 2:
		word = uint64(binary.LittleEndian.Uint16(b))
	case 4:
		word = uint64(binary.LittleEndian.Uint32(b))
	default:
		word = binary.LittleEndian.Uint64(b)
	}
	if t.Big {
		word = bits.ReverseBytes64(word) >> (64 - 8*t.Size)
	}
	return word
}

// signed extends the sign of a whole number.
func (t Type) signed(bits uint64) int64 {
	shift := 64 - 8*t.Size
	return int64(bits<<shift) >> shift
}

// Float returns the entry at the start of b as float64, whole numbers rounded.
func (t Type) Float(b []byte) float64 { return t.float(t.bits(b)) }

func (t Type) float(bits uint64) float64 {
	switch {
	case t.Class == 'b':
		return float64(min(bits, 1))
	case t.Class == 'i':
		return float64(t.signed(bits))
	case t.Class == 'u':
		return float64(bits)
	case t.Class == 'B':
		return float64(math.Float32frombits(uint32(bits) << 16))
	case t.Size == 2:
		return float16.FromBits(uint16(bits)).Float64()
	case t.Size == 4:
		return float64(math.Float32frombits(uint32(bits)))
	}
	return math.Float64frombits(bits)
}

// Number is [Type.Float], rounded to T; float64 must hold a whole number exactly.
func Number[T float32 | float64](t Type, b []byte) (T, error) {
	bits := t.bits(b)
	v := t.float(bits)
	switch {
	case t.Class == 'i' && (v >= 1<<63 || int64(v) != t.signed(bits)):
		return 0, inexact(t.signed(bits))
	case t.Class == 'u' && (v >= 1<<64 || uint64(v) != bits):
		return 0, inexact(bits)
	}
	return T(v), nil
}

func inexact(v any) error {
	return fmt.Errorf("float64 holds whole numbers up to 2^53 = 9007199254740992 exactly, found %d; subtract an origin first", v)
}

// Integer returns the entry at the start of b, or an error if it is not a whole number in range.
func Integer(t Type, b []byte) (int64, error) {
	bits := t.bits(b)
	switch v := t.float(bits); {
	case t.Class == 'i':
		return t.signed(bits), nil
	case t.Class == 'u' && bits > math.MaxInt64:
		return 0, fmt.Errorf("%d does not fit a signed 64-bit integer", bits)
	case t.Class == 'u':
		return int64(bits), nil
	case v != math.Trunc(v) || math.Abs(v) >= 1<<53:
		return 0, fmt.Errorf("expected a whole number, found %v", v)
	default:
		return int64(v), nil
	}
}

// Text returns an entry of text, or an error when it is empty.
func Text(t Type, b []byte) (string, error) {
	text := string(b)
	if t.Class == 'U' {
		letter, runes := Type{Class: 'u', Size: 4, Big: t.Big}, []rune(nil)
		for ; len(b) >= 4; b = b[4:] {
			runes = append(runes, rune(letter.bits(b)))
		}
		text = string(runes)
	}
	if text = strings.TrimSpace(strings.TrimRight(text, "\x00")); text == "" {
		return "", errors.New("expected a name, found an empty text")
	}
	return text, nil
}

// ErrText is the error of arrays of text in the place of numbers.
var ErrText = errors.New("expected numbers, found text")

// Append appends every entry of raw, converted.
func Append[T any](values []T, t Type, raw []byte, convert func(t Type, b []byte) (T, error)) ([]T, error) {
	for ; len(raw) >= t.Size; raw = raw[t.Size:] {
		v, err := convert(t, raw[:t.Size])
		if err != nil {
			return nil, fmt.Errorf("entry %d: %w", len(values), err)
		}
		values = append(values, v)
	}
	return values, nil
}

// Places yields where the entries of an array are, in row-major order, by the distances of
// neighbours along each axis.
func Places(shape, strides []int) iter.Seq2[int, int] {
	return func(yield func(i, at int) bool) {
		index, at := make([]int, len(shape)), 0
		for i := 0; yield(i, at); i++ {
			axis := len(shape) - 1
			for ; axis >= 0; axis-- { // the next index, the last axis first
				index[axis]++
				at += strides[axis]
				if index[axis] < shape[axis] {
					break
				}
				at -= index[axis] * strides[axis]
				index[axis] = 0
			}
			if axis < 0 {
				return
			}
		}
	}
}

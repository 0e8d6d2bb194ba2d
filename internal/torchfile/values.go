package torchfile

import (
	"encoding/binary"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/gomlx/compute/dtypes/float16"
	"github.com/nlpodyssey/gopickle/types"
)

// Tensor is a pickled tensor: strides over a storage.
type Tensor struct {
	*storage
	offset        int
	shape, stride []int
}

// Shape returns a copy of the sizes of the axes.
func (t *Tensor) Shape() []int { return slices.Clone(t.shape) }

// DType is the element type, as named by safetensors: F32, F64, F16, BF16, I64, I32, I16, I8, U8 or
// BOOL.
func (t *Tensor) DType() string { return t.dtype }

// Floats copies a tensor of f in row-major order. Numbers of any type are rounded to float32;
// float64 beyond its range becomes infinite.
func (f *File) Floats(v *Tensor) ([]float32, error) { return numbers[float32](f, v) }

// Doubles is Floats in float64.
func (f *File) Doubles(v *Tensor) ([]float64, error) { return numbers[float64](f, v) }

func numbers[T float](f *File, v *Tensor) ([]T, error) {
	if int64(v.count) > f.size {
		return nil, fmt.Errorf("a storage of %d values in a file of %d bytes", v.count, f.size)
	}
	if slices.Contains(v.shape, 0) {
		return []T{}, nil
	}
	// Number of elements, and index of the last in the storage.
	count, last := int64(1), int64(v.offset)
	for i, n := range v.shape {
		if n < 0 || v.stride[i] < 0 || count > f.budget/int64(n) || v.stride[i] > v.count {
			return nil, fmt.Errorf("shape %v with strides %v does not fit into a file of this size", v.shape, v.stride)
		}
		count *= int64(n)
		last += int64(n-1) * int64(v.stride[i])
	}
	if v.offset < 0 || last >= int64(v.count) {
		return nil, fmt.Errorf("shape %v with strides %v from %d reaches beyond its storage of %d values", v.shape, v.stride, v.offset, v.count)
	}
	f.budget -= count
	from, err := values[T](v.storage)
	if err != nil {
		return nil, err
	}
	data := make([]T, count)
	index, at := make([]int, len(v.shape)), v.offset
	for i := range data {
		data[i] = from[at]
		for axis := len(index) - 1; axis >= 0; axis-- { // the next index, the last axis first
			index[axis]++
			at += v.stride[axis]
			if index[axis] < v.shape[axis] {
				break
			}
			at -= index[axis] * v.stride[axis]
			index[axis] = 0
		}
	}
	return data, nil
}

// IsDict reports whether an unpickled value is a dict.
func IsDict(v any) bool {
	switch v.(type) {
	case *types.Dict, *types.OrderedDict:
		return true
	}
	return false
}

// Item is an entry of a dict.
type Item struct {
	Key   string
	Value any
}

// Items lists the entries of a dict with string keys, in file order.
func Items(v any) ([]Item, error) {
	var list []Item
	add := func(key, value any) error {
		k, ok := key.(string)
		if !ok {
			return fmt.Errorf("expected a dict of tensors by name, found %s as a key", Describe(key))
		}
		list = append(list, Item{k, value})
		return nil
	}
	switch d := v.(type) {
	case *types.Dict:
		for _, e := range *d {
			if err := add(e.Key, e.Value); err != nil {
				return nil, err
			}
		}
	case *types.OrderedDict:
		for e := d.List.Front(); e != nil; e = e.Next() {
			entry := e.Value.(*types.OrderedDictEntry)
			if err := add(entry.Key, entry.Value); err != nil {
				return nil, err
			}
		}
	default:
		return nil, fmt.Errorf("expected a dict of tensors by name, found %s", Describe(v))
	}
	return list, nil
}

// Describe names the type of an unpickled value in Python's terms.
func Describe(v any) string {
	switch v := v.(type) {
	case nil:
		return "None"
	case *types.Dict, *types.OrderedDict:
		return "a dict"
	case *types.List:
		return "a list"
	case *types.Tuple:
		return "a tuple"
	case *Tensor:
		return "a tensor"
	case string:
		return "a str"
	case bool:
		return "a bool"
	case int, float64:
		return fmt.Sprintf("the number %v", v)
	}
	return strings.TrimPrefix(fmt.Sprintf("%T", v), "*")
}

// Decode reads little-endian numbers of a type (Tensor.DType); nil for an unknown type.
func Decode[T float](dtype string, b []byte) []T {
	le := binary.LittleEndian
	switch dtype {
	case "F32":
		return decode(b, 4, func(b []byte) T { return T(math.Float32frombits(le.Uint32(b))) })
	case "F64":
		return decode(b, 8, func(b []byte) T { return T(math.Float64frombits(le.Uint64(b))) })
	case "BF16":
		return decode(b, 2, func(b []byte) T { return T(math.Float32frombits(uint32(le.Uint16(b)) << 16)) })
	case "F16":
		return decode(b, 2, func(b []byte) T { return T(float16.FromBits(le.Uint16(b)).Float32()) })
	case "I64":
		return decode(b, 8, func(b []byte) T { return T(int64(le.Uint64(b))) })
	case "I32":
		return decode(b, 4, func(b []byte) T { return T(int32(le.Uint32(b))) })
	case "I16":
		return decode(b, 2, func(b []byte) T { return T(int16(le.Uint16(b))) })
	case "I8":
		return decode(b, 1, func(b []byte) T { return T(int8(b[0])) })
	case "U8", "BOOL":
		return decode(b, 1, func(b []byte) T { return T(b[0]) })
	}
	return nil
}

// decode reads numbers of width bytes.
func decode[T float](b []byte, width int, read func([]byte) T) []T {
	v := make([]T, len(b)/width)
	for i := range v {
		v[i] = read(b[i*width:])
	}
	return v
}

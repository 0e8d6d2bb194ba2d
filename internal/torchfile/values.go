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
	var keys, values []any
	switch d := v.(type) {
	case *types.Dict:
		for _, e := range *d {
			keys, values = append(keys, e.Key), append(values, e.Value)
		}
	case *types.OrderedDict:
		for e := d.List.Front(); e != nil; e = e.Next() {
			entry := e.Value.(*types.OrderedDictEntry)
			keys, values = append(keys, entry.Key), append(values, entry.Value)
		}
	default:
		return nil, fmt.Errorf("expected a dict of tensors by name, found %s", Describe(v))
	}
	list := make([]Item, len(keys))
	for i, k := range keys {
		key, ok := k.(string)
		if !ok {
			return nil, fmt.Errorf("expected a dict of tensors by name, found %s as a key", Describe(k))
		}
		list[i] = Item{key, values[i]}
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
	read := map[string]struct {
		width  int
		number func([]byte) T
	}{
		"F32":  {4, func(b []byte) T { return T(math.Float32frombits(le.Uint32(b))) }},
		"F64":  {8, func(b []byte) T { return T(math.Float64frombits(le.Uint64(b))) }},
		"BF16": {2, func(b []byte) T { return T(math.Float32frombits(uint32(le.Uint16(b)) << 16)) }},
		"F16":  {2, func(b []byte) T { return T(float16.FromBits(le.Uint16(b)).Float32()) }},
		"I64":  {8, func(b []byte) T { return T(int64(le.Uint64(b))) }},
		"I32":  {4, func(b []byte) T { return T(int32(le.Uint32(b))) }},
		"I16":  {2, func(b []byte) T { return T(int16(le.Uint16(b))) }},
		"I8":   {1, func(b []byte) T { return T(int8(b[0])) }},
		"U8":   {1, func(b []byte) T { return T(b[0]) }},
		"BOOL": {1, func(b []byte) T { return T(b[0]) }},
	}[dtype]
	if read.number == nil {
		return nil
	}
	v := make([]T, len(b)/read.width)
	for i := range v {
		v[i] = read.number(b[i*read.width:])
	}
	return v
}

var le = binary.LittleEndian

package torchfile

import (
	"fmt"
	"slices"
	"strings"

	"github.com/nlpodyssey/gopickle/types"
	"github.com/sliced-wasserstein/lab/internal/numbers"
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

// Values copies a tensor of f in row-major order, every element converted.
func Values[T any](f *File, v *Tensor, convert func(t numbers.Type, b []byte) (T, error)) ([]T, error) {
	if v.count > f.size {
		return nil, fmt.Errorf("a storage of %d values in a file of %d bytes", v.count, f.size)
	}
	if slices.Contains(v.shape, 0) {
		return []T{}, nil
	}
	count, last := 1, v.offset // number of elements, and index of the last in the storage
	for i, n := range v.shape {
		if n < 0 || v.stride[i] < 0 || count > f.budget/n || v.stride[i] > v.count {
			return nil, fmt.Errorf("shape %v with strides %v does not fit into a file of this size", v.shape, v.stride)
		}
		count *= n
		last += (n - 1) * v.stride[i]
	}
	if v.offset < 0 || last >= v.count {
		return nil, fmt.Errorf("shape %v with strides %v from %d reaches beyond its storage of %d values", v.shape, v.stride, v.offset, v.count)
	}
	f.budget -= count
	raw, err := v.data()
	if err != nil {
		return nil, err
	}
	out := make([]T, count)
	for i, at := range numbers.Places(v.shape, v.stride) {
		if out[i], err = convert(v.Type, raw[(v.offset+at)*v.Size:]); err != nil {
			return nil, fmt.Errorf("entry %d: %w", i, err)
		}
	}
	return out, nil
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
	var err error
	add := func(k, value any) {
		key, ok := k.(string)
		if !ok {
			err = fmt.Errorf("expected a dict of tensors by name, found %s as a key", Describe(k))
		}
		list = append(list, Item{key, value})
	}
	switch d := v.(type) {
	case *types.Dict:
		for _, e := range *d {
			add(e.Key, e.Value)
		}
	case *types.OrderedDict:
		for e := d.List.Front(); e != nil; e = e.Next() {
			entry := e.Value.(*types.OrderedDictEntry)
			add(entry.Key, entry.Value)
		}
	default:
		err = fmt.Errorf("expected a dict of tensors by name, found %s", Describe(v))
	}
	return list, err
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

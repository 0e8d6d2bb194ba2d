package weights

import (
	"fmt"
	"slices"
	"strings"

	"github.com/nlpodyssey/gopickle/types"
)

// wrappers are the keys of a checkpoint under which a state dict is looked for, in this order.
var wrappers = []string{"autoencoder", "model", "state_dict"}

type item struct {
	key   string
	value any
}

// stateDict makes a set of a dict of tensors, or of one under a key of wrappers. size is the file's: no storage may claim more
// elements than that, and nor may all tensors together.
func stateDict(root any, size int64) (*Set, error) {
	list, err := items(root)
	if err != nil {
		return nil, err
	}
	for depth := 0; depth < 3; depth++ { // {"model": {"state_dict": ...}} is the deepest seen
		inner := -1
		for _, w := range wrappers {
			at := slices.IndexFunc(list, func(i item) bool { return i.key == w })
			if at >= 0 && isDict(list[at].value) {
				inner = at
				break
			}
		}
		if inner < 0 {
			break
		}
		if list, err = items(list[inner].value); err != nil {
			return nil, err
		}
	}
	set, budget := NewSet(), size
	for _, i := range list {
		v, ok := i.value.(*view)
		if !ok {
			return nil, fmt.Errorf("entry %q: expected a tensor, found %s; a state dict is read, or one under the key %s",
				i.key, name(i.value), strings.Join(wrappers, ", "))
		}
		if strings.HasSuffix(i.key, ".num_batches_tracked") {
			continue
		}
		if !slices.Contains([]string{"F32", "F64", "F16", "BF16"}, v.dtype) {
			return nil, fmt.Errorf("tensor %q: expected dtype F32, F64, F16 or BF16, found %q", i.key, v.dtype)
		}
		if int64(v.count) > size {
			return nil, fmt.Errorf("tensor %q: a storage of %d values in a file of %d bytes", i.key, v.count, size)
		}
		t, err := v.tensor(&budget)
		if err != nil {
			return nil, fmt.Errorf("tensor %q: %w", i.key, err)
		}
		set.Put(i.key, t)
	}
	return set, nil
}

func isDict(v any) bool {
	switch v.(type) {
	case *types.Dict, *types.OrderedDict:
		return true
	}
	return false
}

// items lists a dict with names for keys.
func items(v any) ([]item, error) {
	var list []item
	add := func(key, value any) error {
		k, ok := key.(string)
		if !ok {
			return fmt.Errorf("expected a dict of tensors by name, found %s as a key", name(key))
		}
		list = append(list, item{k, value})
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
		return nil, fmt.Errorf("expected a dict of tensors by name, found %s; write it with %s", name(v), saveHint)
	}
	return list, nil
}

// tensor copies the view in row-major order and takes its elements off the budget.
func (v *view) tensor(budget *int64) (Tensor, error) {
	if slices.Contains(v.shape, 0) {
		return Tensor{Shape: slices.Clone(v.shape), Data: []float32{}}, nil
	}
	count, last := int64(1), int64(v.offset) // number of elements, and the place of the last in the storage
	for i, n := range v.shape {
		if n < 0 || v.stride[i] < 0 || count > *budget/int64(n) || v.stride[i] > v.count {
			return Tensor{}, fmt.Errorf("shape %v with strides %v does not fit into a file of this size", v.shape, v.stride)
		}
		count *= int64(n)
		last += int64(n-1) * int64(v.stride[i])
	}
	if v.offset < 0 || last >= int64(v.count) {
		return Tensor{}, fmt.Errorf("shape %v with strides %v from %d reaches beyond its storage of %d values", v.shape, v.stride, v.offset, v.count)
	}
	*budget -= count
	t := Tensor{Shape: slices.Clone(v.shape), Data: make([]float32, count)}
	from, err := v.values()
	if err != nil {
		return Tensor{}, err
	}
	index, at := make([]int, len(v.shape)), v.offset
	for i := range t.Data {
		t.Data[i] = from[at]
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
	return t, nil
}

package weights

import (
	"fmt"
	"slices"
	"strings"

	"github.com/sliced-wasserstein/lab/internal/numbers"
	"github.com/sliced-wasserstein/lab/internal/torchfile"
)

const saveHint = "torch.save({k: v.detach() for k, v in module.state_dict().items()}, path)"

// ReadTorch reads a state dict written by PyTorch's torch.save, in its zip or its older format: a
// dict of tensors, or one under the key "autoencoder", "model" or "state_dict". It runs no code of
// the file, and its memory is bounded (package torchfile).
//
// float32, float64, float16 and bfloat16 tensors become float32, whatever their strides. Integer
// tensors are allowed only for "num_batches_tracked" entries, which are dropped.
func ReadTorch(path string) (*Set, error) {
	f, err := torchfile.Open(path, saveHint)
	if err != nil {
		return nil, err
	}
	set, err := stateDict(f)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return set, nil
}

// wrappers are the keys of a checkpoint that may hold a state dict, in order of preference.
var wrappers = []string{"autoencoder", "model", "state_dict"}

// stateDict makes a set from a dict of tensors, or from one under a key of wrappers.
func stateDict(file *torchfile.File) (*Set, error) {
	list, err := torchfile.Items(file.Root)
	if err != nil {
		return nil, fmt.Errorf("%w; write it with %s", err, saveHint)
	}
	for depth := 0; depth < 3; depth++ { // {"model": {"state_dict": ...}} is the deepest seen
		inner := -1
		for _, w := range wrappers {
			at := slices.IndexFunc(list, func(i torchfile.Item) bool { return i.Key == w })
			if at >= 0 && torchfile.IsDict(list[at].Value) {
				inner = at
				break
			}
		}
		if inner < 0 {
			break
		}
		if list, err = torchfile.Items(list[inner].Value); err != nil {
			return nil, err
		}
	}
	set := NewSet()
	for _, i := range list {
		v, ok := i.Value.(*torchfile.Tensor)
		if !ok {
			return nil, fmt.Errorf("entry %q: expected a tensor, found %s; a state dict is read, or one under the key %s",
				i.Key, torchfile.Describe(i.Value), strings.Join(wrappers, ", "))
		}
		if strings.HasSuffix(i.Key, ".num_batches_tracked") {
			continue
		}
		if !slices.Contains([]string{"F32", "F64", "F16", "BF16"}, v.DType()) {
			return nil, fmt.Errorf("tensor %q: expected dtype F32, F64, F16 or BF16, found %q", i.Key, v.DType())
		}
		data, err := torchfile.Values(file, v, numbers.Number[float32])
		if err != nil {
			return nil, fmt.Errorf("tensor %q: %w", i.Key, err)
		}
		set.Put(i.Key, Tensor{Shape: v.Shape(), Data: data})
	}
	return set, nil
}

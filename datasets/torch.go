package datasets

import (
	"fmt"

	"github.com/sliced-wasserstein/lab/internal/torchfile"
)

// readTorchSet reads the clouds of a file that torch.save wrote: a tensor, or the tensor under key
// in a dict of tensors ([arrayKey]), where label or labels hold the class labels. It runs no code
// of the file.
func readTorchSet(path, key string) (*Set, error) {
	file, err := torchfile.Open(path, "torch.save(clouds, path), clouds a tensor [points, dim] or [clouds, points, dim]")
	if err != nil {
		return nil, err
	}
	defer file.Close()
	read := func(what string, value any) (a array, err error) {
		tensor, ok := value.(*torchfile.Tensor)
		if !ok {
			return a, fmt.Errorf("%s: %s: expected a tensor, found %s", path, what, torchfile.Describe(value))
		}
		a.shape = tensor.Shape()
		switch tensor.DType() {
		case "F64", "I64", "I32":
			a.wide, err = file.Doubles(tensor)
		default:
			a.narrow, err = file.Floats(tensor)
		}
		if err != nil {
			return a, fmt.Errorf("%s: %s: %w", path, what, err)
		}
		return a, nil
	}
	if !torchfile.IsDict(file.Root) {
		if key != "" {
			return nil, fmt.Errorf("%s: the key %q: expected a dict of tensors, found %s", path, key, torchfile.Describe(file.Root))
		}
		if _, ok := file.Root.(*torchfile.Tensor); !ok {
			return nil, fmt.Errorf("%s: expected a tensor or a dict of tensors, found %s; torch.save(torch.stack(clouds), path) writes clouds of one size",
				path, torchfile.Describe(file.Root))
		}
		a, err := read("the tensor", file.Root)
		if err != nil {
			return nil, err
		}
		return a.set(path, "torch")
	}
	items, err := torchfile.Items(file.Root)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	values, names := map[string]any{}, []string{}
	for _, i := range items {
		values[i.Key], names = i.Value, append(names, i.Key)
	}
	if key, err = arrayKey(path, key, names); err != nil {
		return nil, err
	}
	if _, ok := values[key]; !ok {
		return nil, fmt.Errorf("%s: no tensor named %q: it holds %s", path, key, listed(names))
	}
	a, err := read(fmt.Sprintf("tensor %q", key), values[key])
	if err != nil {
		return nil, err
	}
	set, err := a.set(path, "torch")
	if err != nil {
		return nil, err
	}
	for _, name := range labelKeys {
		if value, ok := values[name]; ok && name != key {
			a, err := read(fmt.Sprintf("tensor %q", name), value)
			if err != nil {
				return nil, err
			}
			numbers := a.float32s()
			labels := make([]int64, len(numbers)) // float32 represents every possible label
			for i, v := range numbers {
				if labels[i], err = wholeNumber(float64(v)); err != nil {
					return nil, fmt.Errorf("%s: tensor %q: entry %d: %w", path, name, i, err)
				}
			}
			return set, set.setLabels(path, labelArray{numbers: labels})
		}
	}
	return set, nil
}

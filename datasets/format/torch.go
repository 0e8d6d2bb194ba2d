package format

import (
	"fmt"

	"github.com/sliced-wasserstein/lab/internal/numbers"
	"github.com/sliced-wasserstein/lab/internal/torchfile"
)

// readTorch reads the clouds of a file that torch.save wrote: a tensor, or the tensor under key
// in a dict of tensors ([arrayKey]), where label or labels hold the class labels. It runs no code
// of the file.
func readTorch(path, key string) (a Array, labels Labels, err error) {
	file, err := torchfile.Open(path, "torch.save(clouds, path), clouds a tensor [points, dim] or [clouds, points, dim]")
	if err != nil {
		return a, labels, err
	}
	read := func(what string, value any, take func(t *torchfile.Tensor) error) error {
		t, ok := value.(*torchfile.Tensor)
		if !ok {
			return fmt.Errorf("%s: %s: expected a tensor, found %s", path, what, torchfile.Describe(value))
		}
		if err := take(t); err != nil {
			return fmt.Errorf("%s: %s: %w", path, what, err)
		}
		return nil
	}
	clouds := func(t *torchfile.Tensor) (err error) {
		if a.Shape = t.Shape(); t.Narrow() {
			a.Narrow, err = torchfile.Values(file, t, numbers.Number[float32])
		} else {
			a.Wide, err = torchfile.Values(file, t, numbers.Number[float64])
		}
		return err
	}
	if !torchfile.IsDict(file.Root) {
		if key != "" {
			return a, labels, fmt.Errorf("%s: the key %q: expected a dict of tensors, found %s", path, key,
				torchfile.Describe(file.Root))
		}
		if _, ok := file.Root.(*torchfile.Tensor); !ok {
			return a, labels, fmt.Errorf("%s: expected a tensor or a dict of tensors, found %s; torch.save(torch.stack(clouds), path) writes clouds of one size",
				path, torchfile.Describe(file.Root))
		}
		err = read("the tensor", file.Root, clouds)
		return a, labels, err
	}
	items, err := torchfile.Items(file.Root)
	if err != nil {
		return a, labels, fmt.Errorf("%s: %w", path, err)
	}
	values, names := map[string]any{}, []string{}
	for _, i := range items {
		values[i.Key], names = i.Value, append(names, i.Key)
	}
	if key, err = arrayKey(path, key, names); err != nil {
		return a, labels, err
	}
	if _, ok := values[key]; !ok {
		return a, labels, fmt.Errorf("%s: no tensor named %q: it holds %s", path, key, Listed(names))
	}
	err = read(fmt.Sprintf("tensor %q", key), values[key], clouds)
	for _, name := range labelKeys {
		if value, ok := values[name]; ok && name != key && err == nil {
			err = read(fmt.Sprintf("tensor %q", name), value, func(t *torchfile.Tensor) (err error) {
				labels.Numbers, err = torchfile.Values(file, t, numbers.Integer)
				return err
			})
			break
		}
	}
	return a, labels, err
}

package notebook

import (
	"errors"
	"fmt"
	"os"

	"github.com/sliced-wasserstein/lab/datasets"
	"github.com/sliced-wasserstein/lab/swlab/engine"
	"github.com/sliced-wasserstein/lab/swlab/train"
)

// Finished reads the run of c on set that Train or Live has finished, and shows nothing: for the cells after the one that trains. A run
// that is not there is an error.
func (b *Book) Finished(e *engine.Engine, set *datasets.Set, c train.Config) (train.Result, error) {
	dir, err := b.folder(e, set, c)
	if err != nil {
		return train.Result{}, err
	}
	r, err := train.ReadResult(dir)
	if err != nil {
		return r, fmt.Errorf("no finished run of this configuration: run the cell that trains it first (%w)", err)
	}
	return r, nil
}

// Forget removes the run of c on set, finished or not, and what Live has kept of it: the next call begins anew.
func (b *Book) Forget(e *engine.Engine, set *datasets.Set, c train.Config) error {
	dir, err := b.folder(e, set, c)
	if err != nil {
		return err
	}
	return errors.Join(os.RemoveAll(dir), os.RemoveAll((&live{dir: dir}).looksFile()))
}

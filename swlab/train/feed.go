package train

import (
	"errors"
	"iter"

	"github.com/gomlx/compute/dtypes"
	"github.com/gomlx/compute/shapes"
	"github.com/gomlx/gomlx/core/tensors"

	"github.com/sliced-wasserstein/lab/datasets"
	"github.com/sliced-wasserstein/lab/swlab/engine"
)

// feed gives the steps the clouds that Bootstrap draws from: all of them, which lie on the device, with the rows of the batch; or those
// of the batch, read on the host while the step before ran. The draws depend on the place in the batch alone, so both give the same
// samples.
type feed struct {
	points, dim int
	all         *tensors.Tensor                 // [clouds, points, dim], or nil
	next        func() ([]float32, error, bool) // the clouds of one batch after the other, where all is nil
	stop        func()
}

// newFeed puts set on the device where it takes at most budget bytes (Options.DeviceData), or starts to read batches.
func newFeed(e *engine.Engine, set datasets.Clouds, budget int64, batches iter.Seq[[]int32]) (*feed, error) {
	h := set.Header()
	f := &feed{points: h.M, dim: h.D}
	if budget == 0 {
		budget = defaultDeviceData(e.Name)
	}
	shape := shapes.Make(dtypes.Float32, h.N, h.M, h.D)
	if int64(shape.ByteSize()) > budget {
		f.next, f.stop = iter.Pull2(datasets.Ahead(set, batches))
		return f, nil
	}
	var err error
	if f.all, err = tensors.FromShapeForBackend(e.Backend, 0, shape); err != nil {
		return nil, err
	}
	// In place: on the CPU this is the one copy.
	write := tensors.MutableFlatData(f.all, func(flat []float32) {
		for rows := range h.InOrder() {
			at := int(rows[0]) * h.M * h.D
			if err = set.Read(flat[at:at+len(rows)*h.M*h.D], rows); err != nil {
				return
			}
		}
	})
	if err == nil {
		err = write
	}
	if err == nil {
		err = f.all.ToDevice(e.Backend, 0)
	}
	if err != nil {
		f.close()
		return nil, err
	}
	return f, nil
}

// batch returns the clouds to draw from and where in them those of rows lie, which must be the next of the batches. The
// tensor is handed back by used.
func (f *feed) batch(rows []int32) (data *tensors.Tensor, at []int32, err error) {
	if f.all != nil {
		return f.all, rows, nil
	}
	clouds, err, ok := f.next()
	if err == nil && !ok {
		err = errors.New("a step without a batch")
	}
	if err != nil {
		return nil, nil, err
	}
	at = make([]int32, len(rows))
	for i := range at {
		at[i] = int32(i)
	}
	return tensors.FromFlatDataAndDimensions(clouds, len(rows), f.points, f.dim), at, nil
}

// used frees the clouds of a batch after its step.
func (f *feed) used(data *tensors.Tensor) {
	if f.all == nil {
		data.FinalizeAll()
	}
}

func (f *feed) close() {
	if f.all != nil {
		f.all.FinalizeAll()
	} else {
		f.stop()
	}
}

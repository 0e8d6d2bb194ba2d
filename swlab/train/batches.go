package train

import (
	"iter"

	"github.com/gomlx/compute"
	"github.com/gomlx/compute/dtypes"
	"github.com/gomlx/compute/shapes"
	"github.com/gomlx/gomlx/core/tensors"

	"github.com/sliced-wasserstein/lab/datasets"
	"github.com/sliced-wasserstein/lab/internal/memory"
	"github.com/sliced-wasserstein/lab/swlab/engine"
)

// batches are the rows of every step of an epoch.
func (c Config) batches(epoch int) [][]int32 {
	return datasets.EpochBatches(c.Clouds, c.Batch, c.Seed, epoch)
}

// batchesFrom are the rows of the steps after that many, to the end of the run.
func (c Config) batchesFrom(step int) iter.Seq[[]int32] {
	return func(yield func([]int32) bool) {
		total, per := c.totalSteps(), c.perEpoch()
		for step < total {
			for _, rows := range c.batches(step / per)[step%per:] {
				if step == total || !yield(rows) {
					return
				}
				step++
			}
		}
	}
}

// perEpoch is the number of steps of an epoch.
func (c Config) perEpoch() int {
	batch := max(c.Batch, 1)
	n := (c.Clouds + batch - 1) / batch
	if n > 1 && c.Clouds%batch == 1 {
		n--
	}
	return n
}

// totalSteps is the number of steps of the whole run.
func (c Config) totalSteps() int {
	n := c.Epochs * c.perEpoch()
	if c.Steps >= 0 {
		n = min(n, c.Steps)
	}
	return n
}

// deviceData is the default of Options.DeviceData, with enough memory: all of ShapeNet's 1.41 GB fit.
const deviceData = 2 << 30

// batches supplies the clouds that Bootstrap draws from: either all of them, on the device, with
// the rows of the batch, or only those of the batch. The draws depend only on the place in the batch,
// so both give the same samples.
type batches struct {
	set *datasets.Set
	all *tensors.Tensor // [clouds, points, dim], or nil
}

// newBatches puts set on the device if it takes at most budget bytes (Options.DeviceData).
func newBatches(e *engine.Engine, set *datasets.Set, budget int64) (*batches, error) {
	f := &batches{set: set}
	if budget == 0 {
		free, _ := memory.Available() // of the host, through which the set passes
		budget = min(deviceData, free/2)
	}
	shape := shapes.Make(dtypes.Float32, set.Clouds, set.Points, set.Dim)
	if int64(shape.ByteSize()) > budget {
		return f, nil
	}
	var err error
	f.all, err = upload(e.Backend, set, shape)
	return f, err
}

// upload puts the clouds of set on the device.
func upload(b compute.Backend, set *datasets.Set, shape shapes.Shape) (*tensors.Tensor, error) {
	all, err := tensors.FromShapeForBackend(b, 0, shape)
	if err != nil {
		return nil, err
	}
	// In place: on the CPU this is the only copy.
	write := tensors.MutableFlatData(all, func(flat []float32) { err = set.Read(flat, upTo(set.Clouds)) })
	if err == nil {
		err = write
	}
	if err == nil {
		err = all.ToDevice(b, 0)
	}
	if err != nil {
		all.FinalizeAll()
		return nil, err
	}
	return all, nil
}

// next returns the clouds to draw from and the places of rows in them. The caller returns the data by
// used.
func (f *batches) next(rows []int32) (data, at *tensors.Tensor, err error) {
	if f.all != nil {
		return f.all, vector(rows), nil
	}
	clouds := make([]float32, len(rows)*f.set.Points*f.set.Dim)
	if err := f.set.Read(clouds, rows); err != nil {
		return nil, nil, err
	}
	return tensors.FromFlatDataAndDimensions(clouds, len(rows), f.set.Points, f.set.Dim), vector(upTo(len(rows))), nil
}

// upTo returns 0, 1, ..., n-1.
func upTo(n int) []int32 {
	rows := make([]int32, n)
	for i := range rows {
		rows[i] = int32(i)
	}
	return rows
}

// vector is a tensor with one axis.
func vector(v []int32) *tensors.Tensor { return tensors.FromFlatDataAndDimensions(v, len(v)) }

// used frees the clouds of a batch after its step.
func (f *batches) used(data *tensors.Tensor) {
	if f.all == nil {
		data.FinalizeAll()
	}
}

func (f *batches) close() {
	if f.all != nil {
		f.all.FinalizeAll()
	}
}

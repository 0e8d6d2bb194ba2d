package train

import (
	"errors"
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

// deviceData is the default of Options.DeviceData: all of ShapeNet's 1.41 GB fit.
const deviceData = 2 << 30

// defaultDeviceData is deviceData; if the device shares the host's memory, at most half of what is
// available.
func defaultDeviceData(backend string) int64 {
	if backend == "xla:cuda" {
		return deviceData
	}
	free, _ := memory.Available()
	return min(deviceData, free/2)
}

// batches supplies the clouds that Bootstrap draws from: either all of them, on the device, with
// the rows of the batch, or only those of the batch, read on the host during the step before. The
// draws depend only on the place in the batch, so both give the same samples.
type batches struct {
	points, dim int
	all         *tensors.Tensor                 // [clouds, points, dim], or nil
	read        func() ([]float32, error, bool) // the clouds of one batch after the other, if all is nil
	stop        func()
}

// newBatches puts set on the device if it takes at most budget bytes (Options.DeviceData), or
// starts to read batches.
func newBatches(e *engine.Engine, set datasets.Clouds, budget int64, rows iter.Seq[[]int32]) (*batches, error) {
	h := set.Header()
	f := &batches{points: h.Points, dim: h.Dim}
	if budget == 0 {
		budget = defaultDeviceData(e.Name)
	}
	shape := shapes.Make(dtypes.Float32, h.Clouds, h.Points, h.Dim)
	if int64(shape.ByteSize()) > budget {
		f.read, f.stop = iter.Pull2(datasets.Ahead(set, rows))
		return f, nil
	}
	var err error
	f.all, err = upload(e.Backend, set, shape)
	return f, err
}

// upload puts the clouds of set on the device.
func upload(b compute.Backend, set datasets.Clouds, shape shapes.Shape) (*tensors.Tensor, error) {
	h := set.Header()
	all, err := tensors.FromShapeForBackend(b, 0, shape)
	if err != nil {
		return nil, err
	}
	// In place: on the CPU this is the only copy.
	write := tensors.MutableFlatData(all, func(flat []float32) {
		for rows := range h.InOrder() {
			at := int(rows[0]) * h.Points * h.Dim
			if err = set.Read(flat[at:at+len(rows)*h.Points*h.Dim], rows); err != nil {
				return
			}
		}
	})
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

// next returns the clouds to draw from and the places of rows in them. rows must be the next of the
// batches. The caller returns the data by used.
func (f *batches) next(rows []int32) (data, at *tensors.Tensor, err error) {
	if f.all != nil {
		return f.all, vector(rows), nil
	}
	clouds, err, ok := f.read()
	if err == nil && !ok {
		err = errors.New("a step without a batch")
	}
	if err != nil {
		return nil, nil, err
	}
	order := make([]int32, len(rows))
	for i := range order {
		order[i] = int32(i)
	}
	return tensors.FromFlatDataAndDimensions(clouds, len(rows), f.points, f.dim), vector(order), nil
}

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
	if f.stop != nil {
		f.stop()
	}
}

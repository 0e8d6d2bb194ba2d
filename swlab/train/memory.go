package train

import (
	"fmt"

	"github.com/sliced-wasserstein/lab/internal/memory"
	"github.com/sliced-wasserstein/lab/swlab/amortizer"
	"github.com/sliced-wasserstein/lab/swlab/loss"
	"github.com/sliced-wasserstein/lab/swlab/pointnet"
)

// deviceData is Options.DeviceData where it is left open: all of ShapeNet's 1.41 GB fit.
const deviceData = 2 << 30

// defaultDeviceData is deviceData, and where so many devices share the host's memory, together at most half of what is available.
func defaultDeviceData(backend string, devices int) int64 {
	if backend == "xla:cuda" {
		return deviceData
	}
	free, _ := memory.Available()
	return min(deviceData, free/2/int64(devices))
}

const (
	stateBytes = 8    // of a number of the state: the host's copy and the device's
	pointBytes = 6000 // of a point of a batch: the encoder's activations and their gradients, measured on both CPU backends
)

// checkState returns an error, a *memory.Error, where weights and moments would not fit into the memory of this machine.
func (c Config) checkState(m Model) error {
	var need int64
	for _, s := range m.stateSpecs() {
		need = memory.Sum(need, memory.Bytes(append([]int{stateBytes}, s.Shape...)...))
	}
	return memory.Check(fmt.Sprintf("points, dk, k: weights and moments for %d points, d_k = %d, k = %d", c.Points, c.DK, c.K), need)
}

// CheckMemory returns an error where a step on that backend would not fit into the memory of this machine. What a GPU holds is not
// looked at.
func (c Config) CheckMemory(backend string) error {
	m, err := c.Model()
	if err != nil || backend == "xla:cuda" {
		return err
	}
	what := fmt.Sprintf("batch, points: a step on %d clouds of %d points", c.Batch, c.Points)
	if err := memory.Check(what, memory.Bytes(pointBytes, c.Batch, c.Points)); err != nil {
		return err
	}
	if s, ok := m.Loss.(loss.Sliced); ok {
		if err := s.CheckSlices(c.Batch, s.Rule.Slices, pointnet.Dim); err != nil {
			return err
		}
		if c.Amortizer != "" {
			if err := amortizer.CheckPairs(c.Amortizer, c.LossSettings().Maps, c.Batch); err != nil {
				return err
			}
		}
	}
	return loss.CheckTables(m.Loss, backend, c.Batch, c.Points, c.Points)
}

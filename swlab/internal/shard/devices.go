package shard

import (
	"fmt"

	"github.com/gomlx/compute"
	"github.com/gomlx/compute/distributed"
	"github.com/gomlx/compute/dtypes/gotype"
	"github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/core/tensors"
)

// Devices are the first count devices of a backend.
type Devices struct {
	backend      compute.Backend
	count        int
	mesh         *distributed.DeviceMesh // nil for one device, whose graphs are ordinary ones
	batch, whole *distributed.ShardingSpec
}

// One is the backend's first device.
func One(b compute.Backend) Devices { return Devices{backend: b, count: 1} }

// New returns the first count devices, or an error if the backend has fewer.
func New(b compute.Backend, count int) (Devices, error) {
	if has := int(b.NumDevices()); count < 1 || count > has {
		return Devices{}, fmt.Errorf("devices: expected 1 to %d, found %d", has, count)
	}
	d := One(b)
	if count == 1 {
		return d, nil
	}
	const axis = "batch"
	var err error
	if d.mesh, err = distributed.NewDeviceMesh([]int{count}, []string{axis}); err != nil {
		return Devices{}, err
	}
	if d.batch, err = distributed.BuildSpec(d.mesh).S(axis).Done(); err != nil {
		return Devices{}, err
	}
	d.whole, d.count = distributed.NewReplicatedShardingSpec(d.mesh), count
	return d, nil
}

// Backend has the devices.
func (d Devices) Backend() compute.Backend { return d.backend }

// Count is the number of devices.
func (d Devices) Count() int { return d.count }

// Value is a tensor on every device: the same one, or one part each of the first axis.
type Value []*tensors.Tensor

// Finalize frees the value.
func (v Value) Finalize() {
	for _, t := range v {
		t.FinalizeAll()
	}
}

// Clone copies the value to the host.
func (v Value) Clone() (Value, error) {
	out := make(Value, len(v))
	for i, t := range v {
		var err error
		if out[i], err = t.LocalClone(); err != nil {
			out[:i].Finalize()
			return nil, err
		}
	}
	return out, nil
}

// Copies puts the same values on every device.
func Copies[T gotype.Supported](d Devices, flat []T, dims ...int) Value {
	v := make(Value, d.count)
	for i := range v {
		v[i] = tensors.FromFlatDataAndDimensions(flat, dims...)
	}
	return v
}

// Parts divides the values along the first axis. Its length must be a multiple of the number of
// devices.
func Parts[T gotype.Supported](d Devices, flat []T, dims ...int) Value {
	v, part := make(Value, d.count), append([]int{}, dims...)
	part[0] /= d.count
	size := len(flat) / d.count
	for i := range v {
		v[i] = tensors.FromFlatDataAndDimensions(flat[i*size:(i+1)*size], part...)
	}
	return v
}

// Random is the state of the random numbers of that seed.
func (d Devices) Random(seed int64) (Value, error) {
	v := make(Value, d.count)
	for i := range v {
		var err error
		if v[i], err = graph.RNGStateFromSeed(seed); err != nil {
			v[:i].Finalize()
			return nil, err
		}
	}
	return v, nil
}

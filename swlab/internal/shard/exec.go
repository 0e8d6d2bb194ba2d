package shard

import (
	"github.com/gomlx/compute/distributed"
	"github.com/gomlx/gomlx/core/graph"
)

// Sharding says how a value lies on the devices.
type Sharding int

const (
	Replicated Sharding = iota // every device has all of it
	Sharded                    // every device has its part of the first axis
)

// Exec is a graph.Exec on all devices.
type Exec struct {
	exec  *graph.Exec
	count int
}

// Exec compiles the graph that f builds for the whole batch. in and out are the shardings of its
// values; the last ones hold for all that follow. Random numbers are those of one device.
func (d Devices) Exec(f func([]*graph.Node) []*graph.Node, in, out []Sharding) (*Exec, error) {
	x, err := graph.NewExec(d.backend, f)
	if err != nil {
		return nil, err
	}
	if d.count > 1 {
		x.AutoSharding(d.mesh).WithInputShardingSpecs(d.specs(in)...).WithOutputShardingSpecs(d.specs(out)...)
	}
	return &Exec{exec: x, count: d.count}, nil
}

func (d Devices) specs(layouts []Sharding) []*distributed.ShardingSpec {
	specs := make([]*distributed.ShardingSpec, len(layouts))
	for i, l := range layouts {
		if specs[i] = d.whole; l == Sharded {
			specs[i] = d.batch
		}
	}
	return specs
}

// Call runs the graph.
func (x *Exec) Call(args ...Value) ([]Value, error) {
	in := make([]any, x.count*len(args))
	for i, v := range args {
		for device, t := range v {
			in[device*len(args)+i] = t
		}
	}
	found, err := x.exec.Call(in...)
	if err != nil {
		return nil, err
	}
	out := make([]Value, len(found)/x.count)
	for i := range out {
		out[i] = make(Value, x.count)
		for device := range x.count {
			out[i][device] = found[device*len(out)+i]
		}
	}
	return out, nil
}

// Finalize frees the compiled graphs.
func (x *Exec) Finalize() { x.exec.Finalize() }

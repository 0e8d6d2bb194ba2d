package ot1d

import (
	"math/bits"

	"github.com/gomlx/compute/dtypes"
	"github.com/gomlx/gomlx/core/graph"

	"github.com/sliced-wasserstein/lab/swlab/internal/loop"
)

// pair sorts two arrays [batch, points, slices] along axis 1; their numbers of points may differ.
func (s sorter) pair(a, b *graph.Node) (sa, sb *graph.Node) {
	if !s.loop {
		return wholeSort(a), wholeSort(b)
	}
	m, n := a.Shape().Dimensions[1], b.Shape().Dimensions[1]
	r := tableSort(fill(a, max(m, n)), fill(b, max(m, n)))
	first := func(x *graph.Node, n int) *graph.Node {
		return graph.Slice(x, graph.AxisRange(), graph.AxisRange(0, n))
	}
	return first(r[0], m), first(r[1], n)
}

// tableSort sorts arrays [batch, points, slices] of equally many points along axis 1.
//
// It is one loop over the batch whose body sorts one table [points, slices] of each array. The
// tables stay in the CPU's cache, and XLA sorts two arrays on two threads.
func tableSort(x ...*graph.Node) []*graph.Node {
	g, points := x[0].Graph(), x[0].Shape().Dimensions[1]
	pairs := tablePairs(x[0].Shape().Dimensions)
	var pads []*graph.Node
	if pad := padding(points); pad > 0 {
		for _, x := range x {
			pads = append(pads, graph.BroadcastToDims(highest(g, x.DType()), pairs, pad, x.Shape().Dimensions[2]))
		}
	}
	return loop.Count(g, x[0].Shape().Dimensions[0], pairs, pads, x, func(i loop.Index, pads, x []*graph.Node) []*graph.Node {
		out := make([]*graph.Node, len(x))
		for k := range out {
			t := i.Rows(x[k], 0, pairs)
			if len(pads) > 0 {
				t = graph.Concatenate([]*graph.Node{t, pads[k]}, 1)
			}
			t = bitonic(t)
			if len(pads) > 0 {
				t = graph.Slice(t, graph.AxisRange(), graph.AxisRange(0, points))
			}
			out[k] = i.Put(x[k], t, 0)
		}
		return out
	})
}

// tableSize is how many numbers a loop over pairs works on at a time: 1 MB, which stays in a core's
// cache.
const tableSize = 1 << 18

// tablePairs is how many pairs of arrays [batch, points, slices] make a table.
func tablePairs(d []int) int {
	pairs := max(1, min(d[0], tableSize/(d[1]*d[2])))
	for d[0]%pairs != 0 {
		pairs--
	}
	return pairs
}

// fill appends values that sort last along axis 1, up to n.
func fill(x *graph.Node, n int) *graph.Node {
	d := x.Shape().Dimensions
	if d[1] == n {
		return x
	}
	return graph.Concatenate([]*graph.Node{x, graph.BroadcastToDims(highest(x.Graph(), x.DType()), d[0], n-d[1], d[2])}, 1)
}

// wholeSort runs the network once over all pairs and slices.
func wholeSort(x *graph.Node) *graph.Node {
	d := x.Shape().Dimensions
	t := graph.Reshape(graph.TransposeAllAxes(x, 1, 0, 2), d[1], d[0]*d[2])
	if pad := padding(d[1]); pad > 0 {
		t = graph.Concatenate([]*graph.Node{t, graph.BroadcastToDims(highest(x.Graph(), x.DType()), pad, d[0]*d[2])}, 0)
	}
	t = graph.Slice(graph.Squeeze(bitonic(graph.InsertAxes(t, 0)), 0), graph.AxisRange(0, d[1]))
	return graph.TransposeAllAxes(graph.Reshape(t, d[1], d[0], d[2]), 1, 0, 2)
}

// padding is the distance from m to the next power of two.
func padding(m int) int {
	if m <= 1 {
		return 0
	}
	return 1<<bits.Len(uint(m-1)) - m
}

// highest is a value that sorts after every key and every finite projection.
func highest(g *graph.Graph, t dtypes.DType) *graph.Node {
	switch t {
	case dtypes.Int32:
		return graph.Const(g, int32(1<<31-1))
	case dtypes.Int64:
		return graph.Const(g, int64(1<<63-1))
	case dtypes.Float64:
		return graph.Infinity(g, dtypes.Float64, 1)
	}
	return graph.Infinity(g, dtypes.Float32, 1)
}

// bitonic sorts x [tables, m, lanes] along axis 1, m a power of two, by Batcher's bitonic network
// (K. Batcher, Sorting networks and their applications, 1968) in the form without direction flags:
// it merges sorted runs of length k by comparing element i with element 2k-1-i, then by half
// cleaners of distance k/2, ..., 1. Each operation does two stages, which halves the passes over
// memory; with more stages XLA computes intermediate values again.
func bitonic(x *graph.Node) *graph.Node {
	d := x.Shape().Dimensions
	m, lanes := d[1], d[2]
	all := d[0] * m
	for k := 1; k < m; k *= 2 {
		parts := quarters(graph.Reshape(x, all/(2*k), 2, k, lanes), 2)
		a, b := parts[0], flip(parts[1], k)
		x = graph.Concatenate([]*graph.Node{graph.Min(a, b), flip(graph.Max(a, b), k)}, 1)
		j := k / 2
		for ; j >= 2; j /= 4 {
			h := j / 2
			s := quarters(graph.Reshape(x, all/(4*h), 4, h, lanes), 4)
			p, q := graph.Min(s[0], s[2]), graph.Min(s[1], s[3])
			r, t := graph.Max(s[0], s[2]), graph.Max(s[1], s[3])
			x = graph.Concatenate([]*graph.Node{graph.Min(p, q), graph.Max(p, q), graph.Min(r, t), graph.Max(r, t)}, 1)
		}
		if j == 1 {
			s := quarters(graph.Reshape(x, all/2, 2, 1, lanes), 2)
			x = graph.Concatenate([]*graph.Node{graph.Min(s[0], s[1]), graph.Max(s[0], s[1])}, 1)
		}
		x = graph.Reshape(x, d...)
	}
	return x
}

// quarters cuts x [.., n, ..] along axis 1.
func quarters(x *graph.Node, n int) []*graph.Node {
	out := make([]*graph.Node, n)
	for i := range out {
		out[i] = graph.Slice(x, graph.AxisRange(), graph.AxisRange(i, i+1))
	}
	return out
}

// flip reverses runs of length k along axis 2.
func flip(x *graph.Node, k int) *graph.Node {
	if k == 1 {
		return x
	}
	return graph.Reverse(x, 2)
}

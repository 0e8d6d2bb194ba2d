package slicing

import (
	"github.com/gomlx/gomlx/core/graph"
)

// Orthogonal draws frames of d orthonormal directions, each the rows of a Haar-distributed orthogonal matrix (Gram-Schmidt on
// normals), as many as needed; the last frame may be cut. Every direction is uniform on the sphere, so the mean over slices keeps its
// expectation; within a frame directions repel each other, which lowers its variance (Rowland et al. 2019).
type Orthogonal struct{}

func (Orthogonal) Name() string         { return "orthogonal" }
func (Orthogonal) HasLocation() bool    { return false }
func (Orthogonal) Check(dim int) error  { return atLeastTwo("orthogonal", dim) }
func (Orthogonal) Block(_, dim int) int { return dim }

func (Orthogonal) Draw(r Request) *graph.Node {
	batch, dim := r.Batch(), r.Dim()
	frames := (r.Slices + dim - 1) / dim
	v := r.Source.Normal(batch, frames, dim, dim)
	var q *graph.Node // [batch, frames, k, dim], the rows so far
	for k := range dim {
		row := graph.Slice(v, graph.AxisRange(), graph.AxisRange(), graph.AxisRange(k, k+1))
		for range 2 { // the second pass removes what rounding left of the first
			if q != nil {
				along := graph.Einsum("bfkd,bfjd->bfkj", q, row)
				row = graph.Sub(row, graph.Einsum("bfkj,bfkd->bfjd", along, q))
			}
			row = Unit(row)
		}
		if q == nil {
			q = row
		} else {
			q = graph.Concatenate([]*graph.Node{q, row}, 2)
		}
	}
	q = graph.Reshape(q, batch, frames*dim, dim)
	return graph.Slice(q, graph.AxisRange(), graph.AxisRange(0, r.Slices))
}

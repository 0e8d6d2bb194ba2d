package slicing

import (
	"github.com/gomlx/gomlx/core/graph"
)

// Orthogonal draws as many frames of d orthonormal directions as needed, each the rows of a
// Haar-distributed orthogonal matrix (Gram-Schmidt on normals); the last frame may be cut. Every
// direction is uniform on the sphere, so the mean over slices keeps its expectation. Directions of
// a frame repel each other, which lowers the variance (Rowland et al. 2019).
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
		for range 2 { // the second pass removes the rounding errors of the first
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

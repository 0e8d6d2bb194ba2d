package slicing

import (
	"fmt"

	"github.com/gomlx/compute/dtypes"
	"github.com/gomlx/gomlx/core/graph"

	"github.com/sliced-wasserstein/lab/swlab/internal/loop"
	"github.com/sliced-wasserstein/lab/swlab/vmf"
)

// RandomPath draws around the path between a random point of X and one of Y: with independent
// uniform indices i, j and z = (x_i - y_j)/||x_i - y_j||, a direction of vMF(z, Kappa) (random-path
// projecting directions; Nguyen, Zhang, Le and Ho 2024). So directions point where the clouds
// differ. Their distribution depends on the clouds, so the loss is neither SW nor a metric on the
// slices of another pair. Where the two points coincide, the direction is uniform. The gradient
// holds the directions fixed.
type RandomPath struct{ Kappa float64 }

func (p RandomPath) Name() string      { return fmt.Sprintf("random-path(%g)", p.Kappa) }
func (RandomPath) HasLocation() bool   { return false }
func (RandomPath) Check(dim int) error { return atLeastTwo("random-path", dim) }

// DependsOnClouds marks the distribution as CloudDependent.
func (RandomPath) DependsOnClouds() {}

func (p RandomPath) Draw(r Request) *graph.Node {
	batch, dim := r.Batch(), r.Dim()
	pick := func(cloud *graph.Node) *graph.Node { // [batch, slices, dim], a uniform point each
		points := cloud.Shape().Dimensions[1]
		at := graph.ConvertDType(graph.MulScalar(r.Source.Uniform(batch, r.Slices), float64(points)), dtypes.Int32)
		at = graph.MinScalar(at, points-1)
		return loop.GatherRows(cloud, at)
	}
	path := graph.Sub(pick(r.X), pick(r.Y))
	elsewhere := r.Source.Normal(batch, r.Slices, dim)
	// In units of its largest coordinate: squares of very long and very short paths leave float32.
	largest := graph.BroadcastToDims(graph.ReduceAndKeep(graph.Abs(path), graph.ReduceMax, -1), batch, r.Slices, dim)
	apart := graph.GreaterThan(largest, graph.ZerosLike(largest))
	path = graph.Div(path, graph.Where(apart, largest, graph.OnesLike(largest)))
	path = Unit(graph.ConvertDType(graph.Where(apart, path, graph.ConvertDType(elsewhere, path.DType())), dtypes.Float32))
	around := drawVMF(r.Source, graph.Reshape(path, batch*r.Slices, dim), 1, p.Kappa, vmf.Stable)
	return graph.Reshape(around, batch, r.Slices, dim)
}

package slicing

import (
	"fmt"
	"math/rand/v2"

	"github.com/gomlx/compute/dtypes"
	"github.com/gomlx/gomlx/core/graph"

	"github.com/sliced-wasserstein/lab/swlab/internal/loop"
	"github.com/sliced-wasserstein/lab/swlab/vmf"
)

// Uniform is the uniform distribution on the sphere S^{d-1}, any d >= 2: independent normals
// divided by their norm (SW; Bonneel, Rabin, Peyre and Pfister 2015).
type Uniform struct{}

func (Uniform) Name() string        { return "uniform" }
func (Uniform) HasLocation() bool   { return false }
func (Uniform) Check(dim int) error { return atLeastTwo("uniform", dim) }

func (Uniform) Draw(r Request) *graph.Node {
	return vmf.UniformFromNormals(r.Source.Normal(r.Batch(), r.Slices, r.Dim()))
}

// Common is the uniform distribution with the same directions for all pairs of a call. In training
// every step draws new ones for its batch.
type Common struct{}

func (Common) Name() string        { return "common" }
func (Common) HasLocation() bool   { return false }
func (Common) Check(dim int) error { return atLeastTwo("common", dim) }

func (Common) Draw(r Request) *graph.Node {
	return Fixed{vmf.UniformFromNormals(r.Source.Normal(r.Slices, r.Dim()))}.Draw(r)
}

// EveryCall makes the distribution Shared.
func (Common) EveryCall() bool { return false }

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

// Markov runs independent chains of Chain directions: the first uniform, each further one drawn
// from vMF(previous, Kappa) (Markovian sliced Wasserstein with the random-walk transition; Nguyen,
// Ren and Ho 2023). Every direction by itself is uniform, so the mean over slices estimates SW. At
// Kappa = 0 the chain is i.i.d.; at large Kappa it hardly moves. The last chain may be cut.
type Markov struct {
	Kappa float64
	Chain int
}

func (m Markov) Name() string       { return fmt.Sprintf("markov(%g, %d)", m.Kappa, m.Chain) }
func (Markov) HasLocation() bool    { return false }
func (m Markov) Block(_, _ int) int { return m.Chain }

func (m Markov) Check(dim int) error {
	if m.Chain < 1 {
		return fmt.Errorf("markov: chain: expected at least 1, found %d", m.Chain)
	}
	return atLeastTwo("markov", dim)
}

func (m Markov) Draw(r Request) *graph.Node {
	batch, dim := r.Batch(), r.Dim()
	steps := min(m.Chain, r.Slices)
	chains := (r.Slices + steps - 1) / steps
	at := vmf.UniformFromNormals(r.Source.Normal(batch*chains, dim))
	path := []*graph.Node{graph.InsertAxes(at, 1)}
	for range steps - 1 {
		next := drawVMF(r.Source, at, 1, m.Kappa, vmf.Stable) // [batch*chains, 1, dim]
		path = append(path, next)
		at = graph.Reshape(next, batch*chains, dim)
	}
	all := graph.Reshape(graph.Concatenate(path, 1), batch, chains*steps, dim)
	return graph.Slice(all, graph.AxisRange(), graph.AxisRange(0, r.Slices))
}

// Fixed takes the given directions, [slices, dim] or [batch, slices, dim], as they are. Without
// Directions it has uniform ones, drawn once and for all: they are the same in every call, for
// every pair and for every seed.
type Fixed struct{ Directions *graph.Node }

func (Fixed) Name() string      { return "fixed" }
func (Fixed) HasLocation() bool { return false }

// EveryCall makes the distribution Shared.
func (Fixed) EveryCall() bool { return true }

func (f Fixed) Check(dim int) error {
	if f.Directions == nil {
		return atLeastTwo("fixed", dim)
	}
	if got := f.Directions.Shape().Dim(-1); got != dim {
		return fmt.Errorf("directions: expected dimension %d like the clouds, found %d", dim, got)
	}
	return nil
}

func (f Fixed) Draw(r Request) *graph.Node {
	if f.Directions == nil {
		rng := rand.New(rand.NewPCG(1, 1))
		normals := make([][]float32, r.Slices)
		for i := range normals {
			normals[i] = make([]float32, r.Dim())
			for j := range normals[i] {
				normals[i][j] = float32(rng.NormFloat64())
			}
		}
		f.Directions = vmf.UniformFromNormals(graph.Const(r.X.Graph(), normals))
	}
	s, batch, dim := f.Directions.Shape(), r.Batch(), r.Dim()
	if s.Rank() < 2 || s.Rank() > 3 || s.Dim(-1) != dim || (s.Rank() == 3 && s.Dimensions[0] != batch) {
		panic(fmt.Errorf("slicing: expected directions [slices, %d] or [%d, slices, %d], found %s", dim, batch, dim, s))
	}
	if s.Rank() == 3 {
		return f.Directions
	}
	return graph.BroadcastToDims(graph.InsertAxes(f.Directions, 0), batch, s.Dimensions[0], dim)
}

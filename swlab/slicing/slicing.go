// Package slicing says where the directions of a sliced loss come from: a distribution on the
// sphere (uniform, common to all pairs, orthogonal, quasi-Monte-Carlo, the most exact of these by the
// dimension, von Mises-Fisher, a point, a random path, a Markov chain, fixed or given directions) and,
// if the distribution has a location, how to find it (at random, by ascent, by an amortizer, by both).
// Everything is built inside a GoMLX graph; randomness is an argument.
package slicing

import (
	"errors"
	"fmt"
	"slices"

	"github.com/gomlx/compute/dtypes"
	"github.com/gomlx/compute/shapes"
	"github.com/gomlx/gomlx/core/graph"

	"github.com/sliced-wasserstein/lab/swlab/amortizer"
	"github.com/sliced-wasserstein/lab/swlab/vmf"
	"github.com/sliced-wasserstein/lab/swlab/weights"
)

// Distribution draws directions on the unit sphere.
type Distribution interface {
	// Name is the distribution's name in tables, such as "uniform".
	Name() string
	// Check returns an error if the distribution cannot draw directions in that dimension.
	Check(dim int) error
	// HasLocation reports whether the distribution has a location parameter.
	HasLocation() bool
	// Draw returns directions [batch, slices, dim], differentiable in the location.
	Draw(r Request) *graph.Node
}

// Request is what a distribution draws from.
type Request struct {
	Source   Source
	Location *graph.Node // [batch, dim] unit vectors; nil if HasLocation is false
	// X and Y are the clouds [batch, points, dim], without gradient, for a distribution that
	// depends on them.
	X, Y   *graph.Node
	Slices int // directions per pair
}

// Batch is the number of pairs.
func (r Request) Batch() int { return r.X.Shape().Dimensions[0] }

// Dim is the dimension of the points.
func (r Request) Dim() int { return r.X.Shape().Dimensions[2] }

// BlockSampler is a Distribution whose slices are not independent. Slices 0..Block-1 are drawn
// together, then the next Block, and so on. Blocks are independent, and the standard error is that
// of their means.
type BlockSampler interface {
	Distribution
	Block(slices, dim int) int
}

// CloudDependent is a Distribution whose directions depend on the clouds, not only on a location.
// A loss with such directions violates the triangle inequality, because they differ from pair to
// pair.
type CloudDependent interface {
	Distribution
	DependsOnClouds()
}

// Single is a Distribution whose slices are all one direction.
type Single interface {
	Distribution
	IsSingle()
}

// Shared is a Distribution whose directions are the same for all pairs of a call.
type Shared interface {
	Distribution
	// EveryCall reports whether they are also the same in every call.
	EveryCall() bool
}

// HostDrawer is a Distribution without a location that also draws on the host: directions [batch,
// slices, dim] in row-major order, from the state of random numbers that graph.RNGStateFromSeed
// makes.
type HostDrawer interface {
	Distribution
	DrawOnHost(state []uint64, batch, slices, dim int) []float32
}

// BlockSize is the number of consecutive slices that a distribution draws together: 1 unless it is
// a BlockSampler.
func BlockSize(l Distribution, slices, dim int) int {
	if b, ok := l.(BlockSampler); ok {
		return max(1, min(slices, b.Block(slices, dim)))
	}
	return 1
}

// Slicer is a distribution, a number of slices per pair of clouds, and the way to find the
// location: by the amortizer, by ascent from a uniform start, or by ascent from the amortizer's
// prediction (fine-tuning). With neither, a distribution with a location gets a fresh uniform
// location per pair.
type Slicer struct {
	Distribution Distribution
	Slices       int
	Amortizer    amortizer.Amortizer
	Ascent       *Ascent
}

// Name describes the slicer, such as "vmf(1), L = 100, ascent T = 10".
func (r Slicer) Name() string {
	dist := "none"
	if r.Distribution != nil {
		dist = r.Distribution.Name()
	}
	s := fmt.Sprintf("%s, L = %d", dist, r.Slices)
	if r.Amortizer != nil {
		s += ", amortizer " + r.Amortizer.Name()
	}
	if r.Ascent != nil {
		s += fmt.Sprintf(", ascent T = %d", r.Ascent.Steps)
	}
	return s
}

// Check returns an error if the slicer cannot slice clouds of m and n points of that dimension.
func (r Slicer) Check(m, n, dim int) error {
	if r.Distribution == nil {
		return errors.New("expected a slicing distribution, found none")
	}
	if err := r.Distribution.Check(dim); err != nil {
		return err
	}
	if r.Amortizer == nil {
		return nil
	}
	if err := r.Amortizer.Check(m); err != nil {
		return err
	}
	return r.Amortizer.Check(n)
}

// Specs lists the weights learned by ascent: the amortizer's, or none.
func (r Slicer) Specs() []weights.Spec {
	if r.Amortizer == nil {
		return nil
	}
	return r.Amortizer.Specs()
}

// Location builds the unit location of every pair, [batch, dim], or nil if the distribution has
// none. It takes a given location (the result of an ascent) as it is. The amortizer sees the clouds
// without gradient.
func (r Slicer) Location(src Source, w weights.Nodes, given, x, y *graph.Node) *graph.Node {
	switch {
	case !r.Distribution.HasLocation():
		return nil
	case given != nil:
		return given
	case r.Amortizer != nil:
		return r.Amortizer.Direction(w, graph.StopGradient(x), graph.StopGradient(y))
	}
	d := x.Shape().Dimensions
	return Unit(src.Normal(d[0], d[2]))
}

// Draw builds the directions [batch, slices, dim] of the pairs (x, y) around the location, nil if
// the distribution has none.
func (r Slicer) Draw(src Source, location, x, y *graph.Node) *graph.Node {
	x, y = graph.StopGradient(x), graph.StopGradient(y)
	return r.Distribution.Draw(Request{Source: src, Location: location, X: x, Y: y, Slices: r.Slices})
}

// Unit divides vectors along the last axis by their Euclidean norm.
func Unit(v *graph.Node) *graph.Node {
	square := graph.ReduceAndKeep(graph.Mul(v, v), graph.ReduceSum, -1)
	return graph.Div(v, graph.Sqrt(graph.MaxScalar(square, 1e-30)))
}

// atLeastTwo rejects dimension 1, whose sphere is two points.
func atLeastTwo(dist string, dim int) error {
	if dim < 2 {
		return fmt.Errorf("the %s slicing distribution needs clouds of dimension 2 or more, found %d", dist, dim)
	}
	return nil
}

// Source supplies the random numbers of a graph, float32, in the order of the calls.
type Source interface {
	Uniform(dims ...int) *graph.Node // in [0, 1)
	Normal(dims ...int) *graph.Node  // standard normal
}

// Seeded draws from a random state ([3]uint64, graph.RNGStateFromSeed). Equal states give equal
// numbers on one backend.
func Seeded(state *graph.Node) *SeededSource { return &SeededSource{state} }

// SeededSource is a Source with a random state, which every draw replaces by the next one.
type SeededSource struct{ State *graph.Node }

func (s *SeededSource) Uniform(dims ...int) (v *graph.Node) {
	s.State, v = graph.RandomUniform(s.State, shapes.Make(dtypes.Float32, dims...))
	return v
}

func (s *SeededSource) Normal(dims ...int) (v *graph.Node) {
	s.State, v = graph.RandomNormal(s.State, shapes.Make(dtypes.Float32, dims...))
	return v
}

// Given supplies these nodes in order and panics if a call asks for other dimensions: numbers made
// elsewhere, for tests and for comparing losses on the same noise.
func Given(nodes ...*graph.Node) Source { return &given{nodes} }

type given struct{ rest []*graph.Node }

func (s *given) Uniform(dims ...int) *graph.Node { return s.next(dims) }
func (s *given) Normal(dims ...int) *graph.Node  { return s.next(dims) }

func (s *given) next(dims []int) *graph.Node {
	if len(s.rest) == 0 {
		panic(fmt.Errorf("slicing: no numbers left for a draw of %v", dims))
	}
	v := s.rest[0]
	if !slices.Equal(v.Shape().Dimensions, dims) {
		panic(fmt.Errorf("slicing: a draw of %v was given numbers of shape %s", dims, v.Shape()))
	}
	s.rest = s.rest[1:]
	return v
}

// VMF is the von Mises-Fisher distribution of concentration Kappa >= 0, any d >= 2, reparameterised
// by a Householder reflection of the location; package vmf has its formulas.
type VMF struct {
	Kappa      float64
	Reflection vmf.Reflection // vmf.Released: as in the released code
}

func (v VMF) Name() string      { return fmt.Sprintf("vmf(%g)", v.Kappa) }
func (VMF) HasLocation() bool   { return true }
func (VMF) Check(dim int) error { return atLeastTwo("vmf", dim) }

func (v VMF) Draw(r Request) *graph.Node {
	return drawVMF(r.Source, r.Location, r.Slices, v.Kappa, v.Reflection)
}

// drawVMF draws [n, slices, dim] directions around locations [n, dim]: by the closed form at d = 3,
// by Wood's rejection elsewhere.
func drawVMF(src Source, location *graph.Node, slices int, kappa float64, refl vmf.Reflection) *graph.Node {
	n, dim := location.Shape().Dimensions[0], location.Shape().Dimensions[1]
	if dim == 3 {
		u := src.Uniform(n, slices)
		return vmf.FromNoise(location, u, src.Normal(n, slices, dim-1), kappa, refl)
	}
	u := src.Uniform(n, slices, vmf.WoodProposals, 3)
	return vmf.FromWood(location, u, src.Normal(n, slices, dim-1), kappa, refl)
}

// Point is all mass at the location: one direction, whatever the number of slices (Max-SW).
type Point struct{}

func (Point) Name() string               { return "point" }
func (Point) HasLocation() bool          { return true }
func (Point) Check(dim int) error        { return atLeastTwo("point", dim) }
func (Point) Draw(r Request) *graph.Node { return graph.InsertAxes(r.Location, 1) }

// IsSingle marks the distribution as Single.
func (Point) IsSingle() {}

// Linearised are costs [batch, slices] found outside of a graph, whose gradient in the directions
// [batch, slices, dim] is slopes: it adds 0, which carries the gradient.
func Linearised(costs, slopes, directions *graph.Node) *graph.Node {
	zero := graph.Mul(slopes, graph.Sub(directions, graph.StopGradient(directions)))
	return graph.Add(costs, graph.ReduceSum(zero, -1))
}

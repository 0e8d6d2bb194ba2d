package slicing

import (
	"fmt"
	"slices"

	"github.com/gomlx/compute/dtypes"
	"github.com/gomlx/compute/shapes"
	"github.com/gomlx/gomlx/core/graph"
)

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

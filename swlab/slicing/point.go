package slicing

import "github.com/gomlx/gomlx/core/graph"

// Point is all mass at the location: one direction, whatever the number of slices (Max-SW).
type Point struct{}

func (Point) Name() string        { return "point" }
func (Point) HasLocation() bool   { return true }
func (Point) Check(dim int) error { return atLeastTwo("point", dim) }

func (Point) Draw(r Request) *graph.Node { return graph.InsertAxes(r.Location, 1) }

// IsSingle marks the distribution as Single.
func (Point) IsSingle() {}

package main

import (
	"fmt"

	"github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/core/tensors"

	"github.com/sliced-wasserstein/lab/datasets"
	"github.com/sliced-wasserstein/lab/swlab"
	"github.com/sliced-wasserstein/lab/swlab/engine"
	"github.com/sliced-wasserstein/lab/swlab/loss"
)

// graph returns a call of what swlab.Distance compiles for the loss, on the same backend: its graph,
// or the ascent on its location. The clouds are uploaded once.
func (o options) graph(x, y *datasets.Set) (call func() error, close func(), err error) {
	l, err := loss.New(o.loss, o.config(nil).Config)
	if err != nil {
		return nil, nil, err
	}
	d, err := swlab.Distance(o.loss, x, y, o.config(nil))
	if err != nil {
		return nil, nil, err
	}
	e, err := engine.Open(d.Backend)
	if err != nil {
		return nil, nil, err
	}
	in := []any{upload(x), upload(y)}
	switch l := l.(type) {
	case loss.Sliced:
		return ascent(e, l, in)
	case loss.Graph:
		compiled, err := graph.NewExec(e.Backend, func(in []*graph.Node) *graph.Node { return l.Build(loss.BuildArgs{}, in[0], in[1]).Pairs })
		if err != nil {
			return nil, nil, err
		}
		return func() error {
			out, err := compiled.Call(in...)
			if err == nil {
				_ = out[0].Value() // waits
				out[0].FinalizeAll()
			}
			return err
		}, compiled.Finalize, nil
	}
	return nil, nil, fmt.Errorf("loss %q has no graph", o.loss)
}

// ascent is the ascent on the location.
func ascent(e *engine.Engine, l loss.Sliced, in []any) (call func() error, close func(), err error) {
	if l.Slicer.Ascent == nil {
		return nil, nil, fmt.Errorf("loss %q has no ascent", l.Name())
	}
	m, err := l.Maximizer(e, nil)
	if err != nil {
		return nil, nil, err
	}
	return func() error {
		location, err := m.Maximize(2, nil, in[0].(*tensors.Tensor), in[1].(*tensors.Tensor))
		if err == nil {
			location.FinalizeAll()
		}
		return err
	}, func() {}, nil
}

func upload(s *datasets.Set) *tensors.Tensor {
	return tensors.FromFlatDataAndDimensions(s.Coords, s.Clouds, s.Points, s.Dim)
}

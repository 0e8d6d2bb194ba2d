package slicing

import (
	"github.com/gomlx/compute"
	"github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/core/tensors"
)

// Parts is an Objective that looks at the location through directions and their costs only, and whose costs are not found by the graph:
//
//	location -> directions [batch, slices, dim] -> costs [batch, slices] -> value [batch]
type Parts struct {
	// Directions draws them, differentiable in the location.
	Directions func(src Source, location, x, y *graph.Node) *graph.Node
	// Costs reads the clouds x and y of a batch, once for all steps of an ascent. The function that it
	// returns finds the costs on them.
	Costs func(x, y *tensors.Tensor) (CostFunc, error)
	// Value reduces the costs, differentiable in them and in the directions.
	Value func(costs, directions, x, y *graph.Node) *graph.Node
}

// CostFunc returns the costs of directions and their derivatives in the directions, [batch, slices, dim].
type CostFunc func(directions *tensors.Tensor) (costs, slopes *tensors.Tensor, err error)

// partsStep is a step whose costs are found between two graphs. The directions are drawn in both: from the same random state.
type partsStep struct {
	draw   *graph.Exec // random state, location, x, y -> directions
	update *graph.Exec // random state, location, both moments, t, x, y, costs, slopes -> the first five
	costs  func(x, y *tensors.Tensor) (CostFunc, error)
}

func newPartsStep(b compute.Backend, a Ascent, p Parts) (step, error) {
	draw, err := graph.NewExec(b, func(in []*graph.Node) []*graph.Node {
		return []*graph.Node{p.Directions(Seeded(in[0]), in[1], in[2], in[3])}
	})
	if err != nil {
		return nil, err
	}
	update, err := graph.NewExec(b, func(in []*graph.Node) []*graph.Node {
		src, x, y, costs, slopes := &seeded{in[0]}, graph.StopGradient(in[5]), graph.StopGradient(in[6]), in[7], in[8]
		t := graph.AddScalar(in[4], 1)
		location, m, v := a.Step(in[1], in[2], in[3], t, func(at *graph.Node) *graph.Node {
			directions := p.Directions(src, at, x, y)
			// The costs' value, with their gradient in the directions: what is added is 0.
			turn := graph.Mul(slopes, graph.Sub(directions, graph.StopGradient(directions)))
			return p.Value(graph.Add(costs, graph.ReduceSum(turn, -1)), directions, x, y)
		})
		return []*graph.Node{src.state, location, m, v, t}
	})
	if err != nil {
		draw.Finalize()
		return nil, err
	}
	return partsStep{draw, update, p.Costs}, nil
}

func (p partsStep) on(x, y *tensors.Tensor) (func(state []*tensors.Tensor) ([]*tensors.Tensor, error), error) {
	costsOf, err := p.costs(x, y)
	if err != nil {
		return nil, err
	}
	return func(state []*tensors.Tensor) ([]*tensors.Tensor, error) {
		drawn, err := call(p.draw, state[0], state[1], x, y)
		if err != nil {
			return nil, err
		}
		defer drawn[0].FinalizeAll()
		costs, slopes, err := costsOf(drawn[0])
		if err != nil {
			return nil, err
		}
		defer costs.FinalizeAll()
		defer slopes.FinalizeAll()
		return call(p.update, append(state[:5:5], x, y, costs, slopes)...)
	}, nil
}

func (p partsStep) close() {
	p.draw.Finalize()
	p.update.Finalize()
}

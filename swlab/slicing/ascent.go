package slicing

import (
	"fmt"
	"math"
	"slices"

	"github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/core/tensors"

	"github.com/sliced-wasserstein/lab/swlab/engine"
	"github.com/sliced-wasserstein/lab/swlab/optim"
)

// Ascent finds one location per pair by Steps gradient steps on the objective, averaged over the
// batch, from a uniform start. The default is the released code's: Adam with beta = (0.9, 0.999)
// and eps = 1e-8 on the unconstrained coordinates, then division by the norm. The moments are not
// projected.
//
// With the released LearningRate of 1e-4, 50 steps turn a direction by about 0.2 degrees, so
// "v-DSW, T = 50" of the paper's tables is a vMF around a random location. A larger LearningRate
// does not help: Adam scales every coordinate of the gradient, including its radial part 2 F theta,
// to the same size, so the steps drift to the diagonals (+-1, +-1, +-1). On theta'A theta with
// eigenvalues 100, 25 and 9, 200 steps of 0.02 reach 48; the diagonal has 45.
//
// Tangent, which is not in the paper, removes the radial part before Adam. With a LearningRate of
// 1e-2 to 1e-1 the ascent reaches a maximum, and from most starts the global one (39 of 40 on pairs
// of stretched normal clouds).
//
// SGD replaces Adam by theta <- theta + LearningRate * gradient, as in the released study of the
// amortization gap (0.1). A step then grows with the cost and shrinks with the batch size.
//
// With Starts of 2 and more, a location is the best of that many ascents, pair by pair, all but the first
// from uniform locations.
type Ascent struct {
	Steps        int
	LearningRate float64
	Tangent      bool
	SGD          bool
	Starts       int
}

// Check returns an error that names the wrong field.
func (a Ascent) Check() error {
	if a.Steps < 0 {
		return fmt.Errorf("ascent steps: expected >= 0, found %d", a.Steps)
	}
	if !(a.LearningRate > 0) || math.IsInf(a.LearningRate, 0) {
		return fmt.Errorf("ascent rate: expected a positive number, found %v", a.LearningRate)
	}
	if a.Starts < 0 {
		return fmt.Errorf("ascent starts: expected >= 0, found %d", a.Starts)
	}
	return nil
}

// Objective is the value [batch] that an ascent raises, differentiable in the location [batch, dim].
type Objective func(src Source, location, x, y *graph.Node) *graph.Node

// HostObjective is an Objective that looks at the location through directions and their costs only,
// and whose costs are found outside of the graph:
//
//	location -> directions [batch, slices, dim] -> costs [batch, slices] -> value [batch]
type HostObjective struct {
	// Directions draws them, differentiable in the location.
	Directions func(src Source, location, x, y *graph.Node) *graph.Node
	// Costs reads the clouds x and y of a batch, once for all steps of an ascent. The function that
	// it returns finds the costs of directions, and their derivatives in the directions.
	Costs func(x, y *tensors.Tensor) (CostFunc, error)
	// Value reduces the costs, differentiable in them and in the directions.
	Value func(costs, directions, x, y *graph.Node) *graph.Node
}

// CostFunc returns the costs of directions and their derivatives in the directions, [batch, slices, dim].
type CostFunc func(directions *tensors.Tensor) (costs, slopes *tensors.Tensor, err error)

// Maximizer runs an Ascent: one step is compiled once per shape of clouds and called Steps times on
// values that stay on the device, so compile time does not depend on the number of steps.
type Maximizer struct {
	ascent Ascent
	draw   engine.Program[drawIn[tensor], drawOut[tensor]]
	climb  engine.Program[climbIn[tensor], climbOut[tensor]]
	costs  func(x, y *tensors.Tensor) (CostFunc, error) // nil: in the graph
}

type (
	node   = *graph.Node
	tensor = *tensors.Tensor

	drawIn[T any]     struct{ Random, Location, X, Y T }
	drawOut[T any]    struct{ Random, Location, Directions T }           // Directions around a location, or a uniform one
	climbState[T any] struct{ Random, Location, First, Second, Count T } // with the moments and steps of Adam
	climbIn[T any]    struct {
		State         climbState[T]
		X, Y          T
		Costs, Slopes T // nil: in the graph
	}
	climbOut[T any] struct {
		State climbState[T]
		Pairs T // of several starts: the values before the step
	}
)

// NewMaximizer prepares the ascent of an objective in a graph. The key tells maximizers of the engine
// apart (engine.NewProgram); of the ascent it need not hold the number of steps.
func NewMaximizer(e *engine.Engine, key any, a Ascent, objective Objective) (*Maximizer, error) {
	return newMaximizer(e, key, a, nil, func(src Source, at *graph.Node, in climbIn[node]) *graph.Node {
		return objective(src, at, in.X, in.Y)
	})
}

// NewHostMaximizer prepares the ascent of an objective whose costs are found outside of the graph.
func NewHostMaximizer(e *engine.Engine, key any, a Ascent, o HostObjective) (*Maximizer, error) {
	c, err := newMaximizer(e, key, a, o.Directions, func(src Source, at *graph.Node, in climbIn[node]) *graph.Node {
		directions := o.Directions(src, at, in.X, in.Y)
		return o.Value(Linearised(in.Costs, in.Slopes, directions), directions, in.X, in.Y)
	})
	if err == nil {
		c.costs = o.Costs
	}
	return c, err
}

func newMaximizer(e *engine.Engine, key any, a Ascent, directions func(src Source, location, x, y node) node,
	value func(Source, node, climbIn[node]) node) (*Maximizer, error) {
	if err := a.Check(); err != nil {
		return nil, err
	}
	c := &Maximizer{ascent: a}
	c.draw = engine.NewProgram[drawIn[tensor], drawOut[tensor]](e, key, func(in drawIn[node]) (out drawOut[node]) {
		src := Seeded(in.Random)
		if in.Location != nil { // the step draws the same directions again, from the same random state
			out.Directions = directions(src, in.Location, in.X, in.Y)
			return out
		}
		d := in.X.Shape().Dimensions
		out.Location = Unit(src.Normal(d[0], d[2]))
		out.Random = src.State
		return out
	})
	c.climb = engine.NewProgram[climbIn[tensor], climbOut[tensor]](e, key, func(in climbIn[node]) (out climbOut[node]) {
		in.X, in.Y = graph.StopGradient(in.X), graph.StopGradient(in.Y)
		s, src := in.State, Seeded(in.State.Random)
		s.Count = graph.AddScalar(s.Count, 1)
		s.Location, s.First, s.Second = a.Step(s.Location, s.First, s.Second, s.Count, func(at *graph.Node) *graph.Node {
			pairs := value(src, at, in)
			if a.Starts > 1 {
				out.Pairs = pairs
			}
			return pairs
		})
		s.Random = src.State
		out.State = s
		return out
	})
	return c, nil
}

// Step builds one step number t (a float64 scalar >= 1) from the location [batch, dim] with Adam's
// moments m and v.
func (a Ascent) Step(location, m, v, t node, objective func(location node) node) (location1, m1, v1 node) {
	leaf := graph.Identity(graph.StopGradient(location))
	grad := graph.Gradient(graph.Neg(graph.ReduceAllMean(objective(leaf))), leaf)[0]
	if a.Tangent {
		radial := graph.ReduceAndKeep(graph.Mul(grad, leaf), graph.ReduceSum, -1)
		grad = graph.Sub(grad, graph.Mul(radial, leaf))
	}
	if a.SGD {
		return Unit(graph.Sub(leaf, graph.MulScalar(grad, a.LearningRate))), m, v
	}
	adam := optim.Adam{LearningRate: a.LearningRate, Beta1: 0.9, Beta2: 0.999, Eps: 1e-8}
	moved, m1, v1 := adam.Step(leaf, grad, m, v, t)
	return Unit(moved), m1, v1
}

// Maximize returns the unit locations [batch, dim] reached for clouds x and y [batch, points, dim]
// (tensors of the backend or of the host) from the locations from [batch, dim], which it leaves
// alone, or from uniform ones where from is nil. seed determines that start and the noise of every
// step. The caller frees the result.
func (c *Maximizer) Maximize(seed int64, from, x, y *tensors.Tensor) (*tensors.Tensor, error) {
	location, _, err := c.MaximizeAll(seed, from, x, y)
	return location, err
}

// MaximizeAll is Maximize, and returns the values [starts, batch] that each ascent reached; nil for one
// start, whose value it does not compute.
func (c *Maximizer) MaximizeAll(seed int64, from, x, y *tensors.Tensor) (
	location *tensors.Tensor, values [][]float32, err error) {
	var costs CostFunc
	if c.costs != nil {
		if costs, err = c.costs(x, y); err != nil {
			return nil, nil, err
		}
	}
	if c.ascent.Starts < 2 {
		location, err = c.ascend(seed, from, x, y, costs, nil)
		return location, nil, err
	}
	var best, top []float32
	for start := range c.ascent.Starts {
		value, at, err := c.reach(seed, start, from, x, y, costs)
		if err != nil {
			return nil, nil, err
		}
		values = append(values, value)
		if start == 0 {
			best, top, from = at, slices.Clone(value), nil
		}
		for b, v := range value {
			if dim := len(at) / len(value); v > top[b] {
				top[b] = v
				copy(best[b*dim:(b+1)*dim], at[b*dim:(b+1)*dim])
			}
		}
	}
	d := x.Shape().Dimensions
	return tensors.FromFlatDataAndDimensions(best, d[0], d[2]), values, nil
}

// startSeeds is the distance of the seeds of starts: odd, and large.
const startSeeds = 0x632be59bd9b4e019

// reach returns the locations of the ascent with that number and their values [batch], by random numbers
// that all ascents share.
func (c *Maximizer) reach(seed int64, start int, from, x, y *tensors.Tensor, costs CostFunc) (
	values, locations []float32, err error) {
	location, err := c.ascend(seed+int64(start)*startSeeds, from, x, y, costs, nil)
	if err != nil {
		return nil, nil, err
	}
	defer engine.Free(location)
	random, err := graph.RNGStateFromSeed(seed - startSeeds)
	if err != nil {
		return nil, nil, err
	}
	defer random.FinalizeAll()
	state := newState(random, location)
	defer engine.Free(state.First, state.Second, state.Count)
	out, err := c.step(climbIn[tensor]{State: state, X: x, Y: y}, costs)
	if err != nil {
		return nil, nil, err
	}
	defer engine.Free(out)
	if values, err = tensors.CopyFlatData[float32](out.Pairs); err != nil {
		return nil, nil, err
	}
	locations, err = tensors.CopyFlatData[float32](location)
	return values, locations, err
}

// Start returns the locations [batch, dim] from which the single ascent with that seed begins where none are given.
func (c *Maximizer) Start(seed int64, x *tensors.Tensor) (*tensors.Tensor, error) {
	random, err := graph.RNGStateFromSeed(seed)
	if err != nil {
		return nil, err
	}
	defer random.FinalizeAll()
	begin, err := c.draw.Call(drawIn[tensor]{Random: random, X: x})
	engine.Free(begin.Random)
	return begin.Location, err
}

// Path returns the locations [batch, dim] of one ascent of all pairs: those from which it starts, and those after
// every step. The arguments are those of Maximize.
func (c *Maximizer) Path(seed int64, from, x, y *tensors.Tensor) (path [][]float32, err error) {
	var costs CostFunc
	if c.costs != nil {
		if costs, err = c.costs(x, y); err != nil {
			return nil, err
		}
	}
	location, err := c.ascend(seed, from, x, y, costs, func(at *tensors.Tensor) error {
		v, err := tensors.CopyFlatData[float32](at)
		path = append(path, v)
		return err
	})
	engine.Free(location)
	return path, err
}

// ascend is one ascent of all pairs. It shows see, unless it is nil, the locations before and after every step.
func (c *Maximizer) ascend(seed int64, from, x, y *tensors.Tensor, costs CostFunc, see func(at *tensors.Tensor) error) (
	*tensors.Tensor, error) {
	random, err := graph.RNGStateFromSeed(seed)
	if err != nil {
		return nil, err
	}
	defer random.FinalizeAll()
	begin, err := c.draw.Call(drawIn[tensor]{Random: random, X: x})
	if err != nil {
		return nil, err
	}
	if from != nil {
		engine.Free(begin.Location)
		if begin.Location, err = from.LocalClone(); err != nil {
			engine.Free(begin.Random)
			return nil, err
		}
	}
	state := newState(begin.Random, begin.Location)
	for step := range c.ascent.Steps + 1 {
		if step > 0 {
			next, err := c.step(climbIn[tensor]{State: state, X: x, Y: y}, costs)
			engine.Free(state)
			if err != nil {
				return nil, err
			}
			engine.Free(next.Pairs)
			state = next.State
		}
		if see == nil {
			continue
		}
		if err := see(state.Location); err != nil {
			engine.Free(state)
			return nil, err
		}
	}
	engine.Free(state.Random, state.First, state.Second, state.Count)
	return state.Location, nil
}

// newState is the state before the first step, with moments of 0.
func newState(random, location tensor) climbState[tensor] {
	zeros := func() tensor { return tensors.FromShape(location.Shape()) }
	return climbState[tensor]{random, location, zeros(), zeros(), tensors.FromScalar(0.0)}
}

// step takes one step of the ascent.
func (c *Maximizer) step(in climbIn[tensor], costs CostFunc) (next climbOut[tensor], err error) {
	if costs != nil {
		drawn, err := c.draw.Call(drawIn[tensor]{in.State.Random, in.State.Location, in.X, in.Y})
		if err != nil {
			return next, err
		}
		defer engine.Free(drawn)
		if in.Costs, in.Slopes, err = costs(drawn.Directions); err != nil {
			return next, err
		}
		defer engine.Free(in.Costs, in.Slopes)
	}
	return c.climb.Call(in)
}

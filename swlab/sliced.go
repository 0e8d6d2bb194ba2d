package swlab

import (
	"fmt"
	"math"

	"github.com/gomlx/compute"
	"github.com/gomlx/compute/dtypes"
	"github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/core/tensors"

	"github.com/sliced-wasserstein/lab/datasets"
	"github.com/sliced-wasserstein/lab/internal/exec"
	"github.com/sliced-wasserstein/lab/swlab/engine"
	"github.com/sliced-wasserstein/lab/swlab/loss"
	"github.com/sliced-wasserstein/lab/swlab/ot1d"
	"github.com/sliced-wasserstein/lab/swlab/slicing"
)

// slicedCall is a call of Distance with a sliced loss: find the location, draw the directions, cost them, reduce the costs.
type slicedCall struct {
	loss.Sliced
	name  string
	x, y  *datasets.Set
	o     DistanceOptions
	d     *Distances
	onGPU bool
}

// key is the configuration of the call's graphs.
func (c *slicedCall) key() distanceGraph {
	return distanceGraph{name: c.name, settings: c.o.Settings, gradient: c.o.Gradient}
}

const kindGo = "go"

// muchSorting is how many projected points are worth a GPU where nobody has chosen a backend.
const muchSorting = 1 << 27

func (c *slicedCall) run() error {
	if err := c.start(); err != nil {
		return err
	}
	if err := c.locate(); err != nil {
		return err
	}
	if err := c.draw(); err != nil {
		return err
	}
	c.d.Ledger.Slices += len(c.d.Directions) / c.x.D
	c.d.Ledger.Sorts += 2 * len(c.d.Directions) / c.x.D
	if c.onGPU && c.o.Path == AutoPath || c.o.Path == GraphPath {
		return c.graph()
	}
	return c.host()
}

// start chooses the backend, and opens it only if something is to run there.
func (c *slicedCall) start() error {
	sorted := float64(c.x.N) * float64(c.drawn(c.Rule)) * float64(c.x.M+c.y.M)
	if c.o.Engine == nil && c.o.Path == AutoPath && engine.Nvidia() && (sorted > muchSorting || engine.Chosen()) {
		e, err := engine.Open("")
		if err != nil {
			return err
		}
		c.o.Engine = e
	}
	c.d.Backend = kindGo // where directions are drawn and costs reduced
	if c.o.Engine != nil {
		c.onGPU, c.d.Backend = c.o.Engine.IsCUDA(), c.o.Engine.Name
	}
	return nil
}

// engine is where the work goes that depends on the backend; work counts pairs of points.
func (c *slicedCall) engine(work float64) (*engine.Engine, error) {
	e, err := choose(c.o.Engine, work)
	if err == nil {
		c.d.Backend = e.Name
	}
	return e, err
}

// locate predicts the location, or climbs to it, or both.
func (c *slicedCall) locate() error {
	rule := c.Rule
	if c.o.Directions != nil || rule.Amortizer == nil && rule.Ascent == nil {
		return nil
	}
	if rule.Amortizer != nil {
		e, err := c.engine(directionWork(c.x, c.y))
		if err != nil {
			return err
		}
		maps := c.o.Maps
		p, err := Direction(c.o.Amortizer, c.x, c.y, DirectionOptions{Weights: c.o.Weights, Seed: c.o.Seed, DK: maps.DK, K: maps.K, Form: maps.Form, Engine: e})
		if err != nil {
			return err
		}
		c.d.Location = p.Directions
	}
	if rule.Ascent == nil {
		return nil
	}
	reached, err := c.climb()
	if err != nil {
		return err
	}
	defer finalize(reached)
	perStep := c.x.N * c.drawn(rule)
	c.d.Ledger.Slices += rule.Ascent.Steps * perStep
	c.d.Ledger.Sorts += 2 * rule.Ascent.Steps * perStep
	if c.d.Location, err = tensors.CopyFlatData[float32](reached); err != nil {
		return err
	}
	for i, v := range c.d.Location {
		if v-v != 0 {
			return fmt.Errorf("pair %d: the ascent on the location ends at %v: the costs between %s and %s do not fit into float32; scale the clouds, or lower p or the rate", i/c.x.D, v, c.x.Name, c.y.Name)
		}
	}
	return nil
}

// climb ascends to the location, from the predicted one if there is one. Random numbers differ between backends, so it is on the pure-Go one
// too, like the directions, and its costs in plain Go; on a GPU it stays there.
func (c *slicedCall) climb() (*tensors.Tensor, error) {
	e, err := goBackend()
	if c.onGPU {
		e, err = c.o.Engine, nil
	}
	if err != nil {
		return nil, err
	}
	var from *tensors.Tensor
	if c.d.Location != nil {
		from = tensors.FromFlatDataAndDimensions(c.d.Location, c.x.N, c.x.D)
		defer finalize(from)
	}
	x, y := tensor(c.x), tensor(c.y)
	defer finalize(x, y)
	l := c.Sliced
	climber, release, err := engine.Compiled(e, exec.Key{Config: graphKey{"ascent", c.key()}, Shapes: exec.Shapes([]any{x, y})}, func(b compute.Backend) (*slicing.Climber, func(), error) {
		exec.Built.Add(1)
		climber, err := l.Climber(b, loss.Climb{})
		if err != nil {
			return nil, nil, err
		}
		return climber, climber.Close, nil
	})
	if err != nil {
		return nil, err
	}
	defer release()
	// A seed of its own: from o.Seed the start would be made of the very numbers that the slices are drawn from.
	return climber.Climb(int64(c.o.Seed^0x9e3779b97f4a7c15), from, x, y)
}

// drawn is the number of slices that the rule draws per pair.
func (c *slicedCall) drawn(rule slicing.Rule) int {
	if _, ok := rule.Law.(slicing.Point); ok {
		return 1
	}
	return rule.Slices
}

// draw makes the directions on the pure-Go backend, which needs no compilation: equal seeds give equal directions wherever they are costed.
func (c *slicedCall) draw() error {
	if given := c.o.Directions; given != nil {
		c.d.Directions = given.Values
		if len(given.Shape) == 2 {
			c.d.Directions = make([]float32, 0, c.x.N*len(given.Values))
			for range c.x.N {
				c.d.Directions = append(c.d.Directions, given.Values...)
			}
		}
		return nil
	}
	b, err := goBackend()
	if err != nil {
		return err
	}
	rng, err := graph.RNGStateFromSeed(int64(c.o.Seed))
	if err != nil {
		return err
	}
	args := []any{rng, tensor(c.x), tensor(c.y)}
	if c.d.Location != nil {
		args = append(args, tensors.FromFlatDataAndDimensions(c.d.Location, c.x.N, c.x.D))
	}
	rule, key := c.Rule, c.key()
	rule.Amortizer, key.located = nil, c.d.Location != nil
	out, err := call(b, "directions", key, func(in []*graph.Node) []*graph.Node {
		src := slicing.Seeded(in[0])
		var given *graph.Node
		if len(in) > 3 {
			given = in[3]
		}
		return []*graph.Node{rule.Draw(src, rule.Location(src, nil, given, in[1], in[2]), in[1], in[2])}
	}, args...)
	if err != nil {
		return err
	}
	c.d.Directions, err = tensors.CopyFlatData[float32](out[0])
	return err
}

// perPair is L, the number of directions of every pair.
func (c *slicedCall) perPair() int { return len(c.d.Directions) / (c.x.N * c.x.D) }

// host costs the slices in plain Go and reduces them on the pure-Go backend, both in float64.
func (c *slicedCall) host() error {
	x, y := clouds(c.x, c.o.MassX), clouds(c.y, c.o.MassY)
	n, l, dim := c.x.N, c.perPair(), c.x.D
	options := ot1d.HostOptions{P: c.Exponent(), Normalized: c.PerPoint, SIMD: c.o.Path == SIMDPath}
	var costs, gy []float64
	var err error
	known := c.o.Gradient && c.Linear() // the derivative in every cost is known before the costs are: one pass
	if known {
		upstream := make([]float64, n*l)
		for i := range upstream {
			upstream[i] = 1 / float64(n*l)
		}
		costs, _, gy, _, err = ot1d.HostGradient(x, y, c.d.Directions, l, upstream, ot1d.Y, options)
	} else {
		costs, err = ot1d.Host(x, y, c.d.Directions, l, options)
	}
	if err != nil {
		return err
	}
	b, err := goBackend()
	if err != nil {
		return err
	}
	wide := func(v []float32, shape ...int) *tensors.Tensor {
		out := make([]float64, len(v))
		for i, x := range v {
			out[i] = float64(x)
		}
		return tensors.FromFlatDataAndDimensions(out, shape...)
	}
	args := []any{tensors.FromFlatDataAndDimensions(costs, n, l), wide(c.d.Directions, n, l, dim)}
	reads := c.ReadsClouds()
	if reads {
		args = append(args, wide(c.x.Points, n, c.x.M, dim), wide(c.y.Points, n, c.y.M, dim))
	}
	s, points, derivative, key := c.Sliced, c.x.M, c.o.Gradient && !known, c.key()
	key.points = points
	out, err := call(b, "reduction", key, func(in []*graph.Node) []*graph.Node {
		var gx, gy *graph.Node
		if reads {
			gx, gy = in[2], in[3]
		}
		r := s.Finish(in[0], in[1], gx, gy, points)
		out := outputs(r, l)
		if derivative {
			at := []*graph.Node{in[0]}
			if reads {
				at = append(at, gy)
			}
			out = append(out, graph.Gradient(graph.ReduceAllMean(r.Pairs), at...)...)
		}
		return out
	}, args...)
	if err != nil {
		return err
	}
	if err := c.read(out, tensors.MustCopyFlatData[float64]); err != nil {
		return err
	}
	if c.d.Costs, err = narrow("costs of slices", costs); err != nil || !c.o.Gradient {
		return err
	}
	if !known {
		upstream := tensors.MustCopyFlatData[float64](out[3])
		if _, _, gy, _, err = ot1d.HostGradient(x, y, c.d.Directions, l, upstream, ot1d.Y, options); err != nil {
			return err
		}
	}
	if reads {
		for i, v := range tensors.MustCopyFlatData[float64](out[4]) {
			gy[i] += v
		}
	}
	c.d.Gradient, err = narrow("gradient", gy)
	return err
}

// narrow turns results into float32, or says that they do not fit.
func narrow(what string, v []float64) ([]float32, error) {
	out := make([]float32, len(v))
	for i, x := range v {
		if out[i] = float32(x); out[i]-out[i] != 0 {
			return nil, fmt.Errorf("%s: number %d does not fit into float32, which holds up to 3.4e38; scale the clouds or lower p", what, i)
		}
	}
	return out, nil
}

// outputs are pairs, shares and the number of slices used.
func outputs(r loss.Result, perPair int) []*graph.Node {
	used := r.Used
	if used == nil {
		used = graph.Scalar(r.Pairs.Graph(), dtypes.Int32, perPair)
	}
	return []*graph.Node{r.Pairs, r.Shares, used}
}

// graph costs and reduces the slices in the graph that training uses.
func (c *slicedCall) graph() error {
	e, err := choose(c.o.Engine, math.Inf(1)) // the path was asked for: as in training
	if err != nil {
		return err
	}
	c.d.Backend = e.Name
	n, l, dim := c.x.N, c.perPair(), c.x.D
	args := []any{tensor(c.x), tensor(c.y), tensors.FromFlatDataAndDimensions(c.d.Directions, n, l, dim)}
	masses := 0
	for _, m := range []struct {
		values []float32
		points int
	}{{c.o.MassX, c.x.M}, {c.o.MassY, c.y.M}} {
		if m.values != nil {
			args = append(args, tensors.FromFlatDataAndDimensions(m.values, n, m.points))
			masses++
		}
	}
	defer finalizeAll(args)
	key := c.key()
	key.massX, key.massY = c.o.MassX != nil, c.o.MassY != nil
	s := c.Sliced
	out, err := call(e, "slices", key, func(in []*graph.Node) []*graph.Node {
		s := s
		s.Rule = slicing.Rule{Law: slicing.Fixed{Directions: in[2]}, Slices: l}
		how := loss.Call{}
		rest := in[3:]
		if key.massX {
			how.MassX, rest = rest[0], rest[1:]
		}
		if key.massY {
			how.MassY = rest[0]
		}
		if key.gradient {
			how.Wrt = ot1d.Y
		}
		r := s.Build(how, in[0], in[1])
		out := append(outputs(r, l), r.Slices)
		if key.gradient {
			out = append(out, graph.Gradient(graph.ReduceAllMean(r.Pairs), in[1])[0])
		}
		return out
	}, args...)
	if err != nil {
		return err
	}
	defer finalize(out...)
	c.d.Costs = tensors.MustCopyFlatData[float32](out[3])
	if c.o.Gradient {
		c.d.Gradient = tensors.MustCopyFlatData[float32](out[4])
	}
	return c.read(out, func(t *tensors.Tensor) []float64 {
		v := tensors.MustCopyFlatData[float32](t)
		w := make([]float64, len(v))
		for i, x := range v {
			w[i] = float64(x)
		}
		return w
	})
}

// read fills in values and errors from pairs, shares and the number used.
func (c *slicedCall) read(out []*tensors.Tensor, values func(*tensors.Tensor) []float64) error {
	c.d.PerPair = values(out[0])
	c.d.Slices = int(out[2].Value().(int32))
	c.uncertainty(values(out[1]))
	return nil
}

package gap

import (
	"fmt"
	"math"

	"github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/core/tensors"

	"github.com/sliced-wasserstein/lab/swlab/amortizer"
	"github.com/sliced-wasserstein/lab/swlab/engine"
	"github.com/sliced-wasserstein/lab/swlab/optim"
	"github.com/sliced-wasserstein/lab/swlab/weights"
)

// predictor is an amortizer with its weights and optimiser. The graphs hold only the map. dJ/deps
// comes from the host and is propagated back to the weights, which is exact and needs no sort in a
// graph.
type predictor struct {
	name  string
	specs []weights.Spec
	chunk int // pairs per call; larger batches are processed in parts
	state learned[*tensors.Tensor]
	steps int
	// directions gives the directions or, with Upstream, the gradient in the weights.
	directions engine.Program[mapIn[*tensors.Tensor], []*tensors.Tensor]
	update     engine.Program[learning[*tensors.Tensor], learned[*tensors.Tensor]]
}

// learned is what a predictor learns, in the order of its specs.
type learned[T any] struct{ Weights, Second []T }

// mapIn are the inputs of a map, and, to go back, the derivative of J in its directions.
type mapIn[T any] struct {
	X, Y, Upstream T
	Weights        []T
}

// learning are the inputs of a step of the optimiser, of number T.
type learning[V any] struct {
	State    learned[V]
	Gradient []V
	T        V
}

// chunkPoints is the number of points of X per call. It keeps all maps below 1 GB.
const chunkPoints = 1 << 16

// newPredictor draws the initial weights with the seed.
func newPredictor(e *engine.Engine, c Config, points int) (p *predictor, err error) {
	a, err := amortizer.New(c.Method, amortizer.Config{Points: points, DK: c.DK, K: c.K})
	if err != nil {
		return nil, err
	}
	p = &predictor{name: c.Method, specs: a.Specs(), chunk: max(1, min(c.Pairs, chunkPoints/points))}
	initial := weights.Init(p.specs, c.Seed)
	for _, s := range p.specs {
		t, _ := initial.Get(s.Name)
		p.state.Weights = append(p.state.Weights, tensors.FromFlatDataAndDimensions(t.Data, t.Shape...))
		p.state.Second = append(p.state.Second, tensors.FromFlatDataAndDimensions(make([]float32, s.Size()), t.Shape...))
	}
	key := predictorGraph{c.Method, c.DK, c.K, points, c.Optimiser, c.LearningRate}
	direction := func(in mapIn[*graph.Node]) *graph.Node {
		return a.Direction(weights.Bind(p.specs, in.Weights), in.X, in.Y)
	}
	p.directions = engine.NewProgram[mapIn[*tensors.Tensor], []*tensors.Tensor](e, key, func(in mapIn[*graph.Node]) []*graph.Node {
		if in.Upstream == nil {
			return []*graph.Node{direction(in)}
		}
		return graph.Gradient(graph.ReduceAllSum(graph.Mul(direction(in), in.Upstream)), in.Weights...)
	})
	p.update = engine.NewProgram[learning[*tensors.Tensor], learned[*tensors.Tensor]](e, key, func(in learning[*graph.Node]) learned[*graph.Node] {
		out := learned[*graph.Node]{Second: in.State.Second}
		for i, w := range in.State.Weights {
			g := graph.Neg(in.Gradient[i]) // descent on -J
			if c.Optimiser == Adam {
				rule := optim.Adam{LearningRate: c.LearningRate, Beta2: 0.9, Eps: 1e-8}
				w, _, out.Second[i] = rule.Step(w, g, nil, in.State.Second[i], in.T)
			} else {
				w, _ = optim.SGD{LearningRate: c.LearningRate}.Step(w, g, nil)
			}
			out.Weights = append(out.Weights, w)
		}
		return out
	})
	return p, nil
}

// predictorGraph is what a predictor's graphs depend on.
type predictorGraph struct {
	method        string
	dk, k, points int
	optimiser     string
	learningRate  float64
}

// close frees device memory.
func (p *predictor) close() { engine.Free(p.state) }

// warm compiles the graphs, so that later timings exclude compilation.
func (p *predictor) warm(some pairs) error {
	one := some.part(0, 1)
	if _, err := p.predict(one); err != nil {
		return err
	}
	g, err := p.gradient(one, make([][3]float64, 1))
	if err != nil {
		return err
	}
	out, err := p.apply(g)
	engine.Free(out)
	return err
}

// in returns the inputs of a map for the clouds of part, padded to a chunk with the last pair.
func (p *predictor) in(part pairs) mapIn[*tensors.Tensor] {
	fill := func(v []float32) *tensors.Tensor {
		size := part.m * 3
		full := append(make([]float32, 0, p.chunk*size), v...)
		for len(full) < p.chunk*size {
			full = append(full, v[(part.n-1)*size:]...)
		}
		return tensors.FromFlatDataAndDimensions(full, p.chunk, part.m, 3)
	}
	return mapIn[*tensors.Tensor]{X: fill(part.first), Y: fill(part.second), Weights: p.state.Weights}
}

// predict returns one unit vector per pair.
func (p *predictor) predict(all pairs) ([][3]float64, error) {
	var eps [][3]float64
	err := all.batches(p.chunk, func(from int, part pairs) error {
		in := p.in(part)
		defer engine.Free(in.X, in.Y)
		out, err := p.directions.Call(in)
		if err != nil {
			return err
		}
		defer out[0].FinalizeAll()
		v, err := tensors.CopyFlatData[float32](out[0])
		if err != nil {
			return err
		}
		for b := range part.n {
			e := [3]float64{float64(v[3*b]), float64(v[3*b+1]), float64(v[3*b+2])}
			if !(math.Abs(dot(e, e)-1) < 1e-3) {
				return fmt.Errorf("gap: amortizer %q gives pair %d no direction: %v after division by its norm", p.name, from+b, e)
			}
			eps = append(eps, normalised(e))
		}
		return nil
	})
	return eps, err
}

// gradient propagates upstream, the derivative of J with respect to every predicted direction, back
// to the weights.
func (p *predictor) gradient(all pairs, upstream [][3]float64) ([][]float32, error) {
	sums := make([][]float32, len(p.specs))
	for i, s := range p.specs {
		sums[i] = make([]float32, s.Size())
	}
	err := all.batches(p.chunk, func(from int, part pairs) error {
		g := make([]float32, 3*p.chunk) // 0 for the padding pairs
		for b := range part.n {
			for i, v := range upstream[from+b] {
				g[3*b+i] = float32(v)
			}
		}
		in := p.in(part)
		in.Upstream = tensors.FromFlatDataAndDimensions(g, p.chunk, 3)
		defer engine.Free(in.X, in.Y, in.Upstream)
		out, err := p.directions.Call(in)
		if err != nil {
			return err
		}
		for i, t := range out {
			v, err := tensors.CopyFlatData[float32](t)
			if err != nil {
				return err
			}
			for k, d := range v {
				sums[i][k] += d
			}
			t.FinalizeAll()
		}
		return nil
	})
	return sums, err
}

// apply returns what the predictor has learned after a step along the gradient of J.
func (p *predictor) apply(gradient [][]float32) (learned[*tensors.Tensor], error) {
	in := learning[*tensors.Tensor]{State: p.state, T: tensors.FromScalar(float64(p.steps + 1))}
	for i, g := range gradient {
		in.Gradient = append(in.Gradient, tensors.FromFlatDataAndDimensions(g, p.specs[i].Shape...))
	}
	defer engine.Free(in.Gradient, in.T)
	return p.update.Call(in)
}

// step is one ascent step on the mean of J over the pairs of a batch, with those samples.
func (p *predictor) step(batch pairs, s sampler, z noise) error {
	eps, err := p.predict(batch)
	if err != nil {
		return err
	}
	up, err := s.slope(batch, eps, z)
	if err != nil {
		return err
	}
	for b := range up {
		for i := range up[b] {
			up[b][i] /= float64(batch.n)
		}
	}
	g, err := p.gradient(batch, up)
	if err != nil {
		return err
	}
	out, err := p.apply(g)
	if err != nil {
		return err
	}
	engine.Free(p.state)
	p.state = out
	p.steps++
	return nil
}

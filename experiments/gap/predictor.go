package gap

import (
	"fmt"
	"math"

	"github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/core/tensors"

	"github.com/sliced-wasserstein/lab/internal/exec"
	"github.com/sliced-wasserstein/lab/swlab/amortizer"
	"github.com/sliced-wasserstein/lab/swlab/engine"
	"github.com/sliced-wasserstein/lab/swlab/optim"
	"github.com/sliced-wasserstein/lab/swlab/weights"
)

// predictor is an amortizer with its weights and optimiser. The graphs hold only the map. dJ/deps
// comes from the host and is propagated back to the weights, which is exact and needs no sort in a
// graph.
type predictor struct {
	name                      string
	specs                     []weights.Spec
	chunk                     int // pairs per call; larger batches are processed in parts
	weights, second           []*tensors.Tensor
	steps                     int
	forward, backward, update *graph.Exec
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
	defer func() {
		if err != nil {
			p.close()
		}
	}()
	initial := weights.Init(p.specs, c.Seed)
	for _, s := range p.specs {
		t, _ := initial.Get(s.Name)
		p.weights = append(p.weights, tensors.FromFlatDataAndDimensions(t.Data, t.Shape...))
		p.second = append(p.second, tensors.FromFlatDataAndDimensions(make([]float32, s.Size()), t.Shape...))
	}
	direction := func(in []*graph.Node) *graph.Node {
		return a.Direction(weights.Bind(p.specs, in[2:2+len(p.specs)]), in[0], in[1])
	}
	if p.forward, err = graph.NewExec(e.Backend, direction); err != nil {
		return nil, err
	}
	p.backward, err = graph.NewExec(e.Backend, func(in []*graph.Node) []*graph.Node {
		loss := graph.ReduceAllSum(graph.Mul(direction(in), in[2+len(p.specs)]))
		return graph.Gradient(loss, in[2:2+len(p.specs)]...)
	})
	if err != nil {
		return nil, err
	}
	n := len(p.specs)
	p.update, err = graph.NewExec(e.Backend, func(in []*graph.Node) []*graph.Node {
		out := make([]*graph.Node, 2*n)
		for i := range n {
			w, v, g := in[i], in[n+i], graph.Neg(in[2*n+i]) // descent on -J
			if c.Optimiser == Adam {
				rule := optim.Adam{LearningRate: c.LearningRate, Beta2: 0.9, Eps: 1e-8}
				out[i], _, out[n+i] = rule.Step(w, g, nil, v, in[3*n])
			} else {
				out[i], _ = optim.SGD{LearningRate: c.LearningRate}.Step(w, g, nil)
				out[n+i] = v
			}
		}
		return out
	})
	return p, err
}

// close frees device memory.
func (p *predictor) close() {
	exec.Free(append(p.weights, p.second...)...)
	for _, x := range []*graph.Exec{p.forward, p.backward, p.update} {
		if x != nil {
			x.Finalize()
		}
	}
}

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
	exec.Free(out...)
	return err
}

// clouds returns the clouds of part as tensors, padded to a chunk with the last pair.
func (p *predictor) clouds(part pairs) []any {
	fill := func(v []float32) *tensors.Tensor {
		size := part.m * 3
		full := append(make([]float32, 0, p.chunk*size), v...)
		for len(full) < p.chunk*size {
			full = append(full, v[(part.n-1)*size:]...)
		}
		return tensors.FromFlatDataAndDimensions(full, p.chunk, part.m, 3)
	}
	return []any{fill(part.first), fill(part.second)}
}

func (p *predictor) call(x *graph.Exec, clouds []any, more ...any) ([]*tensors.Tensor, error) {
	in := append([]any{}, clouds...)
	for _, w := range p.weights {
		in = append(in, w)
	}
	return x.Call(append(in, more...)...)
}

// predict returns one unit vector per pair.
func (p *predictor) predict(all pairs) ([][3]float64, error) {
	var eps [][3]float64
	err := all.batches(p.chunk, func(from int, part pairs) error {
		clouds := p.clouds(part)
		defer exec.Free(clouds...)
		out, err := p.call(p.forward, clouds)
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

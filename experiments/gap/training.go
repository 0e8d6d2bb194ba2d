package gap

import (
	"github.com/gomlx/gomlx/core/tensors"

	"github.com/sliced-wasserstein/lab/swlab/engine"
)

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

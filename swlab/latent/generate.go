package latent

import (
	"fmt"

	"github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/core/tensors"

	"github.com/sliced-wasserstein/lab/internal/exec"
	"github.com/sliced-wasserstein/lab/internal/memory"
	"github.com/sliced-wasserstein/lab/swlab/engine"
	"github.com/sliced-wasserstein/lab/swlab/pointnet"
	"github.com/sliced-wasserstein/lab/swlab/weights"
)

// Generate draws n >= 1 codes [n, 256] from a generator with the weights w. Its noise is a function
// of (n, seed), and the first codes of a larger n are those of a smaller one. The codes lie inside
// (-1, 1) and are not unit vectors.
func Generate(e *engine.Engine, w *weights.Set, n int, seed uint64) ([]float32, error) {
	x, err := newGenerate(e)
	if err != nil {
		return nil, err
	}
	defer x.Finalize()
	return sample(x, w, n, seed)
}

// sample is Generate with a compiled program.
func sample(x *graph.Exec, w *weights.Set, n int, seed uint64) ([]float32, error) {
	if n < 1 {
		return nil, fmt.Errorf("codes to generate: expected at least 1, found %d", n)
	}
	// Noise, two copies of the codes, and the layer before them.
	if err := memory.Check(fmt.Sprintf("codes to generate: %d", n), memory.Bytes(4*(pointnet.NoiseSize+3*pointnet.LatentSize), n)); err != nil {
		return nil, err
	}
	fitted, err := w.Match(pointnet.Generator{}.Specs())
	if err != nil {
		return nil, err
	}
	params, z := exec.Upload(fitted), noise(seed, sampleStream, 0, n)
	defer exec.Free(append(params, z)...)
	return generate(x, z, params)
}

// newGenerate compiles noise, weights... -> codes.
func newGenerate(e *engine.Engine) (*graph.Exec, error) {
	if err := engine.Ready(e); err != nil {
		return nil, err
	}
	return graph.NewExec(e.Backend, func(in []*graph.Node) *graph.Node {
		return pointnet.Generator{}.Forward(weights.Bind(pointnet.Generator{}.Specs(), in[1:]), in[0])
	})
}

// generate runs it.
func generate(x *graph.Exec, z *tensors.Tensor, params []*tensors.Tensor) ([]float32, error) {
	out, err := x.Call(arguments([]any{z}, params...)...)
	if err != nil {
		return nil, err
	}
	defer exec.Free(out...)
	return tensors.CopyFlatData[float32](out[0])
}

// noise is [n, 64] from N(0, I).
func noise(seed uint64, purpose, step, n int) *tensors.Tensor {
	r, v := source(seed, purpose, step), make([]float32, n*pointnet.NoiseSize)
	for i := range v {
		v[i] = float32(r.NormFloat64())
	}
	return tensors.FromFlatDataAndDimensions(v, n, pointnet.NoiseSize)
}

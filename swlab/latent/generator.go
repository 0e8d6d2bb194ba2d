package latent

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/core/tensors"

	"github.com/sliced-wasserstein/lab/datasets"
	"github.com/sliced-wasserstein/lab/internal/memory"
	"github.com/sliced-wasserstein/lab/internal/settings"
	"github.com/sliced-wasserstein/lab/swlab/engine"
	"github.com/sliced-wasserstein/lab/swlab/internal/vec"
	"github.com/sliced-wasserstein/lab/swlab/optim"
	"github.com/sliced-wasserstein/lab/swlab/ot"
	"github.com/sliced-wasserstein/lab/swlab/pointnet"
	"github.com/sliced-wasserstein/lab/swlab/weights"
)

// GeneratorConfig configures the training of a generator of codes.
type GeneratorConfig struct {
	Epochs       int     `json:"epochs" range:"1.."`
	Batch        int     `json:"batch" range:"1.."`
	LearningRate float64 `json:"rate" range:">0.."` // Adam's
	Beta1        float64 `json:"beta1" range:"0..<1"`
	Beta2        float64 `json:"beta2" range:"0..<1"`
	Seed         uint64  `json:"seed"`     // of initial weights, order and noise
	Sinkhorn     string  `json:"sinkhorn"` // one of Sinkhorns
	Reg          float64 `json:"reg" range:">0.."`
	Iterations   int     `json:"rounds" range:"1.."`
	// Slices is how many directions SW has, new in every step, as the loss in place of Sinkhorn's; 0: none.
	Slices int `json:"slices,omitempty" range:"0.."`
}

// DefaultGenerator is the released code's: 25 epochs of batch 64, Adam of rate 1e-4 and betas (0,
// 0.9), reg 1e-3, 1001 iterations; but in logarithms, see [Sinkhorns].
func DefaultGenerator() GeneratorConfig {
	return GeneratorConfig{Epochs: 25, Batch: 64, LearningRate: 1e-4, Beta1: 0, Beta2: 0.9, Seed: 1,
		Sinkhorn: "log", Reg: 1e-3, Iterations: ot.StabilisedIterations}
}

const adamEpsilon = 1e-8

// TrainedGenerator is a generator after its last epoch.
type TrainedGenerator struct {
	Weights *weights.Set // of pointnet.Generator
	Losses  []float64    // [Epochs] mean loss of the batches
	// Short counts steps whose loss was n^2 times too small, because the last iteration absorbed:
	// "released" only.
	Short int
}

// TrainGenerator trains a generator on codes, without their labels. Every step draws noise from
// N(0, I) for as many codes as the batch has, and takes an Adam step on the transport cost between
// both. Smaller last batches are kept. progress, if not nil, is called after every step.
//
// The cost and its gradient are computed on the host in float64, the network on the backend.
func TrainGenerator(ctx context.Context, e *engine.Engine, codes Codes, c GeneratorConfig,
	progress func(done, total int, loss float64)) (*TrainedGenerator, error) {
	if err := settings.Of(&c, "range").Check(); err != nil {
		return nil, err
	}
	if !slices.Contains(Sinkhorns, c.Sinkhorn) {
		return nil, fmt.Errorf("sinkhorn: expected %s, found %q", strings.Join(Sinkhorns, " or "), c.Sinkhorn)
	}
	if err := codes.check(1); err != nil {
		return nil, err
	}
	g := newGeneratorRun(e, c)
	defer func() { engine.Free(g.state) }()
	out := &TrainedGenerator{}
	batches := func(epoch int) [][]int32 {
		return datasets.Batches(datasets.EpochOrder(codes.N, c.Seed, epoch), c.Batch)
	}
	total := c.Epochs * len(batches(0))
	err := train(ctx, c.Epochs, batches, func(step int, rows []int32) (float64, error) {
		real := make([]float32, 0, len(rows)*pointnet.LatentSize)
		for _, row := range rows {
			real = append(real, codes.Vectors[int(row)*pointnet.LatentSize:][:pointnet.LatentSize]...)
		}
		loss, short, err := g.step(step, real, len(rows))
		if err != nil {
			return 0, fmt.Errorf("step %d of the generator: %w", step, err)
		}
		if short {
			out.Short++
		}
		if progress != nil {
			progress(step, total, loss)
		}
		return loss, nil
	}, func(_ int, mean float64) { out.Losses = append(out.Losses, mean) })
	if err != nil {
		return nil, err
	}
	out.Weights, err = weights.Download(pointnet.Generator{}.Specs(), g.state.Weights)
	return out, err
}

// Generate draws n >= 1 codes [n, 256] from a generator with the weights w. Its noise is a function
// of (n, seed), and the first codes of a larger n are those of a smaller one. The codes lie inside
// (-1, 1) and are not unit vectors.
func Generate(e *engine.Engine, w *weights.Set, n int, seed uint64) ([]float32, error) {
	if n < 1 {
		return nil, fmt.Errorf("codes to generate: expected at least 1, found %d", n)
	}
	// Noise, two copies of the codes, and the layer before them.
	if err := memory.Check(fmt.Sprintf("codes to generate: %d",
		n), memory.Bytes(4*(pointnet.NoiseSize+3*pointnet.LatentSize), n)); err != nil {
		return nil, err
	}
	fitted, err := w.Match(pointnet.Generator{}.Specs())
	if err != nil {
		return nil, err
	}
	in := generating[tensor]{noise(seed, sampleStream, 0, n), fitted.Upload()}
	defer engine.Free(in)
	return generate(e, in)
}

// generating are the inputs of the generator's graph, noise [n, 64] and weights.
type generating[T any] struct {
	Noise   T
	Weights map[string]T
}

// generate runs the generator.
func generate(e *engine.Engine, in generating[tensor]) ([]float32, error) {
	out, err := engine.NewProgram[generating[tensor], tensor](e, "generator", func(in generating[node]) *graph.Node {
		return pointnet.Generator{}.Forward(in.Weights, in.Noise)
	}).Call(in)
	if err != nil {
		return nil, err
	}
	defer out.FinalizeAll()
	return tensors.CopyFlatData[float32](out)
}

// noise is [n, 64] from N(0, I).
func noise(seed uint64, purpose, step, n int) *tensors.Tensor {
	r, v := source(seed, purpose, step), make([]float32, n*pointnet.NoiseSize)
	for i := range v {
		v[i] = float32(r.NormFloat64())
	}
	return tensors.FromFlatDataAndDimensions(v, n, pointnet.NoiseSize)
}

// generatorState is what training changes: weights, Adam's moments and its number of steps.
type generatorState[T any] struct {
	Weights, First, Second map[string]T
	Count                  T
}

// generatorIn are the inputs of an update: noise, and the gradient of the loss in its codes.
type generatorIn[T any] struct {
	Noise, Gradient T
	State           generatorState[T]
}

// generatorRun is a training.
type generatorRun struct {
	engine *engine.Engine
	config GeneratorConfig
	update engine.Program[generatorIn[tensor], generatorState[tensor]]
	state  generatorState[tensor]
}

func newGeneratorRun(e *engine.Engine, c GeneratorConfig) *generatorRun {
	specs := pointnet.Generator{}.Specs()
	adam := optim.Adam{LearningRate: c.LearningRate, Beta1: c.Beta1, Beta2: c.Beta2, Eps: adamEpsilon}
	g := &generatorRun{engine: e, config: c}
	initial := weights.Init(specs, c.Seed).Upload()
	g.state = generatorState[tensor]{initial, zeros(specs), zeros(specs), tensors.FromScalar(float64(0))}
	g.update = engine.NewProgram[generatorIn[tensor], generatorState[tensor]](e, adam,
		func(in generatorIn[node]) generatorState[node] {
			out := in.State
			out.Count = graph.AddScalar(in.State.Count, 1)
			codes := pointnet.Generator{}.Forward(in.State.Weights, in.Noise)
			var w []*graph.Node
			for _, s := range specs {
				w = append(w, in.State.Weights[s.Name])
			}
			// The scalar whose gradient in the codes is the given one.
			for i, gradient := range graph.Gradient(graph.ReduceAllSum(graph.Mul(codes, in.Gradient)), w...) {
				name := specs[i].Name
				first, second := in.State.First[name], in.State.Second[name]
				out.Weights[name], out.First[name], out.Second[name] = adam.Step(w[i], gradient, first, second, out.Count)
			}
			return out
		})
	return g
}

// step takes step number step, from 1, on n real codes.
func (g *generatorRun) step(step int, real []float32, n int) (loss float64, short bool, err error) {
	z := noise(g.config.Seed, noiseStream, step, n)
	defer z.FinalizeAll()
	generated, err := generate(g.engine, generating[tensor]{z, g.state.Weights})
	if err != nil {
		return 0, false, err
	}
	loss, grad, short, err := g.config.transport(real, generated, step)
	if err != nil {
		return 0, false, err
	}
	in := generatorIn[tensor]{z, tensors.FromFlatDataAndDimensions(vec.To[float32](grad), n, pointnet.LatentSize), g.state}
	defer in.Gradient.FinalizeAll()
	out, err := g.update.Call(in)
	if err != nil {
		return 0, false, err
	}
	engine.Free(g.state)
	g.state = out
	return loss, short, nil
}

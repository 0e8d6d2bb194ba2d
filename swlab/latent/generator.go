package latent

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/core/tensors"

	"github.com/sliced-wasserstein/lab/datasets"
	"github.com/sliced-wasserstein/lab/internal/exec"
	"github.com/sliced-wasserstein/lab/swlab/engine"
	"github.com/sliced-wasserstein/lab/swlab/optim"
	"github.com/sliced-wasserstein/lab/swlab/ot"
	"github.com/sliced-wasserstein/lab/swlab/pointnet"
	"github.com/sliced-wasserstein/lab/swlab/weights"
)

// GeneratorConfig configures the training of a generator of codes.
type GeneratorConfig struct {
	Epochs       int     `json:"epochs"`
	Batch        int     `json:"batch"`
	LearningRate float64 `json:"rate"` // Adam's
	Beta1        float64 `json:"beta1"`
	Beta2        float64 `json:"beta2"`
	Seed         uint64  `json:"seed"`     // of initial weights, order and noise
	Sinkhorn     string  `json:"sinkhorn"` // one of Sinkhorns
	Reg          float64 `json:"reg"`
	Iterations   int     `json:"rounds"`
}

// DefaultGenerator is the released code's: 25 epochs of batch 64, Adam of rate 1e-4 and betas (0,
// 0.9), reg 1e-3, 1001 iterations; but in logarithms, see [Sinkhorns].
func DefaultGenerator() GeneratorConfig {
	return GeneratorConfig{Epochs: 25, Batch: 64, LearningRate: 1e-4, Beta1: 0, Beta2: 0.9, Seed: 1, Sinkhorn: "log", Reg: 1e-3, Iterations: ot.StabilisedIterations}
}

const adamEpsilon = 1e-8

func (c GeneratorConfig) check() error {
	unit := func(v float64) bool { return v >= 0 && v < 1 }
	switch {
	case c.Epochs < 1:
		return fmt.Errorf("epochs: expected at least 1, found %d", c.Epochs)
	case c.Batch < 1:
		return fmt.Errorf("batch: expected at least 1, found %d", c.Batch)
	case !(c.LearningRate > 0) || math.IsInf(c.LearningRate, 1):
		return fmt.Errorf("rate: expected a finite number > 0, found %v", c.LearningRate)
	case !unit(c.Beta1) || !unit(c.Beta2):
		return fmt.Errorf("betas: expected numbers in [0, 1), found %v and %v", c.Beta1, c.Beta2)
	case !slices.Contains(Sinkhorns, c.Sinkhorn):
		return fmt.Errorf("sinkhorn: expected %s, found %q", strings.Join(Sinkhorns, " or "), c.Sinkhorn)
	case !(c.Reg > 0) || math.IsInf(c.Reg, 1):
		return fmt.Errorf("reg: expected a finite number > 0, found %v", c.Reg)
	case c.Iterations < 1:
		return fmt.Errorf("rounds: expected at least 1, found %d", c.Iterations)
	}
	return nil
}

// TrainedGenerator is a generator after its last epoch.
type TrainedGenerator struct {
	Weights *weights.Set // of pointnet.Generator
	Losses  []float64    // [Epochs] mean loss of the batches
	// Short counts steps whose loss was n^2 times too small, because the last iteration absorbed:
	// "released" only.
	Short int
}

// TrainGenerator is NewGeneratorTrainer followed by one call of Train.
func TrainGenerator(ctx context.Context, e *engine.Engine, codes Codes, c GeneratorConfig, progress func(done, total int, loss float64)) (*TrainedGenerator, error) {
	t, err := NewGeneratorTrainer(e, c)
	if err != nil {
		return nil, err
	}
	defer t.Close()
	return t.Train(ctx, codes, c.Seed, progress)
}

// GeneratorTrainer trains generators of one configuration, seeds aside. It keeps its compiled
// programs: another call with batches of the same sizes compiles nothing. It serves one call at a
// time.
type GeneratorTrainer struct {
	config        GeneratorConfig
	specs         []weights.Spec
	forward, step *graph.Exec
}

// NewGeneratorTrainer makes a GeneratorTrainer on a backend.
func NewGeneratorTrainer(e *engine.Engine, c GeneratorConfig) (*GeneratorTrainer, error) {
	if err := c.check(); err != nil {
		return nil, err
	}
	t := &GeneratorTrainer{config: c, specs: pointnet.Generator{}.Specs()}
	n := len(t.specs)
	adam := optim.Adam{LearningRate: c.LearningRate, Beta1: c.Beta1, Beta2: c.Beta2, Eps: adamEpsilon}
	var err error
	if t.forward, err = newGenerate(e); err != nil {
		return nil, err
	}
	// noise, gradient of the loss in the codes, state -> state
	t.step, err = graph.NewExec(e.Backend, func(in []*graph.Node) []*graph.Node {
		w, first, second, count := in[2:2+n], in[2+n:2+2*n], in[2+2*n:2+3*n], graph.AddScalar(in[2+3*n], 1)
		codes := pointnet.Generator{}.Forward(weights.Bind(t.specs, w), in[0])
		// The scalar whose gradient in the codes is the given one.
		grads := graph.Gradient(graph.ReduceAllSum(graph.Mul(codes, in[1])), w...)
		next := make([]*graph.Node, 3*n+1)
		for i := range w {
			next[i], next[n+i], next[2*n+i] = adam.Step(w[i], grads[i], first[i], second[i], count)
		}
		next[3*n] = count
		return next
	})
	if err != nil {
		t.forward.Finalize()
		return nil, err
	}
	return t, nil
}

// Close frees the compiled programs.
func (t *GeneratorTrainer) Close() {
	if t != nil {
		finalize(t.forward, t.step)
	}
}

// finalize frees the programs that are not nil.
func finalize(list ...*graph.Exec) {
	for _, x := range list {
		if x != nil {
			x.Finalize()
		}
	}
}

// Train trains a generator on codes, without their labels. Every step draws noise from N(0, I) for
// as many codes as the batch has, and takes an Adam step on the transport cost between both.
// Smaller last batches are kept. seed is that of initial weights, order and noise, in place of the
// configuration's. progress, if not nil, is called after every step.
//
// The cost and its gradient are computed on the host in float64, the network on the backend.
func (t *GeneratorTrainer) Train(ctx context.Context, codes Codes, seed uint64, progress func(done, total int, loss float64)) (*TrainedGenerator, error) {
	if err := codes.check(1); err != nil {
		return nil, err
	}
	g := newGeneratorRun(t, seed)
	defer func() { exec.Free(g.state...) }()
	out, c := &TrainedGenerator{}, t.config
	step, total := 0, c.Epochs*len(datasets.Batches(datasets.EpochOrder(codes.N, seed, 0), c.Batch))
	for epoch := range c.Epochs {
		sum, batches := 0.0, datasets.Batches(datasets.EpochOrder(codes.N, seed, epoch), c.Batch)
		for _, rows := range batches {
			if err := ctx.Err(); err != nil {
				return nil, err
			}
			step++
			real := make([]float32, 0, len(rows)*pointnet.LatentSize)
			for _, row := range rows {
				real = append(real, codes.Vectors[int(row)*pointnet.LatentSize:][:pointnet.LatentSize]...)
			}
			loss, short, err := g.one(step, real, len(rows))
			if err != nil {
				return nil, fmt.Errorf("step %d of the generator: %w", step, err)
			}
			if short {
				out.Short++
			}
			sum += loss
			if progress != nil {
				progress(step, total, loss)
			}
		}
		out.Losses = append(out.Losses, sum/float64(len(batches)))
	}
	var err error
	out.Weights, err = g.weights()
	return out, err
}

// Generate is [Generate] with the trainer's programs.
func (t *GeneratorTrainer) Generate(w *weights.Set, n int, seed uint64) ([]float32, error) {
	if t == nil || t.forward == nil {
		return nil, errors.New("expected a trainer that NewGeneratorTrainer has made, found none")
	}
	return sample(t.forward, w, n, seed)
}

// generatorRun is the state of a training.
type generatorRun struct {
	*GeneratorTrainer
	seed uint64
	// weights, first moments, second moments, in the order of specs each; Adam's count
	state []*tensors.Tensor
}

func newGeneratorRun(t *GeneratorTrainer, seed uint64) *generatorRun {
	g := &generatorRun{GeneratorTrainer: t, seed: seed}
	g.state = append(exec.Upload(weights.Init(t.specs, seed)), append(zeros(t.specs), zeros(t.specs)...)...)
	g.state = append(g.state, tensors.FromScalar(float64(0)))
	return g
}

// one takes step number step, from 1, on n real codes.
func (t *generatorRun) one(step int, real []float32, n int) (loss float64, short bool, err error) {
	z := noise(t.seed, noiseStream, step, n)
	defer z.FinalizeAll()
	generated, err := generate(t.forward, z, t.state[:len(t.specs)])
	if err != nil {
		return 0, false, err
	}
	loss, grad, short, err := t.config.transport(real, generated)
	if err != nil {
		return 0, false, err
	}
	g := make([]float32, len(grad))
	for i, v := range grad {
		g[i] = float32(v)
	}
	direction := tensors.FromFlatDataAndDimensions(g, n, pointnet.LatentSize)
	defer direction.FinalizeAll()
	out, err := t.step.Call(arguments([]any{z, direction}, t.state...)...)
	if err != nil {
		return 0, false, err
	}
	exec.Free(t.state...)
	t.state = out
	return loss, short, nil
}

// weights copies the network to the host.
func (t *generatorRun) weights() (*weights.Set, error) {
	set := weights.NewSet()
	for i, s := range t.specs {
		v, err := tensors.CopyFlatData[float32](t.state[i])
		if err != nil {
			return nil, err
		}
		set.Put(s.Name, weights.Tensor{Shape: slices.Clone(s.Shape), Data: v})
	}
	return set, nil
}

package latent

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/gomlx/gomlx/core/tensors"
	"github.com/janpfeifer/must"

	"github.com/sliced-wasserstein/lab/swlab/engine"
	"github.com/sliced-wasserstein/lab/swlab/internal/graphtest"
	"github.com/sliced-wasserstein/lab/swlab/ot"
	"github.com/sliced-wasserstein/lab/swlab/pointnet"
	"github.com/sliced-wasserstein/lab/swlab/weights"
)

// TestTransportReference: both losses with the default settings are those of the golden set.
func TestTransportReference(t *testing.T) {
	z := graphtest.Golden(t, "sinkhorn.npz")
	const size = 64 * pointnet.LatentSize
	real, made := tensors.MustCopyFlatData[float32](z["real"]), tensors.MustCopyFlatData[float32](z["gen"])
	for name, c := range map[string]struct {
		keys [2]string
		tol  [2]float64
	}{"log": {[2]string{"cost_log1001", "grad_log1001"}, [2]float64{1e-4, 1e-3}},
		"released": {[2]string{"cost_authors", "grad_authors"}, [2]float64{1e-6, 5e-3}}} {
		config := DefaultGenerator()
		config.Sinkhorn = name
		costs, grads := tensors.MustCopyFlatData[float64](z[c.keys[0]]), tensors.MustCopyFlatData[float64](z[c.keys[1]])
		for b := range 2 {
			cost, grad, short, err := config.transport(real[b*size:(b+1)*size], made[b*size:(b+1)*size], 1)
			if err != nil || short {
				t.Fatal(err, short)
			}
			if math.Abs(cost-costs[b]) > c.tol[0]*costs[b] {
				t.Errorf("%s, batch %d: cost %v, want %v", name, b, cost, costs[b])
			}
			graphtest.Close(t, fmt.Sprintf("%s, batch %d: gradient", name, b), grad, grads[b*size:(b+1)*size], c.tol[1])
		}
	}
}

// TestGeneratorStep: one Adam step with beta1 = 0 from moments 0 moves every weight by the rate against the sign of its
// gradient, which is the gradient of the loss of the step's own noise.
func TestGeneratorStep(t *testing.T) {
	const n = 16
	c := DefaultGenerator()
	c.Reg, c.Sinkhorn, c.Iterations, c.LearningRate = 0.5, "released", 200, 1e-3 // the gradient of the cost itself
	e := graphtest.Engine(t)
	g := newGeneratorRun(e, c)
	defer func() { engine.Free(g.state) }()
	real := codes(1, n, 3, 1).Vectors
	cost := func(w *weights.Set) float64 { // of the first step's noise
		in := generating[*tensors.Tensor]{noise(c.Seed, noiseStream, 1, n), w.Upload()}
		defer engine.Free(in)
		made := must.M1(generate(e, in))
		v, _, _ := must.M3(c.transport(real, made, 1))
		return v
	}
	before := must.M1(weights.Download(pointnet.Generator{}.Specs(), g.state.Weights))
	loss, _ := must.M2(g.step(1, real, n))
	if want := cost(before); math.Abs(loss-want) > 1e-9 {
		t.Errorf("loss %v, of the weights before the step %v", loss, want)
	}
	after := must.M1(weights.Download(pointnet.Generator{}.Specs(), g.state.Weights))
	// Central differences along single weights say which way each must have moved.
	r, checked := source(4, 9, 0), 0
	for _, name := range before.Names() {
		a, _ := before.Get(name)
		b, _ := after.Get(name)
		for range 4 {
			i := r.IntN(len(a.Data))
			slope, old := 0.0, a.Data[i]
			for _, h := range []float32{2e-2, -2e-2} {
				a.Data[i] = old + h
				slope += cost(before) / (2 * float64(h))
			}
			a.Data[i] = old
			if moved := float64(b.Data[i] - old); math.Abs(slope) > 2e-5 {
				checked++
				if math.Abs(math.Abs(moved)-c.LearningRate) > 1e-2*c.LearningRate || moved*slope > 0 {
					t.Errorf("%s[%d] moved by %v, slope %v", name, i, moved, slope)
				}
			}
		}
	}
	if checked < 10 {
		t.Errorf("only %d weights with a slope to speak of", checked)
	}
}

// TestTrainGenerator: training brings generated codes nearer to the real ones in exact transport
// cost, is repeatable, and keeps the smaller last batch.
func TestTrainGenerator(t *testing.T) {
	e, ctx := graphtest.Engine(t), context.Background()
	real := codes(1, 70, 2, 0.3)
	exact := func(w *weights.Set) float64 {
		made := must.M1(Generate(e, w, 70, 5))
		a := must.M1(ot.EMD(real.Vectors, made, pointnet.LatentSize, 2))
		return a.Cost / 70
	}
	for _, form := range Sinkhorns {
		c := DefaultGenerator()
		c.Epochs, c.Batch, c.LearningRate, c.Sinkhorn, c.Iterations = 6, 32, 2e-3, form, 51
		steps := 0
		g := must.M1(TrainGenerator(ctx, e, real, c, func(done, total int, loss float64) {
			if steps++; done != steps || total != 18 || math.IsNaN(loss) {
				t.Errorf("step %d of %d after %d, loss %v", done, total, steps, loss)
			}
		}))
		before, after := exact(weights.Init(pointnet.Generator{}.Specs(), c.Seed)), exact(g.Weights)
		if !(after < 0.7*before) || steps != 18 || len(g.Losses) != 6 || !(g.Losses[5] < g.Losses[0]) {
			t.Errorf("%s: exact cost %v before, %v after %d steps, losses %v", form, before, after, steps, g.Losses)
		}
		if form == "released" {
			continue
		}
		again, err := TrainGenerator(ctx, e, real, c, nil)
		if err != nil || !reflect.DeepEqual(g, again) {
			t.Errorf("%s: a second training differs (%v)", form, err)
		}
		c.Seed = 2
		if other, err := TrainGenerator(ctx, e, real, c, nil); err != nil || slices.Equal(other.Losses, g.Losses) {
			t.Errorf("%s: another seed gives the same losses (%v)", form, err)
		}
	}
}

// TestGenerate: codes depend on the seed and not on how many follow; their noise is N(0, I).
func TestGenerate(t *testing.T) {
	e := graphtest.Engine(t)
	w := weights.Init(pointnet.Generator{}.Specs(), 1)
	many := must.M1(Generate(e, w, 9, 3))
	few := must.M1(Generate(e, w, 4, 3))
	for i, v := range few {
		if math.Abs(float64(v-many[i])) > 1e-6 || !(v > -1 && v < 1) {
			t.Fatalf("number %d is %v, %v among more", i, v, many[i])
		}
	}
	if other, _ := Generate(e, w, 4, 4); slices.Equal(few, other) {
		t.Error("two seeds give the same codes")
	}
	z := noise(1, noiseStream, 5, 2000)
	var sum, square float64
	v := tensors.MustCopyFlatData[float32](z)
	for _, a := range v {
		sum, square = sum+float64(a), square+float64(a)*float64(a)
	}
	n := float64(len(v))
	if math.Abs(sum/n) > 5/math.Sqrt(n) || math.Abs(square/n-1) > 5*math.Sqrt(2/n) {
		t.Errorf("noise of mean %v and second moment %v", sum/n, square/n)
	}
}

func TestGeneratorRefuses(t *testing.T) {
	e, ctx := graphtest.Engine(t), context.Background()
	real := codes(1, 8, 2, 1)
	for says, change := range map[string]func(c *GeneratorConfig){
		"epochs: expected at least 1, found 0":                 func(c *GeneratorConfig) { c.Epochs = 0 },
		"batch: expected at least 1, found -1":                 func(c *GeneratorConfig) { c.Batch = -1 },
		"rate: expected a number > 0, found 0":                 func(c *GeneratorConfig) { c.LearningRate = 0 },
		"beta2: expected a number from 0 to below 1, found 1":  func(c *GeneratorConfig) { c.Beta2 = 1 },
		`sinkhorn: expected log or released, found "entropic"`: func(c *GeneratorConfig) { c.Sinkhorn = "entropic" },
		"reg: expected a number > 0, found -1":                 func(c *GeneratorConfig) { c.Reg = -1 },
		"rounds: expected at least 1, found 0":                 func(c *GeneratorConfig) { c.Iterations = 0 },
	} {
		c := DefaultGenerator()
		change(&c)
		if _, err := TrainGenerator(ctx, e, real, c, nil); err == nil || !strings.Contains(err.Error(), says) {
			t.Errorf("error %v, want one that says %q", err, says)
		}
	}
	if _, err := TrainGenerator(ctx, e, Codes{Name: "none"}, DefaultGenerator(), nil); err == nil ||
		!strings.Contains(err.Error(), "none: expected at least 1 codes, found 0") {
		t.Errorf("no codes: %v", err)
	}
	if _, err := Generate(e, weights.NewSet(), 1, 1); err == nil || !strings.Contains(err.Error(), "missing: fc1.weight") {
		t.Errorf("no weights: %v", err)
	}
	if _, err := Generate(e, weights.Init(pointnet.Generator{}.Specs(), 1), 0, 1); err == nil ||
		!strings.Contains(err.Error(), "at least 1, found 0") {
		t.Errorf("no codes to generate: %v", err)
	}
	stopped, stop := context.WithCancel(ctx)
	c := DefaultGenerator()
	c.Iterations = 5
	_, err := TrainGenerator(stopped, e, real, c, func(done, _ int, _ float64) {
		if stop(); done > 1 {
			t.Error("goes on after it was stopped")
		}
	})
	if !errors.Is(err, context.Canceled) {
		t.Errorf("stopped: %v", err)
	}
}

// TestSliced: with slices the loss is SW², 0 between equal sets of codes, and its gradient is that of differences.
func TestSliced(t *testing.T) {
	c, r := DefaultGenerator(), rand.New(rand.NewPCG(1, 2))
	c.Slices = 50
	x, y := make([]float32, 4*pointnet.LatentSize), make([]float32, 4*pointnet.LatentSize)
	for i := range x {
		x[i], y[i] = float32(r.NormFloat64()), float32(r.NormFloat64())
	}
	if same, _, _ := must.M3(c.transport(x, x, 1)); same > 1e-12 {
		t.Errorf("%v between equal codes", same)
	}
	_, grad, _ := must.M3(c.transport(x, y, 1))
	const h = 1e-2
	for _, i := range []int{0, 300, 1000} {
		up, down := append([]float32{}, y...), append([]float32{}, y...)
		up[i], down[i] = up[i]+h, down[i]-h
		a, _, _ := must.M3(c.transport(x, up, 1))
		b, _, _ := must.M3(c.transport(x, down, 1))
		if want := (a - b) / (2 * h); math.Abs(grad[i]-want) > 1e-3*math.Abs(want)+1e-6 {
			t.Errorf("gradient %d is %v, expected %v", i, grad[i], want)
		}
	}
}

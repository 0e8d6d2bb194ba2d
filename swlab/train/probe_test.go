package train

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"sync/atomic"
	"testing"

	"github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/core/tensors"
	"github.com/janpfeifer/must"

	"github.com/sliced-wasserstein/lab/datasets"
	"github.com/sliced-wasserstein/lab/swlab/loss"
	"github.com/sliced-wasserstein/lab/swlab/pointnet"
	"github.com/sliced-wasserstein/lab/swlab/slicing"
	"github.com/sliced-wasserstein/lab/swlab/weights"
)

// probe is a "loss" that shows what a step passes to its loss. It has one weight for the ascent.
type probe struct {
	show func(c loss.BuildArgs, x *graph.Node) *graph.Node // [batch], without gradient
}

func (probe) Name() string                { return "probe" }
func (probe) Convention() loss.Convention { return loss.Convention{} }
func (probe) Check(_, _, _ int) error     { return nil }
func (probe) Specs() []weights.Spec {
	return []weights.Spec{{Name: "w", Shape: []int{3}, Init: weights.Constant(1)}}
}

func (p probe) Build(c loss.BuildArgs, x, y *graph.Node) loss.Result {
	w := c.Weights.Get("w")
	zero := graph.MulScalar(graph.Add(graph.ReduceSum(y, 1, 2), graph.ReduceAllSum(w)), 0)
	location := graph.BroadcastToDims(graph.InsertAxes(w, 0), x.Shape().Dimensions[0], 3)
	return loss.Result{Pairs: graph.Add(graph.StopGradient(p.show(c, x)), zero), Location: location}
}

const probeSeed = 7

// models tells the programs of the models of these tests apart.
var models atomic.Int64

// probed makes a trainer with that loss for 4 clouds of 16 points of which no two are equal.
func probed(t *testing.T, l loss.Graph, change ...func(*Model)) (*trainer, []float32) {
	t.Helper()
	const clouds, m = 4, 16
	points := make([]float32, clouds*m*3)
	for i := range points {
		points[i] = float32(math.Sin(float64(i*i) * 0.37))
	}
	mod := Model{Net: &pointnet.Autoencoder{Points: m}, Loss: l, SGD: AutoencoderSGD, Adam: AmortizerAdam}
	for _, c := range change {
		c(&mod)
	}
	set := &datasets.Set{Name: "probe", Clouds: clouds, Points: m, Dim: 3, Coords: points}
	f := must.M1(newBatches(backend(t), set, 0))
	p := must.M1(newPrograms(backend(t), mod, Config{Source: fmt.Sprint(models.Add(1))}))
	s := newTrainer(mod, p, probeSeed, f, mod.initial(probeSeed))
	t.Cleanup(func() { s.close(); f.close() })
	return s, points
}

var probeRows = []int32{2, 0, 3, 1}

func oneStep(t *testing.T, s *trainer, n int) Record {
	t.Helper()
	return must.M1(s.step(n, probeRows))
}

// saved is the state on the host.
func saved(t *testing.T, s *trainer) checkpoint {
	t.Helper()
	return must.M1(s.model.download(s.state, progress{}))
}

// stepState is the random state that step n starts from.
func stepState(t *testing.T, n int) *tensors.Tensor {
	t.Helper()
	return must.M1(graph.RNGStateFromSeed(int64(stream(probeSeed, n, stepStream))))
}

// maxSW finds its one direction by ascent without the radial part.
func maxSW(t *testing.T, steps int) loss.Graph {
	t.Helper()
	s := loss.Defaults()
	s.AscentSteps, s.AscentLearningRate, s.AscentTangent = steps, 0.05, true
	return must.M1(loss.NewGraph("max-sw", s))
}

// TestNoiseIsFresh: the bootstrap, the ascent and the descent draw from different numbers, and so do different steps; one step
// draws the same again.
func TestNoiseIsFresh(t *testing.T) {
	s, _ := probed(t, probe{func(c loss.BuildArgs, x *graph.Node) *graph.Node { return c.Source.Uniform(x.Shape().Dimensions[0]) }})
	// first is made of the numbers that the bootstrap uses.
	first := must.M1(graph.CallOnce(backend(t).Backend, func(state *graph.Node) *graph.Node {
		return graph.ReduceAllMean(slicing.Seeded(state).Uniform(2))
	}, stepState(t, 1)))
	one, two, again := oneStep(t, s, 1), oneStep(t, s, 2), oneStep(t, s, 1)
	seen := []float64{float64(first.Value().(float32)), *one.Objective, one.Loss, *two.Objective, two.Loss}
	for i, v := range seen {
		if slices.Contains(seen[:i], v) {
			t.Errorf("the same numbers twice: %v (bootstrap, then ascent and descent of two steps)", seen)
		}
	}
	if again.Loss != one.Loss || *again.Objective != *one.Objective {
		t.Errorf("step 1 draws %v %v, then %v %v", *one.Objective, one.Loss, *again.Objective, again.Loss)
	}
}

// TestStepTrainsOnTheBootstrap: the loss gets bootstrapped clouds of the given rows, others in
// every step, and the ascent on the location gets the same.
func TestStepTrainsOnTheBootstrap(t *testing.T) {
	s, points := probed(t, probe{func(_ loss.BuildArgs, x *graph.Node) *graph.Node { return graph.ReduceSum(x, 1, 2) }})
	raw := 0.0
	for _, row := range probeRows {
		for _, v := range points[row*48 : (row+1)*48] {
			raw += float64(v) / 4
		}
	}
	one, two := oneStep(t, s, 1), oneStep(t, s, 2)
	if math.Abs(one.Loss-raw) < 1e-3 || math.Abs(two.Loss-raw) < 1e-3 || one.Loss == two.Loss {
		t.Errorf("sums of the clouds: %v as stored, %v and %v in the first steps", raw, one.Loss, two.Loss)
	}
	climbing, _ := probed(t, maxSW(t, 1))
	pair := &step{trainer: climbing, Record: Record{Step: 1}}
	defer pair.free()
	must.M(pair.forward(probeRows))
	seen := 0.0
	for _, v := range tensors.MustCopyFlatData[float32](pair.x) {
		seen += float64(v) / 4
	}
	if math.Abs(seen-one.Loss) > 1e-4 {
		t.Errorf("the ascent sees clouds of sum %v, the loss of %v", seen, one.Loss)
	}
}

// TestAscentLocationIsUsed: a step of Max-SW whose direction was found by ascent costs more than one
// near the random start, and every step has another start.
func TestAscentLocationIsUsed(t *testing.T) {
	low, _ := probed(t, maxSW(t, 1))
	high, _ := probed(t, maxSW(t, 60))
	if start, top := oneStep(t, low, 1).Loss, oneStep(t, high, 1).Loss; !(start > 0) || top < 1.1*start {
		t.Errorf("Max-SW costs %v after one ascent step and %v after 60", start, top)
	}
	var at [2][]float32
	for i := range at {
		s := &step{trainer: low, Record: Record{Step: i + 1}}
		defer s.free()
		must.M(errors.Join(s.forward(probeRows), s.ascendLocation()))
		at[i] = tensors.MustCopyFlatData[float32](s.draw.Location)
	}
	if math.Abs(float64(at[0][0]-at[1][0])) < 0.01 {
		t.Errorf("two steps climb to %v and %v", at[0], at[1])
	}
}

// TestStateAfterAStep: with a loss of gradient 0, the momentum is the weight decay of every trained tensor, biases and batch norms
// included, and the running statistics have moved.
func TestStateAfterAStep(t *testing.T) {
	s, _ := probed(t, probe{func(_ loss.BuildArgs, x *graph.Node) *graph.Node { return graph.ReduceSum(x, 1, 2) }})
	before := saved(t, s)
	oneStep(t, s, 1)
	after := saved(t, s)
	get := func(c checkpoint, name string) []float32 { v, _ := c.tensors.Get(name); return v.Data }
	for _, sp := range s.model.Net.Specs() {
		w, now := get(before, "net/"+sp.Name), get(after, "net/"+sp.Name)
		if sp.Buffer {
			if slices.Equal(w, now) {
				t.Errorf("%s has not moved", sp.Name)
			}
			continue
		}
		for i, m := range get(after, "momentum/"+sp.Name) {
			if want := AutoencoderSGD.WeightDecay * float64(w[i]); math.Abs(float64(m)-want) > 1e-6*math.Abs(want) {
				t.Fatalf("momentum of %s element %d: %v, weight decay alone is %v", sp.Name, i, m, want)
			}
		}
	}
}

// TestFailedStep: a step that ends early frees the running statistics that it has found.
func TestFailedStep(t *testing.T) {
	trainer, _ := probed(t, probe{})
	s := &step{trainer: trainer}
	must.M(s.forward(probeRows))
	found := s.buffers
	s.free()
	if len(found) == 0 {
		t.Error("no running statistics")
	}
	for name, v := range found {
		if v.Ok() {
			t.Errorf("%s is left on the device", name)
		}
	}
}

// TestFineTuning: the ascent starts from the amortizer's new prediction. With rate 0 the step is
// that of the amortized loss, except for its noise: the amortizer takes the same kind of step. With
// a real rate the location costs more than the prediction.
func TestFineTuning(t *testing.T) {
	tuned := func(rate float64, steps int) Record {
		s := loss.Defaults()
		s.Amortizer, s.FineTune, s.AscentSteps, s.AscentLearningRate, s.AscentTangent = "la", true, steps, rate, true
		s.Maps.Points = 16
		model, _ := probed(t, must.M1(loss.NewGraph("max-sw", s)))
		before := saved(t, model)
		r := oneStep(t, model, 1)
		after := saved(t, model)
		for _, name := range []string{"psi/attn.tovalues.weight", "second/attn.tovalues.weight", "net/decoder.fc3.weight"} {
			a, _ := before.tensors.Get(name)
			b, _ := after.tensors.Get(name)
			if slices.Equal(a.Data, b.Data) {
				t.Errorf("%s has not moved", name)
			}
		}
		if after.AdamSteps != before.AdamSteps+1 {
			t.Errorf("Adam counts %v steps after %v", after.AdamSteps, before.AdamSteps)
		}
		return r
	}
	still, climbed := tuned(1e-12, 1), tuned(0.05, 60)
	if *still.Objective != *climbed.Objective || *still.AscentAngle != *climbed.AscentAngle || !(*still.AscentAngle > 0) {
		t.Errorf("the amortizer's step depends on the climb: J %v and %v, turn %v and %v", *still.Objective, *climbed.Objective, *still.AscentAngle, *climbed.AscentAngle)
	}
	if !(still.Loss > 0) || climbed.Loss < 1.1*still.Loss {
		t.Errorf("Max-SW costs %v at the prediction, %v after 60 steps from it", still.Loss, climbed.Loss)
	}
}

package latent

import (
	"context"
	"errors"
	"math"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/core/tensors"
	"github.com/janpfeifer/must"

	"github.com/sliced-wasserstein/lab/swlab/engine"
	"github.com/sliced-wasserstein/lab/swlab/internal/graphtest"
	"github.com/sliced-wasserstein/lab/swlab/optim"
	"github.com/sliced-wasserstein/lab/swlab/pointnet"
	"github.com/sliced-wasserstein/lab/swlab/weights"
)

// TestClassifierReference follows three steps without dropout against float64 numbers: loss,
// gradients, logits afterwards.
func TestClassifierReference(t *testing.T) {
	z := graphtest.Golden(t, "heads.npz")
	want := func(key string) []float64 { return tensors.MustCopyFlatData[float64](z[key]) }
	c := DefaultClassifier(40)
	m := classifier{&pointnet.Classifier{Classes: c.Classes},
		optim.SGD{LearningRate: c.LearningRate, Momentum: c.Momentum, WeightDecay: c.WeightDecay}}
	specs := m.net.Specs()
	initial := func() map[string]*tensors.Tensor {
		named := map[string]*tensors.Tensor{}
		for i, v := range graphtest.Classifier(specs, uint64(tensors.MustCopyFlatData[int64](z["init_seed_clf"])[0])) {
			named[specs[i].Name] = v
		}
		return named
	}
	rows := make([]int32, z["clf_x"].Shape().Dim(0))
	for i := range rows {
		rows[i] = int32(i)
	}
	in := classifierIn[*tensors.Tensor]{Codes: z["clf_x"], Labels: z["clf_label"], Rows: tensors.FromValue(rows)}
	in.State = classifierState[*tensors.Tensor]{initial(), zeros(trained(specs))}
	step := engine.NewProgram[classifierIn[*tensors.Tensor], classifierOut[*tensors.Tensor]](graphtest.Engine(t), nil,
		m.build)
	var losses []float32
	for k := range 3 {
		out := must.M1(step.Call(in))
		losses, in.State = append(losses, tensors.ToScalar[float32](out.Loss)), out.State
		if k > 0 {
			continue
		}
		// The momentum after the first step is gradient + decay * weight.
		old := initial()
		for name, key := range map[string]string{"fc3.weight": "clf_d_c3_w", "fc3.bias": "clf_d_c3_b",
			"bn1.weight": "clf_d_cbn1_g"} {
			buf := tensors.MustCopyFlatData[float32](in.State.Momentum[name])
			for i, v := range tensors.MustCopyFlatData[float32](old[name]) {
				buf[i] -= float32(c.WeightDecay) * v
			}
			graphtest.Close(t, key, buf, want(key), 5e-6)
		}
	}
	graphtest.Close(t, "clf_loss", losses, want("clf_loss"), 5e-6)
	var net []any
	for _, s := range specs {
		net = append(net, in.State.Net[s.Name])
	}
	out := graphtest.Floats(t, func(in []*graph.Node) []*graph.Node {
		logits, _ := m.net.Forward(weights.Bind(specs, in[1:]), in[0], pointnet.Eval, nil)
		return []*graph.Node{logits}
	}, append([]any{z["clf_x"]}, net...)...)
	graphtest.Close(t, "clf_logits_eval3", out[0], want("clf_logits_eval3"), 5e-6)
}

// TestCrossEntropy compares with the formula in float64.
func TestCrossEntropy(t *testing.T) {
	logits, labels := []float32{1, -2, 0.5, 30, -40, 2}, []int32{2, 0}
	want := 0.0
	for i, l := range labels {
		sum := 0.0
		for k := range 3 {
			sum += math.Exp(float64(logits[3*i+k]))
		}
		want += (math.Log(sum) - float64(logits[3*i+int(l)])) / 2
	}
	got := graphtest.Floats(t, func(in []*graph.Node) []*graph.Node { return []*graph.Node{crossEntropy(in[0], in[1])} },
		tensors.FromFlatDataAndDimensions(logits, 2, 3), tensors.FromFlatDataAndDimensions(labels, 2))
	graphtest.Close(t, "cross-entropy", got[0], []float64{want}, 1e-6)
}

// codes are n unit vectors of classes in turn; a class has a direction of its own and noise around it.
func codes(seed uint64, n, classes int, noise float64) Codes {
	centres, r := source(99, 7, 0), source(seed, 8, 0)
	means := make([]float64, classes*pointnet.LatentSize)
	for i := range means {
		means[i] = centres.NormFloat64()
	}
	c := Codes{Name: "toy", N: n}
	for i := range n {
		v, square := make([]float64, pointnet.LatentSize), 0.0
		for k := range v {
			v[k] = means[i%classes*pointnet.LatentSize+k] + noise*r.NormFloat64()
			square += v[k] * v[k]
		}
		for _, a := range v {
			c.Vectors = append(c.Vectors, float32(a/math.Sqrt(square)))
		}
		c.Labels = append(c.Labels, int32(i%classes))
	}
	return c
}

func toyConfig(classes int) ClassifierConfig {
	c := DefaultClassifier(classes)
	c.Epochs, c.Batch, c.LearningRate = 15, 32, 1e-2
	return c
}

// TestClassify: separable classes are learned; with labels that mean nothing other codes are
// classified as by chance; equal seeds give equal results.
func TestClassify(t *testing.T) {
	e, ctx := graphtest.Engine(t), context.Background()
	train, test := codes(1, 97, 5, 1), codes(2, 200, 5, 1) // 97: the last code joins a batch
	c := toyConfig(5)
	var losses []float64
	first := must.M1(Classify(ctx, e, train, test, c, func(done, total int, loss float64) {
		if losses = append(losses, loss); done != len(losses) || total != 15 {
			t.Errorf("epoch %d of %d after %d", done, total, len(losses))
		}
	}))
	if first.Accuracy < 0.99 || first.NTrain != 97 || first.NTest != 200 {
		t.Errorf("separable classes: %+v", first)
	}
	if best := slices.Index(losses, slices.Min(losses)); first.BestEpoch != best || first.Loss != losses[best] {
		t.Errorf("best epoch %d of loss %v, the losses are %v", first.BestEpoch, first.Loss, losses)
	}
	right := 0
	for _, ok := range first.Correct {
		if ok {
			right++
		}
	}
	if math.Abs(float64(right)/200-first.Accuracy) > 1e-12 {
		t.Errorf("%d of 200 correct, accuracy %v", right, first.Accuracy)
	}
	before := e.Compilations()
	again, err := Classify(ctx, e, train, test, c, nil)
	if err != nil || !reflect.DeepEqual(first, again) {
		t.Errorf("a second call gives %v, %+v, the first gave %+v", err, again, first)
	}
	moved := c
	moved.Seed = 7
	if other, err := Classify(ctx, e, train, test, moved, nil); err != nil || other.Loss == first.Loss {
		t.Errorf("another seed: %v, the same loss %v", err, other.Loss)
	}
	shuffled := train
	shuffled.Labels = slices.Clone(train.Labels)
	source(3, 9, 0).Shuffle(len(shuffled.Labels), func(i, j int) {
		shuffled.Labels[i], shuffled.Labels[j] = shuffled.Labels[j], shuffled.Labels[i]
	})
	if n := e.Compilations() - before; n != 0 {
		t.Errorf("a second call and another seed compile %d programs", n)
	}
	chance, err := Classify(ctx, e, shuffled, test, c, nil)
	if err != nil || chance.Accuracy > 0.5 {
		t.Errorf("labels without meaning: %v, accuracy %v, chance is 0.2", err, chance.Accuracy)
	}
}

// TestBestEpochIsTested: where the last epoch is not the best, its weights are not the ones tested.
func TestBestEpochIsTested(t *testing.T) {
	c := toyConfig(5)
	c.Epochs, c.LearningRate, c.Momentum, c.Dropout = 12, 20, 0, 0
	train, test := codes(1, 64, 5, 3), codes(2, 100, 5, 3)
	long := must.M1(Classify(context.Background(), graphtest.Engine(t), train, test, c, nil))
	if long.BestEpoch == c.Epochs-1 {
		t.Fatalf("the last epoch is the best: the test shows nothing")
	}
	c.Epochs = long.BestEpoch + 1
	short, err := Classify(context.Background(), graphtest.Engine(t), train, test, c, nil)
	if err != nil || !reflect.DeepEqual(long, short) {
		t.Errorf("stopped at the best epoch %v, %+v, beyond it %+v", err, short, long)
	}
}

func TestClassifyRefuses(t *testing.T) {
	e := graphtest.Engine(t)
	train, test := codes(1, 20, 5, 1), codes(2, 10, 5, 1)
	cut := func(c Codes, n int) Codes {
		return Codes{Name: "cut", Vectors: c.Vectors[:n*pointnet.LatentSize], Labels: c.Labels[:n], N: n}
	}
	with := func(change func(c *ClassifierConfig)) ClassifierConfig {
		c := toyConfig(5)
		change(&c)
		return c
	}
	nan := codes(1, 20, 5, 1)
	nan.Vectors[3*256+7] = float32(math.NaN())
	far := codes(1, 20, 5, 1)
	far.Labels[4] = 5
	unlabelled := Codes{Name: "plain", Vectors: test.Vectors, N: test.N}
	for says, c := range map[string]struct {
		train, test Codes
		config      ClassifierConfig
	}{
		"cut: expected at least 2 codes, found 1": {cut(train, 1), test, toyConfig(5)},
		"toy: 21 codes have 5376 numbers, found 5120": {Codes{Name: "toy", Vectors: train.Vectors,
			N: 21}, test, toyConfig(5)},
		"number 7 of code 3: expected a finite number, found NaN": {nan, test, toyConfig(5)},
		"label of code 4: expected 0 to 4, found 5":               {far, test, toyConfig(5)},
		"plain: expected a label for each of 10 codes, found 0":   {train, unlabelled, toyConfig(5)},
		"toy: class 3 of code 3 has no code in cut to learn from": {cut(train, 3), test, toyConfig(5)},
		"classes: expected at least 2, found 1":                   {train, test, toyConfig(1)},
		"epochs: expected at least 1, found 0":                    {train, test, with(func(c *ClassifierConfig) { c.Epochs = 0 })},
		"batch: expected at least 2, found 1": {train,
			test, with(func(c *ClassifierConfig) { c.Batch = 1 })},
		"rate: expected a number > 0, found NaN": {train, test,
			with(func(c *ClassifierConfig) { c.LearningRate = math.NaN() })},
		"momentum: expected a number from 0 to below 1, found 1": {train, test, with(func(c *ClassifierConfig) { c.Momentum = 1 })},
		"decay: expected a number >= 0, found -1": {train, test,
			with(func(c *ClassifierConfig) { c.WeightDecay = -1 })},
		"dropout: expected a number from 0 to below 1, found 1": {train, test, with(func(c *ClassifierConfig) { c.Dropout = 1 })},
		"expected a smaller rate than 1e+38":                    {train, test, with(func(c *ClassifierConfig) { c.LearningRate = 1e38 })},
	} {
		if _, err := Classify(context.Background(), e, c.train, c.test, c.config, nil); err == nil ||
			!strings.Contains(err.Error(), says) {
			t.Errorf("error %v, want one that says %q", err, says)
		}
	}
	ctx, stop := context.WithCancel(context.Background())
	_, err := Classify(ctx, e, train, test, toyConfig(5), func(done, _ int, _ float64) {
		if done == 2 {
			stop()
		} else if done > 2 {
			t.Error("goes on after it was stopped")
		}
	})
	if !errors.Is(err, context.Canceled) {
		t.Errorf("stopped: %v", err)
	}
}

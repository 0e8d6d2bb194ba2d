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

	"github.com/sliced-wasserstein/lab/swlab/internal/graphtest"
	"github.com/sliced-wasserstein/lab/swlab/optim"
	"github.com/sliced-wasserstein/lab/swlab/pointnet"
	"github.com/sliced-wasserstein/lab/swlab/weights"
)

// TestClassifierReference follows three steps without dropout against float64 numbers: loss, gradients, logits afterwards.
func TestClassifierReference(t *testing.T) {
	z := graphtest.Golden(t, "heads.npz")
	want := func(key string) []float64 { return tensors.MustCopyFlatData[float64](z[key]) }
	c := DefaultClassifier(40)
	m := classifierModel{net: &pointnet.Classifier{Classes: c.Classes}, sgd: optim.SGD{LearningRate: c.LearningRate, Momentum: c.Momentum, WeightDecay: c.WeightDecay}}
	specs := m.net.Specs()
	state := append(graphtest.Classifier(specs, uint64(tensors.MustCopyFlatData[int64](z["init_seed_clf"])[0])), zeros(trained(specs))...)
	data := []any{z["clf_x"], z["clf_label"]}
	x, err := graph.NewExec(graphtest.Engine(t).Backend, func(in []*graph.Node) []*graph.Node {
		loss, next := m.step(in[0], in[1], in[2:], nil)
		return append([]*graph.Node{loss}, next...)
	})
	if err != nil {
		t.Fatal(err)
	}
	defer x.Finalize()
	var losses []float32
	for step := range 3 {
		out, err := x.Call(arguments(slices.Clone(data), state...)...)
		if err != nil {
			t.Fatal(err)
		}
		losses, state = append(losses, out[0].Value().(float32)), out[1:]
		if step > 0 {
			continue
		}
		// The momentum after the first step is gradient + decay * weight.
		old := graphtest.Classifier(specs, uint64(tensors.MustCopyFlatData[int64](z["init_seed_clf"])[0]))
		for name, key := range map[string]string{"fc3.weight": "clf_d_c3_w", "fc3.bias": "clf_d_c3_b", "bn1.weight": "clf_d_cbn1_g"} {
			is := func(s weights.Spec) bool { return s.Name == name }
			buf := tensors.MustCopyFlatData[float32](state[len(specs)+slices.IndexFunc(trained(specs), is)])
			for i, v := range tensors.MustCopyFlatData[float32](old[slices.IndexFunc(specs, is)]) {
				buf[i] -= float32(c.WeightDecay) * v
			}
			graphtest.Close(t, key, buf, want(key), 5e-6)
		}
	}
	graphtest.Close(t, "clf_loss", losses, want("clf_loss"), 5e-6)
	out := graphtest.Floats(t, func(in []*graph.Node) []*graph.Node {
		logits, _ := m.net.Forward(weights.Bind(specs, in[1:]), in[0], pointnet.Eval, nil)
		return []*graph.Node{logits}
	}, arguments([]any{z["clf_x"]}, state[:len(specs)]...)...)
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

// TestClassify: separable classes are learned; with labels that mean nothing other codes are classified as by chance; equal seeds
// give equal results, with the programs of one call or of another.
func TestClassify(t *testing.T) {
	e, ctx := graphtest.Engine(t), context.Background()
	train, test := codes(1, 97, 5, 1), codes(2, 200, 5, 1) // 97: the last code joins a batch
	c, err := NewClassifier(e, toyConfig(5))
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	var losses []float64
	first, err := c.Train(ctx, train, test, func(done, total int, loss float64) {
		if losses = append(losses, loss); done != len(losses) || total != 15 {
			t.Errorf("epoch %d of %d after %d", done, total, len(losses))
		}
	})
	if err != nil {
		t.Fatal(err)
	}
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
	again, err := c.Train(ctx, train, test, nil)
	if err != nil || !reflect.DeepEqual(first, again) {
		t.Errorf("a second call gives %v, %+v, the first gave %+v", err, again, first)
	}
	other, err := Classify(ctx, e, train, test, toyConfig(5), nil)
	if err != nil || !reflect.DeepEqual(first, other) {
		t.Errorf("other programs give %v, %+v, the first gave %+v", err, other, first)
	}
	moved := *c // the same programs
	moved.config.Seed = 7
	if other, err = moved.Train(ctx, train, test, nil); err != nil || other.Loss == first.Loss {
		t.Errorf("another seed: %v, the same loss %v", err, other.Loss)
	}
	shuffled := train
	shuffled.Labels = slices.Clone(train.Labels)
	source(3, 9, 0).Shuffle(len(shuffled.Labels), func(i, j int) {
		shuffled.Labels[i], shuffled.Labels[j] = shuffled.Labels[j], shuffled.Labels[i]
	})
	chance, err := c.Train(ctx, shuffled, test, nil)
	if err != nil || chance.Accuracy > 0.5 {
		t.Errorf("labels without meaning: %v, accuracy %v, chance is 0.2", err, chance.Accuracy)
	}
}

// TestBestEpochIsTested: where the last epoch is not the best, its weights are not the ones tested.
func TestBestEpochIsTested(t *testing.T) {
	c := toyConfig(5)
	c.Epochs, c.LearningRate, c.Momentum, c.Dropout = 12, 20, 0, 0
	train, test := codes(1, 64, 5, 3), codes(2, 100, 5, 3)
	classifier, err := NewClassifier(graphtest.Engine(t), c)
	if err != nil {
		t.Fatal(err)
	}
	defer classifier.Close()
	long, err := classifier.Train(context.Background(), train, test, nil)
	if err != nil {
		t.Fatal(err)
	}
	if long.BestEpoch == c.Epochs-1 {
		t.Fatalf("the last epoch is the best: the test shows nothing")
	}
	classifier.config.Epochs = long.BestEpoch + 1
	short, err := classifier.Train(context.Background(), train, test, nil)
	if err != nil || !reflect.DeepEqual(long, short) {
		t.Errorf("stopped at the best epoch %v, %+v, beyond it %+v", err, short, long)
	}
}

func TestClassifierBatches(t *testing.T) {
	c := &Classifier{config: ClassifierConfig{Batch: 4, Seed: 1}}
	for n, want := range map[int][]int{3: {3}, 4: {4}, 5: {5}, 6: {4, 2}, 9: {4, 5}, 11: {4, 4, 3}} {
		var sizes []int
		seen := make([]bool, n)
		for _, rows := range c.batches(n, 2) {
			sizes = append(sizes, len(rows))
			for _, r := range rows {
				seen[r] = true
			}
		}
		if !slices.Equal(sizes, want) || slices.Contains(seen, false) {
			t.Errorf("%d codes: batches of %v, expected %v; seen %v", n, sizes, want, seen)
		}
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
		"cut: expected at least 2 codes, found 1":                               {cut(train, 1), test, toyConfig(5)},
		"toy: 21 codes have 5376 numbers, found 5120":                           {Codes{Name: "toy", Vectors: train.Vectors, N: 21}, test, toyConfig(5)},
		"number 7 of code 3: expected a finite number, found NaN":               {nan, test, toyConfig(5)},
		"label of code 4: expected 0 to 4, found 5":                             {far, test, toyConfig(5)},
		"plain: expected a label for each of 10 codes, found 0":                 {train, unlabelled, toyConfig(5)},
		"toy: class 3 of code 3 has no code in cut to learn from":               {cut(train, 3), test, toyConfig(5)},
		"classes: expected at least 2, found 1":                                 {train, test, toyConfig(1)},
		"epochs: expected at least 1, found 0":                                  {train, test, with(func(c *ClassifierConfig) { c.Epochs = 0 })},
		"batch: expected at least 2, for a batch norm needs two codes, found 1": {train, test, with(func(c *ClassifierConfig) { c.Batch = 1 })},
		"rate: expected a finite number > 0, found NaN":                         {train, test, with(func(c *ClassifierConfig) { c.LearningRate = math.NaN() })},
		"momentum: expected 0 <= momentum < 1, found 1":                         {train, test, with(func(c *ClassifierConfig) { c.Momentum = 1 })},
		"decay: expected a finite number >= 0, found -1":                        {train, test, with(func(c *ClassifierConfig) { c.WeightDecay = -1 })},
		"dropout: expected 0 <= dropout < 1, found 1":                           {train, test, with(func(c *ClassifierConfig) { c.Dropout = 1 })},
		"expected a smaller rate than 1e+38":                                    {train, test, with(func(c *ClassifierConfig) { c.LearningRate = 1e38 })},
	} {
		if _, err := Classify(context.Background(), e, c.train, c.test, c.config, nil); err == nil || !strings.Contains(err.Error(), says) {
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

package latent

import (
	"context"
	"fmt"
	"slices"

	"github.com/gomlx/compute/dtypes"
	"github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/core/tensors"

	"github.com/sliced-wasserstein/lab/datasets"
	"github.com/sliced-wasserstein/lab/internal/settings"
	"github.com/sliced-wasserstein/lab/swlab/engine"
	"github.com/sliced-wasserstein/lab/swlab/internal/vec"
	"github.com/sliced-wasserstein/lab/swlab/optim"
	"github.com/sliced-wasserstein/lab/swlab/pointnet"
	"github.com/sliced-wasserstein/lab/swlab/slicing"
	"github.com/sliced-wasserstein/lab/swlab/weights"
)

// ClassifierConfig configures the training of a classifier.
type ClassifierConfig struct {
	Classes      int     `json:"classes" range:"2.."`
	Epochs       int     `json:"epochs" range:"1.."`
	Batch        int     `json:"batch" range:"2.."` // a batch norm needs two codes
	LearningRate float64 `json:"rate" range:">0.."`
	Momentum     float64 `json:"momentum" range:"0..<1"`
	WeightDecay  float64 `json:"decay" range:"0.."` // coupled into the gradient, on all parameters
	Dropout      float64 `json:"dropout" range:"0..<1"`
	Seed         uint64  `json:"seed"` // of initial weights, order and dropout
}

// DefaultClassifier is the released code's: 500 epochs of batch 256, SGD of rate 1e-3, momentum 0.9
// and decay 5e-3 (the paper's text says 5e-4), dropout 0.5, seed 123.
func DefaultClassifier(classes int) ClassifierConfig {
	return ClassifierConfig{Classes: classes, Epochs: 500, Batch: 256, Dropout: 0.5, Seed: 123,
		LearningRate: 1e-3, Momentum: 0.9, WeightDecay: 5e-3}
}

// Classification is the result of a classifier, trained on some codes, on others.
type Classification struct {
	Accuracy float64 `json:"accuracy"` // fraction of the test codes
	NTrain   int     `json:"n_train"`
	NTest    int     `json:"n_test"`
	// BestEpoch has the lowest mean training loss, from 0; its weights were tested.
	BestEpoch int     `json:"best_epoch"`
	Loss      float64 `json:"loss"` // that mean
	Correct   []bool  `json:"-"`    // [NTest], for paired tests between classifiers
}

// Classify trains a classifier on train and tests it on test. The prediction is the class of the
// largest logit, with the weights after the epoch of lowest mean training loss (unweighted mean
// over the batches) and the batch norms' running statistics. progress, if not nil, is called after
// every epoch. A smaller last batch is kept; a single remaining code joins the batch before it.
// Labels that the classifier cannot know are errors: outside [0, Classes), or of classes without a
// training code.
func Classify(ctx context.Context, e *engine.Engine, learn, test Codes, c ClassifierConfig,
	progress func(done, total int, loss float64)) (Classification, error) {
	if err := settings.Of(&c, "range").Check(); err != nil {
		return Classification{}, err
	}
	if err := checkLabelled(learn, test, c.Classes); err != nil {
		return Classification{}, err
	}
	m := classifier{
		net: &pointnet.Classifier{Classes: c.Classes, Dropout: c.Dropout},
		sgd: optim.SGD{LearningRate: c.LearningRate, Momentum: c.Momentum, WeightDecay: c.WeightDecay},
	}
	key := c
	key.Epochs, key.Batch, key.Seed = 0, 0, 0
	program := engine.NewProgram[classifierIn[tensor], classifierOut[tensor]](e, key, m.build)
	specs := m.net.Specs()
	in := classifierIn[tensor]{
		Codes:  tensors.FromFlatDataAndDimensions(learn.Vectors, learn.N, pointnet.LatentSize),
		Labels: tensors.FromFlatDataAndDimensions(learn.Labels, learn.N),
	}
	state := &classifierState[tensor]{weights.Init(specs, c.Seed).Upload(), zeros(trained(specs))}
	best := state
	defer func() { engine.Free(in.Codes, in.Labels, *state, *best) }()
	step := func(step int, rows []int32) (float64, error) {
		in.Rows, in.State = tensors.FromFlatDataAndDimensions(rows, len(rows)), *state
		in.Uniform = nil
		r := source(c.Seed, dropoutStream, step)
		for _, width := range m.net.Hidden() { // on the host: XLA's generator would take half of a step's time on a CPU
			u := uniform(r, len(rows)*width)
			in.Uniform = append(in.Uniform, tensors.FromFlatDataAndDimensions(u, len(rows), width))
		}
		defer engine.Free(in.Rows, in.Uniform)
		out, err := program.Call(in)
		if err != nil {
			return 0, err
		}
		if state != best {
			engine.Free(*state)
		}
		state = &out.State
		loss := float64(tensors.ToScalar[float32](out.Loss))
		out.Loss.FinalizeAll()
		if !vec.Finite(loss) {
			return 0, fmt.Errorf("the classifier's loss is %v at step %d: expected a smaller rate than %v",
				loss, step, c.LearningRate)
		}
		return loss, nil
	}
	out := Classification{NTrain: learn.N, NTest: test.N, BestEpoch: -1}
	batches := func(epoch int) [][]int32 { return datasets.EpochBatches(learn.N, c.Batch, c.Seed, epoch) }
	err := train(ctx, c.Epochs, batches, step, func(epoch int, mean float64) {
		if out.BestEpoch < 0 || mean < out.Loss {
			if best != state {
				engine.Free(*best)
			}
			out.BestEpoch, out.Loss, best = epoch, mean, state
		}
		if progress != nil {
			progress(epoch+1, c.Epochs, mean)
		}
	})
	if err != nil {
		return Classification{}, err
	}
	if out.Correct, err = m.test(e, key, test, best.Net); err != nil {
		return Classification{}, err
	}
	for _, right := range out.Correct {
		if right {
			out.Accuracy += 1 / float64(test.N)
		}
	}
	return out, nil
}

// checkLabelled rejects codes that no classifier of so many classes can learn from or be tested on.
func checkLabelled(train, test Codes, classes int) error {
	if err := train.check(2); err != nil {
		return err
	}
	if err := test.check(1); err != nil {
		return err
	}
	for _, codes := range []Codes{train, test} {
		if err := codes.checkLabels(classes); err != nil {
			return err
		}
	}
	for i, l := range test.Labels {
		if !slices.Contains(train.Labels, l) {
			return fmt.Errorf("%s: class %d of code %d has no code in %s to learn from", test.Name, l, i, train.Name)
		}
	}
	return nil
}

// classifier is what a step trains, and how.
type classifier struct {
	net *pointnet.Classifier
	sgd optim.SGD
}

// classifierState is what training changes: the network, and the momentum of what is trained.
type classifierState[T any] struct{ Net, Momentum map[string]T }

// classifierIn are the inputs of a step on the rows of codes [n, 256] with labels [n] int32.
// Uniform are the random numbers of both hidden layers' dropout; nil: no dropout.
type classifierIn[T any] struct {
	Codes, Labels, Rows T
	Uniform             []T
	State               classifierState[T]
}

// classifierOut are the mean cross-entropy over the batch before the step, and the new state.
type classifierOut[T any] struct {
	Loss  T
	State classifierState[T]
}

// build is the graph of a step.
func (m classifier) build(in classifierIn[node]) (out classifierOut[node]) {
	rows := graph.InsertAxes(in.Rows, -1)
	x, labels := graph.Gather(in.Codes, rows), graph.Gather(in.Labels, rows)
	var dropout func(shape ...int) *graph.Node
	if in.Uniform != nil {
		dropout = slicing.Given(in.Uniform...).Uniform
	}
	logits, after := m.net.Forward(in.State.Net, x, pointnet.Train, dropout)
	out.Loss = crossEntropy(logits, labels)
	specs := trained(m.net.Specs())
	var w []*graph.Node
	for _, s := range specs {
		w = append(w, in.State.Net[s.Name])
	}
	out.State = classifierState[node]{after, map[string]*graph.Node{}} // after are the batch norms' statistics
	for i, g := range graph.Gradient(out.Loss, w...) {
		name := specs[i].Name
		out.State.Net[name], out.State.Momentum[name] = m.sgd.Step(w[i], g, in.State.Momentum[name])
	}
	return out
}

// crossEntropy is the mean over the batch of -log softmax(logits)[label].
func crossEntropy(logits, labels *graph.Node) *graph.Node {
	right := graph.OneHot(labels, logits.Shape().Dimensions[1], dtypes.Float32)
	return graph.Neg(graph.ReduceAllMean(graph.ReduceSum(graph.Mul(right, graph.LogSoftmax(logits, -1)), -1)))
}

// test reports for each code whether the network finds its class: the largest logit, with running
// statistics.
func (m classifier) test(e *engine.Engine, key any, codes Codes, net map[string]*tensors.Tensor) ([]bool, error) {
	in := classifierIn[tensor]{Codes: tensors.FromFlatDataAndDimensions(codes.Vectors, codes.N, pointnet.LatentSize)}
	defer engine.Free(in)
	in.State.Net = net
	out, err := engine.NewProgram[classifierIn[tensor], tensor](e, key, func(in classifierIn[node]) *graph.Node {
		logits, _ := m.net.Forward(in.State.Net, in.Codes, pointnet.Eval, nil)
		return graph.ArgMax(logits, -1, dtypes.Int32)
	}).Call(in)
	if err != nil {
		return nil, err
	}
	defer out.FinalizeAll()
	correct := make([]bool, codes.N)
	for i, l := range tensors.MustCopyFlatData[int32](out) {
		correct[i] = l == codes.Labels[i]
	}
	return correct, nil
}

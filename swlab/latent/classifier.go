package latent

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"

	"github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/core/tensors"

	"github.com/sliced-wasserstein/lab/datasets"
	"github.com/sliced-wasserstein/lab/internal/exec"
	"github.com/sliced-wasserstein/lab/swlab/engine"
	"github.com/sliced-wasserstein/lab/swlab/optim"
	"github.com/sliced-wasserstein/lab/swlab/pointnet"
	"github.com/sliced-wasserstein/lab/swlab/slicing"
	"github.com/sliced-wasserstein/lab/swlab/weights"
)

// ClassifierConfig configures the training of a classifier.
type ClassifierConfig struct {
	Classes      int     `json:"classes"`
	Epochs       int     `json:"epochs"`
	Batch        int     `json:"batch"`
	LearningRate float64 `json:"rate"`
	Momentum     float64 `json:"momentum"`
	WeightDecay  float64 `json:"decay"` // coupled into the gradient, on all parameters
	Dropout      float64 `json:"dropout"`
	Seed         uint64  `json:"seed"` // of initial weights, order and dropout
}

// DefaultClassifier is the released code's: 500 epochs of batch 256, SGD of rate 1e-3, momentum 0.9
// and decay 5e-3 (the paper's text says 5e-4), dropout 0.5, seed 123.
func DefaultClassifier(classes int) ClassifierConfig {
	return ClassifierConfig{Classes: classes, Epochs: 500, Batch: 256, LearningRate: 1e-3, Momentum: 0.9, WeightDecay: 5e-3, Dropout: 0.5, Seed: 123}
}

func (c ClassifierConfig) check() error {
	switch {
	case c.Classes < 2:
		return fmt.Errorf("classes: expected at least 2, found %d", c.Classes)
	case c.Epochs < 1:
		return fmt.Errorf("epochs: expected at least 1, found %d", c.Epochs)
	case c.Batch < 2:
		return fmt.Errorf("batch: expected at least 2, for a batch norm needs two codes, found %d", c.Batch)
	case !(c.LearningRate > 0) || math.IsInf(c.LearningRate, 1):
		return fmt.Errorf("rate: expected a finite number > 0, found %v", c.LearningRate)
	case !(c.Momentum >= 0 && c.Momentum < 1):
		return fmt.Errorf("momentum: expected 0 <= momentum < 1, found %v", c.Momentum)
	case !(c.WeightDecay >= 0) || math.IsInf(c.WeightDecay, 1):
		return fmt.Errorf("decay: expected a finite number >= 0, found %v", c.WeightDecay)
	case !(c.Dropout >= 0 && c.Dropout < 1):
		return fmt.Errorf("dropout: expected 0 <= dropout < 1, found %v", c.Dropout)
	}
	return nil
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

// Classifier trains and tests classifiers of one configuration. It keeps its compiled programs:
// another call with as many codes compiles nothing. It serves one call at a time.
type Classifier struct {
	config        ClassifierConfig
	model         classifierModel
	step, predict *graph.Exec
}

// NewClassifier makes a Classifier on a backend.
func NewClassifier(e *engine.Engine, c ClassifierConfig) (*Classifier, error) {
	if err := c.check(); err != nil {
		return nil, err
	}
	out := &Classifier{config: c, model: classifierModel{
		net: &pointnet.Classifier{Classes: c.Classes, Dropout: c.Dropout},
		sgd: optim.SGD{LearningRate: c.LearningRate, Momentum: c.Momentum, WeightDecay: c.WeightDecay},
	}}
	var err error
	// codes, labels, rows, uniform numbers of both hidden layers, state... -> loss, state...
	out.step, err = graph.NewExec(e.Backend, func(in []*graph.Node) []*graph.Node {
		rows := graph.InsertAxes(in[2], -1)
		loss, next := out.model.step(graph.Gather(in[0], rows), graph.Gather(in[1], rows), in[5:], slicing.Given(in[3], in[4]).Uniform)
		return append([]*graph.Node{loss}, next...)
	})
	if err != nil {
		return nil, err
	}
	out.predict, err = graph.NewExec(e.Backend, func(in []*graph.Node) *graph.Node { return out.model.predict(in[0], in[1:]) })
	if err != nil {
		out.step.Finalize()
		return nil, err
	}
	return out, nil
}

// Close frees the compiled programs.
func (c *Classifier) Close() {
	if c != nil {
		finalize(c.step, c.predict)
	}
}

// Classify is NewClassifier followed by one call of Train.
func Classify(ctx context.Context, e *engine.Engine, train, test Codes, c ClassifierConfig, progress func(done, total int, loss float64)) (Classification, error) {
	classifier, err := NewClassifier(e, c)
	if err != nil {
		return Classification{}, err
	}
	defer classifier.Close()
	return classifier.Train(ctx, train, test, progress)
}

// Train trains a classifier on train and tests it on test. The prediction is the class of the
// largest logit, with the weights after the epoch of lowest mean training loss (unweighted mean
// over the batches) and the batch norms' running statistics. progress, if not nil, is called after
// every epoch. A smaller last batch is kept; a single remaining code joins the batch before it.
// Labels that the classifier cannot know are errors: outside [0, Classes), or of classes without a
// training code.
func (c *Classifier) Train(ctx context.Context, train, test Codes, progress func(done, total int, loss float64)) (Classification, error) {
	if c == nil {
		return Classification{}, errors.New("classifier: expected one made by NewClassifier, found nil")
	}
	if err := checkLabelled(train, test, c.config.Classes); err != nil {
		return Classification{}, err
	}
	out := Classification{NTrain: train.N, NTest: test.N, BestEpoch: -1}
	data := []*tensors.Tensor{tensors.FromFlatDataAndDimensions(train.Vectors, train.N, pointnet.LatentSize), tensors.FromFlatDataAndDimensions(train.Labels, train.N)}
	defer exec.Free(data...)
	specs := c.model.net.Specs()
	state := append(exec.Upload(weights.Init(specs, c.config.Seed)), zeros(trained(specs))...)
	var best []*tensors.Tensor
	defer func() {
		exec.Free(state...)
		exec.Free(best...)
	}()
	step := 0
	for epoch := range c.config.Epochs {
		sum, batches := 0.0, c.batches(train.N, epoch)
		for _, rows := range batches {
			if err := ctx.Err(); err != nil {
				return Classification{}, err
			}
			step++
			loss, next, err := c.one(step, data, rows, state)
			if err != nil {
				return Classification{}, err
			}
			if !slices.Equal(best, state) { // best may be state itself, not a copy
				exec.Free(state...)
			}
			state, sum = next, sum+loss
		}
		mean := sum / float64(len(batches))
		if out.BestEpoch < 0 || mean < out.Loss {
			exec.Free(best...)
			out.BestEpoch, out.Loss, best = epoch, mean, state
		}
		if progress != nil {
			progress(epoch+1, c.config.Epochs, mean)
		}
	}
	correct, err := c.test(test, best[:len(specs)])
	if err != nil {
		return Classification{}, err
	}
	out.Correct = correct
	for _, right := range correct {
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

// batches are the rows of every step of an epoch.
func (c *Classifier) batches(n, epoch int) [][]int32 {
	return datasets.EpochBatches(n, c.config.Batch, c.config.Seed, epoch)
}

// one takes step number step, from 1, on those rows.
func (c *Classifier) one(step int, data []*tensors.Tensor, rows []int32, state []*tensors.Tensor) (loss float64, next []*tensors.Tensor, err error) {
	in := []*tensors.Tensor{tensors.FromFlatDataAndDimensions(rows, len(rows))}
	r := source(c.config.Seed, dropoutStream, step)
	for _, width := range c.model.net.Hidden() { // on the host: XLA's generator would take half of a step's time on a CPU
		in = append(in, tensors.FromFlatDataAndDimensions(uniform(r, len(rows)*width), len(rows), width))
	}
	defer exec.Free(in...)
	out, err := c.step.Call(arguments(arguments(arguments(nil, data...), in...), state...)...)
	if err != nil {
		return 0, nil, err
	}
	loss = float64(out[0].Value().(float32))
	out[0].FinalizeAll()
	if math.IsNaN(loss) || math.IsInf(loss, 0) {
		exec.Free(out[1:]...)
		return 0, nil, fmt.Errorf("the classifier's loss is %v at step %d: expected a smaller rate than %v", loss, step, c.config.LearningRate)
	}
	return loss, out[1:], nil
}

// test reports for each code whether the network finds its class.
func (c *Classifier) test(codes Codes, net []*tensors.Tensor) ([]bool, error) {
	x := tensors.FromFlatDataAndDimensions(codes.Vectors, codes.N, pointnet.LatentSize)
	defer x.FinalizeAll()
	out, err := c.predict.Call(arguments([]any{x}, net...)...)
	if err != nil {
		return nil, err
	}
	defer exec.Free(out...)
	found, err := tensors.CopyFlatData[int32](out[0])
	if err != nil {
		return nil, err
	}
	correct := make([]bool, codes.N)
	for i, l := range found {
		correct[i] = l == codes.Labels[i]
	}
	return correct, nil
}

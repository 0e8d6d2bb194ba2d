package runs

import (
	"cmp"
	"context"
	"fmt"

	"github.com/sliced-wasserstein/lab/swlab/latent"
)

// Coded names the codes that a classifier learns from and is tested on: those of clouds, by a
// training's encoder.
type Coded struct {
	Of    Training `json:"of"`
	State string   `json:"state"` // best, or last
	Train Data     `json:"train"`
	Test  Data     `json:"test"`
}

func (c Coded) Name() string { return c.Of.Name() + "-" + c.State }

func (c Coded) Needs() []Task { return []Task{c.Of} }

func (c Coded) Clouds() []Data { return []Data{c.Train, c.Test} }

// Accuracy measures how well the paper's classifier predicts the classes of other clouds.
type Accuracy struct {
	Coded
	Config latent.ClassifierConfig `json:"config"` // Classes 0: those of the train clouds
}

func (Accuracy) Kind() string { return "accuracy" }

// AccuracyResult is the result of an Accuracy.
type AccuracyResult struct {
	latent.Classification
	Correct []bool `json:"correct"` // per test cloud, in stored order
}

// SVMAccuracy is Accuracy with a linear support vector machine in the place of the classifier.
type SVMAccuracy struct {
	Coded
	Config latent.SVMConfig `json:"config"` // Classes 0: those of the train clouds
}

func (SVMAccuracy) Kind() string { return "svm" }

// SVMAccuracyResult is the result of an SVMAccuracy.
type SVMAccuracyResult struct {
	latent.SVMClassification
	Correct []bool `json:"correct"` // per test cloud, in stored order
}

func (a SVMAccuracy) do(ctx context.Context, l *Store, _ string) (any, error) {
	train, test, classes, err := l.labelled(ctx, a.Coded)
	if err != nil {
		return nil, err
	}
	c := a.Config
	c.Classes = cmp.Or(c.Classes, classes)
	r, err := latent.ClassifySVM(ctx, train, test, c, func(done, total int) { l.say("support vector machines of "+a.Name(), done, total) })
	return SVMAccuracyResult{r, r.Correct}, err
}

// labelled returns the codes of both clouds, and the number of classes of train.
func (l *Store) labelled(ctx context.Context, c Coded) (learned, tested latent.Codes, classes int, err error) {
	w, err := l.weights(c.Of, c.State)
	if err != nil {
		return learned, tested, 0, err
	}
	if learned, err = l.codes(ctx, w, c.Train); err != nil {
		return learned, tested, 0, err
	}
	if learned.Labels == nil {
		return learned, tested, 0, fmt.Errorf("%s: expected labels to train a classifier on, found none", learned.Name)
	}
	for _, label := range learned.Labels {
		classes = max(classes, int(label)+1)
	}
	tested, err = l.codes(ctx, w, c.Test)
	return learned, tested, classes, err
}

func (a Accuracy) do(ctx context.Context, l *Store, _ string) (any, error) {
	train, test, classes, err := l.labelled(ctx, a.Coded)
	if err != nil {
		return nil, err
	}
	c := a.Config
	c.Classes = cmp.Or(c.Classes, classes)
	e, err := l.Engine()
	if err != nil {
		return nil, err
	}
	r, err := latent.Classify(ctx, e, train, test, c, func(done, total int, _ float64) { l.say("classifying "+a.Name(), done, total) })
	return AccuracyResult{r, r.Correct}, err
}

package runs

import (
	"context"
	"fmt"

	"github.com/sliced-wasserstein/lab/swlab/latent"
)

// Accuracy measures how well a classifier, trained on the codes of a training's encoder, predicts
// the classes of other clouds.
type Accuracy struct {
	Of     Training                `json:"of"`
	State  string                  `json:"state"` // best, or last
	Train  Data                    `json:"train"`
	Test   Data                    `json:"test"`
	Config latent.ClassifierConfig `json:"config"` // Classes 0: those of the train clouds
}

func (Accuracy) Kind() string { return "accuracy" }

func (a Accuracy) Name() string { return a.Of.Name() + "-" + a.State }

func (a Accuracy) Needs() []Task { return []Task{a.Of} }

func (a Accuracy) Clouds() []Data { return []Data{a.Train, a.Test} }

// AccuracyResult is the result of an Accuracy.
type AccuracyResult struct {
	latent.Classification
	Correct []bool `json:"correct"` // per test cloud, in stored order
}

// SVMAccuracy is Accuracy with a linear support vector machine in the place of the paper's
// classifier.
type SVMAccuracy struct {
	Of     Training         `json:"of"`
	State  string           `json:"state"` // best, or last
	Train  Data             `json:"train"`
	Test   Data             `json:"test"`
	Config latent.SVMConfig `json:"config"` // Classes 0: those of the train clouds
}

func (SVMAccuracy) Kind() string { return "svm" }

func (a SVMAccuracy) Name() string { return a.Of.Name() + "-" + a.State }

func (a SVMAccuracy) Needs() []Task { return []Task{a.Of} }

func (a SVMAccuracy) Clouds() []Data { return []Data{a.Train, a.Test} }

// SVMAccuracyResult is the result of an SVMAccuracy.
type SVMAccuracyResult struct {
	latent.SVMClassification
	Correct []bool `json:"correct"` // per test cloud, in stored order
}

func (a SVMAccuracy) do(ctx context.Context, l *Store, _ string) (any, error) {
	train, test, classes, err := l.labelled(ctx, a.Of, a.State, a.Train, a.Test)
	if err != nil {
		return nil, err
	}
	c := a.Config
	if c.Classes == 0 {
		c.Classes = classes
	}
	r, err := latent.ClassifySVM(ctx, train, test, c, func(done, total int) { l.say("support vector machines of "+a.Name(), done, total) })
	return SVMAccuracyResult{r, r.Correct}, err
}

// labelled returns the codes of both clouds, and the number of classes of train.
func (l *Store) labelled(ctx context.Context, of Training, state string, train, test Data) (learned, tested latent.Codes, classes int, err error) {
	w, err := l.weights(of, state)
	if err != nil {
		return learned, tested, 0, err
	}
	if learned, err = l.codes(ctx, w, train); err != nil {
		return learned, tested, 0, err
	}
	if learned.Labels == nil {
		return learned, tested, 0, fmt.Errorf("%s: expected labels to train a classifier on, found none", learned.Name)
	}
	for _, label := range learned.Labels {
		classes = max(classes, int(label)+1)
	}
	tested, err = l.codes(ctx, w, test)
	return learned, tested, classes, err
}

func (a Accuracy) do(ctx context.Context, l *Store, _ string) (any, error) {
	train, test, classes, err := l.labelled(ctx, a.Of, a.State, a.Train, a.Test)
	if err != nil {
		return nil, err
	}
	c := a.Config
	if c.Classes == 0 {
		c.Classes = classes
	}
	if l.classifier != nil && l.classifies != c {
		l.classifier.Close()
		l.classifier = nil
	}
	if l.classifier == nil {
		e, err := l.Engine()
		if err != nil {
			return nil, err
		}
		if l.classifier, err = latent.NewClassifier(e, c); err != nil {
			return nil, err
		}
		l.classifies = c
	}
	r, err := l.classifier.Train(ctx, train, test, func(done, total int, _ float64) { l.say("classifying "+a.Name(), done, total) })
	return AccuracyResult{r, r.Correct}, err
}

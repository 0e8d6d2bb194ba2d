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

func (a Accuracy) do(ctx context.Context, l *Store, _ string) (any, error) {
	w, err := l.weights(a.Of, a.State)
	if err != nil {
		return nil, err
	}
	train, err := l.codes(ctx, w, a.Train)
	if err != nil {
		return nil, err
	}
	test, err := l.codes(ctx, w, a.Test)
	if err != nil {
		return nil, err
	}
	c := a.Config
	if c.Classes == 0 {
		if train.Labels == nil {
			return nil, fmt.Errorf("%s: expected labels to train a classifier on, found none", train.Name)
		}
		for _, label := range train.Labels {
			c.Classes = max(c.Classes, int(label)+1)
		}
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

package train

import (
	"encoding/json"
	"errors"
	"fmt"
	"math"

	"github.com/sliced-wasserstein/lab/swlab/optim"
)

// sgd is the optimizer of the autoencoder.
func (c Config) sgd() optim.SGD {
	return optim.SGD{Rate: c.LearningRate, Momentum: c.Momentum, Decay: c.WeightDecay}
}

// adam is the optimizer of the amortizer.
func (c Config) adam() optim.Adam {
	a := Ascent
	a.Rate = c.AmortizerLearningRate
	return a
}

// checkOptimizers rejects optimizer settings that cannot train, and those of an amortizer where there is none.
func (c Config) checkOptimizers(amortized bool) error {
	for _, s := range []struct {
		name, expected string
		value          float64
		ok             bool
	}{
		{"learning-rate", "a number above 0", c.LearningRate, c.LearningRate > 0},
		{"momentum", "a number from 0 to below 1", c.Momentum, c.Momentum >= 0 && c.Momentum < 1},
		{"weight-decay", "a number of at least 0", c.WeightDecay, c.WeightDecay >= 0},
		{"amortizer-learning-rate", "a number above 0", c.AmortizerLearningRate, c.AmortizerLearningRate > 0},
		{"amortizer-steps", "at least 1", float64(c.AmortizerSteps), c.AmortizerSteps >= 1},
	} {
		if !s.ok || s.value > math.MaxFloat32 { // a step computes in float32
			return fmt.Errorf("%s: expected %s, found %v (DefaultConfig has the paper's)", s.name, s.expected, s.value)
		}
	}
	d := DefaultConfig()
	switch {
	case amortized:
	case c.AmortizerLearningRate != d.AmortizerLearningRate:
		return fmt.Errorf("amortizer-learning-rate: loss %s has no amortizer to train, found %v", c.Loss, c.AmortizerLearningRate)
	case c.AmortizerSteps != d.AmortizerSteps:
		return fmt.Errorf("amortizer-steps: loss %s has no amortizer to train, found %d", c.Loss, c.AmortizerSteps)
	}
	return nil
}

// bare is Config without its methods, so that encoding/json does not call them again.
type bare Config

// optimizersJSON shadows the optimizers' fields of a Config. One that is nil has its default and is left out, so that
// configurations from before these fields were there have the same bytes, and the same hash, as today.
type optimizersJSON struct {
	bare
	LearningRate          *float64 `json:"learning_rate,omitempty"`
	Momentum              *float64 `json:"momentum,omitempty"`
	WeightDecay           *float64 `json:"weight_decay,omitempty"`
	AmortizerLearningRate *float64 `json:"amortizer_learning_rate,omitempty"`
	AmortizerSteps        *int     `json:"amortizer_steps,omitempty"`
}

// MarshalJSON writes the optimizers' settings only where they are not DefaultConfig's.
func (c Config) MarshalJSON() ([]byte, error) {
	d := DefaultConfig()
	return json.Marshal(optimizersJSON{
		bare:                  bare(c),
		LearningRate:          unless(c.LearningRate, d.LearningRate),
		Momentum:              unless(c.Momentum, d.Momentum),
		WeightDecay:           unless(c.WeightDecay, d.WeightDecay),
		AmortizerLearningRate: unless(c.AmortizerLearningRate, d.AmortizerLearningRate),
		AmortizerSteps:        unless(c.AmortizerSteps, d.AmortizerSteps),
	})
}

// UnmarshalJSON gives the optimizers' settings that raw does not have their defaults.
func (c *Config) UnmarshalJSON(raw []byte) error {
	if c == nil {
		return errors.New("expected a configuration to read into, found nil")
	}
	d := DefaultConfig()
	j := optimizersJSON{bare: bare(*c), LearningRate: &d.LearningRate, Momentum: &d.Momentum, WeightDecay: &d.WeightDecay,
		AmortizerLearningRate: &d.AmortizerLearningRate, AmortizerSteps: &d.AmortizerSteps}
	if err := json.Unmarshal(raw, &j); err != nil {
		return err
	}
	*c = Config(j.bare)
	c.LearningRate, c.Momentum, c.WeightDecay = *j.LearningRate, *j.Momentum, *j.WeightDecay
	c.AmortizerLearningRate, c.AmortizerSteps = *j.AmortizerLearningRate, *j.AmortizerSteps
	return nil
}

// unless is nil where v is its default.
func unless[T comparable](v, standard T) *T {
	if v == standard {
		return nil
	}
	return &v
}

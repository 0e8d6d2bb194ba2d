package train

import (
	"encoding/json"
	"fmt"
	"reflect"

	"github.com/sliced-wasserstein/lab/internal/settings"
	"github.com/sliced-wasserstein/lab/swlab/optim"
)

// sgd is the optimizer of the autoencoder.
func (c Config) sgd() optim.SGD {
	return optim.SGD{LearningRate: c.LearningRate, Momentum: c.Momentum, WeightDecay: c.WeightDecay}
}

// adam is the optimizer of the amortizer.
func (c Config) adam() optim.Adam {
	a := AmortizerAdam
	a.LearningRate, a.Beta1, a.Beta2 = c.AmortizerLearningRate, c.AmortizerBeta1, c.AmortizerBeta2
	return a
}

// checkOptimizers rejects settings out of their range, and an amortizer's optimizer if there is none.
func (c Config) checkOptimizers(amortized bool) error {
	if err := settings.Of(&c, "range").Check(); err != nil {
		return fmt.Errorf("%w (DefaultConfig has the paper's)", err)
	}
	if amortized {
		return nil
	}
	d := DefaultConfig()
	for _, s := range []struct {
		name         string
		value, usual float64
	}{
		{"learning-rate", c.AmortizerLearningRate, d.AmortizerLearningRate}, {"beta1", c.AmortizerBeta1, d.AmortizerBeta1},
		{"beta2", c.AmortizerBeta2, d.AmortizerBeta2}, {"steps", float64(c.AmortizerSteps), float64(d.AmortizerSteps)},
	} {
		if s.value != s.usual {
			return fmt.Errorf("amortizer-%s: loss %s has no amortizer to train, found %v", s.name, c.Loss, s.value)
		}
	}
	return nil
}

// bare is Config without its methods, so that encoding/json does not call them again.
type bare Config

// optimizersJSON shadows the optimizers' fields of a Config. A nil field has its default and is
// left out, so that configurations older than these fields keep their bytes and hash.
type optimizersJSON struct {
	bare
	LearningRate          *float64 `json:"learning_rate,omitempty"`
	Momentum              *float64 `json:"momentum,omitempty"`
	WeightDecay           *float64 `json:"weight_decay,omitempty"`
	AmortizerLearningRate *float64 `json:"amortizer_learning_rate,omitempty"`
	AmortizerBeta1        *float64 `json:"amortizer_beta1,omitempty"`
	AmortizerBeta2        *float64 `json:"amortizer_beta2,omitempty"`
	AmortizerSteps        *int     `json:"amortizer_steps,omitempty"`
}

// shadow are the optimizers' fields of c.
func (c *Config) shadow() optimizersJSON {
	return optimizersJSON{bare(*c), &c.LearningRate, &c.Momentum, &c.WeightDecay, &c.AmortizerLearningRate, &c.AmortizerBeta1, &c.AmortizerBeta2, &c.AmortizerSteps}
}

// MarshalJSON writes the optimizers' settings only if they differ from DefaultConfig's.
func (c Config) MarshalJSON() ([]byte, error) {
	d := DefaultConfig()
	own, usual := c.shadow(), d.shadow()
	v, w := reflect.ValueOf(&own).Elem(), reflect.ValueOf(usual)
	for i := 1; i < v.NumField(); i++ {
		if v.Field(i).Elem().Equal(w.Field(i).Elem()) {
			v.Field(i).SetZero()
		}
	}
	return json.Marshal(own)
}

// UnmarshalJSON gives the optimizers' settings missing from raw their defaults.
func (c *Config) UnmarshalJSON(raw []byte) error {
	d := DefaultConfig()
	j := d.shadow()
	j.bare = bare(*c)
	if err := json.Unmarshal(raw, &j); err != nil {
		return err
	}
	read := Config(j.bare)
	to, from := reflect.ValueOf(read.shadow()), reflect.ValueOf(j)
	for i := 1; i < to.NumField(); i++ {
		to.Field(i).Elem().Set(from.Field(i).Elem())
	}
	*c = read
	return nil
}

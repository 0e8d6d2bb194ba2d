// Package gap measures the amortization gap of v-DSW: how far the location predicted by an
// amortizer, or found by some steps of gradient ascent, falls below the best location of the
// slicing distribution. It reproduces the paper's study exactly, with its training pairs and ten
// samples. It also measures the same locations against the true optimum of every pair, on held-out
// pairs.
//
//	J(eps; X, Y) = E_{theta ~ vMF(eps, kappa)} F(theta; X, Y),   gap(eps) = max J - J(eps)
//
// On the sphere of R^3 both are known. F is expanded in spherical harmonics once per pair
// (Harmonics), the distribution multiplies every degree by a number (vmf.FunkHecke), and J is a
// short polynomial in eps.
package gap

import (
	"fmt"
	"slices"
	"strings"

	"github.com/sliced-wasserstein/lab/datasets"
	"github.com/sliced-wasserstein/lab/internal/memory"
	"github.com/sliced-wasserstein/lab/internal/settings"
	"github.com/sliced-wasserstein/lab/swlab/amortizer"
)

// Methods other than the registered amortizers.
const (
	// Steps steps of plain gradient ascent from a random location, as in the paper
	VDSW = "v-dsw"
	// Converged (ours) is tangent ascent of the exact J from a random location to convergence.
	Converged = "v-dsw-converged"
	Uniform   = "uniform" // ours: a random location
	// Constant (ours) is the single location that is best on average for the training pairs.
	Constant = "constant"
)

// Optimisers of an amortizer.
const (
	SGD  = "sgd"  // plain gradient steps, as in the paper's study
	Adam = "adam" // beta = (0, 0.9), as when an autoencoder is trained
)

// Untrained is the learning rate of an amortizer that keeps its initial weights.
const Untrained = 1e-30

// Config is one row of the study for one seed. It is a plain value that, with the data, decides
// every number except the seconds.
type Config struct {
	// Method is "l", "g", ... of amortizer.Names, or VDSW, Converged, Uniform, Constant.
	Method string `json:"method"`
	Steps  int    `json:"steps"` // T of VDSW; else 0
	Seed   uint64 `json:"seed"`  // of weights, random locations and samples

	// PairSeed is the seed of the shuffle into pairs and of the common slices; the same for all
	// methods.
	PairSeed uint64 `json:"pair_seed"`
	Batches  int    `json:"batches" range:"1.."`  // batches of training pairs
	Pairs    int    `json:"pairs" range:"1.."`    // pairs per batch
	HeldOut  int    `json:"held_out" range:"1.."` // held-out pairs
	// L, samples per pair in a step and in the paper's evaluation
	Slices int `json:"slices" range:"1.."`
	// Common is the number of slices per pair, the same for all methods, of the Monte-Carlo value.
	Common int     `json:"common" range:"1.."`
	Kappa  float64 `json:"kappa" range:">0.."`

	Optimiser string `json:"optimiser,omitempty"` // of an amortizer: SGD or Adam
	// Passes is the number of epochs of an amortizer over the batches; 1 in the paper.
	Passes int `json:"passes,omitempty"`
	// LearningRate is that of the optimiser, or of VDSW's steps on the batch mean: a pair moves by
	// LearningRate/Pairs.
	LearningRate float64 `json:"rate,omitempty"`
	DK           int     `json:"dk,omitempty"` // width of A, EA, LA
	K            int     `json:"k,omitempty"`  // projected keys of LA
}

// Paper returns the study of the paper without its method: 1000 training pairs, and as many held
// out, which the paper does not have.
func Paper() Config {
	return Config{Seed: 123, PairSeed: 123, Batches: 10, Pairs: 100, HeldOut: 1000, Slices: 10, Common: 1000, Kappa: 1}
}

// PaperRows returns the eleven rows of the paper's table for a study: six amortizers after ten
// steps of SGD with the widths of the released script (d_k = 1 for A and EA is inferred: the script
// lacks the argument), then v-DSW with T = 1, 5, 10, 50, 100. The learning rate of v-DSW gives
// every pair the paper's step, 0.1/100 times the gradient of its own mean.
func PaperRows(study Config) []Config {
	var rows []Config
	for _, name := range []string{"l", "g", "n", "a", "ea", "la"} {
		rows = append(rows, study.amortized(name))
	}
	for _, steps := range []int{1, 5, 10, 50, 100} {
		c := study
		c.Method, c.Steps, c.LearningRate = VDSW, steps, 0.1*float64(c.Pairs)/100
		rows = append(rows, c)
	}
	return rows
}

// OurRows returns rows that are not in the paper: the random location, the best constant one, the
// converged ascent, L with its initial weights, LA on sorted points, A and EA with the widths d_k that the paper searches
// elsewhere, and every amortizer trained for that many epochs with Adam at learning rate 1e-3.
func OurRows(study Config, passes int) []Config {
	var rows []Config
	for _, method := range []string{Uniform, Constant, Converged} {
		c := study
		c.Method = method
		rows = append(rows, c)
	}
	untrained := study.amortized("l")
	untrained.LearningRate = Untrained
	rows = append(rows, untrained, study.amortized("la-sorted"))
	for _, name := range []string{"a", "ea"} {
		for _, width := range []int{16, 32, 64, 128} {
			c := study.amortized(name)
			c.DK = width
			rows = append(rows, c)
		}
	}
	for _, name := range []string{"l", "g", "n", "a", "ea", "la", "la-sorted"} {
		c := study.amortized(name)
		c.Optimiser, c.Passes, c.LearningRate = Adam, passes, 1e-3
		rows = append(rows, c)
	}
	return rows
}

// amortized returns the row of an amortizer.
func (c Config) amortized(name string) Config {
	c.Method, c.Optimiser, c.Passes, c.LearningRate = name, SGD, 1, 0.1
	switch name {
	case "a", "ea":
		c.DK = 1
	case "la", "la-sorted":
		c.DK, c.K = 32, 64
	}
	return c
}

// ID names the row as the paper's table does, in this project's notation, such as la-v-dsw-L10 and
// v-dsw-T50-L10. Differences from the paper's rows are appended.
func (c Config) ID() string {
	switch {
	case c.Method == VDSW:
		return fmt.Sprintf("v-dsw-T%d-L%d", c.Steps, c.Slices)
	case !c.IsAmortizer():
		return c.Method
	}
	id := fmt.Sprintf("%s-v-dsw-L%d", c.Method, c.Slices)
	if c.LearningRate == Untrained {
		id += "-untrained"
	}
	if c.DK != c.amortized(c.Method).DK {
		id += fmt.Sprintf("-dk%d", c.DK)
	}
	if c.Optimiser != SGD || c.Passes != 1 {
		id += fmt.Sprintf("-%s-%d", c.Optimiser, c.Passes)
	}
	return id
}

// IsAmortizer reports whether the method is a registered amortizer.
func (c Config) IsAmortizer() bool { return slices.Contains(amortizer.Names(), c.Method) }

// Clouds returns the number of clouds that the study's pairs need.
func (c Config) Clouds() int { return 2 * (c.Batches*c.Pairs + c.HeldOut) }

// Suffices returns an error for a set with too few clouds for the study's pairs.
func (c Config) Suffices(set *datasets.Set) error {
	if set.Clouds >= c.Clouds() {
		return nil
	}
	return fmt.Errorf("%s: %d batches of %d pairs and %d pairs held out need %d clouds, found %d", set.Name, c.Batches, c.Pairs,
		c.HeldOut, c.Clouds(), set.Clouds)
}

// Check validates the configuration.
func (c Config) Check() error {
	known := append(amortizer.Names(), VDSW, Converged, Uniform, Constant)
	if !slices.Contains(known, c.Method) {
		return fmt.Errorf("gap: method %q, expected one of %s", c.Method, strings.Join(known, ", "))
	}
	if err := settings.Of(&c).Check(); err != nil {
		return fmt.Errorf("gap: %w", err)
	}
	for _, k := range []struct {
		what  string
		bytes int64
	}{
		{fmt.Sprintf("gap: batches, pairs, held_out: %d batches of %d pairs, and %d", c.Batches, c.Pairs, c.HeldOut), memory.Sum(memory.Bytes(2*4*3, c.Batches, c.Pairs), memory.Bytes(2*4*3, c.HeldOut))},
		{fmt.Sprintf("gap: slices: %d of a batch of %d pairs", c.Slices, c.Pairs), memory.Bytes(3*4, c.Slices, c.Pairs)},
		{fmt.Sprintf("gap: common: %d slices", c.Common), memory.Bytes(3*4, c.Common)},
	} {
		if err := memory.Check(k.what, k.bytes); err != nil {
			return err
		}
	}
	if _, err := degreeFor(c.Kappa); err != nil {
		return err
	}
	ascends, amortized := c.Method == VDSW, c.IsAmortizer()
	switch {
	case ascends != (c.Steps > 0):
		return fmt.Errorf("gap: steps: expected some for %s alone, found %d with %s", VDSW, c.Steps, c.Method)
	case amortized != (c.Passes > 0), amortized != (c.Optimiser == SGD || c.Optimiser == Adam), !amortized && (c.DK != 0 || c.K != 0):
		return fmt.Errorf("gap: optimiser (%s or %s), passes, dk and k belong to amortizers, found %q, %d, %d, %d with %s", SGD, Adam, c.Optimiser, c.Passes, c.DK, c.K, c.Method)
	case (ascends || amortized) != (c.LearningRate > 0), !(c.LearningRate < 1e6):
		return fmt.Errorf("gap: rate: expected a positive number for an ascent or an amortizer, found %g with %s", c.LearningRate, c.Method)
	}
	return nil
}

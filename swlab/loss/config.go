package loss

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"github.com/sliced-wasserstein/lab/internal/suggest"
	"github.com/sliced-wasserstein/lab/swlab/amortizer"
	"github.com/sliced-wasserstein/lab/swlab/ot"
	"github.com/sliced-wasserstein/lab/swlab/slicing"
	"github.com/sliced-wasserstein/lab/swlab/vmf"
)

// Config holds the settings that the registered losses read; Defaults has the paper's. Of the
// settings that nobody makes by accident, a loss rejects those that it would ignore: Slicing,
// Replicates, Root, Ground, Amortizer, FineTune, AscentTangent, AscentSGD. The others are common to all
// losses, and each reads those that apply to it. The tag help is the text of the field's
// command-line flag (%s: the registered names). The tag zero says what is expected in place of a
// given 0.
type Config struct {
	// L; 0: 100, and at most 500 where the number is adaptive.
	Slices int `json:"slices" help:"number of directions L (default 100; asw: at most 500)" zero:"at least 1"`
	// Name of the slicing distribution (slicing.Names); "": the loss's own.
	Slicing string `json:"slicing,omitempty" help:"slicing distribution in place of the loss's own: %s"`
	// Concentration of the distributions that have one.
	Kappa float64 `json:"kappa" help:"concentration of the slicing distributions that have one"`
	Chain int     `json:"chain" help:"markov: steps of a chain"` // steps of a Markov chain of directions
	// Replicates are independent randomisations of a quasi-Monte-Carlo set; 0: 4 from 64 slices on,
	// else 1.
	Replicates int     `json:"replicates,omitempty" help:"qmc: independent randomised sets (default 4 from 64 slices on, else 1)" zero:"at least 1"`
	Control    string  `json:"control" help:"cv-sw: control variate, lower, upper or harmonics"`     // of cv-sw
	Epsilon    float64 `json:"epsilon" help:"asw: two standard errors that the slices are to reach"` // accuracy
	// Exponent; 0: the loss's own, 1 for EMDs, else 2.
	P float64 `json:"p" help:"exponent p >= 1 (default: the loss's own, 1 for EMDs, else 2)" zero:"a number >= 1"`
	// Sum or Mean over points; 0: the loss's own, Mean for Chamfer and Sinkhorn, else Sum.
	Reduce Reduction `json:"reduce,omitempty" help:"over points: sum or mean (default: the loss's own, a mean for chamfer and sinkhorn, else a sum)"`
	// Take the p-th root of the value.
	Root bool    `json:"root,omitempty" help:"take the p-th root per pair"`
	Reg  float64 `json:"reg"` // entropic regularisation, of sinkhorn
	// Norm in the cost ||x - y||^p of emd-exact and Sinkhorn: Euclidean or, as in the paper, the
	// p-norm.
	Ground ot.Ground `json:"ground,omitempty"`

	AscentSteps        int     `json:"ascent_steps" help:"steps T of the ascent on the location"` // T
	AscentLearningRate float64 `json:"ascent_rate" help:"its rate"`
	// AscentTangent removes the radial part of the ascent's gradient (slicing.Ascent): beyond the
	// paper, and needed for a true maximum.
	AscentTangent bool `json:"ascent_tangent,omitempty" help:"remove the radial part of its gradient: beyond the paper, finds the maximum"`
	AscentSGD     bool `json:"ascent_sgd,omitempty" help:"plain gradient steps in place of Adam's"` // not Adam
	// Name of the map that predicts the location; "": ascent.
	Amortizer string `json:"amortizer,omitempty" help:"map that predicts the location: %s; none: ascent"`
	// The ascent starts from the map's prediction.
	FineTune bool             `json:"fine_tune,omitempty" help:"with an amortizer: the ascent starts from its prediction"`
	Maps     amortizer.Config `json:"-"` // of the amortizer
	// How vMF samples are carried to their location.
	Reflection vmf.Reflection `json:"reflection" help:"how vMF samples are turned to their location: released (the released code's, short near e1), exact, or stable (bounded gradients everywhere)"`

	// Explicit keeps zeros as zeros (kappa = 0, no ascent steps). Defaults sets it. Without it,
	// WithDefaults replaces them.
	Explicit bool `json:"-"`
}

// Defaults returns the settings of the paper: L = 100, kappa = 1, p = 2, sums over points, T = 50
// ascent steps of rate 1e-4, and for other losses the settings of their own papers.
func Defaults() Config {
	return Config{Kappa: 1, Chain: 10, Control: "upper", Epsilon: 0.5, Reg: 0.01,
		AscentSteps: 50, AscentLearningRate: 1e-4, Reflection: vmf.Released, Explicit: true}
}

// WithDefaults fills zero fields from Defaults, unless the Config is Explicit: Config{Slices: 10}
// becomes the paper's settings with 10 slices, and a Config made from Defaults() stays as it is.
// swlab.Distance does this; New does not.
func (s Config) WithDefaults() Config {
	if s.Explicit {
		return s
	}
	d := Defaults()
	s.Kappa = cmp.Or(s.Kappa, d.Kappa)
	s.Chain = cmp.Or(s.Chain, d.Chain)
	s.Control = cmp.Or(s.Control, d.Control)
	s.Epsilon = cmp.Or(s.Epsilon, d.Epsilon)
	s.Reg = cmp.Or(s.Reg, d.Reg)
	s.AscentSteps = cmp.Or(s.AscentSteps, d.AscentSteps)
	s.AscentLearningRate = cmp.Or(s.AscentLearningRate, d.AscentLearningRate)
	s.Explicit = true
	return s
}

// Check rejects values that no loss takes: a number out of range, or an unknown name. Zero stands
// for the default where the field says so. New checks the settings of one loss.
func (s Config) Check() error {
	if s.Slices < 0 {
		return fmt.Errorf("slices: expected at least 1, found %d", s.Slices)
	}
	if s.P != 0 && !(s.P >= 1) || math.IsInf(s.P, 0) {
		return fmt.Errorf("p: expected a number >= 1, found %v", s.P)
	}
	if s.Reduce < 0 || s.Reduce > Mean {
		return fmt.Errorf("reduce: expected Sum or Mean, found %d", s.Reduce)
	}
	if !(s.Kappa >= 0 && s.Kappa <= vmf.MaxKappa) {
		return fmt.Errorf("kappa: expected a number from 0 to %g, found %v", vmf.MaxKappa, s.Kappa)
	}
	for _, n := range []struct {
		name  string
		value float64
	}{{"epsilon", s.Epsilon}, {"reg", s.Reg}, {"ascent rate", s.AscentLearningRate}} {
		if !(n.value >= 0 && n.value <= math.MaxFloat32) { // NaN too; losses in a graph have float32
			return fmt.Errorf("%s: expected a positive number, at most %.3g, found %v", n.name, math.MaxFloat32, n.value)
		}
	}
	for _, n := range []struct {
		name  string
		value int
		want  string
	}{{"ascent steps", s.AscentSteps, ">= 0"}, {"chain", s.Chain, "at least 1 step"}, {"replicates", s.Replicates, "at least 1, or 0 to choose"}} {
		if n.value < 0 {
			return fmt.Errorf("%s: expected %s, found %d", n.name, n.want, n.value)
		}
	}
	for _, n := range []struct {
		kind, value string
		known       []string
	}{{"slicing distribution", s.Slicing, slicing.Names()}, {"control variate", s.Control, ControlNames()}, {"amortizer", s.Amortizer, amortizer.Names()}} {
		if n.value != "" && !slices.Contains(n.known, n.value) {
			return suggest.Unknown(n.kind, n.value, n.known)
		}
	}
	if s.Ground < ot.Euclidean || s.Ground > ot.PNorm {
		return fmt.Errorf("ground: expected Euclidean or PNorm, found %d", int(s.Ground))
	}
	if err := new(vmf.Reflection).UnmarshalText([]byte(s.Reflection.String())); err != nil {
		return fmt.Errorf("reflection: %w", err)
	}
	return nil
}

// rejectAscentSettings rejects variants of an ascent where there is no ascent.
func (s Config) rejectAscentSettings() error {
	switch {
	case s.FineTune:
		return fmt.Errorf("fine-tuning starts an ascent from an amortizer's prediction, and there is none")
	case s.AscentTangent, s.AscentSGD:
		return fmt.Errorf("no location is found by ascent, so the ascent has no variants: tangent %t, sgd %t", s.AscentTangent, s.AscentSGD)
	}
	return nil
}

// RejectSlicing returns an error that names a setting of slices or ascent that was made.
// Constructors of losses without slices call it, as they would ignore the setting.
func (s Config) RejectSlicing() error {
	switch {
	case s.Slicing != "":
		return fmt.Errorf("it takes no slices, so no slicing distribution: found %q", s.Slicing)
	case s.Amortizer != "":
		return fmt.Errorf("it takes no slices, so no amortizer: found %q", s.Amortizer)
	case s.Root:
		return fmt.Errorf("it has no root to take")
	case s.Replicates != 0:
		return fmt.Errorf("it takes no slices, so no replicates of them: found %d", s.Replicates)
	}
	return s.rejectAscentSettings()
}

// rejectGround rejects a ground cost where there is none to choose.
func (s Config) rejectGround() error {
	if s.Ground != ot.Euclidean {
		return fmt.Errorf("it has no ground cost to choose: found %q", s.Ground)
	}
	return nil
}

// slices is L, or own if not set.
func (s Config) slices(own int) int {
	if s.Slices == 0 {
		return own
	}
	return s.Slices
}

// distribution returns the slicing distribution of the settings, own by default.
func (s Config) distribution(own string) (slicing.Distribution, error) {
	if err := s.rejectGround(); err != nil {
		return nil, err
	}
	if s.Slicing != "" {
		own = s.Slicing
	}
	if s.Replicates > 0 && own != "qmc" {
		return nil, fmt.Errorf("replicates: the slicing distribution qmc alone has them, found %d with %q", s.Replicates, own)
	}
	return slicing.New(own, slicing.Config{Kappa: s.Kappa, Reflection: s.Reflection, Chain: s.Chain, Replicates: s.Replicates})
}

// PaperSlices is the default number of slices of the paper's losses.
const PaperSlices = 100

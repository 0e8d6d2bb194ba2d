package loss

import (
	"cmp"
	"slices"

	"github.com/sliced-wasserstein/lab/internal/settings"
	"github.com/sliced-wasserstein/lab/internal/suggest"
	"github.com/sliced-wasserstein/lab/swlab/amortizer"
	"github.com/sliced-wasserstein/lab/swlab/ot"
	"github.com/sliced-wasserstein/lab/swlab/ot1d"
	"github.com/sliced-wasserstein/lab/swlab/slicing"
	"github.com/sliced-wasserstein/lab/swlab/vmf"
)

// Config holds the settings of the registered losses; Defaults has the paper's. A loss reads those that
// its Entry lists. Of the settings that nobody makes by accident, New refuses those that the loss would
// ignore: Slicing, Replicates, Root, Cost, Ground, Amortizer, FineTune, AscentTangent, AscentSGD
// and AscentStarts.
//
// The tag help is the text of the field's command-line flag (%s: the registered names; usage: of a
// setting that no training has), group the heading above it, and range is what a number may be
// (package settings). With unset, 0 stands for a default.
type Config struct {
	// L; 0: 100, and at most 500 where the number is adaptive.
	Slices int `json:"slices" help:"number L of directions (default 100; asw: at most 500)" range:"1.." unset:"0" group:"Directions"`
	// Name of the slicing distribution (slicing.Names); "": the loss's own.
	Slicing string `json:"slicing,omitempty" help:"slicing distribution in place of the loss's own: %s. auto is the most exact: evenly spread sets up to dimension 20, orthogonal frames above" group:"Directions"`
	// Concentration of the distributions that have one, at most vmf.MaxKappa.
	Kappa float64 `json:"kappa" help:"concentration of the slicing distributions that have one" range:"0..1e15" group:"Directions"`
	// Steps of a Markov chain of directions.
	Chain int `json:"chain" help:"markov: steps of a chain" range:"1.." unset:"0" group:"Directions"`
	// Replicates are independent randomisations of a quasi-Monte-Carlo set; 0: 4 from 64 slices on,
	// else 1.
	Replicates int `json:"replicates,omitempty" help:"qmc: independent randomised sets (default 4 from 64 slices on, else 1)" range:"1.." unset:"0" group:"Directions"`
	// Control variate of cv-sw.
	Control string `json:"control" help:"cv-sw: control variate, lower, upper or harmonics" group:"Directions"`
	// Accuracy of asw. A graph computes in float32.
	Epsilon float64 `json:"epsilon" help:"asw: two standard errors that the slices are to reach" range:">0..3.4e38" unset:"0" group:"Directions"`
	// Exponent; 0: the loss's own, 1 for EMDs, else 2.
	P float64 `json:"p" help:"exponent, at least 1 (default: the loss's own, 1 for EMDs, else 2)" range:"1.." unset:"0" group:"Loss"`
	// Sum or Mean over points; 0: the loss's own, Mean for Chamfer, Sinkhorn, circle and ssw, else Sum.
	Reduce Reduction `json:"reduce,omitempty" help:"over points: sum or mean (default: the loss's own, a mean for chamfer, sinkhorn, circle and ssw, else a sum)" group:"Loss"`
	// Take the p-th root of the value.
	Root bool `json:"root,omitempty" help:"take the p-th root per pair" group:"Loss"`
	// What one direction costs. Others than Wasserstein's are means without P, Reduce and Root, on the host.
	Cost ot1d.LineCost `json:"cost,omitempty" help:"what one direction costs; cramer, energy and epps-pulley are means without an exponent, computed on the host" group:"Loss"`
	// Entropic regularisation of sinkhorn.
	Reg float64 `json:"reg" flag:"reg" usage:"sinkhorn: entropic regularisation" group:"Loss" range:">0..3.4e38" unset:"0"`
	// Norm in the cost ||x - y||^p of emd-exact and Sinkhorn: Euclidean or, as in the paper, the
	// p-norm.
	Ground ot.Ground `json:"ground,omitempty" flag:"ground" usage:"emd-exact and sinkhorn: norm of the difference in the cost, to the power p: euclidean, or p for the p-norm, as in the paper" group:"Loss"`

	// Points that partial-sw matches; 0: as many as the smaller cloud has.
	Mass int `json:"mass,omitempty" flag:"mass" usage:"partial-sw: number of points to match (default: as many as the smaller cloud has)" group:"Loss" range:"1.." unset:"0"`
	// Weight of the Kullback-Leibler divergence of the masses in usw; 0: 1.
	KL float64 `json:"kl,omitempty" flag:"kl" usage:"usw: weight of the Kullback-Leibler divergence of the masses (default 1)" group:"Loss" range:">0.." unset:"0"`
	// Uniform compares x with the uniform distribution, in circle and ssw.
	Uniform bool `json:"uniform,omitempty" flag:"uniform" usage:"circle and ssw: compare x with the uniform distribution; y only says how many clouds there are" group:"Loss"`

	// T steps of the ascent on the location, and their learning rate.
	AscentSteps        int     `json:"ascent_steps" help:"steps T of the ascent on the location" range:"0.." group:"Ascent and amortizer"`
	AscentLearningRate float64 `json:"ascent_rate" help:"learning rate of the ascent on the location" range:">0..3.4e38" unset:"0" group:"Ascent and amortizer"`
	// AscentTangent removes the radial part of the ascent's gradient (slicing.Ascent): beyond the
	// paper, and needed for a true maximum.
	AscentTangent bool `json:"ascent_tangent,omitempty" help:"remove the radial part of the ascent's gradient: beyond the paper, finds the maximum" group:"Ascent and amortizer"`
	AscentSGD     bool `json:"ascent_sgd,omitempty" help:"ascend by plain gradient steps in place of Adam's" group:"Ascent and amortizer"`
	// AscentStarts is the number of ascents of which each pair keeps the best; 0: one.
	AscentStarts int `json:"ascent_starts,omitempty" help:"ascents from different starts, of which each pair keeps the best (default 1)" range:"1.." unset:"0" group:"Ascent and amortizer"`
	// Name of the map that predicts the location; "": ascent.
	Amortizer string `json:"amortizer,omitempty" help:"map that predicts the location: %s; none: ascent" group:"Ascent and amortizer"`
	// The ascent starts from the map's prediction.
	FineTune bool             `json:"fine_tune,omitempty" help:"with an amortizer: the ascent starts from its prediction" group:"Ascent and amortizer"`
	Maps     amortizer.Config `json:"-"` // of the amortizer
	// How vMF samples are carried to their location.
	Reflection vmf.Reflection `json:"reflection" help:"how vMF samples are turned to their location: released (the released code's, short near e1), exact, or stable (bounded gradients everywhere)" group:"Directions"`

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

// Check returns an error for a value that no loss takes: a number out of range, or an unknown name.
// Zero stands for the default where the field says so. New checks the settings of one loss.
func (s Config) Check() error {
	if err := settings.Of(&s).Check(); err != nil {
		return err
	}
	for _, n := range []struct {
		kind, value string
		known       []string
	}{
		{"slicing distribution", s.Slicing, slicing.Names()},
		{"control variate", s.Control, ControlNames()},
		{"amortizer", s.Amortizer, amortizer.Names()},
	} {
		if n.value != "" && !slices.Contains(n.known, n.value) {
			return suggest.Unknown(n.kind, n.value, n.known)
		}
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
	return slicing.New(cmp.Or(s.Slicing, own), slicing.Config{
		Kappa: s.Kappa, Reflection: s.Reflection, Chain: s.Chain, Replicates: s.Replicates})
}

// PaperSlices is the default number of slices of the paper's losses.
const PaperSlices = 100

package slicing

import (
	"fmt"

	"github.com/sliced-wasserstein/lab/swlab/internal/registry"
	"github.com/sliced-wasserstein/lab/swlab/vmf"
)

// Options are what the registered laws read.
type Options struct {
	Kappa      float64        // concentration, of the laws that have one
	Reflection vmf.Reflection // how vMF samples are turned to their location
	Chain      int            // steps of a Markov chain
	Replicates int            // independent randomisations of a quasi-Monte-Carlo set; 0: chosen by the number of slices
}

// registered holds the laws by their name on the command line.
var registered = registry.New("slicing rule", map[string]func(Options) Law{
	"uniform":     func(Options) Law { return Uniform{} },
	"orthogonal":  func(Options) Law { return Orthogonal{} },
	"qmc":         func(o Options) Law { return QMC{Replicates: o.Replicates} },
	"random-path": func(o Options) Law { return RandomPath{Kappa: o.Kappa} },
	"markov":      func(o Options) Law { return Markov{Kappa: o.Kappa, Chain: o.Chain} },
	"vmf":         func(o Options) Law { return VMF{Kappa: o.Kappa, Reflection: o.Reflection} },
	"point":       func(Options) Law { return Point{} },
})

// Register makes a law of another package available by name: in New, in Settings.Slicing of every sliced loss, and so in
// swlab.Distance, in trainings and sweeps, and in the flags of a command line built with that package. It is meant to be called
// from init functions. Names consist of lowercase letters, digits and single hyphens; it panics, with an error, for another name, for
// one that is taken, and for a nil function. The function gets options that New has checked. A law that draws several slices
// together must implement Blocked.
func Register(name string, law func(Options) Law) { registered.Register(name, law) }

// Names lists the registered laws.
func Names() []string { return registered.Names() }

// New returns the law of that name.
func New(name string, o Options) (Law, error) {
	make, err := registered.Get(name)
	if err != nil {
		return nil, err
	}
	if err := vmf.CheckKappa(o.Kappa); err != nil {
		return nil, err
	}
	if o.Chain < 1 {
		return nil, fmt.Errorf("chain: expected at least 1 step, found %d", o.Chain)
	}
	if o.Replicates < 0 {
		return nil, fmt.Errorf("replicates: expected at least 1, or 0 to choose, found %d", o.Replicates)
	}
	law, err := registry.Make("slicing rule", name, func() (Law, error) { return make(o), nil })
	if err != nil {
		return nil, err
	}
	if law == nil {
		return nil, fmt.Errorf("slicing rule %q: its constructor returned nil", name)
	}
	return law, nil
}

package slicing

import (
	"fmt"

	"github.com/sliced-wasserstein/lab/swlab/internal/registry"
	"github.com/sliced-wasserstein/lab/swlab/vmf"
)

// Config are what the registered distributions read.
type Config struct {
	Kappa      float64        // concentration, of the distributions that have one
	Reflection vmf.Reflection // how vMF samples are turned to their location
	Chain      int            // steps of a Markov chain
	Replicates int            // independent randomisations of a quasi-Monte-Carlo set; 0: chosen by the number of slices
}

// registered holds the distributions by their name on the command line.
var registered = registry.New("slicing distribution", map[string]func(Config) Distribution{
	"uniform":     func(Config) Distribution { return Uniform{} },
	"orthogonal":  func(Config) Distribution { return Orthogonal{} },
	"qmc":         func(o Config) Distribution { return QMC{Replicates: o.Replicates} },
	"random-path": func(o Config) Distribution { return RandomPath{Kappa: o.Kappa} },
	"markov":      func(o Config) Distribution { return Markov{Kappa: o.Kappa, Chain: o.Chain} },
	"vmf":         func(o Config) Distribution { return VMF{Kappa: o.Kappa, Reflection: o.Reflection} },
	"point":       func(Config) Distribution { return Point{} },
})

// Register makes a distribution of another package available by name: in New, in Settings.Slicing of every sliced loss, and so in
// swlab.Distance, in trainings and sweeps, and in the flags of a command line built with that package. It is meant to be called
// from init functions. Names consist of lowercase letters, digits and single hyphens; it panics, with an error, for another name, for
// one that is taken, and for a nil function. The function gets options that New has checked. A distribution that draws several slices
// together must implement Blocked.
func Register(name string, dist func(Config) Distribution) { registered.Register(name, dist) }

// Names lists the registered distributions.
func Names() []string { return registered.Names() }

// New returns the distribution of that name.
func New(name string, o Config) (Distribution, error) {
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
	dist, err := registry.Make("slicing distribution", name, func() (Distribution, error) { return make(o), nil })
	if err != nil {
		return nil, err
	}
	if dist == nil {
		return nil, fmt.Errorf("slicing distribution %q: its constructor returned nil", name)
	}
	return dist, nil
}

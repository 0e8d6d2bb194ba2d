package slicing

import (
	"fmt"

	"github.com/sliced-wasserstein/lab/swlab/internal/registry"
	"github.com/sliced-wasserstein/lab/swlab/vmf"
)

// Config holds what the registered distributions read.
type Config struct {
	Kappa      float64        // concentration, of the distributions that have one
	Reflection vmf.Reflection // how vMF samples are carried to their location
	Chain      int            // steps of a Markov chain
	// Replicates are independent randomisations of a quasi-Monte-Carlo set; 0: chosen by the number
	// of slices.
	Replicates int
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
	"common":      func(Config) Distribution { return Common{} },
	"fixed":       func(Config) Distribution { return Fixed{} },
})

// Register makes a distribution of another package available by name: in New, in
// loss.Config.Slicing of every sliced loss, and so in swlab.Distance, trainings and sweeps, and in
// the flags of a command line built with that package. Call it from init functions. Names consist
// of lowercase letters, digits and single hyphens. Register panics with an error for another name,
// a taken one, or a nil function. New checks the Config before it calls the function. A
// distribution that draws several slices together must implement BlockSampler. A version says when
// trainings on it are found again, as in loss.Register.
func Register(name string, dist func(Config) Distribution, version ...string) {
	registered.Register(name, dist, version...)
}

// SourceOf identifies the code of a distribution of another package, as loss.SourceOf does.
func SourceOf(name string) (string, error) { return registered.Source(name) }

// Names lists the registered distributions.
func Names() []string { return registered.Names() }

// New returns the named distribution.
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

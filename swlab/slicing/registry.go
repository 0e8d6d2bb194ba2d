package slicing

import (
	"fmt"
	"sort"

	"github.com/sliced-wasserstein/lab/swlab/vmf"

	"github.com/sliced-wasserstein/lab/internal/suggest"
)

// Options are what the registered laws read.
type Options struct {
	Kappa      float64        // concentration, of the laws that have one
	Reflection vmf.Reflection // how vMF samples are turned to their location
	Chain      int            // steps of a Markov chain
	Replicates int            // independent randomisations of a quasi-Monte-Carlo set; 0: chosen by the number of slices
}

// registry holds the laws by their name on the command line.
var registry = map[string]func(Options) Law{
	"uniform":     func(Options) Law { return Uniform{} },
	"orthogonal":  func(Options) Law { return Orthogonal{} },
	"qmc":         func(o Options) Law { return QMC{Replicates: o.Replicates} },
	"random-path": func(o Options) Law { return RandomPath{Kappa: o.Kappa} },
	"markov":      func(o Options) Law { return Markov{Kappa: o.Kappa, Chain: o.Chain} },
	"vmf":         func(o Options) Law { return VMF{Kappa: o.Kappa, Reflection: o.Reflection} },
	"point":       func(Options) Law { return Point{} },
}

// Names lists the registered laws.
func Names() []string {
	var out []string
	for n := range registry {
		out = append(out, n)
	}
	sort.Strings(out)
	return out
}

// New returns the law of that name.
func New(name string, o Options) (Law, error) {
	make, ok := registry[name]
	if !ok {
		return nil, suggest.Unknown("slicing rule", name, Names())
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
	return make(o), nil
}

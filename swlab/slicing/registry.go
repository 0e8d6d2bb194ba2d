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

// Entry is a distribution by its name: how it is made, and which settings of a loss it reads
// (loss.SettingNames): slices, kappa, reflection, chain, replicates.
type Entry struct {
	New   func(Config) Distribution
	Reads []string
}

// registered holds the distributions by their name on the command line.
var registered = registry.New("slicing distribution", map[string]Entry{
	"auto":       {func(Config) Distribution { return Auto{} }, []string{"slices"}},
	"uniform":    {func(Config) Distribution { return Uniform{} }, []string{"slices"}},
	"orthogonal": {func(Config) Distribution { return Orthogonal{} }, []string{"slices"}},
	"qmc":        {func(o Config) Distribution { return QMC{Replicates: o.Replicates} }, []string{"slices", "replicates"}},
	"random-path": {func(o Config) Distribution { return RandomPath{Kappa: o.Kappa} },
		[]string{"slices", "kappa"}},
	"markov": {func(o Config) Distribution { return Markov{Kappa: o.Kappa, Chain: o.Chain} },
		[]string{"slices", "kappa", "chain"}},
	"vmf": {func(o Config) Distribution { return VMF{Kappa: o.Kappa, Reflection: o.Reflection} },
		[]string{"slices", "kappa", "reflection"}},
	"point":  {func(Config) Distribution { return Point{} }, nil},
	"common": {func(Config) Distribution { return Common{} }, []string{"slices"}},
	"fixed":  {func(Config) Distribution { return Fixed{} }, []string{"slices"}},
})

// Register makes a distribution of another package available by name: in New, in
// loss.Config.Slicing of every sliced loss, and so in swlab.Distance, trainings and sweeps, and in
// the flags of a command line built with that package. Call it from init functions. Names consist
// of lowercase letters, digits and single hyphens. Register panics with an error for another name
// or a taken one. New checks the Config before it calls the Entry's. A distribution that draws
// several slices together must implement BlockSampler. A version says when trainings on it are
// found again, as in loss.Register.
func Register(name string, e Entry, version ...string) { registered.Register(name, e, version...) }

// SourceOf identifies the code of a distribution of another package, as loss.SourceOf does.
func SourceOf(name string) (string, error) { return registered.Source(name) }

// Names lists the registered distributions.
func Names() []string { return registered.Names() }

// Reads lists the settings that the named distribution reads; nil for an unknown name.
func Reads(name string) []string {
	e, _ := registered.Get(name)
	return e.Reads
}

// New returns the named distribution.
func New(name string, o Config) (Distribution, error) {
	e, err := registered.Get(name)
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
	return e.New(o), nil
}

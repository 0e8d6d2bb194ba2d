package loss

import (
	"fmt"

	"github.com/sliced-wasserstein/lab/swlab/internal/registry"
)

// registered holds the losses by their name on the command line.
var registered = registry.New("loss", map[string]func(Config) (Loss, error){
	"sw":            newSW("SW", "uniform", nil),
	"orthogonal-sw": newSW("Orthogonal SW", "orthogonal", nil),
	"qmc-sw":        newSW("QMC SW", "qmc", nil),
	"cv-sw":         newSW("CV SW", "uniform", newControl),
	"eb-sw":         newSW("EBSW", "uniform", func(Config) (Estimator, error) { return Energy{}, nil }),
	"rp-sw":         newSW("RPSW", "random-path", nil),
	"markov-sw":     newSW("MSW", "markov", nil),
	"asw":           newASW,
	"max-sw":        newMaxSW,
	"v-dsw":         newVDSW,
	"chamfer":       newChamfer,
	"emd-approx":    newApproximateEMD,
	"emd-exact":     newExactEMD,
	"sinkhorn":      newSinkhorn(false),

	"sinkhorn-divergence": newSinkhorn(true),
})

// Register makes a loss of another package available by name: in New, and so in swlab.Distance,
// trainings and sweeps (a Graph), and in the flags of a command line built with that package. Call
// it from init functions. Names consist of lowercase letters, digits and single hyphens. Register
// panics with an error for another name, a taken one, or a nil function.
//
// New checks the settings that several losses share before it calls the function. The function
// should reject those that the loss would ignore (Config.RejectSlicing). The loss must be a Graph
// or a Host; New gives registered ones to build variants on.
//
// A training on it is found again, or resumed, while SourceOf is the same. A version, such as "2",
// is then what counts; give it where the program is without its source.
func Register(name string, loss func(Config) (Loss, error), version ...string) {
	registered.Register(name, loss, version...)
}

// SourceOf identifies the code of a loss of another package, such as "loss moments 1f3a9c2b7d10": its
// version or, without one, a hash of what is registered and of all that this uses in its module,
// as the source files have it. Comments and layout do not count. It is "" for the losses of this
// module. The error says why the source is not known; the text then is one that no other process
// has.
func SourceOf(name string) (string, error) { return registered.Source(name) }

// Names lists the registered losses.
func Names() []string { return registered.Names() }

// New returns the named loss with those settings.
func New(name string, s Config) (Loss, error) {
	make, err := registered.Get(name)
	if err != nil {
		return nil, err
	}
	if err := s.Check(); err != nil {
		return nil, err
	}
	l, err := registry.Make("loss", name, func() (Loss, error) { return make(s) })
	if err != nil {
		return nil, fmt.Errorf("loss %q: %w", name, err)
	}
	if l == nil {
		return nil, fmt.Errorf("loss %q: its constructor returned nil", name)
	}
	return l, nil
}

// NewGraph is New for a loss to train a network on.
func NewGraph(name string, s Config) (Graph, error) {
	l, err := New(name, s)
	if err != nil {
		return nil, err
	}
	g, ok := l.(Graph)
	if !ok {
		return nil, fmt.Errorf("loss %q is computed on the host, outside the training graph: it compares clouds, no network can be trained on it", name)
	}
	return g, nil
}

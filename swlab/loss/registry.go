package loss

import (
	"fmt"
	"slices"

	"github.com/sliced-wasserstein/lab/swlab/internal/registry"
	"github.com/sliced-wasserstein/lab/swlab/ot1d"
)

// Entry is a loss by its name: how it is made, and what of a Config it reads. Flags, refusals and
// sweeps follow from that.
type Entry struct {
	New func(Config) (Loss, error)
	// Reads lists the settings that the loss reads (SettingNames), without those of its slices.
	Reads []string
	// Slicing is the slicing distribution of a sliced loss. The setting slicing names another, and the
	// loss also reads what the distribution reads. "": without slices, or always the same ones.
	Slicing string
	// Located losses have a location, which an ascent finds or an amortizer predicts. They read the
	// settings of both.
	Located bool
}

// registered holds the losses by their name on the command line.
var registered = registry.New("loss", map[string]Entry{
	"sw":            newSW("SW", "uniform", nil),
	"orthogonal-sw": newSW("Orthogonal SW", "orthogonal", nil),
	"qmc-sw":        newSW("QMC SW", "qmc", nil),
	"cv-sw":         newSW("CV SW", "uniform", newControl, "control"),
	"eb-sw":         newSW("EBSW", "uniform", func(s Config) (Estimator, error) { return Energy{Cost: s.Cost}, nil }),
	"rp-sw":         newSW("RPSW", "random-path", nil),
	"markov-sw":     newSW("MSW", "markov", nil),
	"asw":           {New: newASW, Reads: append([]string{"epsilon"}, common...), Slicing: "uniform"},
	"max-sw":        {New: newMaxSW, Reads: common, Located: true},
	"v-dsw":         {New: newVDSW, Reads: common, Slicing: "vmf", Located: true},
	"chamfer":       {New: newChamfer, Reads: []string{"p", "reduce"}},
	"emd-approx":    {New: newApproximateEMD, Reads: []string{"p", "reduce"}},
	"emd-exact":     {New: newExactEMD, Reads: []string{"p", "reduce", "ground"}},
	"sinkhorn":      newSinkhorn(false),

	"sinkhorn-divergence": newSinkhorn(true),

	"circle":     newOnLine("Circle W", ot1d.Circle, Mean, "uniform"),
	"ssw":        newOnLine("SSW", ot1d.Sphere, Mean, "uniform"),
	"partial-sw": newOnLine("Partial SW", ot1d.Partial, 0, "mass"),
	"usw":        newOnLine("USW", ot1d.Unbalanced, Sum, "kl"),
})

// Register makes a loss of another package available by name: in New, and so in swlab.Distance,
// trainings and sweeps (a Graph), and in the flags of a command line built with that package. Call
// it from init functions. Names consist of lowercase letters, digits and single hyphens. Register
// panics with an error for another name or a taken one.
//
// New checks the settings that several losses share before it calls the Entry's. The loss must be a
// Graph or a Host; New gives registered ones to build variants on.
//
// A training on it is found again, or resumed, while SourceOf is the same. A version, such as "2",
// is then what counts; give it where the program is without its source.
func Register(name string, e Entry, version ...string) { registered.Register(name, e, version...) }

// SourceOf identifies the code of a loss of another package, such as "loss moments 1f3a9c2b7d10": its
// version or, without one, a hash of what is registered, of all that this uses in its package, and of
// the packages of its module that this one imports, as the source files have it. Comments and layout do not count. It is "" for the losses of this
// module. The error says why the source is not known; the text then is one that no other process
// has.
func SourceOf(name string) (string, error) { return registered.Source(name) }

// Names lists the registered losses.
func Names() []string { return registered.Names() }

// New returns the named loss with those settings.
func New(name string, s Config) (Loss, error) {
	e, err := registered.Get(name)
	if err != nil {
		return nil, err
	}
	if err := s.Check(); err != nil {
		return nil, err
	}
	if err := e.refuse(name, s); err != nil {
		return nil, fmt.Errorf("loss %q: %w", name, err)
	}
	l, err := e.New(s)
	if err != nil {
		return nil, fmt.Errorf("loss %q: %w", name, err)
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
	if s, sliced := l.(Sliced); !ok || sliced && s.Cost.Own() {
		return nil, fmt.Errorf(
			"loss %q is computed on the host, outside the training graph: it compares clouds, no network can be trained on it",
			name)
	}
	return g, nil
}

// GraphNames lists the losses that a network can be trained on.
func GraphNames() []string {
	return slices.DeleteFunc(Names(), func(name string) bool {
		_, err := NewGraph(name, Defaults())
		return err != nil
	})
}

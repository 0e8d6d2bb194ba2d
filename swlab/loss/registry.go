package loss

import (
	"fmt"
	"sort"

	"github.com/sliced-wasserstein/lab/internal/suggest"
)

// registry holds the losses by their name on the command line.
var registry = map[string]func(Settings) (Loss, error){
	"sw":            newSW("SW", "uniform", nil),
	"orthogonal-sw": newSW("Orthogonal SW", "orthogonal", nil),
	"qmc-sw":        newSW("QMC SW", "qmc", nil),
	"cv-sw":         newSW("CV SW", "uniform", controlled),
	"eb-sw":         newSW("EBSW", "uniform", func(Settings) (Reduction, error) { return Energy{}, nil }),
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
}

// Names lists the registered losses.
func Names() []string {
	var out []string
	for n := range registry {
		out = append(out, n)
	}
	sort.Strings(out)
	return out
}

// New returns the loss of that name with those settings.
func New(name string, s Settings) (Loss, error) {
	make, ok := registry[name]
	if !ok {
		return nil, suggest.Unknown("loss", name, Names())
	}
	if err := s.Check(); err != nil {
		return nil, err
	}
	l, err := make(s)
	if err != nil {
		return nil, fmt.Errorf("loss %q: %w", name, err)
	}
	return l, nil
}

// NewGraph is New for a loss that a network is to be trained on.
func NewGraph(name string, s Settings) (Graph, error) {
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

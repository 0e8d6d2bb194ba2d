// Package plain names the fast paths: computations that do not follow their formulas step by step,
// and can be switched off.
package plain

import (
	"fmt"
	"slices"
	"strings"

	"github.com/sliced-wasserstein/lab/internal/suggest"
)

// Set names the fast paths that are switched off, separated by commas: "sort,encoder". By default
// all are on, each on the backends where it pays off. The results agree up to rounding.
type Set string

const (
	// Ascent computes the costs of an ascent on the location in plain Go, between two graphs
	// (loss.Sliced.Maximizer). Off: in one graph.
	Ascent Set = "ascent"
	// Attention never stores the scores of the amortizers A, EA and LA. Off: it stores them all,
	// with GoMLX's gradient.
	Attention Set = "attention"
	// Encoder evaluates the autoencoder's last encoder layer only where the maximum over the points
	// is reached, 2 to 3 times faster. Off: at every point.
	Encoder Set = "encoder"
	// Host computes the sliced loss of a training step and its gradient in plain Go, exactly sorted,
	// between a program for the forward pass and one for the backward pass. In the middle of the forward
	// pass plain Go finds the maxima over the points. Off: in one program.
	Host Set = "host"
	// Sort orders projections by a network on 32-bit keys (ot1d.Costs): the matching of projections
	// closer than a key's step may differ. Off: exactly, by XLA's sort.
	Sort Set = "sort"
	// Tables builds the distances between points for Chamfer and approximate EMD in blocks. Off:
	// all are stored.
	Tables Set = "tables"
)

// Names lists the fast paths.
func Names() []string {
	return []string{string(Ascent), string(Attention), string(Encoder), string(Host), string(Sort), string(Tables)}
}

// Has reports whether a fast path is switched off.
func (s Set) Has(path Set) bool { return slices.Contains(strings.Split(string(s), ","), string(path)) }

// Check returns an error that lists the names if s holds an unknown one.
func (s Set) Check() error {
	if s == "" {
		return nil
	}
	for _, name := range strings.Split(string(s), ",") {
		if !slices.Contains(Names(), name) {
			return fmt.Errorf("plain: expected some of %s, separated by commas, found %q%s", strings.Join(Names(), ", "), name, suggest.Hint(name, Names()))
		}
	}
	return nil
}

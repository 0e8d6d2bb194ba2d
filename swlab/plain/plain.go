// Package plain names the fast paths: computations that do not follow their formulas step by step,
// and can be switched off.
package plain

import (
	"fmt"
	"slices"
	"strings"

	"github.com/sliced-wasserstein/lab/internal/suggest"
)

// Set names the fast paths that are switched off, separated by commas: "sort,ascent". By default
// all are on, each on the backends where it pays off. The results agree up to rounding.
type Set string

const (
	// Ascent computes the costs of an ascent on the location in plain Go, between two graphs
	// (loss.Sliced.Maximizer). Off: in one graph.
	Ascent Set = "ascent"
	// Host computes the sliced loss of a training step and its gradient in plain Go, exactly sorted,
	// between a program for the forward pass and one for the backward pass. In the middle of the forward
	// pass plain Go finds the maxima over the points. Off: in one program.
	Host Set = "host"
	// Sort orders projections by a network on 32-bit keys (ot1d.Costs): the matching of projections
	// closer than a key's step may differ. Off: exactly, by XLA's sort.
	Sort Set = "sort"
)

// Names lists the fast paths.
func Names() []string {
	return []string{string(Ascent), string(Host), string(Sort)}
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
			return fmt.Errorf("plain: expected some of %s, separated by commas, found %q%s", strings.Join(Names(), ", "), name,
				suggest.Hint(name, Names()))
		}
	}
	return nil
}

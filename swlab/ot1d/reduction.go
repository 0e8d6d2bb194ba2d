package ot1d

import (
	"fmt"
)

// Reduction is how the costs of the matched points of a pair of clouds are reduced. Zero is the
// default: Sum in this package, the loss's own in package loss.
type Reduction int

const (
	// Sum adds the costs: F = sum_i |a_(i) - b_(i)|^p. It needs clouds of one size, without masses.
	Sum Reduction = iota + 1
	// Mean divides by the number of points or, with masses, weights by them: W_p^p of the two
	// probability measures.
	Mean
)

// String is sum, mean, or nothing for the default.
func (r Reduction) String() string {
	switch r {
	case Sum:
		return "sum"
	case Mean:
		return "mean"
	}
	return ""
}

// MarshalText writes sum, mean or nothing.
func (r Reduction) MarshalText() ([]byte, error) { return []byte(r.String()), nil }

// UnmarshalText reads what MarshalText wrote.
func (r *Reduction) UnmarshalText(text []byte) error {
	for _, known := range []Reduction{0, Sum, Mean} {
		if string(text) == known.String() {
			*r = known
			return nil
		}
	}
	return fmt.Errorf("expected sum or mean, found %q", text)
}

package loss

import (
	"fmt"
	"strings"
)

// Convention says what the number of a loss is.
type Convention struct {
	Cost     string    // what is reduced, such as "squared Euclidean distance"
	Exponent float64   // p of the cost; clouds scaled by c cost c^p times as much; 0: they do not
	Reduce   Reduction // over points: Sum or Mean; 0: neither
	Then     string    // what follows, such as "mean over slices"; "": nothing
	Root     bool      // at last, the p-th root
}

// String is the convention in words, such as "W_2^2: sum over points, mean over slices, no root".
func (c Convention) String() string {
	words := []string{c.Cost}
	if c.Reduce != 0 {
		words = append(words, c.Reduce.String()+" over points")
	}
	if c.Then != "" {
		words = append(words, c.Then)
	}
	switch {
	case c.Root && c.Exponent == 2:
		words = append(words, "square root")
	case c.Root:
		words = append(words, fmt.Sprintf("%g-th root", c.Exponent))
	case c.Exponent != 1 && c.Reduce != 0:
		words = append(words, "no root")
	}
	return strings.Replace(strings.Join(words, ", "), ":,", ":", 1)
}

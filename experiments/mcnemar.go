package experiments

import (
	"fmt"

	"gonum.org/v1/gonum/stat/distuv"
)

// Discordance compares two classifiers on the same n things.
type Discordance struct {
	N     int     `json:"n"`
	A     float64 `json:"a"` // accuracies, as fractions
	B     float64 `json:"b"`
	OnlyA int     `json:"only_a"` // right with a, wrong with b
	OnlyB int     `json:"only_b"`
	P     float64 `json:"p"` // two-sided, of McNemar's test
}

// CompareCorrect is McNemar's exact test (1947) on which of the same things two classifiers had right: of the k = OnlyA + OnlyB on which they
// differ, each falls to either side with probability 1/2 if they are equally good, so p = min(1, 2 P(Binomial(k, 1/2) <= min(OnlyA, OnlyB))).
// Like Compare it speaks of these two classifiers, not of other training seeds.
func CompareCorrect(a, b []bool) (Discordance, error) {
	if len(a) != len(b) || len(a) == 0 {
		return Discordance{}, fmt.Errorf("comparison: expected the answers of both classifiers to the same questions, found %d and %d", len(a), len(b))
	}
	c, both := Discordance{N: len(a), P: 1}, 0
	for i := range a {
		switch {
		case a[i] && b[i]:
			both++
		case a[i]:
			c.OnlyA++
		case b[i]:
			c.OnlyB++
		}
	}
	c.A, c.B = float64(both+c.OnlyA)/float64(c.N), float64(both+c.OnlyB)/float64(c.N)
	if c.OnlyA != c.OnlyB {
		c.P = 2 * distuv.Binomial{N: float64(c.OnlyA + c.OnlyB), P: 0.5}.CDF(float64(min(c.OnlyA, c.OnlyB)))
	}
	return c, nil
}

package experiments

import (
	"fmt"
	"strings"
)

// InvarianceReport is the result of Invariance, ready for encoding/json.
type InvarianceReport struct {
	Data            string          `json:"data"`
	Points          int             `json:"points"`
	DK              int             `json:"dk"`
	K               int             `json:"k"`
	Variant         string          `json:"variant"`
	Pairs           int             `json:"pairs"`
	Initialisations int             `json:"initialisations"`
	Backend         string          `json:"backend"`
	Rows            []InvarianceRow `json:"rows"`
}

// InvarianceRow describes one amortizer. Angles are means over the pairs, in degrees. Ranges are
// over the initialisations.
type InvarianceRow struct {
	Map string `json:"map"`
	InvarianceRanges
	// Found holds if no pair turned by more than 1e-4 degrees, or a thousandth of the bootstrap's
	// angle.
	Found     InvarianceVerdict `json:"found"`
	Claimed   InvarianceVerdict `json:"claimed"` // the map's Properties
	Reference *InvarianceRanges `json:"reference,omitempty"`
}

// InvarianceVerdict says which changes leave the direction unchanged: permuting the points,
// exchanging the clouds.
type InvarianceVerdict struct {
	Invariant bool `json:"invariant"`
	Symmetric bool `json:"symmetric"`
}

// InvarianceRanges are the numbers of a row.
type InvarianceRanges struct {
	PermuteX  Range `json:"permute_x"`
	PermuteY  Range `json:"permute_y"`
	Exchange  Range `json:"exchange"`
	Bootstrap Range `json:"bootstrap"` // of X
	// Spread is the length R of the mean direction over the pairs: 1 where all pairs get one
	// direction.
	Spread Range `json:"spread"`
}

// Range is the smallest and the largest value.
type Range struct {
	Min float64 `json:"min"`
	Max float64 `json:"max"`
}

func (r *Range) add(v float64, first bool) {
	if first {
		*r = Range{v, v}
		return
	}
	r.Min, r.Max = min(r.Min, v), max(r.Max, v)
}

// text formats r with that many significant digits. Values that differ from 0 only by rounding
// print as 0.
func (r Range) text(digits int) string {
	number := func(v float64) string {
		switch {
		case v < 1e-4:
			return "0"
		case v >= 100:
			return fmt.Sprintf("%.0f", v)
		}
		return fmt.Sprintf("%.*g", digits, v)
	}
	low, high := number(r.Min), number(r.Max)
	if low == high {
		return low
	}
	return low + "-" + high
}

// invarianceReference holds the ranges of the released modules: initial weights, m = 2048, d_k = k
// = 64, three initialisations, 20 random pairs of synthetic clouds (4 for A). Directions are
// random, so other clouds and initial weights give ranges of the same size, not the same ranges.
var invarianceReference = map[string]InvarianceRanges{
	"l":  {Range{44, 63}, Range{47, 72}, Range{55, 88}, Range{46, 69}, Range{0.20, 0.29}},
	"g":  {Range{2, 4}, Range{3, 5}, Range{4, 6}, Range{2, 5}, Range{0.996, 0.999}},
	"n":  {Range{0.8, 1.7}, Range{1.1, 1.5}, Range{1.1, 2.4}, Range{1, 2}, Range{0.9994, 0.9998}},
	"a":  {Bootstrap: Range{0.2, 0.4}, Spread: Range{0.9996, 1}},
	"ea": {Bootstrap: Range{0.2, 0.6}, Spread: Range{1, 1}},
	"la": {Range{21, 50}, Range{18, 37}, Range{}, Range{19, 56}, Range{0.41, 0.95}},
}

// comparable reports whether the settings are those of the reference.
func (r *InvarianceReport) comparable() bool {
	return r.Points == 2048 && r.DK == 64 && r.K == 64 && r.Variant == "released"
}

// Markdown returns a table for readers, with the reference in brackets if there is one.
func (r *InvarianceReport) Markdown() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s: m = %d, d_k = %d, k = %d, maps as %s, initial weights; %d initialisations (the range), %d pairs each; %s.\n"+
		"Mean angle in degrees between a(X, Y) and a of the clouds changed; R: length of the mean direction over pairs.\n",
		r.Data, r.Points, r.DK, r.K, r.Variant, r.Initialisations, r.Pairs, r.Backend)
	if r.comparable() {
		b.WriteString("In brackets the released modules on other clouds.\n")
	}
	b.WriteString("\n| map | permute X | permute Y | exchange X, Y | bootstrap X | R | invariant | symmetric |\n|---|---|---|---|---|---|---|---|\n")
	for _, row := range r.Rows {
		ref := InvarianceRanges{}
		if row.Reference != nil {
			ref = *row.Reference
		}
		cells := []string{row.Map}
		for _, c := range []struct {
			found, ref Range
			digits     int
		}{{row.PermuteX, ref.PermuteX, 2}, {row.PermuteY, ref.PermuteY, 2}, {row.Exchange, ref.Exchange, 2}, {row.Bootstrap, ref.Bootstrap, 2}, {row.Spread, ref.Spread, 4}} {
			cell := c.found.text(c.digits)
			if row.Reference != nil {
				cell += " (" + c.ref.text(c.digits) + ")"
			}
			cells = append(cells, cell)
		}
		cells = append(cells, verdict(row.Found.Invariant, row.Claimed.Invariant), verdict(row.Found.Symmetric, row.Claimed.Symmetric))
		fmt.Fprintf(&b, "| %s |\n", strings.Join(cells, " | "))
	}
	return b.String()
}

func verdict(found, claimed bool) string {
	text := "no"
	if found {
		text = "yes"
	}
	if found != claimed {
		text += ", against the map's claim"
	}
	return text
}

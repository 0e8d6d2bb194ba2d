package vmfviz

import (
	"fmt"
	"math"
	"slices"
	"unicode"

	stdfont "golang.org/x/image/font"
	"golang.org/x/image/font/sfnt"
	"gonum.org/v1/plot/font"
)

// errorIf returns an error of the package if something is wrong; cmp.Or takes the first of several.
func errorIf(wrong bool, format string, a ...any) error {
	if !wrong {
		return nil
	}
	return fmt.Errorf("vmfviz: "+format, a...)
}

// checkRows checks that v holds at least one row of dim finite numbers.
func checkRows(name string, v []float32, dim int) error {
	if len(v) == 0 {
		return fmt.Errorf("vmfviz: %s is empty, expected rows of %d numbers", name, dim)
	}
	if len(v)%dim != 0 {
		return fmt.Errorf("vmfviz: %s has length %d, expected a multiple of %d", name, len(v), dim)
	}
	for i, x := range v {
		if !(math.Abs(float64(x)) <= 1e15) {
			return fmt.Errorf("vmfviz: %s: row %d, column %d is %g, expected a finite number of at most 1e15", name, i/dim, i%dim, x)
		}
	}
	return nil
}

// checkUnit checks that v, if not nil, holds unit vectors of length dim, to 1 part in 100.
func checkUnit(name string, v []float32, dim int) error {
	if v == nil {
		return nil
	}
	if err := checkRows(name, v, dim); err != nil {
		return err
	}
	for i, q := range rows(v, dim) {
		if n := math.Sqrt(dot(q, q)); math.Abs(n-1) > 0.01 {
			return fmt.Errorf("vmfviz: %s: row %d has length %.4g, expected a unit vector", name, i, n)
		}
	}
	return nil
}

// largest is the limit for numbers on axes: their squares must be finite.
const largest = 1e150

// checkFinite checks that v is not empty and that all its numbers are finite.
func checkFinite(name string, v []float64) error {
	for i, x := range v {
		if err := checkNumber(fmt.Sprintf("%s[%d]", name, i), x, false); err != nil {
			return err
		}
	}
	return errorIf(len(v) == 0, "%s is empty", name)
}

// checkNumber checks that a number can stand on a linear or a logarithmic axis.
func checkNumber(name string, x float64, log bool) error {
	if !(math.Abs(x) <= largest) {
		return fmt.Errorf("vmfviz: %s is %g, expected a finite number of at most %g", name, x, largest)
	}
	return errorIf(log && x < 1/largest, "%s is %g, expected a positive number for a logarithmic axis", name, x)
}

// checkText checks that a text is one line of letters that the font has.
func checkText(name, s string) error {
	for _, r := range s {
		if unicode.IsControl(r) {
			return fmt.Errorf("vmfviz: %s = %q: expected one line of text, found the control character %U", name, s, r)
		}
	}
	m := append(missingRunes(s), 0)[0]
	return errorIf(m != 0, "%s = %q: the font (Liberation Sans) has no letter %q (%U)", name, s, m, m)
}

// checkNames checks n texts, or none.
func checkNames(name string, texts []string, n int) error {
	if texts != nil && len(texts) != n {
		return fmt.Errorf("vmfviz: %s has %d names, expected %d", name, len(texts), n)
	}
	for i, t := range texts {
		if err := checkText(fmt.Sprintf("%s[%d]", name, i), t); err != nil {
			return err
		}
	}
	return nil
}

// missingRunes returns the runes of s that the default font of the pictures lacks, in order, each
// once. Such a rune would be an empty place in the picture. The font, Liberation Sans, has among
// others θ κ ε ² ₁ ₂ √ ± − · × ≤ ∞ ∑.
func missingRunes(s string) []rune {
	var missing []rune
	var buf sfnt.Buffer
	for _, p := range pieces(s) {
		for _, r := range p.text {
			for _, style := range []stdfont.Style{stdfont.StyleNormal, stdfont.StyleItalic} {
				f := font.Font{Typeface: "Liberation", Variant: "Sans", Style: style}
				if g, err := font.DefaultCache.Lookup(f, pointsLabel).Face.GlyphIndex(&buf, r); (err != nil || g == 0) && !slices.Contains(missing, r) {
					missing = append(missing, r)
				}
			}
		}
	}
	return missing
}

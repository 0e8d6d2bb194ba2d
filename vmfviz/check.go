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

// checkRows checks that v holds at least one row of dim finite numbers and
// returns the number of rows.
func checkRows(name string, v []float32, dim int) (rows int, err error) {
	if len(v) == 0 {
		return 0, fmt.Errorf("vmfviz: %s is empty, expected rows of %d numbers", name, dim)
	}
	if len(v)%dim != 0 {
		return 0, fmt.Errorf("vmfviz: %s has length %d, expected a multiple of %d", name, len(v), dim)
	}
	for i, x := range v {
		if f := float64(x); math.IsNaN(f) || math.IsInf(f, 0) {
			return 0, fmt.Errorf("vmfviz: %s: row %d, column %d is %g, expected a finite number", name, i/dim, i%dim, f)
		}
		if math.Abs(float64(x)) > 1e15 {
			return 0, fmt.Errorf("vmfviz: %s: row %d, column %d is %g, too large to draw (limit 1e15)", name, i/dim, i%dim, x)
		}
	}
	return len(v) / dim, nil
}

// checkUnit checks that v holds unit vectors of length 3, to 1 part in 100.
func checkUnit(name string, v []float32) (rows int, err error) {
	rows, err = checkRows(name, v, 3)
	if err != nil {
		return 0, err
	}
	for i := range rows {
		n := math.Sqrt(dot(row3(v, i), row3(v, i)))
		if math.Abs(n-1) > 0.01 {
			return 0, fmt.Errorf("vmfviz: %s: row %d has length %.4g, expected a unit vector", name, i, n)
		}
	}
	return rows, nil
}

// largest is the limit for numbers on axes: their squares must be finite.
const largest = 1e150

// checkFinite checks that v is not empty and that all its numbers are finite.
func checkFinite(name string, v []float64) error {
	if len(v) == 0 {
		return fmt.Errorf("vmfviz: %s is empty", name)
	}
	for i, x := range v {
		if math.IsNaN(x) || math.IsInf(x, 0) {
			return fmt.Errorf("vmfviz: %s[%d] is %g, expected a finite number", name, i, x)
		}
		if math.Abs(x) > largest {
			return fmt.Errorf("vmfviz: %s[%d] is %g, too large to draw (limit %g)", name, i, x, largest)
		}
	}
	return nil
}

// missingRunes returns the runes of s that the default font of the pictures lacks, in
// order, each once. Such a rune would be an empty place in the picture.
// The font, Liberation Sans, has among others θ κ ε ² ₁ ₂ √ ± − · × ≤ ∞ ∑.
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

// checkText says what is wrong with a text that a picture should show.
func checkText(name, s string) error {
	for _, r := range s {
		if unicode.IsControl(r) {
			return fmt.Errorf("vmfviz: %s = %q: expected one line of text, found the control character %U", name, s, r)
		}
	}
	if m := missingRunes(s); len(m) > 0 {
		return fmt.Errorf("vmfviz: %s = %q: the font (Liberation Sans) has no letter %q (%U)", name, s, m[0], m[0])
	}
	return nil
}

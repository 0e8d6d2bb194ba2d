package vmfviz

import (
	"image/color"
	"math"
	"slices"
	"testing"
)

// TestColorMaps: luminance changes one way all the way, so that numbers can be read in
// grey, in steps of 5 % (finer ones are lost in eight bits); and over the whole map by
// 4.5:1 or more. A range of one number has a colour.
func TestColorMaps(t *testing.T) {
	for name, controls := range map[string][]color.Color{"functions": theme.Map, "errors": theme.Errors} {
		m := newColorMap(controls, 0, 20)
		at := func(v float64) float64 { return luminance(nrgba(colorAt(m, v))) }
		first, last := at(0), at(20)
		if r := (math.Max(first, last) + 0.05) / (math.Min(first, last) + 0.05); r < 4.5 {
			t.Errorf("%s: contrast %.1f from end to end", name, r)
		}
		for i := range 20 {
			if a, b := at(float64(i)), at(float64(i+1)); (b-a)*(last-first) <= 0 {
				t.Errorf("%s: luminance turns back after %d %%: %.4f, then %.4f", name, 5*i, a, b)
			}
		}
		if want := color.NRGBAModel.Convert(controls[0]); color.NRGBAModel.Convert(colorAt(m, -3)) != want {
			t.Errorf("%s: the lower end is %v, expected %v", name, colorAt(m, -3), want)
		}
		if colorAt(newColorMap(controls, 7, 7), 7) == color.Transparent {
			t.Errorf("%s: no colour for a range of one number", name)
		}
	}
}

// TestPalette: any two of the seven curves that a panel has colours for differ in
// luminance by a ratio of 1.5, which reads in grey, or in their dashes.
func TestPalette(t *testing.T) {
	c := CurvePanel{Series: make([]Series, len(theme.Series))}
	for i := range c.Series {
		for j := range i {
			a, b := c.style(i), c.style(j)
			u, v := luminance(a.Color.(color.NRGBA))+0.05, luminance(b.Color.(color.NRGBA))+0.05
			if math.Max(u, v)/math.Min(u, v) < 1.5 && slices.Equal(a.Dashes, b.Dashes) {
				t.Errorf("curves %d and %d: %v and %v with the same dashes", i, j, a, b)
			}
		}
	}
}

// TestContrast: text has at least the 4.5:1 that WCAG 2 asks for, marks 3:1.
func TestContrast(t *testing.T) {
	ratio := func(c color.NRGBA) float64 { return 1.05 / (luminance(c) + 0.05) }
	for _, c := range []color.NRGBA{ink, soft, theme.dark(blue).(color.NRGBA), theme.dark(vermilion).(color.NRGBA), theme.dark(purple).(color.NRGBA)} {
		if r := ratio(c); r < 4.5 {
			t.Errorf("text colour %v: contrast %.2f on white", c, r)
		}
	}
	for _, c := range []color.NRGBA{blue, vermilion, axis} {
		if r := ratio(c); r < 3 {
			t.Errorf("mark colour %v: contrast %.2f on white", c, r)
		}
	}
}

// TestReadable: text and contours have a contrast of 4.2:1 or more on every colour; black or white
// alone cannot give more than 4.5 everywhere.
func TestReadable(t *testing.T) {
	m := newColorMap(theme.Map, 0, 1)
	for i := range 257 {
		ground := nrgba(colorAt(m, float64(i)/256))
		a, b := luminance(ground)+0.05, luminance(nrgba(readable(ground)))+0.05
		if r := math.Max(a, b) / math.Min(a, b); r < 4.2 {
			t.Errorf("contrast %.2f on %v", r, ground)
		}
	}
}

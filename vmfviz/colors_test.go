package vmfviz

import (
	"image/color"
	"math"
	"slices"
	"testing"
)

// TestViridis: the ends, also of what is beyond them.
func TestViridis(t *testing.T) {
	if viridis(0) != (color.NRGBA{0x44, 0x01, 0x54, 0xFF}) || viridis(1) != (color.NRGBA{0xFD, 0xE7, 0x25, 0xFF}) || viridis(math.NaN()) != viridis(-3) {
		t.Error("wrong ends")
	}
}

// TestColorMaps: luminance changes one way all the way, so that numbers can be read in grey, in steps of 5 % (finer ones are lost in eight
// bits); and over the whole map by 4.5:1 or more.
func TestColorMaps(t *testing.T) {
	for name, m := range map[string]func(float64) color.NRGBA{"viridis": viridis, "errors": errorColor} {
		first, last := luminance(m(0)), luminance(m(1))
		if r := (math.Max(first, last) + 0.05) / (math.Min(first, last) + 0.05); r < 4.5 {
			t.Errorf("%s: contrast %.1f from end to end", name, r)
		}
		for i := range 20 {
			a, b := luminance(m(float64(i)/20)), luminance(m(float64(i+1)/20))
			if (b-a)*(last-first) <= 0 {
				t.Errorf("%s: luminance turns back after %d %%: %.4f, then %.4f", name, 5*i, a, b)
			}
		}
	}
}

// TestPalette: any two of the seven curves that a panel has colours for differ in
// luminance by a ratio of 1.5, which reads in grey, or in their dashes.
func TestPalette(t *testing.T) {
	theme := DefaultTheme()
	c := CurvePanel{Series: make([]Series, len(theme.Series))}
	for i := range c.Series {
		for j := range i {
			a, b := c.style(theme, i), c.style(theme, j)
			u, v := luminance(a.Color.(color.NRGBA))+0.05, luminance(b.Color.(color.NRGBA))+0.05
			if math.Max(u, v)/math.Min(u, v) < 1.5 && slices.Equal(a.Dashes, b.Dashes) {
				t.Errorf("curves %d and %d: %v and %v with the same dashes", i, j, a, b)
			}
		}
	}
}

// TestRoleMarks: every role has a mark of its own shape, about as large as the
// others.
func TestRoleMarks(t *testing.T) {
	shapes := map[string]Role{}
	for _, r := range []Role{Input, Output, Direction, Reference} {
		p := newPicture(40, 40, "", func(s *page) { r.mark(s, pt{20, 20}, 8, ink) })
		img, err := p.Image(1)
		if err != nil {
			t.Fatal(err)
		}
		shape, area := "", 0
		for y := 5; y < 35; y++ {
			for x := 5; x < 35; x++ {
				v, _, _, _ := img.At(x, y).RGBA()
				shape += string("# "[v>>15])
				if v < 1<<15 {
					area++
				}
			}
		}
		if area < 140 || area > 280 {
			t.Errorf("the mark of role %d covers %d pixels", r, area)
		}
		if other, ok := shapes[shape]; ok {
			t.Errorf("roles %d and %d have one mark", r, other)
		}
		shapes[shape] = r
	}
}

// TestContrast: text has at least the 4.5:1 that WCAG 2 asks for, marks 3:1.
func TestContrast(t *testing.T) {
	ratio := func(c color.NRGBA) float64 { return 1.05 / (luminance(c) + 0.05) }
	for _, c := range []color.NRGBA{ink, soft, dark(blue), dark(vermilion), dark(purple)} {
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

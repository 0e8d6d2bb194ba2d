package vmfviz

import (
	"image/color"
	"math"
)

// Role says what a set of points or a curve stands for and so which colour it
// has; the colours are those of Okabe and Ito.
type Role int

// The roles. Auto lets the picture choose: the first row of [Clouds] is an
// input, later rows are outputs; the series of [Curves] take one colour after
// the other.
const (
	Auto      Role = iota
	Input          // input or target: blue
	Output         // reconstruction or source that moves: vermilion
	Direction      // slicing direction or location of a distribution: purple
	Reference      // a number from elsewhere, for example the paper: dark grey
)

// Colours of Okabe and Ito, and greys.
var (
	blue      = color.NRGBA{0x00, 0x72, 0xB2, 0xFF}
	vermilion = color.NRGBA{0xD5, 0x5E, 0x00, 0xFF}
	purple    = color.NRGBA{0xCC, 0x79, 0xA7, 0xFF}
	green     = color.NRGBA{0x00, 0x9E, 0x73, 0xFF}
	orange    = color.NRGBA{0xE6, 0x9F, 0x00, 0xFF}
	sky       = color.NRGBA{0x56, 0xB4, 0xE9, 0xFF}

	white  = color.NRGBA{0xFF, 0xFF, 0xFF, 0xFF}
	ink    = color.NRGBA{0x1F, 0x23, 0x28, 0xFF} // text
	soft   = color.NRGBA{0x57, 0x60, 0x6A, 0xFF} // secondary text, 6.4:1 on white
	axis   = color.NRGBA{0x6E, 0x77, 0x81, 0xFF}
	grid   = color.NRGBA{0xE3, 0xE6, 0xEA, 0xFF}
	rim    = color.NRGBA{0xC9, 0xCE, 0xD4, 0xFF}
	shadow = color.NRGBA{0xF3, 0xF5, 0xF8, 0xFF} // the inside of an empty sphere
)

// seriesColors are taken in turn by series without a role.
var seriesColors = []color.NRGBA{blue, vermilion, green, purple, orange, sky, ink}

func (r Role) color() color.NRGBA {
	switch r {
	case Output:
		return vermilion
	case Direction:
		return purple
	case Reference:
		return soft
	default:
		return blue
	}
}

// mark draws the filled mark of a role, about 2·size wide: roles differ in shape, so
// that they can be told apart in grey.
func (r Role) mark(s *page, p pt, size float64, col color.NRGBA) {
	switch r {
	case Output:
		s.diamond(p, 1.3*size, col)
	case Direction:
		s.fill(col, pt{p.x - 1.25*size, p.y + size}, pt{p.x, p.y - 1.25*size}, pt{p.x + 1.25*size, p.y + size})
	case Reference:
		s.rect(box{p.x - 0.9*size, p.y - 0.9*size, 1.8 * size, 1.8 * size}, col)
	default:
		s.disc(p, size, col)
	}
}

// mix returns (1-t)·a + t·b, opaque.
func mix(a, b color.NRGBA, t float64) color.NRGBA {
	l := func(x, y uint8) uint8 { return uint8(float64(x) + t*(float64(y)-float64(x)) + 0.5) }
	return color.NRGBA{l(a.R, b.R), l(a.G, b.G), l(a.B, b.B), 0xFF}
}

// alpha returns the colour with opacity t in [0, 1].
func alpha(c color.NRGBA, t float64) color.NRGBA {
	c.A = uint8(255*t + 0.5)
	return c
}

// dark returns the colour for outlines around marks of colour c.
func dark(c color.NRGBA) color.NRGBA { return mix(c, color.NRGBA{A: 0xFF}, 0.45) }

// color3 is the opaque colour 0xRRGGBB.
func color3(rgb uint32) color.NRGBA {
	return color.NRGBA{uint8(rgb >> 16), uint8(rgb >> 8), uint8(rgb), 0xFF}
}

// luminance is the relative luminance of WCAG 2.
func luminance(c color.NRGBA) float64 {
	lin := func(v uint8) float64 {
		x := float64(v) / 255
		if x <= 0.04045 {
			return x / 12.92
		}
		return math.Pow((x+0.055)/1.055, 2.4)
	}
	return 0.2126*lin(c.R) + 0.7152*lin(c.G) + 0.0722*lin(c.B)
}

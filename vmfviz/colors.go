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

	white = color.NRGBA{0xFF, 0xFF, 0xFF, 0xFF}
	ink   = color.NRGBA{0x1F, 0x23, 0x28, 0xFF} // text
	soft  = color.NRGBA{0x57, 0x60, 0x6A, 0xFF} // secondary text, 6.4:1 on white
	axis  = color.NRGBA{0x6E, 0x77, 0x81, 0xFF}
	grid  = color.NRGBA{0xE3, 0xE6, 0xEA, 0xFF}
	rim   = color.NRGBA{0xC9, 0xCE, 0xD4, 0xFF}
)

// mix returns (1-t)·a + t·b, opaque.
func mix(a, b color.NRGBA, t float64) color.NRGBA {
	l := func(x, y uint8) uint8 { return uint8(float64(x) + t*(float64(y)-float64(x)) + 0.5) }
	return color.NRGBA{l(a.R, b.R), l(a.G, b.G), l(a.B, b.B), 0xFF}
}

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

// viridisAnchors are every 16th colour and the last of the viridis map of
// matplotlib (S. van der Walt and N. Smith, released under CC0). Its lightness
// grows steadily, so it can be read in greyscale and by colour-blind readers.
var viridisAnchors = [17]color.NRGBA{
	{0x44, 0x01, 0x54, 0xFF}, {0x48, 0x18, 0x6A, 0xFF}, {0x47, 0x2D, 0x7B, 0xFF}, {0x42, 0x40, 0x86, 0xFF},
	{0x3B, 0x52, 0x8B, 0xFF}, {0x33, 0x63, 0x8D, 0xFF}, {0x2C, 0x72, 0x8E, 0xFF}, {0x26, 0x82, 0x8E, 0xFF},
	{0x21, 0x91, 0x8C, 0xFF}, {0x1F, 0xA0, 0x88, 0xFF}, {0x28, 0xAE, 0x80, 0xFF}, {0x3F, 0xBC, 0x73, 0xFF},
	{0x5E, 0xC9, 0x62, 0xFF}, {0x84, 0xD4, 0x4B, 0xFF}, {0xAD, 0xDC, 0x30, 0xFF}, {0xD8, 0xE2, 0x19, 0xFF},
	{0xFD, 0xE7, 0x25, 0xFF},
}

// errorAnchors go from a pale grey to a dark red: on white the largest error
// stands out most, and lightness falls all the way.
var errorAnchors = [5]color.NRGBA{
	{0xD3, 0xD9, 0xE0, 0xFF}, {0xF0, 0xBE, 0x86, 0xFF}, {0xE6, 0x84, 0x2E, 0xFF}, {0xB8, 0x45, 0x0A, 0xFF}, {0x5E, 0x14, 0x0A, 0xFF},
}

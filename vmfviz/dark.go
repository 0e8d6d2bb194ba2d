package vmfviz

import (
	"image/color"
	"math"
)

// Dark returns the picture on a dark card, for dark slides and pages. Lightness
// is turned round and hue stays, so blue remains the input; colours that stand
// for numbers of the viridis map, with their colour bar, do not change.
func (p *Picture) Dark() *Picture {
	if p == nil || p.paint == nil {
		return p
	}
	q := *p
	q.dark = true
	return &q
}

// tone is the colour as it is drawn on this sheet.
func (s *page) tone(c color.NRGBA) color.NRGBA {
	if !s.dark {
		return c
	}
	return darkTone(c)
}

// exact draws with the given colours, also on a dark sheet.
func (s *page) exact(draw func()) {
	dark := s.dark
	s.dark = false
	defer func() { s.dark = dark }()
	draw()
}

// Lightness on a dark card, in OKLab: of the card, which is white on a light
// one, and of black.
const (
	darkCard  = 0.22
	darkBlack = 0.97
)

// darkTone turns the lightness of a colour round, in B. Ottosson's OKLab (2020),
// and keeps hue, opacity and as much of the chroma as a screen can show. Middle
// lightness is lifted: on dark ground marks need more of it than on white.
func darkTone(c color.NRGBA) color.NRGBA {
	l, a, b := okLab(c)
	l = darkCard + (darkBlack-darkCard)*math.Pow(math.Max(0, 1-l), 0.7)
	for k := 1.0; ; k -= 0.05 {
		if out, ok := fromOkLab(l, k*a, k*b); ok || k < 0.04 {
			out.A = c.A
			return out
		}
	}
}

// okLab returns the colour in OKLab: lightness from 0 to 1, and two axes of
// chroma.
func okLab(c color.NRGBA) (l, a, b float64) {
	lin := func(v uint8) float64 {
		x := float64(v) / 255
		if x <= 0.04045 {
			return x / 12.92
		}
		return math.Pow((x+0.055)/1.055, 2.4)
	}
	r, g, u := lin(c.R), lin(c.G), lin(c.B)
	x := math.Cbrt(0.4122214708*r + 0.5363325363*g + 0.0514459929*u)
	y := math.Cbrt(0.2119034982*r + 0.6806995451*g + 0.1073969566*u)
	z := math.Cbrt(0.0883024619*r + 0.2817188376*g + 0.6299787005*u)
	return 0.2104542553*x + 0.7936177850*y - 0.0040720468*z,
		1.9779984951*x - 2.4285922050*y + 0.4505937099*z,
		0.0259040371*x + 0.7827717662*y - 0.8086757660*z
}

// fromOkLab is the inverse of okLab; ok says that a screen can show the colour.
func fromOkLab(l, a, b float64) (c color.NRGBA, ok bool) {
	cube := func(x float64) float64 { return x * x * x }
	x := cube(l + 0.3963377774*a + 0.2158037573*b)
	y := cube(l - 0.1055613458*a - 0.0638541728*b)
	z := cube(l - 0.0894841775*a - 1.2914855480*b)
	ok = true
	out := func(v float64) uint8 {
		if v < -1e-4 || v > 1+1e-4 {
			ok = false
		}
		v = math.Max(0, math.Min(1, v))
		if v <= 0.0031308 {
			return uint8(255*12.92*v + 0.5)
		}
		return uint8(255*(1.055*math.Pow(v, 1/2.4)-0.055) + 0.5)
	}
	c = color.NRGBA{
		R: out(4.0767416621*x - 3.3077115913*y + 0.2309699292*z),
		G: out(-1.2684380046*x + 2.6097574011*y - 0.3413193965*z),
		B: out(-0.0041960863*x - 0.7034186147*y + 1.7076147010*z),
		A: 0xFF,
	}
	return c, ok
}

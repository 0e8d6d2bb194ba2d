package vmfviz

import (
	"image/color"
	"math"
	"slices"

	stdfont "golang.org/x/image/font"
	"gonum.org/v1/plot"
	"gonum.org/v1/plot/font"
	"gonum.org/v1/plot/palette"
	"gonum.org/v1/plot/palette/moreland"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/text"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// Role says what a set of points or a curve stands for and so which colour it has; the colours are
// those of Okabe and Ito.
type Role int

// The roles. Auto lets the picture choose: the first row of [Clouds] is an input, later rows are
// outputs; the series of [Curves] take one colour after the other.
const (
	Auto      Role = iota
	Input          // input or target: blue
	Output         // reconstruction or source that moves: vermilion
	Direction      // slicing direction or location of a distribution: purple
	Reference      // a number from elsewhere, for example the paper: dark grey
)

// Colours of Okabe and Ito, and greys.
var (
	blue      = color3(0x0072B2)
	vermilion = color3(0xD55E00)
	purple    = color3(0xCC79A7)
	green     = color3(0x009E73)
	orange    = color3(0xE69F00)
	sky       = color3(0x56B4E9)

	white = color3(0xFFFFFF)
	ink   = color3(0x1F2328) // text
	soft  = color3(0x57606A) // secondary text, 6.4:1 on white
	axis  = color3(0x6E7781)
	grid  = color3(0xE3E6EA)
	edge  = color3(0xC9CED4)
)

// Theme is the look of all pictures.
type Theme struct {
	// Background is the colour of the card, Edge that of its rim. Text is for titles and labels,
	// Muted for tick labels, Axis for lines, Grid for grid lines.
	Background, Edge, Text, Muted, Axis, Grid color.Color
	// Input, Output, Direction and Reference are the colours of the roles.
	Input, Output, Direction, Reference color.Color
	// Series are taken in turn by series without a role.
	Series []color.Color
	// Map are the control colours of a function's colour map, from the smallest value to the
	// largest, Errors those of errors. Lightness must grow or fall all the way.
	Map, Errors []color.Color
}

var theme = DefaultTheme()

// DefaultTheme returns the theme of all pictures: a white card, the colours of Okabe and Ito, and
// the viridis colour map.
func DefaultTheme() *Theme {
	return &Theme{
		Background: white, Edge: edge, Text: ink, Muted: soft, Axis: axis, Grid: grid,
		Input: blue, Output: vermilion, Direction: purple, Reference: soft,
		Series: []color.Color{blue, vermilion, green, purple, orange, sky, ink},
		// Every 16th colour and the last of the viridis map of matplotlib (S. van der Walt and N.
		// Smith, CC0).
		Map: colors(0x440154, 0x48186A, 0x472D7B, 0x424086, 0x3B528B, 0x33638D, 0x2C728E, 0x26828E, 0x21918C,
			0x1FA088, 0x28AE80, 0x3FBC73, 0x5EC962, 0x84D44B, 0xADDC30, 0xD8E219, 0xFDE725),
		// From a pale grey to a dark red: on white the largest error stands out most.
		Errors: colors(0xD3D9E0, 0xF0BE86, 0xE6842E, 0xB8450A, 0x5E140A),
	}
}

func colors(rgb ...uint32) (out []color.Color) {
	for _, v := range rgb {
		out = append(out, color3(v))
	}
	return out
}

// Text sizes.
const (
	pointsTitle = vg.Length(12.75)
	pointsHead  = vg.Length(10.9)
	pointsLabel = vg.Length(10)
	pointsTick  = vg.Length(9)
)

// style returns the style of text of that size.
func (t *Theme) style(size vg.Length, c color.Color) text.Style {
	f := font.Font{Typeface: "Liberation", Variant: "Sans", Size: size}
	return text.Style{Color: c, Font: f, Handler: handler}
}

// bold returns the style in bold.
func bold(s text.Style) text.Style {
	s.Font.Weight = stdfont.WeightBold
	return s
}

// newPlot returns an empty plot with a grid.
func (t *Theme) newPlot() *plot.Plot {
	p := t.bare()
	g := plotter.NewGrid()
	g.Vertical = draw.LineStyle{Color: t.Grid, Width: 0.75}
	g.Horizontal = g.Vertical
	p.Add(g)
	return p
}

// bare returns an empty plot without a grid.
func (t *Theme) bare() *plot.Plot {
	p := plot.New()
	p.BackgroundColor = t.Background
	p.TextHandler = handler
	align := func(to *text.Style, s text.Style) {
		s.XAlign, s.YAlign, s.Rotation = to.XAlign, to.YAlign, to.Rotation
		*to = s
	}
	align(&p.Title.TextStyle, bold(t.style(pointsHead, t.Text)))
	p.Title.Padding = 6
	p.Legend.TextStyle = t.style(pointsLabel, t.Text)
	p.Legend.ThumbnailWidth, p.Legend.Padding = 20, 2
	for _, a := range []*plot.Axis{&p.X, &p.Y} {
		align(&a.Label.TextStyle, t.style(pointsLabel, t.Text))
		a.Label.TextStyle.Handler = axisLabels{handler}
		align(&a.Tick.Label, t.style(pointsTick, t.Muted))
		a.Label.Padding = 3
		a.LineStyle = draw.LineStyle{Color: t.Axis, Width: 0.9}
		a.Tick.LineStyle = draw.LineStyle{Color: t.Axis, Width: 0.75}
		a.Tick.Length = 3.5
		a.Tick.Marker = plot.TickerFunc(ticks)
		a.Padding = 0
	}
	return p
}

// color is the colour of a role; Auto is the i-th of the series.
func (t *Theme) color(r Role, i int) color.Color {
	if r >= Input && r <= Reference {
		return []color.Color{t.Input, t.Output, t.Direction, t.Reference}[r-Input]
	}
	return t.Series[i%len(t.Series)]
}

// glyph is the mark of a role: roles differ in shape as well as in colour.
func (t *Theme) glyph(r Role, radius vg.Length) draw.GlyphStyle {
	return draw.GlyphStyle{Color: t.color(r, 0), Radius: radius, Shape: shapes[max(r, Input)-Input]}
}

// dark is the colour of outlines and letters on a colour.
func (t *Theme) dark(c color.Color) color.Color { return blend(c, t.Text, 0.5) }

// blend returns (1-t)·a + t·b, opaque.
func blend(a, b color.Color, t float64) color.Color {
	x, y := nrgba(a), nrgba(b)
	mix := func(x, y uint8) uint8 { return uint8(float64(x) + t*(float64(y)-float64(x)) + 0.5) }
	return color.NRGBA{mix(x.R, y.R), mix(x.G, y.G), mix(x.B, y.B), 0xFF}
}

// nrgba converts a colour; nil is black, as in gonum/plot.
func nrgba(c color.Color) color.NRGBA {
	if c == nil {
		c = color.Black
	}
	return color.NRGBAModel.Convert(c).(color.NRGBA)
}

// color3 is the opaque colour 0xRRGGBB.
func color3(rgb uint32) color.NRGBA {
	return color.NRGBA{uint8(rgb >> 16), uint8(rgb >> 8), uint8(rgb), 0xFF}
}

// faded returns the colour with opacity t in [0, 1].
func faded(c color.Color, t float64) color.Color {
	n := nrgba(c)
	n.A = uint8(float64(n.A)*t + 0.5)
	return n
}

// italic returns the style in italics.
func italic(s text.Style) text.Style {
	s.Font.Style = stdfont.StyleItalic
	return s
}

// newColorMap returns a colour map of the range lo to hi; a range of one number is widened, so that
// it has a colour.
func newColorMap(controls []color.Color, lo, hi float64) palette.ColorMap {
	m, err := moreland.NewLuminance(controls)
	if err != nil { // the lightness falls
		dark := slices.Clone(controls)
		slices.Reverse(dark)
		if m, err = moreland.NewLuminance(dark); err != nil {
			panic(err)
		}
		m = palette.Reverse(m)
	}
	if lo == hi {
		d := math.Max(math.Abs(lo)/2, 0.5)
		lo, hi = lo-d, hi+d
	}
	m.SetMin(lo)
	m.SetMax(hi)
	return m
}

// colorAt returns the colour of a value in the range of a colour map.
func colorAt(m palette.ColorMap, v float64) color.Color {
	c, err := m.At(math.Min(math.Max(v, m.Min()), m.Max()))
	if err != nil { // not a number
		return color.Transparent
	}
	return c
}

// shades is the number of colours of a colour map.
const shades = 1024

// colorBar returns the plot of a colour bar, for [Picture.Bar], and its colour map. levels are
// values that contours mark in it.
func (t *Theme) colorBar(controls []color.Color, lo, hi float64, label string, levels []float64) (*plot.Plot, palette.ColorMap) {
	m := newColorMap(controls, lo, hi)
	p := t.bare()
	p.HideX()
	p.Y.Label.Text = label
	p.Add(&plotter.ColorBar{ColorMap: m, Vertical: true, Colors: shades})
	for _, level := range levels {
		p.Add(segment(0, level, 1, level, contourStyle(colorAt(m, level))))
	}
	return p, m
}

// contourStyle is the look of a contour on the colour of its value.
func contourStyle(ground color.Color) draw.LineStyle {
	return draw.LineStyle{Color: faded(readable(ground), 0.75), Width: 0.85}
}

// readable is the colour of text and lines on a ground, the one with more contrast.
func readable(ground color.Color) color.Color {
	black := color3(0x111111)
	if l := luminance(nrgba(ground)) + 0.05; l*l > 1.05*(luminance(black)+0.05) {
		return black
	}
	return white
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

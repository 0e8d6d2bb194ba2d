package vmfviz

import (
	"fmt"
	"image/color"
	"math"
	"slices"
	"strings"

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

// Theme is the look of a picture: its colours and its font. The options of every
// picture take one. Nil means [DefaultTheme], and so does a field that is not set.
type Theme struct {
	// Background is the colour of the card, Edge that of its rim. Text is for titles
	// and labels, Muted for tick labels, Axis for lines, Grid for grid lines.
	Background, Edge, Text, Muted, Axis, Grid color.Color
	// Input, Output, Direction and Reference are the colours of the roles.
	Input, Output, Direction, Reference color.Color
	// Series are taken in turn by series without a role.
	Series []color.Color
	// Map are the control colours of a function's colour map, from the smallest value
	// to the largest, Errors those of errors. Lightness must grow or fall all the way.
	Map, Errors []color.Color
	// Font is the typeface of all text; its size is not used.
	Font font.Font
}

// DefaultTheme returns the theme of the pictures in this module: a white card,
// the colours of Okabe and Ito, and the viridis colour map.
func DefaultTheme() *Theme {
	return &Theme{
		Background: white, Edge: rim, Text: ink, Muted: soft, Axis: axis, Grid: grid,
		Input: blue, Output: vermilion, Direction: purple, Reference: soft,
		Series: []color.Color{blue, vermilion, green, purple, orange, sky, ink},
		Map:    colors(viridisAnchors[:]),
		Errors: colors(errorAnchors[:]),
		Font:   font.Font{Typeface: "Liberation", Variant: "Sans"},
	}
}

func colors(c []color.NRGBA) []color.Color {
	out := make([]color.Color, len(c))
	for i, v := range c {
		out[i] = v
	}
	return out
}

// or returns the theme with the default in the place of what is not set.
func (t *Theme) or() *Theme {
	full := DefaultTheme()
	if t == nil {
		return full
	}
	for _, c := range []struct {
		to   *color.Color
		from color.Color
	}{
		{&full.Background, t.Background}, {&full.Edge, t.Edge}, {&full.Text, t.Text}, {&full.Muted, t.Muted}, {&full.Axis, t.Axis}, {&full.Grid, t.Grid},
		{&full.Input, t.Input}, {&full.Output, t.Output}, {&full.Direction, t.Direction}, {&full.Reference, t.Reference},
	} {
		if c.from != nil {
			*c.to = c.from
		}
	}
	if series := set(t.Series); len(series) > 0 {
		full.Series = series
	}
	if controls := set(t.Map); len(controls) > 1 {
		full.Map = controls
	}
	if controls := set(t.Errors); len(controls) > 1 {
		full.Errors = controls
	}
	if font.DefaultCache.Has(t.Font) {
		full.Font = t.Font
	}
	return full
}

// set returns the colours that are not nil.
func set(c []color.Color) []color.Color {
	return slices.DeleteFunc(slices.Clone(c), func(v color.Color) bool { return v == nil })
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
	return text.Style{Color: c, Font: font.From(t.Font, size), Handler: handler}
}

// bold returns the style in bold.
func bold(s text.Style) text.Style {
	s.Font.Weight = stdfont.WeightBold
	return s
}

// NewPlot returns an empty plot in this theme, with a grid.
func (t *Theme) NewPlot() *plot.Plot {
	t = t.or()
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
		a.Tick.Marker = ticks{}
		a.Padding = 0
	}
	return p
}

// color is the colour of a role; Auto is the i-th of the series.
func (t *Theme) color(r Role, i int) color.Color {
	switch r {
	case Input:
		return t.Input
	case Output:
		return t.Output
	case Direction:
		return t.Direction
	case Reference:
		return t.Reference
	}
	return t.Series[i%len(t.Series)]
}

// glyph is the mark of a role: roles differ in shape as well as in colour.
func (t *Theme) glyph(r Role, radius vg.Length) draw.GlyphStyle {
	g := draw.GlyphStyle{Color: t.color(r, 0), Radius: radius, Shape: draw.CircleGlyph{}}
	switch r {
	case Output:
		g.Shape = draw.BoxGlyph{}
	case Direction:
		g.Shape = draw.PyramidGlyph{}
	case Reference:
		g.Shape = saltire{}
	}
	return g
}

// newColorMap returns a colour map of the range lo to hi; a range of one number is
// widened, so that it has a colour.
func newColorMap(controls []color.Color, lo, hi float64) (palette.ColorMap, error) {
	m, err := moreland.NewLuminance(controls)
	if err != nil {
		dark := slices.Clone(controls)
		slices.Reverse(dark)
		if m, err = moreland.NewLuminance(dark); err != nil {
			return nil, fmt.Errorf("vmfviz: Theme: expected colours of a map whose lightness grows or falls: %w", err)
		}
		m = palette.Reverse(m)
	}
	if lo == hi {
		d := math.Max(math.Abs(lo)/2, 0.5)
		lo, hi = lo-d, hi+d
	}
	m.SetMin(lo)
	m.SetMax(hi)
	return m, nil
}

// dark is the colour of outlines and letters on a colour.
func (t *Theme) dark(c color.Color) color.Color { return blend(c, t.Text, 0.5) }

// blend returns (1-t)·a + t·b.
func blend(a, b color.Color, t float64) color.Color {
	return mix(color.NRGBAModel.Convert(a).(color.NRGBA), color.NRGBAModel.Convert(b).(color.NRGBA), t)
}

// faded returns the colour with opacity t in [0, 1].
func faded(c color.Color, t float64) color.Color {
	n := color.NRGBAModel.Convert(c).(color.NRGBA)
	n.A = uint8(float64(n.A)*t + 0.5)
	return n
}

// italic returns the style in italics.
func italic(s text.Style) text.Style {
	s.Font.Style = stdfont.StyleItalic
	return s
}

// wrap breaks a title that is wider than its room into lines, and makes letters
// smaller, down to three quarters, where a word is.
func wrap(s *text.Style, txt *string, room vg.Length) {
	measured := *s // not by axisLabels, which says 0
	measured.Handler = handler
	var lines []string
	for _, word := range strings.Fields(*txt) {
		if n := len(lines); n > 0 && measured.Width(lines[n-1]+" "+word) <= room {
			lines[n-1] += " " + word
		} else {
			lines = append(lines, word)
		}
	}
	*txt = strings.Join(lines, "\n")
	for _, l := range lines {
		fitted(&measured, l, room)
	}
	s.Font.Size = measured.Font.Size
}

package vmfviz

import (
	"bytes"
	"cmp"
	"fmt"
	"image"
	"image/color"
	"image/png"
	"io"
	"math"
	"path/filepath"
	"regexp"
	"strings"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
	"gonum.org/v1/plot/vg/vgimg"

	"github.com/sliced-wasserstein/lab/internal/durable"
)

// screenScale is the number of device pixels per pixel of a PNG.
const screenScale = 2

// Picture is a grid of plots on a card. Its plots are those of gonum/plot: set their titles and
// limits, and add plotters, before it is written. The zero value is an empty picture.
type Picture struct {
	// Title stands above the plots.
	Title string
	// Alt is one sentence that says what the picture shows, for readers who do not see it.
	Alt string
	// Plots are the rows; their data areas are aligned. A nil plot is a gap. All rows are equally
	// long.
	Plots [][]*plot.Plot
	// Bar stands at the right of all plots, for a colour bar; nil means none.
	Bar *plot.Plot
	// Width and Height are the size at which the picture is meant to be shown.
	Width, Height vg.Length
	// Gap is the space between plots; 0 means 16 points.
	Gap vg.Length
	// Theme gives card and title their look; nil means [DefaultTheme].
	Theme *Theme
}

// Space on a card: at its edges, between plots, for a colour bar and its labels.
const (
	cardEdge = vg.Length(16.5)
	plotGap  = vg.Length(16)
	barRoom  = vg.Length(66)
)

// fullWidth is the width of a full picture: what a notebook column shows without scaling.
const fullWidth = vg.Length(675)

// room is the width of each of cols plots in a row of a full picture.
func (p *Picture) room(cols int) vg.Length { return (fullWidth - p.around(cols)) / vg.Length(cols) }

// around is the width of a picture of cols plots in a row that is not theirs.
func (p *Picture) around(cols int) vg.Length {
	w := 2*cardEdge + p.gap()*vg.Length(cols-1)
	if p.Bar != nil {
		w += barRoom
	}
	return w
}

// setPlots puts plots in rows of cols, each of width and height with its labels, and sets the size
// of the picture, at least that of its title up to the full width.
func (p *Picture) setPlots(plots []*plot.Plot, cols int, width, height vg.Length) {
	for len(plots) > 0 {
		row := make([]*plot.Plot, cols)
		plots = plots[copy(row, plots):]
		p.Plots = append(p.Plots, row)
	}
	s := bold(p.Theme.style(pointsTitle, nil))
	rows := vg.Length(len(p.Plots))
	p.Width = whole(max(p.around(cols)+width*vg.Length(cols), min(fullWidth, s.Width(p.Title)+2*cardEdge)))
	p.Height = whole(2*cardEdge + titleRoom(p.Title) + rows*height + (rows-1)*p.gap())
}

// whole rounds a length up to pixels.
func whole(l vg.Length) vg.Length { return vg.Length(0.75 * math.Ceil(float64(l)/0.75-1e-9)) }

func (p *Picture) gap() vg.Length { return cmp.Or(p.Gap, plotGap) }

// titleRoom is the height that a title takes.
func titleRoom(title string) vg.Length {
	if title == "" {
		return 0
	}
	return pointsTitle + 14
}

// Size returns width and height in CSS pixels (1/96 inch). The PNG has twice as many pixels each
// way.
func (p *Picture) Size() (width, height int) {
	if p == nil {
		return 0, 0
	}
	return int(p.Width.Dots(96) + 0.5), int(p.Height.Dots(96) + 0.5)
}

// Draw draws the picture onto a canvas of gonum/plot, for example a part of a larger page. An empty
// picture draws nothing.
func (p *Picture) Draw(c draw.Canvas) {
	if p.check() != nil || c.Canvas == nil {
		return
	}
	t := p.Theme.or()
	card(c, t)
	c = draw.Crop(c, cardEdge, -cardEdge, cardEdge, -cardEdge)
	if p.Title != "" {
		s := bold(t.style(pointsTitle, t.Text))
		s.YAlign = draw.YTop
		fitted(&s, p.Title, c.Max.X-c.Min.X)
		c.FillText(s, vg.Point{X: c.Min.X, Y: c.Max.Y}, p.Title)
		c.Max.Y -= titleRoom(p.Title)
	}
	if p.Bar != nil {
		extra := max(0, (c.Max.Y-c.Min.Y)/2-110)
		p.Bar.Draw(draw.Crop(c, c.Max.X-c.Min.X-barRoom+plotGap/2, 0, extra, -extra))
		c.Max.X -= barRoom
	}
	tiles := draw.Tiles{Rows: len(p.Plots), Cols: len(p.Plots[0]), PadX: p.gap(), PadY: p.gap()}
	canvases := plot.Align(p.Plots, tiles, c)
	for i, row := range p.Plots {
		for j, q := range row {
			if q != nil {
				q.Draw(canvases[i][j])
			}
		}
	}
}

// card draws the ground: rounded corners and a thin rim. What is outside stays transparent, so that
// it reads the same on a white page and on a dark one.
func card(c draw.Canvas, t *Theme) {
	const r = vg.Length(6.75)
	var path vg.Path
	path.Move(vg.Point{X: c.Max.X - 0.5, Y: c.Max.Y - r})
	for k, q := range []vg.Point{
		{X: c.Max.X - r, Y: c.Max.Y - r}, {X: c.Min.X + r, Y: c.Max.Y - r},
		{X: c.Min.X + r, Y: c.Min.Y + r}, {X: c.Max.X - r, Y: c.Min.Y + r},
	} {
		path.Arc(q, r-0.5, float64(k)*math.Pi/2, math.Pi/2)
	}
	path.Close()
	c.SetColor(t.Background)
	c.Fill(path)
	c.SetLineStyle(draw.LineStyle{Color: t.Edge, Width: 0.75})
	c.Stroke(path)
}

// check says why the picture cannot be drawn.
func (p *Picture) check() error {
	if p == nil || len(p.Plots) == 0 || len(p.Plots[0]) == 0 {
		return fmt.Errorf("vmfviz: the picture is empty: make one with Sphere, Clouds, Slice or another drawing function")
	}
	return cmp.Or(errorIf(!(p.Width > 0 && p.Width < 1e4 && p.Height > 0 && p.Height < 1e4),
		"the picture is %g by %g points, expected above 0 and below 10000", p.Width.Points(), p.Height.Points()),
		each(p.Plots, func(i int, row []*plot.Plot) error {
			return cmp.Or(errorIf(len(row) != len(p.Plots[0]),
				"Plots[%d] has %d plots, expected %d as Plots[0] has: nil makes a gap", i, len(row), len(p.Plots[0])),
				each(row, func(j int, q *plot.Plot) error { return checkPlot(fmt.Sprintf("Plots[%d][%d]", i, j), q) }))
		}),
		checkPlot("Bar", p.Bar))
}

// checkPlot says why a plot cannot be drawn: gonum/plot panics on one that has not been made by
// plot.New.
func checkPlot(name string, p *plot.Plot) error {
	return errorIf(p != nil && (p.X.Scale == nil || p.Y.Scale == nil || p.X.Tick.Marker == nil ||
		p.Y.Tick.Marker == nil || p.TextHandler == nil),
		"%s lacks a scale, ticks or a text handler: make it with plot.New", name)
}

// Image draws the picture with the given number of device pixels per pixel.
func (p *Picture) Image(scale float64) (image.Image, error) {
	if err := cmp.Or(p.check(), errorIf(!(scale > 0 && scale <= 16),
		"scale = %g, expected a number above 0 and at most 16", scale)); err != nil {
		return nil, err
	}
	c := vgimg.NewWith(vgimg.UseWH(p.Width, p.Height), vgimg.UseDPI(int(96*scale+0.5)),
		vgimg.UseBackgroundColor(color.Transparent))
	p.Draw(draw.NewCanvas(c, p.Width, p.Height))
	return c.Image(), nil
}

// PNG returns the picture as a PNG file with two device pixels per pixel. It has at most 256
// colours, chosen for the picture: the difference cannot be seen and the file is a third as long,
// which a notebook full of pictures needs.
func (p *Picture) PNG() ([]byte, error) { return p.pngAt(screenScale) }

func (p *Picture) pngAt(scale float64) ([]byte, error) {
	img, err := p.Image(scale)
	if err != nil {
		return nil, err
	}
	var out bytes.Buffer
	enc := png.Encoder{CompressionLevel: png.BestCompression}
	err = enc.Encode(&out, quantize(img.(*image.RGBA)))
	return out.Bytes(), err
}

// SVG returns the picture as an SVG file. Text stays text: the file names the Liberation Sans font,
// and Arial and Helvetica, which have the same letter widths, where it is not installed. Heat maps
// and point clouds are embedded images; everything else is vectors.
func (p *Picture) SVG() ([]byte, error) {
	svg, err := p.format("svg")
	svg = fontFamily.ReplaceAll(svg, []byte("font-family:'Liberation Sans',Arial,Helvetica,sans-serif"))
	svg = bytes.ReplaceAll(svg, []byte("<text "), []byte(`<text xml:space="preserve" `))
	return bytes.ReplaceAll(svg, []byte("data:image/jpg;"), []byte("data:image/png;")), err
}

var fontFamily = regexp.MustCompile(`font-family:Liberation Sans[^;"]*`)

// format draws the picture in a format of gonum/plot: svg or pdf.
func (p *Picture) format(name string) ([]byte, error) {
	if err := p.check(); err != nil {
		return nil, err
	}
	c, err := draw.NewFormattedCanvas(p.Width, p.Height, name)
	if err != nil {
		return nil, fmt.Errorf("vmfviz: %w", err)
	}
	p.Draw(draw.NewCanvas(c, p.Width, p.Height))
	var out bytes.Buffer
	if _, err := c.WriteTo(&out); err != nil {
		return nil, fmt.Errorf("vmfviz: writing %s: %w", name, err)
	}
	return out.Bytes(), nil
}

// WriterTo returns what writes the picture as png, svg or pdf. A PDF is one page in the size of the
// picture, with its text in embedded fonts.
func (p *Picture) WriterTo(format string) (io.WriterTo, error) {
	write := map[string]func() ([]byte, error){"png": p.PNG, "svg": p.SVG, "pdf": func() ([]byte,
		error) {
		return p.format("pdf")
	}}[format]
	if write == nil {
		return nil, fmt.Errorf("vmfviz: format %q: expected png, svg or pdf", format)
	}
	data, err := write()
	return bytes.NewReader(data), err
}

// Save writes the picture to a file; its ending, .png, .svg or .pdf, says how, see
// [Picture.WriterTo]. The file appears whole or not at all. A missing folder is an error.
func (p *Picture) Save(path string) error {
	w, err := p.WriterTo(strings.TrimPrefix(strings.ToLower(filepath.Ext(path)), "."))
	if err != nil {
		return fmt.Errorf("%s: %w", path, err)
	}
	err = durable.Write(path, func(out io.Writer) error { _, err := w.WriteTo(out); return err })
	if err != nil {
		return fmt.Errorf("vmfviz: saving %w", err)
	}
	return nil
}

// titles returns the room that the titles of plots take.
func titles(plots []*plot.Plot) (room vg.Length) {
	for _, q := range plots {
		if q.Title.Text != "" {
			room = max(room, q.Title.TextStyle.Height(q.Title.Text)+q.Title.Padding)
		}
	}
	return room
}

// altText says what a picture shows, after its title if it has one.
func altText(title, what string) string {
	if title == "" {
		return what
	}
	return title + ": " + what
}

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
// limits, and add plotters, before it is written.
type Picture struct {
	// Title stands above the plots, in one line or several.
	Title string
	// Alt is one sentence that says what the picture shows, for readers who do not see it.
	Alt string
	// Caption is one sentence below the picture in a notebook or on a page: what it shows that the reader should take
	// away.
	Caption string
	// Plots are the rows; their data areas are aligned. A nil plot is a gap. All rows are equally
	// long.
	Plots [][]*plot.Plot
	// Width and Height are the size at which the picture is meant to be shown.
	Width, Height vg.Length

	bar *plot.Plot // a colour bar at the right of all plots, if any
	gap vg.Length  // between plots; 0 means plotGap

	pixels bool // a PNG keeps all colours
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
	w := 2*cardEdge + p.between()*vg.Length(cols-1)
	if p.bar != nil {
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
	s := bold(theme.style(pointsTitle, nil))
	rows := vg.Length(len(p.Plots))
	p.Width = whole(max(p.around(cols)+width*vg.Length(cols), min(fullWidth, s.Width(p.Title)+2*cardEdge)))
	p.Height = whole(2*cardEdge + titleRoom(p.Title) + rows*height + (rows-1)*p.between())
}

// whole rounds a length up to pixels.
func whole(l vg.Length) vg.Length { return vg.Length(0.75 * math.Ceil(float64(l)/0.75-1e-9)) }

func (p *Picture) between() vg.Length { return cmp.Or(p.gap, plotGap) }

// titleRoom is the height that a title takes.
func titleRoom(title string) vg.Length {
	if title == "" {
		return 0
	}
	return pointsTitle + (1+leading)*pointsTitle*vg.Length(strings.Count(title, "\n")) + 14
}

// Size returns width and height in CSS pixels (1/96 inch). The PNG has twice as many pixels each
// way.
func (p *Picture) Size() (width, height int) {
	return int(p.Width.Dots(96) + 0.5), int(p.Height.Dots(96) + 0.5)
}

// draw draws the picture onto a canvas.
func (p *Picture) draw(c draw.Canvas) {
	card(c)
	c = draw.Crop(c, cardEdge, -cardEdge, cardEdge, -cardEdge)
	if p.Title != "" {
		s := bold(theme.style(pointsTitle, theme.Text))
		s.YAlign = draw.YTop
		fitted(&s, p.Title, c.Max.X-c.Min.X)
		c.FillText(s, vg.Point{X: c.Min.X, Y: c.Max.Y}, p.Title)
		c.Max.Y -= titleRoom(p.Title)
	}
	if p.bar != nil {
		extra := max(0, (c.Max.Y-c.Min.Y)/2-110)
		p.bar.Draw(draw.Crop(c, c.Max.X-c.Min.X-barRoom+plotGap/2, 0, extra, -extra))
		c.Max.X -= barRoom
	}
	tiles := draw.Tiles{Rows: len(p.Plots), Cols: len(p.Plots[0]), PadX: p.between(), PadY: p.between()}
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
func card(c draw.Canvas) {
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
	c.SetColor(theme.Background)
	c.Fill(path)
	c.SetLineStyle(draw.LineStyle{Color: theme.Edge, Width: 0.75})
	c.Stroke(path)
}

// PNG returns the picture as a PNG file with two device pixels per pixel. It has at most 256
// colours, chosen for the picture: the difference cannot be seen and the file is a third as long,
// which a notebook full of pictures needs.
func (p *Picture) PNG() ([]byte, error) { return p.pngAt(screenScale) }

func (p *Picture) pngAt(scale float64) ([]byte, error) {
	c := vgimg.NewWith(vgimg.UseWH(p.Width, p.Height), vgimg.UseDPI(int(96*scale+0.5)),
		vgimg.UseBackgroundColor(color.Transparent))
	p.draw(draw.NewCanvas(c, p.Width, p.Height))
	var out bytes.Buffer
	enc := png.Encoder{CompressionLevel: png.BestCompression}
	if p.pixels { // their colours as they are
		err := enc.Encode(&out, c.Image())
		return out.Bytes(), err
	}
	err := enc.Encode(&out, quantize(c.Image().(*image.RGBA)))
	return out.Bytes(), err
}

// SVG returns the picture as an SVG file. Text stays text: the file names the Liberation Sans font,
// and Arial and Helvetica, which have the same letter widths, where it is not installed. Heat maps
// and point clouds are embedded images; everything else is vectors.
func (p *Picture) SVG() ([]byte, error) {
	svg, err := p.vectors("svg")
	svg = fontFamily.ReplaceAll(svg, []byte("font-family:'Liberation Sans',Arial,Helvetica,sans-serif"))
	svg = bytes.ReplaceAll(svg, []byte("<text "), []byte(`<text xml:space="preserve" `))
	return bytes.ReplaceAll(svg, []byte("data:image/jpg;"), []byte("data:image/png;")), err
}

var fontFamily = regexp.MustCompile(`font-family:Liberation Sans[^;"]*`)

// PDF returns the picture as a PDF file: one page in its size, with its text in embedded fonts.
func (p *Picture) PDF() ([]byte, error) { return p.vectors("pdf") }

// vectors draws the picture in a format of gonum/plot.
func (p *Picture) vectors(format string) ([]byte, error) {
	c, err := draw.NewFormattedCanvas(p.Width, p.Height, format)
	if err != nil {
		return nil, fmt.Errorf("vmfviz: %w", err)
	}
	p.draw(draw.NewCanvas(c, p.Width, p.Height))
	var out bytes.Buffer
	if _, err := c.WriteTo(&out); err != nil {
		return nil, fmt.Errorf("vmfviz: writing %s: %w", format, err)
	}
	return out.Bytes(), nil
}

// Save writes the picture to a file; its ending, .png, .svg or .pdf, says how. The file appears
// whole or not at all. A missing folder is an error.
func (p *Picture) Save(path string) error {
	encode := map[string]func() ([]byte, error){".png": p.PNG, ".svg": p.SVG, ".pdf": p.PDF}[strings.ToLower(filepath.Ext(path))]
	if encode == nil {
		return fmt.Errorf("vmfviz: %s: expected a file that ends in .png, .svg or .pdf", path)
	}
	data, err := encode()
	if err != nil {
		return fmt.Errorf("%s: %w", path, err)
	}
	err = durable.Write(path, func(out io.Writer) error { _, err := out.Write(data); return err })
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

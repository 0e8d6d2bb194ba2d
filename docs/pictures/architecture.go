package main

import (
	"fmt"
	"image/color"
	"io"
	"strings"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/font"
	"gonum.org/v1/plot/text"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
	"gonum.org/v1/plot/vg/vgimg"

	"github.com/sliced-wasserstein/lab/internal/durable"
	"github.com/sliced-wasserstein/lab/swlab/pointnet"
	"github.com/sliced-wasserstein/lab/swlab/weights"
)

// The colours of inputs, outputs, directions and text in package vmfviz.
var (
	blue      = color.NRGBA{0, 114, 178, 255}
	vermilion = color.NRGBA{213, 94, 0, 255}
	purple    = color.NRGBA{204, 121, 167, 255}
	ink       = color.NRGBA{32, 33, 36, 255}
	grey      = color.NRGBA{85, 85, 95, 255}
)

// architecture shows the autoencoder and the classifier of its codes, as the paper's figure of its
// networks does. Names and widths of the layers are read from the networks.
func architecture(path string) error {
	const points, classes = 2048, 40
	net, err := pointnet.New(points)
	if err != nil {
		return err
	}
	var encoder, decoder []string
	for _, s := range net.Specs() {
		part, name, _ := strings.Cut(s.Name, ".")
		switch {
		case !strings.HasSuffix(name, ".weight") || len(s.Shape) < 2:
		case part == "encoder" && strings.HasPrefix(name, "fc"):
			encoder = append(encoder, "max over\npoints", layer(s))
		case part == "encoder":
			encoder = append(encoder, layer(s))
		default:
			decoder = append(decoder, layer(s))
		}
	}
	head := &pointnet.Classifier{Classes: classes}
	var classifier []string
	for _, s := range head.Specs() {
		if len(s.Shape) == 2 {
			classifier = append(classifier, layer(s))
		}
	}
	d := newDiagram(900, 430)
	row := func(y float64, first, name, function string, count int, c color.NRGBA, layers []string, last string) {
		d.text(first, 24, y+58, 13, ink, draw.XLeft)
		d.text(fmt.Sprintf("%s: %s, %s parameters", name, function, grouped(count)), 24, y, 12, grey, draw.XLeft)
		const from, to = 110.0, 800.0
		step := (to - from) / float64(len(layers))
		d.arrow(84, from, y+58)
		for i, l := range layers {
			x := from + float64(i)*step
			d.box(x, y+18, step-24, 80, l, c)
			d.arrow(x+step-24, x+step, y+58)
		}
		d.text(last, to+8, y+58, 13, ink, draw.XLeft)
	}
	parameters := func(part string) (n int) {
		for _, s := range net.Specs() {
			if strings.HasPrefix(s.Name, part) && !s.Buffer {
				n += s.Size()
			}
		}
		return n
	}
	row(28, fmt.Sprintf("cloud X\n%d × %d", points, pointnet.Dim), "Encoder f", "the first layers act on every point", parameters("encoder"), blue, encoder, fmt.Sprintf("code z\n%d, ‖z‖ = 1", pointnet.LatentSize))
	row(166, fmt.Sprintf("code z\n%d", pointnet.LatentSize), "Decoder g", "tanh at the end", parameters("decoder"), vermilion, decoder, fmt.Sprintf("cloud Y\n%d × %d", points, pointnet.Dim))
	row(304, fmt.Sprintf("code z\n%d", pointnet.LatentSize), "Classifier", "dropout 1/2 after each batch norm", head.Parameters(), purple, classifier, fmt.Sprintf("%d classes", classes))
	return d.save(path)
}

// layer describes a linear layer, and what follows it: batch norm and ReLU, but for the last of a
// network.
func layer(s weights.Spec) string {
	text := fmt.Sprintf("%d → %d", s.Shape[1], s.Shape[0])
	switch {
	case strings.Contains(s.Name, "fc_mu"):
		return text + "\nlinear\n÷ norm"
	case strings.Contains(s.Name, "fc3"):
		return text + "\nlinear"
	}
	return text + "\nbatch norm\nReLU"
}

// grouped writes a number with commas.
func grouped(n int) string {
	text := fmt.Sprint(n)
	for i := len(text) - 3; i > 0; i -= 3 {
		text = text[:i] + "," + text[i:]
	}
	return text
}

// diagram is a white picture. Places are in pixels from the upper left corner.
type diagram struct {
	canvas *vgimg.Canvas
	draw.Canvas
	height float64
}

func px(v float64) vg.Length { return vg.Length(v) * vg.Inch / 96 }

func newDiagram(width, height float64) *diagram {
	c := vgimg.NewWith(vgimg.UseWH(px(width), px(height)), vgimg.UseDPI(192), vgimg.UseBackgroundColor(color.White))
	return &diagram{c, draw.New(c), height}
}

func (d *diagram) at(x, y float64) vg.Point { return vg.Point{X: px(x), Y: px(d.height - y)} }

func (d *diagram) text(lines string, x, y, size float64, c color.Color, align draw.XAlignment) {
	style := text.Style{Color: c, Font: font.Font{Typeface: plot.DefaultFont.Typeface, Variant: "Sans", Size: px(size)}, XAlign: align, YAlign: draw.YCenter, Handler: plot.DefaultTextHandler}
	all := strings.Split(lines, "\n")
	for i, line := range all {
		d.FillText(style, d.at(x, y+(float64(i)-float64(len(all)-1)/2)*1.35*size), line)
	}
}

// box is a layer: pale, with an edge in the colour.
func (d *diagram) box(x, y, w, h float64, lines string, c color.NRGBA) {
	corners := []vg.Point{d.at(x, y), d.at(x+w, y), d.at(x+w, y+h), d.at(x, y+h)}
	d.FillPolygon(color.NRGBA{c.R, c.G, c.B, 28}, corners)
	d.StrokeLines(draw.LineStyle{Color: c, Width: px(1.5)}, append(corners, corners[0]))
	d.text(lines, x+w/2, y+h/2, 12, ink, draw.XCenter)
}

// arrow points to the right.
func (d *diagram) arrow(from, to, y float64) {
	d.StrokeLine2(draw.LineStyle{Color: grey, Width: px(1.2)}, px(from+3), d.at(0, y).Y, px(to-8), d.at(0, y).Y)
	d.FillPolygon(grey, []vg.Point{d.at(to-3, y), d.at(to-9, y-4), d.at(to-9, y+4)})
}

func (d *diagram) save(path string) error {
	return durable.Write(path, func(w io.Writer) error {
		_, err := vgimg.PngCanvas{Canvas: d.canvas}.WriteTo(w)
		return err
	})
}

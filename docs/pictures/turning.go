package main

import (
	"bytes"
	"image"
	"image/color"
	"image/draw"
	"image/gif"
	"io"
	"math"
	"math/rand/v2"
	"slices"

	"gonum.org/v1/gonum/stat"
	"gonum.org/v1/plot"
	"gonum.org/v1/plot/font"
	"gonum.org/v1/plot/vg"
	canvas "gonum.org/v1/plot/vg/draw"
	"gonum.org/v1/plot/vg/vgimg"

	"github.com/sliced-wasserstein/lab/internal/durable"
)

// Size of README's film in pixels, and its frames. It is a GIF: every page shows it, without a script.
const (
	filmWidth, filmHeight = 720, 300
	filmFrames            = 64
)

var (
	filmX, filmY    = color.NRGBA{0x00, 0x72, 0xB2, 0xFF}, color.NRGBA{0xD5, 0x5E, 0x00, 0xFF}
	filmInk         = color.NRGBA{0x1F, 0x23, 0x28, 0xFF}
	filmGrey, paper = color.NRGBA{0x8C, 0x95, 0x9F, 0xFF}, color.NRGBA{0xFF, 0xFF, 0xFF, 0xFF}
)

// film writes a slice that turns: the points of two clouds in the plane project on a line, are matched in order, and
// their mean squared distance is one point of a curve, whose mean is the sliced distance.
func film(path string) error {
	x, y := plane(28)
	var f [filmFrames]float64
	for i := range f {
		f[i] = matched(x, y, angle(i)).cost
	}
	out := gif.GIF{}
	for i := range filmFrames {
		c := vgimg.NewWith(vgimg.UseWH(0.75*filmWidth, 0.75*filmHeight), vgimg.UseDPI(96), vgimg.UseBackgroundColor(paper))
		frame(canvas.New(c), x, y, f[:], i)
		paletted := image.NewPaletted(image.Rect(0, 0, filmWidth, filmHeight), filmPalette())
		draw.Draw(paletted, paletted.Bounds(), c.Image(), image.Point{}, draw.Src)
		out.Image, out.Delay = append(out.Image, paletted), append(out.Delay, 9)
	}
	var file bytes.Buffer
	if err := gif.EncodeAll(&file, &out); err != nil {
		return err
	}
	return durable.Write(path, func(w io.Writer) error { _, err := w.Write(file.Bytes()); return err })
}

// angle is that of the line in a frame: half a turn in all.
func angle(i int) float64 { return math.Pi * float64(i) / filmFrames }

// filmPalette has shades of each colour on paper, for smooth edges.
func filmPalette() (out color.Palette) {
	for _, c := range []color.NRGBA{filmX, filmY, filmInk, filmGrey} {
		for k := range 12 {
			mix := func(a uint8) uint8 { return uint8(255 + (float64(a)-255)*float64(k)/11) }
			out = append(out, color.NRGBA{mix(c.R), mix(c.G), mix(c.B), 0xFF})
		}
	}
	return out
}

// plane is two clouds of m points: a ring and two blobs.
func plane(m int) (x, y [][2]float64) {
	r := rand.New(rand.NewPCG(3, 1))
	for i := range m {
		t := 2 * math.Pi * float64(i) / float64(m)
		x = append(x, [2]float64{0.62*math.Cos(t) + 0.04*r.NormFloat64(), 0.62*math.Sin(t) + 0.04*r.NormFloat64()})
		side := 0.55 * float64(2*(i%2)-1)
		y = append(y, [2]float64{side + 0.13*r.NormFloat64(), 0.45*side + 0.13*r.NormFloat64()})
	}
	return x, y
}

// slice is one direction: the projections of both clouds in order, and the mean of their squared distances.
type slice struct {
	x, y []float64
	cost float64
}

func matched(x, y [][2]float64, angle float64) slice {
	along := func(points [][2]float64) (out []float64) {
		for _, p := range points {
			out = append(out, p[0]*math.Cos(angle)+p[1]*math.Sin(angle))
		}
		slices.Sort(out)
		return out
	}
	s := slice{x: along(x), y: along(y)}
	for i := range s.x {
		s.cost += (s.x[i] - s.y[i]) * (s.x[i] - s.y[i]) / float64(len(s.x))
	}
	return s
}

// frame draws the three steps side by side.
func frame(c canvas.Canvas, x, y [][2]float64, f []float64, at int) {
	w, h := c.Max.X-c.Min.X, c.Max.Y-c.Min.Y
	head := func(left vg.Length, text string) {
		style := canvas.TextStyle{Color: filmInk, Font: font.Font{Typeface: "Liberation", Variant: "Sans", Size: 15}, Handler: plot.DefaultTextHandler}
		c.FillText(style, vg.Point{X: left, Y: h - 26}, text)
	}
	line := func(color color.Color, width vg.Length, ax, ay, bx, by vg.Length) {
		c.StrokeLine2(canvas.LineStyle{Color: color, Width: width}, ax, ay, bx, by)
	}
	dot := func(color color.Color, r, px, py vg.Length) {
		c.DrawGlyph(canvas.GlyphStyle{Color: color, Radius: r, Shape: canvas.CircleGlyph{}}, vg.Point{X: px, Y: py})
	}
	s, t := matched(x, y, angle(at)), angle(at)
	cos, sin := math.Cos(t), math.Sin(t)

	head(16, "1. Project on a line")
	const radius = 88
	mx, my := vg.Length(16+radius), (h-26)/2
	place := func(a, b float64) (vg.Length, vg.Length) { return mx + vg.Length(radius*a), my + vg.Length(radius*b) }
	ax, ay := place(-cos, -sin)
	bx, by := place(cos, sin)
	line(filmInk, 1.6, ax, ay, bx, by)
	for k, points := range [][][2]float64{x, y} {
		color := []color.NRGBA{filmX, filmY}[k]
		for _, p := range points {
			along := p[0]*cos + p[1]*sin
			px, py := place(p[0], p[1])
			fx, fy := place(along*cos, along*sin)
			pale := color
			pale.A = 0x50
			line(pale, 0.8, px, py, fx, fy)
			dot(color, 3, px, py)
			dot(color, 1.7, fx, fy)
		}
	}

	left := vg.Length(218)
	head(left, "2. Sort, match in order")
	middle, half := left+82, vg.Length(78)
	top, bottom := my+52, my-52
	for i := range s.x {
		px, qx := middle+half*vg.Length(s.x[i]), middle+half*vg.Length(s.y[i])
		line(filmGrey, 0.8, px, top, qx, bottom)
		dot(filmX, 3, px, top)
		dot(filmY, 3, qx, bottom)
	}

	left = 404
	head(left, "3. Average")
	right, foot, most := w-14, my-62, slices.Max(f)
	line(filmGrey, 1, left, foot, right, foot)
	px := func(i int) vg.Length { return left + (right-left)*vg.Length(i)/vg.Length(len(f)-1) }
	py := func(v float64) vg.Length { return foot + 118*vg.Length(v/most) }
	for i := 1; i <= at; i++ {
		line(filmInk, 1.8, px(i-1), py(f[i-1]), px(i), py(f[i]))
	}
	c.StrokeLine2(canvas.LineStyle{Color: filmInk, Width: 1, Dashes: []vg.Length{4, 3}}, left, py(stat.Mean(f, nil)), right, py(stat.Mean(f, nil)))
	dot(filmInk, 3.4, px(at), py(f[at]))
}

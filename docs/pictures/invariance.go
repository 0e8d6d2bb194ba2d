package main

import (
	"fmt"
	"image/color"
	"math"
	"math/rand/v2"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"github.com/sliced-wasserstein/lab/datasets"
	"github.com/sliced-wasserstein/lab/swlab"
)

// invariance shows the directions that amortizers with initial weights predict for one pair of
// clouds in the plane, whose points are permuted and which are exchanged.
func invariance(path string) error {
	const points, permutations = 60, 8
	x, y := crescents(points)
	source := rand.New(rand.NewPCG(1, 0))
	first, second := [][]float32{x}, [][]float32{y}
	for range permutations {
		first, second = append(first, permuted(source, x)), append(second, permuted(source, y))
	}
	first, second = append(first, y), append(second, x)
	a, err := datasets.New(flat(first), len(first), points, 2)
	if err != nil {
		return err
	}
	b, err := datasets.New(flat(second), len(second), points, 2)
	if err != nil {
		return err
	}
	var plots [][]*plot.Plot
	for i, m := range []struct{ name, title string }{{"l", "L"}, {"g", "G"}, {"n", "N"}, {"a", "A"}, {"ea", "EA"}, {"la", "LA"}, {"la-sorted", "LA, sorted"}} {
		p, err := swlab.Direction(m.name, a, b, swlab.DirectionConfig{Seed: 1})
		if err != nil {
			return err
		}
		drawn, err := panel(m.title, x, y, p.Directions)
		if err != nil {
			return err
		}
		if i%4 == 0 {
			plots = append(plots, make([]*plot.Plot, 4))
		}
		plots[i/4][i%4] = drawn
	}
	plots[1][3] = plot.New()
	d := newDiagram(900, 490)
	tiles := draw.Tiles{Rows: 2, Cols: 4, PadX: px(14), PadY: px(14), PadLeft: px(14), PadRight: px(14), PadTop: px(14), PadBottom: px(14)}
	canvases := plot.Align(plots, tiles, d.Canvas)
	for i, row := range plots {
		for j, p := range row {
			if i*4+j < 7 {
				p.Draw(canvases[i][j])
			}
		}
	}
	for i, k := range []struct {
		name  string
		color color.NRGBA
	}{{"points of X (discs)", blue}, {"points of Y (squares)", vermilion}, {"direction of (X, Y)", ink}, {"points permuted, 8 times", purple}, {"X and Y exchanged (dashed)", green}} {
		y := 280 + 26*float64(i)
		d.FillPolygon(k.color, []vg.Point{d.at(700, y-5), d.at(710, y-5), d.at(710, y+5), d.at(700, y+5)})
		d.text(k.name, 718, y, 13, ink, draw.XLeft)
	}
	d.text("In the titles: the largest turn\nby a permutation, and the turn\nby the exchange", 700, 440, 12, grey, draw.XLeft)
	return d.save(path)
}

var green = color.NRGBA{0, 158, 115, 255}

// crescents are two centred clouds that no symmetry maps onto each other.
func crescents(n int) (x, y []float32) {
	for i := range n {
		t, r := math.Pi*(float64(i)+0.5)/float64(n), 0.88+0.12*math.Sin(float64(i*i))
		x = append(x, float32(r*math.Cos(1.2*t)), float32(0.7*r*math.Sin(1.2*t)))
		y = append(y, float32(0.35*math.Cos(2*t)+0.25*r), float32(0.9*r*math.Sin(2*t)))
	}
	return centred(x), centred(y)
}

func centred(v []float32) []float32 {
	var mean [2]float32
	for i, c := range v {
		mean[i%2] += 2 * c / float32(len(v))
	}
	for i := range v {
		v[i] -= mean[i%2]
	}
	return v
}

func permuted(source *rand.Rand, v []float32) []float32 {
	var out []float32
	for _, i := range source.Perm(len(v) / 2) {
		out = append(out, v[2*i:2*i+2]...)
	}
	return out
}

func flat(clouds [][]float32) []float32 {
	var out []float32
	for _, c := range clouds {
		out = append(out, c...)
	}
	return out
}

// panel draws one amortizer's directions [1 + permutations + 1, 2] over the clouds.
func panel(title string, x, y, directions []float32) (*plot.Plot, error) {
	p := plot.New()
	p.HideAxes()
	p.X.Min, p.X.Max, p.Y.Min, p.Y.Max = -1.25, 1.25, -1.25, 1.25
	for _, c := range []struct {
		cloud []float32
		color color.NRGBA
		shape draw.GlyphDrawer
	}{{x, blue, draw.CircleGlyph{}}, {y, vermilion, draw.BoxGlyph{}}} {
		var at plotter.XYs
		for i := 0; i < len(c.cloud); i += 2 {
			at = append(at, plotter.XY{X: float64(c.cloud[i]), Y: float64(c.cloud[i+1])})
		}
		s, err := plotter.NewScatter(at)
		if err != nil {
			return nil, err
		}
		s.GlyphStyle = draw.GlyphStyle{Color: color.NRGBA{c.color.R, c.color.G, c.color.B, 110}, Radius: px(2), Shape: c.shape}
		p.Add(s)
	}
	last := len(directions)/2 - 1
	turn := 0.0
	for i := 1; i < last; i++ {
		turn = math.Max(turn, between(directions, i))
		p.Add(arrow{directions[2*i], directions[2*i+1], purple, 1.4, 0})
	}
	p.Add(arrow{directions[2*last], directions[2*last+1], green, 2, px(5)}, arrow{directions[0], directions[1], ink, 2, 0})
	p.Title.Text = fmt.Sprintf("%s: %s, %s", title, angle(turn), angle(between(directions, last)))
	p.Title.TextStyle.Font.Variant, p.Title.TextStyle.Font.Size, p.Title.TextStyle.Color = "Sans", px(15), ink
	return p, nil
}

// between is the angle in degrees between the first direction and another.
func between(directions []float32, i int) float64 {
	dx, dy := float64(directions[2*i]-directions[0]), float64(directions[2*i+1]-directions[1])
	return 2 * math.Asin(math.Min(1, math.Hypot(dx, dy)/2)) * 180 / math.Pi
}

// angle leaves out what rounding makes.
func angle(degrees float64) string {
	if degrees < 0.05 {
		return "0°"
	}
	return fmt.Sprintf("%.1f°", degrees)
}

// arrow is a unit vector from the origin of a plot.
type arrow struct {
	x, y  float32
	color color.NRGBA
	width float64
	dash  vg.Length // 0 is solid
}

func (a arrow) Plot(c draw.Canvas, p *plot.Plot) {
	xs, ys := p.Transforms(&c)
	from, tip := vg.Point{X: xs(0), Y: ys(0)}, vg.Point{X: xs(float64(a.x)), Y: ys(float64(a.y))}
	along := tip.Sub(from)
	length := vg.Length(math.Hypot(float64(along.X), float64(along.Y)))
	along = along.Scale(1 / length)
	across, head := vg.Point{X: -along.Y, Y: along.X}, tip.Sub(along.Scale(px(9)))
	style := draw.LineStyle{Color: a.color, Width: px(a.width)}
	if a.dash > 0 {
		style.Dashes = []vg.Length{a.dash, 0.7 * a.dash}
	}
	c.StrokeLine2(style, from.X, from.Y, head.X, head.Y)
	c.FillPolygon(a.color, []vg.Point{tip, head.Add(across.Scale(px(4))), head.Sub(across.Scale(px(4)))})
}

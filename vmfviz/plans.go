package vmfviz

import (
	"cmp"
	"fmt"
	"image"
	"math"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// PlanPanel is one plan of a [Plans] picture.
type PlanPanel struct {
	Title string
	// X and Y are clouds [m, 2] and [n, 2].
	X, Y []float32
	// Rows are what moves: a row of X, a row of Y, and the mass.
	Rows [][3]float64
	// Direction, if not nil, is an arrow below the points: along it the plan was found.
	Direction []float64
}

// Plans draws transport plans between clouds of the plane side by side, up to three in a row, in one scale. A line joins
// points between which mass moves: the more, the wider and darker. The area of a point is its mass.
func Plans(title string, panels ...PlanPanel) (*Picture, error) {
	if err := cmp.Or(errorIf(len(panels) == 0, "no plans given, expected at least one"),
		each(panels, func(i int, q PlanPanel) error { return q.check(fmt.Sprintf("panels[%d]", i)) })); err != nil {
		return nil, err
	}
	p := &Picture{Title: title, Alt: altText(title, fmt.Sprintf("%d plans between two clouds: lines where mass moves", len(panels)))}
	var plots []*plot.Plot
	xs, ys := []float64{}, []float64{}
	for _, q := range panels {
		for _, v := range rows(append(append([]float32{}, planar(q.X)...), planar(q.Y)...), 3) {
			xs, ys = append(xs, v[0]), append(ys, v[1])
		}
	}
	left, right := bounds(xs)
	low, high := bounds(ys)
	margin := 0.06*max(right-left, high-low) + 1e-9
	room := 0.0
	for _, q := range panels {
		one := q.plot()
		room = max(room, q.arrow(one, (left+right)/2, low, 3*margin))
		plots = append(plots, one)
	}
	low -= room
	for _, one := range plots {
		one.X.Min, one.X.Max, one.Y.Min, one.Y.Max = left-margin, right+margin, low-margin, high+margin
	}
	cols := min(3, len(panels))
	width := min(p.room(cols), 330)
	height := max(110, width*vg.Length((high-low+2*margin)/(right-left+2*margin)))
	p.setPlots(plots, cols, width, min(height, 330))
	p.Height = whole(p.Height + titles(plots))
	return p, nil
}

// planar are points of the plane in space.
func planar(v []float32) (out []float32) {
	for i := 0; i+1 < len(v); i += 2 {
		out = append(out, v[i], v[i+1], 0)
	}
	return out
}

// arrow draws the direction, to the right, below the height low. It returns how much room it takes there.
func (q PlanPanel) arrow(p *plot.Plot, x, low, half float64) float64 {
	if q.Direction == nil {
		return 0
	}
	norm := math.Copysign(math.Hypot(q.Direction[0], q.Direction[1]), q.Direction[0])
	along := plotter.XY{X: q.Direction[0] / norm, Y: q.Direction[1] / norm}
	tall := half * math.Abs(along.Y)
	end := func(t float64) plotter.XY { return plotter.XY{X: x + t*along.X, Y: low - 0.5*half - tall + t*along.Y} }
	sideLine{tail: end(-half), tip: end(half), along: along}.draw(p, 2.6)
	return 0.7*half + 2*tall
}

func (q PlanPanel) check(name string) error {
	return cmp.Or(errorIf(q.Direction != nil && (len(q.Direction) != 2 || !(math.Hypot(q.Direction[0], q.Direction[1]) > 0)),
		"%s.Direction is %v, expected two numbers that are not both 0", name, q.Direction),
		checkRows(name+".X", q.X, 2), checkRows(name+".Y", q.Y, 2), each(q.Rows, func(i int, r [3]float64) error {
			return errorIf(!(r[0] >= 0 && r[0] < float64(len(q.X)/2) && r[1] >= 0 && r[1] < float64(len(q.Y)/2) && r[2] >= 0),
				"%s.Rows[%d] is %v, expected a row of X, a row of Y and a mass", name, i, r)
		}))
}

func (q PlanPanel) plot() *plot.Plot {
	p := theme.bare()
	p.HideAxes()
	p.Title.Text = q.Title
	at := func(v []float32, i float64) plotter.XY {
		return plotter.XY{X: float64(v[2*int(i)]), Y: float64(v[2*int(i)+1])}
	}
	largest := 0.0
	masses := [2][]float64{make([]float64, len(q.X)/2), make([]float64, len(q.Y)/2)}
	for _, r := range q.Rows {
		largest = max(largest, r[2])
		masses[0][int(r[0])] += r[2]
		masses[1][int(r[1])] += r[2]
	}
	p.Add(&equalAspect{})
	for _, r := range q.Rows {
		share := r[2] / largest
		style := draw.LineStyle{Color: faded(theme.Text, 0.12+0.6*share), Width: vg.Length(0.4 + 1.1*share)}
		p.Add(&plotter.Line{XYs: plotter.XYs{at(q.X, r[0]), at(q.Y, r[1])}, LineStyle: style})
	}
	_, heaviest := bounds(append(append([]float64{}, masses[0]...), masses[1]...))
	for k, v := range [][]float32{q.X, q.Y} {
		points := float64(len(v) / 2)
		radius := max(1.8, min(6, 26/math.Sqrt(points)))
		for i, m := range masses[k] {
			share := 1.0
			if heaviest > 0 {
				share = math.Sqrt(m / heaviest)
			}
			p.Add(disk(at(v, float64(i)), vg.Length(radius*max(0.35, share)), theme.color(Input+Role(k), 0)))
		}
	}
	return p
}

// ImagePanel is one picture of [Images].
type ImagePanel struct {
	Title string
	Image image.Image
}

// Images draws pictures of pixels side by side, up to three in a row and equally wide.
func Images(title string, panels ...ImagePanel) (*Picture, error) {
	if err := cmp.Or(errorIf(len(panels) == 0, "no pictures given, expected at least one"), each(panels, func(i int, q ImagePanel) error {
		return errorIf(q.Image == nil || q.Image.Bounds().Empty(), "panels[%d].Image has no pixels", i)
	})); err != nil {
		return nil, err
	}
	p := &Picture{Title: title, Alt: altText(title, fmt.Sprintf("%d pictures beside each other", len(panels))), pixels: true}
	cols := min(3, len(panels))
	width, tallest := min(p.room(cols), 330), 0.0
	var plots []*plot.Plot
	for _, q := range panels {
		one := theme.bare()
		one.HideAxes()
		one.Title.Text = q.Title
		size := q.Image.Bounds().Size()
		one.X.Min, one.X.Max, one.Y.Min, one.Y.Max = 0, float64(size.X), 0, float64(size.Y)
		one.Add(&filling{q.Image})
		plots = append(plots, one)
		tallest = max(tallest, float64(size.Y)/float64(size.X))
	}
	p.setPlots(plots, cols, width, width*vg.Length(tallest))
	p.Height = whole(p.Height + titles(plots))
	return p, nil
}

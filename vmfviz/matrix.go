package vmfviz

import (
	"cmp"
	"fmt"
	"image"
	stddraw "image/draw"
	"math"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/palette"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// MatrixOptions describe a [Matrix] picture.
type MatrixOptions struct {
	Title string
	// Label names the quantity and its convention beside the colour bar, for example "SW (rooted,
	// mean over points)".
	Label string
	// Rows are the names of the rows, Columns those of the columns; nil means none. Where there is
	// no room for all, evenly many are written.
	Rows, Columns []string
	// Theme is the look; nil means [DefaultTheme].
	Theme *Theme
}

// Matrix draws numbers values[i][j], for example the distance between cloud i and cloud j, as a
// table of colours with names and a colour bar; row 0 is on top. All rows have the same length.
// Where the cells are large enough, the numbers stand in them, to three digits. The middle of a
// cell is x = j, y = −i of the plot.
func Matrix(o MatrixOptions, values [][]float64) (*Picture, error) {
	if err := o.check(values); err != nil {
		return nil, err
	}
	theme := o.Theme.or()
	rows, cols := len(values), len(values[0])
	lo, hi := bounds(values...)
	p := &Picture{Title: o.Title, Alt: altText(o.Title, fmt.Sprintf("a table of %d by %d numbers as colours", rows, cols)), Theme: theme}
	bar, m, err := theme.colorBar(theme.Map, lo, hi, o.Label, nil)
	if err != nil {
		return nil, err
	}
	p.Bar = bar
	q := theme.bare()
	q.Add(&equalAspect{})
	q.X.LineStyle.Width, q.Y.LineStyle.Width, q.X.Tick.Length, q.Y.Tick.Length = 0, 0, 0, 0
	q.X.Padding, q.Y.Padding = 5, 4
	q.X.Min, q.X.Max, q.Y.Min, q.Y.Max = -0.5, float64(cols)-0.5, 0.5-float64(rows), 0.5

	room := p.room(1)
	side := widest(q.Y.Tick.Label, o.Rows)
	cell := min(48, (room-side-2)/vg.Length(cols), max(525/vg.Length(rows), 0.75))
	q.Y.Tick.Marker = nominal(q.Y.Tick.Label, o.Rows, cell, -1)
	if widest(q.X.Tick.Label, o.Columns) > cell-2 {
		q.X.Tick.Label.Rotation = math.Pi / 4
		q.X.Tick.Label.XAlign, q.X.Tick.Label.YAlign = draw.XRight, draw.YCenter
	}
	q.X.Tick.Marker = nominal(q.X.Tick.Label, o.Columns, cell, 1)

	q.Add(plotter.NewImage(cellColors(values, m, int(math.Ceil(float64(cell.Dots(96)*screenScale)-1e-9))), q.X.Min, q.Y.Min, q.X.Max, q.Y.Max))
	if cell >= 10 {
		q.Add(&cellEdges{rows, cols, draw.LineStyle{Color: theme.Background, Width: 0.75}})
	}
	q.Add(&plotter.Polygon{XYs: []plotter.XYs{{{X: q.X.Min, Y: q.Y.Min}, {X: q.X.Max, Y: q.Y.Min}, {X: q.X.Max, Y: q.Y.Max}, {X: q.X.Min, Y: q.Y.Max}}},
		LineStyle: draw.LineStyle{Color: theme.Axis, Width: 0.75}})
	if cell >= 25 {
		q.Add(cellNumbers(values, m, theme.style(pointsTick, nil), cell-4))
	}
	// The plot gets the room that its labels take besides the cells.
	data := q.DataCanvas(draw.NewCanvas(nil, room, 1000)).Rectangle
	width := min(room, room-data.Size().X+cell*vg.Length(cols))
	height := 1000 - data.Size().Y + cell*vg.Length(rows)
	p.setPlots([]*plot.Plot{q}, 1, width, max(height, 130))
	return p, nil
}

func (o MatrixOptions) check(values [][]float64) error {
	if len(values) == 0 {
		return fmt.Errorf("vmfviz: values has no rows, expected at least one")
	}
	rows, cols := len(values), len(values[0])
	if err := cmp.Or(checkText("Title", o.Title), checkText("Label", o.Label), checkNames("Rows", o.Rows, rows), errorIf(rows > maxCells || cols > maxCells,
		"values is [%d, %d], expected at most %d rows and columns", rows, cols, maxCells)); err != nil {
		return err
	}
	for i, r := range values {
		if err := cmp.Or(checkFinite(fmt.Sprintf("values[%d]", i), r), errorIf(len(r) != cols, "values[%d] has length %d, expected %d as values[0] has", i, len(r), cols)); err != nil {
			return err
		}
	}
	return checkNames("Columns", o.Columns, cols)
}

// maxCells is the largest number of rows or columns of a Matrix.
const maxCells = 2000

// nameRoom is the length of the longest name beside or under a table.
const nameRoom = vg.Length(128)

// widest returns the width of the widest text, at most nameRoom.
func widest(s draw.TextStyle, texts []string) (w vg.Length) {
	for _, t := range texts {
		w = max(w, s.Width(t))
	}
	return min(w, nameRoom)
}

// nominal marks 0, step, 2·step, ... with names, of which cells of that size may leave room for
// some only.
func nominal(s draw.TextStyle, names []string, cell vg.Length, step float64) plot.ConstantTicks {
	var ticks plot.ConstantTicks
	every := int(math.Ceil(float64((pointsTick + 1.5) / cell)))
	for i := 0; i < len(names); i += every {
		ticks = append(ticks, plot.Tick{Value: float64(i) * step, Label: ellipsis(s, names[i], nameRoom)})
	}
	return ticks
}

// cellColors is an image of the table with k by k pixels for a cell: of one pixel each, as of a
// rasterized [plotter.HeatMap], edges would be blurred.
func cellColors(values [][]float64, m palette.ColorMap, k int) image.Image {
	img := image.NewRGBA(image.Rect(0, 0, k*len(values[0]), k*len(values)))
	for i, row := range values {
		for j, v := range row {
			cell := image.Rect(k*j, k*i, k*(j+1), k*(i+1))
			stddraw.Draw(img, cell, image.NewUniform(colorAt(m, v)), image.Point{}, stddraw.Src)
		}
	}
	return img
}

// cellNumbers are the numbers of the table as labels.
func cellNumbers(values [][]float64, m palette.ColorMap, s draw.TextStyle, room vg.Length) *plotter.Labels {
	s.XAlign, s.YAlign = draw.XCenter, draw.YCenter
	big := math.Max(math.Abs(m.Min()), math.Abs(m.Max()))
	var l plotter.Labels
	for i, row := range values {
		for j, v := range row {
			style, txt := s, cellNumber(v, big)
			style.Color = readable(colorAt(m, v))
			fitted(&style, txt, room)
			l.XYs = append(l.XYs, plotter.XY{X: float64(j), Y: -float64(i)})
			l.Labels, l.TextStyle = append(l.Labels, txt), append(l.TextStyle, style)
		}
	}
	return &l
}

// cellNumber writes a number of a table whose largest is big, all with as many decimals.
func cellNumber(v, big float64) string {
	if v == 0 || big < 1e-3 || big >= 1e5 {
		return short(v, 3)
	}
	return decimals(v, max(0, 2-int(math.Floor(math.Log10(big)))))
}

// cellEdges is a plotter: lines between the cells of a table.
type cellEdges struct {
	rows, cols int
	style      draw.LineStyle
}

func (e *cellEdges) Plot(c draw.Canvas, p *plot.Plot) {
	x, y := p.Transforms(&c)
	for j := 1; j < e.cols; j++ {
		at := x(float64(j) - 0.5)
		c.StrokeLine2(e.style, at, y(0.5), at, y(0.5-float64(e.rows)))
	}
	for i := 1; i < e.rows; i++ {
		at := y(0.5 - float64(i))
		c.StrokeLine2(e.style, x(-0.5), at, x(float64(e.cols)-0.5), at)
	}
}

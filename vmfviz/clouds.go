package vmfviz

import (
	"fmt"
	"image/color"
	"math"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/palette"
	"gonum.org/v1/plot/vg"
)

// CloudRow is one row of a [Clouds] picture.
type CloudRow struct {
	// Caption stands at the left, for example "input" or "LA v-DSW".
	Caption string
	// Clouds are the cells, each a cloud [M, 3]; M may differ. A nil cloud
	// leaves its cell empty.
	Clouds [][]float32
	// Role gives the colour; Auto means Input for the first row and Output for
	// the others.
	Role Role
	// Errors colours each point by its distance to the nearest point of the
	// target, the first row's cloud in the same column; a colour bar with one
	// range for all such rows stands at the right.
	Errors bool
}

// CloudsOptions are what the rows of a [Clouds] picture share.
type CloudsOptions struct {
	Title string
	// Columns are captions above the columns; nil means none.
	Columns []string
	// View is where the reader stands (y is up); the zero View is From(142, 24).
	View View
	// Theme is the look; nil means [DefaultTheme].
	Theme *Theme
}

// cloudView sees objects whose front faces -z, as ShapeNet's, from the front.
var cloudView = From(142, 24)

// Split cuts points [n, m, 3] into n clouds [m, 3] that share its memory.
func Split(points []float32, n int) ([][]float32, error) {
	if n <= 0 || len(points) == 0 || len(points)%(3*n) != 0 {
		return nil, fmt.Errorf("vmfviz: points has length %d, expected a multiple of 3·n for n = %d clouds of equally many points", len(points), n)
	}
	size := len(points) / n
	clouds := make([][]float32, n)
	for i := range clouds {
		clouds[i] = points[i*size : (i+1)*size : (i+1)*size]
	}
	return clouds, nil
}

// Clouds draws rows of point clouds below each other, for comparison: column j
// of every row belongs together, for example input j and its reconstructions.
// All cells have one scale and one view in perspective with y up, and the cells
// of a column one centre (the middle of the bounding box of its first cloud), so
// that a reconstruction that is shifted or shrunk looks it. Near points are
// larger and darker.
func Clouds(o CloudsOptions, rows ...CloudRow) (*Picture, error) {
	if err := checkText("Title", o.Title); err != nil {
		return nil, err
	}
	if err := o.View.check(); err != nil {
		return nil, err
	}
	if len(rows) == 0 {
		return nil, fmt.Errorf("vmfviz: no rows given, expected at least one")
	}
	cols := len(rows[0].Clouds)
	for i, r := range rows {
		name := fmt.Sprintf("rows[%d]", i)
		if err := checkText(name+".Caption", r.Caption); err != nil {
			return nil, err
		}
		if len(r.Clouds) != cols || cols == 0 {
			return nil, fmt.Errorf("vmfviz: %s.Clouds has %d clouds, expected as many as rows[0] and at least one (rows[0] has %d)", name, len(r.Clouds), cols)
		}
		for j, c := range r.Clouds {
			if c == nil {
				continue
			}
			if _, err := checkRows(fmt.Sprintf("%s.Clouds[%d]", name, j), c, 3); err != nil {
				return nil, err
			}
			if r.Errors && rows[0].Clouds[j] == nil {
				return nil, fmt.Errorf("vmfviz: rows[0].Clouds[%d] is nil, expected the target for the Errors of %s", j, name)
			}
		}
	}
	if o.Columns != nil && len(o.Columns) != cols {
		return nil, fmt.Errorf("vmfviz: Columns has %d captions, expected %d, one for each column", len(o.Columns), cols)
	}
	for j, c := range o.Columns {
		if err := checkText(fmt.Sprintf("Columns[%d]", j), c); err != nil {
			return nil, err
		}
	}

	theme := o.Theme.or()
	p := &Picture{Title: o.Title, Alt: altText(o.Title, fmt.Sprintf("%d rows of %d point clouds", len(rows), cols)), Theme: theme, Gap: cloudGap}
	errors, largest := cloudErrors(rows)
	room := fullWidth - 2*cardEdge - 24
	var scale palette.ColorMap
	if errors != nil {
		var err error
		if p.Bar, err = theme.colorBar(theme.Errors, 0, largest, "distance to the nearest target point", nil); err != nil {
			return nil, err
		}
		if scale, err = newColorMap(theme.Errors, 0, largest); err != nil {
			return nil, err
		}
		room -= barRoom
	}
	lens := newLens(o.View.or(cloudView).cameraY())
	centers := make([]vec3, cols)
	for j := range centers {
		for i := len(rows) - 1; i >= 0; i-- {
			if c := rows[i].Clouds[j]; c != nil {
				centers[j] = middle(c)
			}
		}
		for _, r := range rows {
			lens.include(r.Clouds[j], centers[j])
		}
	}
	w, h := lens.cell(room, cols)
	var plots []*plot.Plot
	named, captioned := vg.Length(0), vg.Length(0)
	for i, r := range rows {
		role := r.Role
		if role == Auto && i > 0 {
			role = Output
		} else if role == Auto {
			role = Input
		}
		for j, c := range r.Clouds {
			tint := shading(theme.color(role, 0))
			if r.Errors {
				tint = func(k int, _ float64) color.Color { return colorAt(scale, errors[i][j][k]) }
			}
			q := lens.plot(theme, c, centers[j], tint)
			if o.Columns != nil && i == 0 {
				q.Title.Text = o.Columns[j]
				wrap(&q.Title.TextStyle, &q.Title.Text, w+plotGap/2)
				named = max(named, q.Title.TextStyle.Height(q.Title.Text)+q.Title.Padding)
			}
			if j == 0 && r.Caption != "" {
				q.Y.Label.Text = r.Caption
				q.Y.Label.TextStyle = bold(q.Y.Label.TextStyle)
				q.Y.Label.TextStyle.Color = theme.dark(theme.color(role, 0))
				wrap(&q.Y.Label.TextStyle, &q.Y.Label.Text, h)
				captioned = max(captioned, q.Y.Label.TextStyle.Height(q.Y.Label.Text)+6)
			}
			plots = append(plots, q)
		}
	}
	p.setPlots(plots, cols, fullWidth-room-24+captioned+w*vg.Length(cols)+cloudGap*vg.Length(cols-1), h)
	p.Height += named
	p.fitTitle()
	return p, nil
}

// cloudGap is the space between clouds.
const cloudGap = vg.Length(6)

// cell returns the size of cells for cols clouds in a row.
func (l *perspective) cell(room vg.Length, cols int) (w, h vg.Length) {
	w = min(142.5, (room-cloudGap*vg.Length(cols-1))/vg.Length(cols))
	l.x, l.y = l.limits()
	return w, w * vg.Length(math.Min(1.15, l.y/l.x))
}

// plot returns the plot of one cloud, in its own units around the centre.
func (l *perspective) plot(t *Theme, points []float32, center vec3, tint func(i int, near float64) color.Color) *plot.Plot {
	p := t.bare()
	p.HideAxes()
	p.Add(l.cloud(points, center, tint))
	p.X.Min, p.X.Max, p.Y.Min, p.Y.Max = -l.x, l.x, -l.y, l.y
	return p
}

// colorAt returns the colour of a value in the range of a colour map.
func colorAt(m palette.ColorMap, v float64) color.Color {
	c, err := m.At(math.Min(math.Max(v, m.Min()), m.Max()))
	if err != nil { // not a number
		return color.Transparent
	}
	return c
}

func altText(title, what string) string {
	if title == "" {
		return what
	}
	return title + ": " + what
}

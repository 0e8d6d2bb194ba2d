package vmfviz

import (
	"cmp"
	"fmt"
	"image/color"
	"math"
	"slices"

	"gonum.org/v1/gonum/spatial/kdtree"
	"gonum.org/v1/plot/palette"
	"gonum.org/v1/plot/vg"
)

// CloudRow is one row of a [Clouds] picture.
type CloudRow struct {
	// Caption stands at the left, for example "input" or "LA v-DSW".
	Caption string
	// Clouds are the cells, each a cloud [M, 3]; M may differ. A nil cloud leaves its cell empty.
	Clouds [][]float32
	// Behind is a cloud [M, 3] in grey behind every cell, for example the target of a flow; nil means none.
	Behind []float32
	// Role gives the colour; Auto means Input for the first row and Output for the others.
	Role Role
	// To is the colour of the last cloud, with mixtures in between, of clouds on their way from one to the other; Auto
	// means Role for all.
	To Role
	// Errors colours each point by its distance to the nearest point of the target, the first row's
	// cloud in the same column; a colour bar with one range for all such rows stands at the right.
	Errors bool
}

// CloudsOptions are what the rows of a [Clouds] picture share.
type CloudsOptions struct {
	Title string
	// Columns are captions above the columns; nil means none.
	Columns []string
	// View is where the reader stands (y is up); the zero View is From(142, 24).
	View View
	// Cell is the width of a cloud in pixels; 0 means as many as fit, at most 190.
	Cell int
	// Together gives all columns one centre, the middle of the first row, so that equal clouds look equal.
	Together bool
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

// Clouds draws rows of point clouds below each other, for comparison: column j of every row belongs
// together, for example input j and its reconstructions. All cells have one scale and one view in
// perspective with y up, and the cells of a column one centre (the middle of the bounding box of
// its first cloud, unless Together), so that a reconstruction that is shifted or shrunk looks it. Near points are
// larger and darker. A single column of up to four clouds is drawn as a row, with the captions
// above.
func Clouds(o CloudsOptions, rows ...CloudRow) (*Picture, error) {
	if err := o.check(rows); err != nil {
		return nil, err
	}
	cols := len(rows[0].Clouds)
	p := &Picture{Title: o.Title, Alt: altText(o.Title, fmt.Sprintf("%d rows of %d point clouds", len(rows), cols)),
		gap: cloudGap}
	var scale palette.ColorMap // of errors from 0 to the largest
	var cells []cloudCell
	largest := 0.0
	for i, r := range rows {
		for j, c := range r.Clouds {
			cell := cloudCell{tint: shading(blend(theme.color(r.role(i), 0), theme.color(cmp.Or(r.To, r.role(i)), 0),
				float64(j)/float64(max(1, cols-1))))}
			if r.Errors && c != nil {
				errors := nearestDistances(c, rows[0].Clouds[j])
				largest = max(largest, slices.Max(errors))
				cell.tint = func(k int, _ float64) color.Color { return colorAt(scale, errors[k]) }
			}
			if first := slices.IndexFunc(rows, func(r CloudRow) bool { return r.Clouds[j] != nil }); first >= 0 {
				center := middle(rows[first].Clouds[j])
				if o.Together {
					center = middle(slices.Concat(rows[0].Clouds...))
				}
				cell.points = around(center, c)
				if r.Behind != nil {
					cell.points, cell.behind = append(around(center, r.Behind), cell.points...), len(r.Behind)/3
				}
			}
			cells = append(cells, cell)
		}
	}
	if slices.ContainsFunc(rows, func(r CloudRow) bool { return r.Errors }) {
		p.bar, scale = theme.colorBar(theme.Errors, 0, largest, "distance to the nearest target point", nil)
	}
	across, flat := cols, cols == 1 && len(rows) <= 4
	if flat {
		across = len(rows)
	}
	const captions = 24 // at the left
	w := min(maxCloud, p.room(across)-captions/vg.Length(across))
	if o.Cell > 0 {
		w = min(w, 0.75*vg.Length(o.Cell))
	}
	plots, h := cloudPlots(o.View.or(cloudView).cameraY(), cells, w)
	side := vg.Length(0)
	for i, r := range rows {
		q := plots[i*cols]
		if flat {
			q.Title.Text, q.Title.TextStyle.Color = r.Caption, theme.dark(theme.color(r.role(i), 0))
		} else if r.Caption != "" {
			label := &q.Y.Label
			label.Text, label.TextStyle = r.Caption, bold(label.TextStyle)
			if label.TextStyle.Color = theme.dark(theme.color(r.role(i), 0)); r.To != Auto {
				label.TextStyle.Color = theme.Text
			}
			wrap(&label.TextStyle, &label.Text, h)
			side = max(side, label.TextStyle.Height(label.Text)+6)
		}
	}
	for j, name := range o.Columns {
		plots[j].Title.Text = joined(name, plots[j].Title.Text)
	}
	for _, q := range plots {
		wrap(&q.Title.TextStyle, &q.Title.Text, w+plotGap/2)
	}
	p.setPlots(plots, across, w+side/vg.Length(across), h)
	p.Height = whole(p.Height + titles(plots))
	return p, nil
}

// role is the role of row i.
func (r CloudRow) role(i int) Role {
	return cmp.Or(r.Role, []Role{Input, Output}[min(i, 1)])
}

func (o CloudsOptions) check(rows []CloudRow) error {
	if len(rows) == 0 {
		return fmt.Errorf("vmfviz: no rows given, expected at least one")
	}
	cols := len(rows[0].Clouds)
	return cmp.Or(each(rows, func(i int, r CloudRow) error {
		name := fmt.Sprintf("rows[%d]", i)
		if len(r.Clouds) != cols || cols == 0 {
			return fmt.Errorf("vmfviz: %s.Clouds has %d clouds, expected as many as rows[0] and at least one (rows[0] has %d)",
				name, len(r.Clouds), cols)
		}
		if r.Behind != nil {
			if err := checkRows(name+".Behind", r.Behind, 3); err != nil {
				return err
			}
		}
		return each(r.Clouds, func(j int, c []float32) error {
			if c == nil {
				return nil
			}
			return cmp.Or(checkRows(fmt.Sprintf("%s.Clouds[%d]", name, j), c, 3), errorIf(r.Errors && rows[0].Clouds[j] == nil,
				"rows[0].Clouds[%d] is nil, expected the target for the Errors of %s", j, name))
		})
	}), checkNames("Columns", o.Columns, cols))
}

// nearestDistances returns, for each point of the cloud, the distance to the nearest point of the
// target.
func nearestDistances(cloud, target []float32) []float64 {
	var points kdtree.Points
	for _, q := range rows(target, 3) {
		points = append(points, q[:])
	}
	tree := kdtree.New(points, false)
	out := make([]float64, len(cloud)/3)
	for i, q := range rows(cloud, 3) {
		_, square := tree.Nearest(kdtree.Point(q[:]))
		out[i] = math.Sqrt(square)
	}
	return out
}

// GalleryOptions describe a [Gallery].
type GalleryOptions struct {
	Title string
	// Captions stand below the clouds, one for each; nil means none.
	Captions []string
	// Columns is the number of clouds in a row; 0 means up to 8.
	Columns int
	// Role gives the colour.
	Role Role
	// View is where the reader stands (y is up); the zero View is From(142, 24).
	View View
}

// Gallery draws clouds [M, 3] one after the other in lines, each with its caption: a contact sheet.
// All have one scale and one view in perspective with y up; each is centred in its cell.
func Gallery(o GalleryOptions, clouds ...[]float32) (*Picture, error) {
	if err := cmp.Or(checkNames("Captions", o.Captions, len(clouds)),
		errorIf(len(clouds) == 0, "no clouds given, expected at least one"),
		errorIf(o.Columns < 0 || o.Columns > 20, "Columns = %d, expected 0 (automatic) to 20", o.Columns),
		each(clouds, func(i int, c []float32) error { return checkRows(fmt.Sprintf("clouds[%d]", i), c, 3) })); err != nil {
		return nil, err
	}
	tint := shading(theme.color(cmp.Or(o.Role, Input), 0))
	var cells []cloudCell
	for _, c := range clouds {
		cells = append(cells, cloudCell{points: around(middle(c), c), tint: tint})
	}
	cols := columns(o.Columns, len(clouds), 8)
	p := &Picture{Title: o.Title, Alt: altText(o.Title, fmt.Sprintf("%d point clouds", len(clouds))), gap: cloudGap}
	w := min(maxCloud, p.room(cols))
	plots, h := cloudPlots(o.View.or(cloudView).cameraY(), cells, w)
	caption := vg.Length(0)
	for i, name := range o.Captions {
		label := &plots[i].X.Label
		label.Text, label.TextStyle.Font.Size = name, pointsTick
		wrap(&label.TextStyle, &label.Text, w+cloudGap/2)
		caption = max(caption, label.TextStyle.Height(label.Text)+6)
	}
	p.setPlots(plots, cols, w, h+caption)
	return p, nil
}

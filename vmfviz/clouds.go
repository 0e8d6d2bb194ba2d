package vmfviz

import (
	"fmt"
	"image/color"
	"math"
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

	side := 0.0
	for _, r := range rows {
		side = math.Max(side, textWidth(textStyle{size: sizeCaption, bold: true}, plain(r.Caption)))
	}
	if side > 0 {
		side = math.Min(side, 150) + 14
	}
	head := 0.0
	if o.Columns != nil {
		head = 24
	}
	errors, largest := cloudErrors(rows)
	bar := 0.0
	if errors != nil {
		bar = barWidth
	}
	const gap = 8
	cell := math.Min(190, math.Floor((cardWidth-2*margin-side-bar-gap*float64(cols-1))/float64(cols)))
	width := 2*margin + side + bar + cell*float64(cols) + gap*float64(cols-1)
	if o.Title != "" {
		width = math.Min(cardWidth, math.Max(width, 2*margin+textWidth(textStyle{size: sizeTitle, bold: true}, plain(o.Title))))
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
	w, h := lens.cell(cell)
	top := titleHeight(o.Title) + head
	height := top + h*float64(len(rows)) + gap*float64(len(rows)-1) + margin

	paint := func(s *page) {
		s.title(o.Title)
		for j, c := range o.Columns {
			x := margin + side + (cell+gap)*float64(j) + cell/2
			s.text(pt{x, top - 10}, textStyle{size: sizeCaption, align: 0.5, maxLen: cell}, plain(c))
		}
		for i, r := range rows {
			y := math.Round(top + (h+gap)*float64(i))
			col := r.Role.color()
			if r.Role == Auto && i > 0 {
				col = vermilion
			}
			s.text(pt{margin, y + h/2 + 5}, textStyle{size: sizeCaption, bold: true, color: dark(col), maxLen: side - 10}, plain(r.Caption))
			for j, c := range r.Clouds {
				tint := shade3(col)
				if r.Errors {
					tint = func(k int, _ float64) color.NRGBA { return errorColor(scaleTo(0, largest, errors[i][j][k])) }
				}
				s.cloud(box{math.Round(margin + side + (cell+gap)*float64(j)), y, w, h}, lens, c, centers[j], tint)
			}
		}
		if bar > 0 {
			full := height - top - margin
			length := math.Min(full*0.94, 300)
			x := margin + side + (cell+gap)*float64(cols) - gap
			s.colorBar(box{x + 18, top + (full-length)/2, 16, length}, colorMap{errorColor, false}, 0, largest, "distance to the nearest target point")
		}
	}
	return newPicture(width, height, altText(o.Title, fmt.Sprintf("%d rows of %d point clouds", len(rows), cols)), paint), nil
}

func altText(title, what string) string {
	if title == "" {
		return what
	}
	return title + ": " + what
}

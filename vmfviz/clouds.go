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
		side = math.Max(side, textWidth(look{size: sizeCaption, bold: true}, plain(r.Caption)))
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
		width = math.Min(cardWidth, math.Max(width, 2*margin+textWidth(look{size: sizeTitle, bold: true}, plain(o.Title))))
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

	paint := func(s *sheet) {
		s.title(o.Title)
		for j, c := range o.Columns {
			x := margin + side + (cell+gap)*float64(j) + cell/2
			s.text(pt{x, top - 10}, look{size: sizeCaption, align: 0.5, maxLen: cell}, plain(c))
		}
		for i, r := range rows {
			y := math.Round(top + (h+gap)*float64(i))
			col := r.Role.color()
			if r.Role == Auto && i > 0 {
				col = vermilion
			}
			s.text(pt{margin, y + h/2 + 5}, look{size: sizeCaption, bold: true, color: dark(col), maxLen: side - 10}, plain(r.Caption))
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

// Gallery draws clouds [M, 3] one after the other in lines, each with its
// caption: a contact sheet. All have one scale and one view in perspective with
// y up; each is centred in its cell.
func Gallery(o GalleryOptions, clouds ...[]float32) (*Picture, error) {
	if err := checkText("Title", o.Title); err != nil {
		return nil, err
	}
	if err := o.View.check(); err != nil {
		return nil, err
	}
	if len(clouds) == 0 {
		return nil, fmt.Errorf("vmfviz: no clouds given, expected at least one")
	}
	if o.Captions != nil && len(o.Captions) != len(clouds) {
		return nil, fmt.Errorf("vmfviz: Captions has length %d, expected %d, one for each cloud", len(o.Captions), len(clouds))
	}
	if o.Columns < 0 || o.Columns > 20 {
		return nil, fmt.Errorf("vmfviz: Columns = %d, expected 0 (automatic) to 20", o.Columns)
	}
	for i, c := range clouds {
		if _, err := checkRows(fmt.Sprintf("clouds[%d]", i), c, 3); err != nil {
			return nil, err
		}
	}
	for i, c := range o.Captions {
		if err := checkText(fmt.Sprintf("Captions[%d]", i), c); err != nil {
			return nil, err
		}
	}
	cols := o.Columns
	if cols == 0 {
		lines := (len(clouds) + 7) / 8
		cols = (len(clouds) + lines - 1) / lines
	}
	cols = min(cols, len(clouds))
	const gap = 8
	cell := math.Min(190, math.Floor((cardWidth-2*margin-gap*float64(cols-1))/float64(cols)))
	width := 2*margin + cell*float64(cols) + gap*float64(cols-1)
	if o.Title != "" {
		width = math.Min(cardWidth, math.Max(width, 2*margin+textWidth(look{size: sizeTitle, bold: true}, plain(o.Title))))
	}
	lens := newLens(o.View.or(cloudView).cameraY())
	centers := make([]vec3, len(clouds))
	for i, c := range clouds {
		centers[i] = middle(c)
		lens.include(c, centers[i])
	}
	w, h := lens.cell(cell)
	caption := 0.0
	if o.Captions != nil {
		caption = 22
	}
	lines := (len(clouds) + cols - 1) / cols
	top := titleHeight(o.Title)
	height := top + (h+caption)*float64(lines) + gap*float64(lines-1) + margin

	paint := func(s *sheet) {
		s.title(o.Title)
		for i, c := range clouds {
			b := box{
				x: math.Round(margin + (cell+gap)*float64(i%cols)),
				y: math.Round(top + (h+caption+gap)*float64(i/cols)),
				w: w, h: h,
			}
			s.cloud(b, lens, c, centers[i], shade3(o.Role.color()))
			if o.Captions != nil {
				s.text(pt{b.x + w/2, b.y + h + 14}, look{size: sizeTick + 0.5, align: 0.5, maxLen: cell + 2}, plain(o.Captions[i]))
			}
		}
	}
	return newPicture(width, height, altText(o.Title, fmt.Sprintf("%d point clouds", len(clouds))), paint), nil
}

func altText(title, what string) string {
	if title == "" {
		return what
	}
	return title + ": " + what
}

// middle returns the middle of the bounding box of a cloud.
func middle(cloud []float32) vec3 {
	lo, hi := row3(cloud, 0), row3(cloud, 0)
	for i := range len(cloud) / 3 {
		p := row3(cloud, i)
		for k := range 3 {
			lo[k], hi[k] = math.Min(lo[k], p[k]), math.Max(hi[k], p[k])
		}
	}
	return lo.add(hi).scale(0.5)
}

// lens is a perspective view that holds several clouds at one scale.
type lens struct {
	cam    camera
	parts  []lensPart
	radius float64 // of the largest cloud around its centre

	scale         float64 // pixels per unit at the centre
	width, height float64 // of a cell
}

type lensPart struct {
	cloud  []float32
	center vec3
}

// eyeDistance is how far the reader stands, in radii of the largest cloud.
const eyeDistance = 4.5

func newLens(cam camera) *lens { return &lens{cam: cam} }

// include makes room for a cloud.
func (l *lens) include(cloud []float32, center vec3) {
	l.parts = append(l.parts, lensPart{cloud, center})
	for i := range len(cloud) / 3 {
		d := row3(cloud, i).sub(center)
		l.radius = math.Max(l.radius, math.Sqrt(dot(d, d)))
	}
}

// project returns the place of p in radii of the largest cloud, the depth
// towards the reader (-1 to 1) and the magnification there.
func (l *lens) project(p, center vec3) (x, y, depth, magnify float64) {
	r := l.radius
	if r == 0 {
		r = 1
	}
	q := l.cam.apply(p.sub(center).scale(1 / r))
	magnify = eyeDistance / (eyeDistance - q[2])
	return q[0] * magnify, q[1] * magnify, q[2], magnify
}

// cell fits the scale to cells of the given width and returns their size.
func (l *lens) cell(width float64) (w, h float64) {
	var mx, my float64
	for _, part := range l.parts {
		for i := range len(part.cloud) / 3 {
			x, y, _, _ := l.project(row3(part.cloud, i), part.center)
			mx, my = math.Max(mx, math.Abs(x)), math.Max(my, math.Abs(y))
		}
	}
	const edge = 5
	mx, my = math.Max(mx, 0.3), math.Max(my, 0.3)
	l.width = width
	l.height = math.Min(width*1.15, math.Ceil(width*my/mx))
	l.scale = math.Min((width/2-edge)/mx, (l.height/2-edge)/my)
	return l.width, l.height
}

// shade3 is the tint of a cloud of one colour: near points are darker.
func shade3(col color.NRGBA) func(i int, near float64) color.NRGBA {
	near, far := mix(col, color.NRGBA{A: 0xFF}, 0.35), mix(col, white, 0.62)
	return func(_ int, t float64) color.NRGBA { return mix(far, near, t) }
}

// cloud paints a cloud into a cell; tint is the colour of point i, which is at
// the back for near = 0 and in front for near = 1.
func (s *sheet) cloud(b box, l *lens, cloud []float32, center vec3, tint func(i int, near float64) color.NRGBA) {
	n := len(cloud) / 3
	if n == 0 {
		return
	}
	size := 0.0068 * b.w * math.Min(1.9, math.Max(0.6, math.Pow(2048/float64(n), 0.35)))
	size = math.Max(size, 0.7)
	dots := make([]dot3, n)
	first, last := math.Inf(1), math.Inf(-1)
	for i := range dots {
		x, y, depth, magnify := l.project(row3(cloud, i), center)
		first, last = math.Min(first, depth), math.Max(last, depth)
		dots[i] = dot3{
			x:     (b.w/2 + x*l.scale) * screenScale,
			y:     (b.h/2 - y*l.scale) * screenScale,
			r:     magnify,
			depth: depth,
		}
	}
	// A flat cloud is not shaded as if it were deep.
	middle, span := (first+last)/2, math.Max(last-first, 0.5)
	for i := range dots {
		d := &dots[i]
		// Shade in steps: fewer colours, smaller files, no visible difference.
		t := math.Round(((d.depth-middle)/span+0.5)*24) / 24
		d.r *= size * (0.8 + 0.4*t) * screenScale
		d.col = s.tone(tint(i, t))
	}
	s.image(b, splat(int(b.w*screenScale), int(b.h*screenScale), dots))
}

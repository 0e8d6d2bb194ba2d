package vmfviz

import (
	"cmp"
	"fmt"
	"image"
	"math"
	"slices"
	"strings"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/plot"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// SinogramOptions configure [Sinogram].
type SinogramOptions struct {
	Title  string
	Titles []string // above the panels, nil: none
	// Normal is perpendicular to the great circle of directions; the zero Normal is (0, 0, 1), whose
	// circle is that of the plane of x and y.
	Normal [3]float64
}

// Sinogram draws the projections of clouds [M, 3] on all directions of a great circle: at an angle φ
// from 0 to 180°, the density of θ(φ)'x along the line, in points per unit of length, as a colour: none
// beyond the outermost points, and one for the highest densities. A single point is a curve r cos(φ - φ₀).
// θ(0) and θ(90°) are the first two axes of the plane: those of x and y for the default Normal; else θ(0)
// is perpendicular to the normal and to the axis that is nearest to it.
//
// Every set has a panel, all of one scale. A set of several clouds of as many points is drawn by the means of
// their sorted projections.
func Sinogram(o SinogramOptions, sets ...[][]float32) (*Picture, error) {
	normal := vec3(o.Normal)
	if normal == (vec3{}) {
		normal = vec3{0, 0, 1}
	}
	length := math.Sqrt(dot(normal, normal))
	if err := cmp.Or(errorIf(len(sets) == 0, "no clouds given, expected at least one"), each(sets, func(_ int, set [][]float32) error {
		return cmp.Or(errorIf(len(set) == 0, "no clouds given, expected at least one"), each(set, func(_ int, cloud []float32) error {
			return cmp.Or(checkRows("cloud", cloud, 3),
				errorIf(len(cloud) != len(set[0]), "a set has clouds of %d and %d points", len(set[0])/3, len(cloud)/3))
		}))
	}), errorIf(o.Titles != nil && len(o.Titles) != len(sets), "Titles has length %d, expected %d", len(o.Titles), len(sets)),
		errorIf(!(length > 1e-150) || !(length < largest), "Normal is %v, expected a direction", o.Normal)); err != nil {
		return nil, err
	}
	normal = normal.scale(1 / length)
	right, up := circleAxes(normal)
	reach := 0.0
	for _, cloud := range slices.Concat(sets...) {
		for _, q := range rows(cloud, 3) {
			reach = math.Max(reach, math.Hypot(dot(q, right), dot(q, up)))
		}
	}
	reach = math.Max(1.03*reach, 1e-9)
	densities := make([][]float64, len(sets))
	for i, set := range sets {
		densities[i] = listDensity(set, right, up, reach)
	}
	// One colour for the highest densities: a narrow rim would take the whole scale.
	sorted := slices.DeleteFunc(slices.Concat(densities...), func(v float64) bool { return !(v > 0) })
	slices.Sort(sorted)
	for _, density := range densities {
		for i, v := range density {
			density[i] = min(v, sorted[len(sorted)*19/20])
		}
	}
	lo, hi := bounds(slices.DeleteFunc(slices.Concat(densities...), math.IsNaN))
	shows := fmt.Sprintf("projections of %d points over the angle of the direction", len(sets[0][0])/3)
	if len(sets) > 1 {
		shows = fmt.Sprintf("projections of %d clouds over the angle of the direction", len(sets))
	}
	p := &Picture{Title: o.Title, Alt: altText(o.Title, shows)}
	var plots []*plot.Plot
	for i, density := range densities {
		q := p.raster(density, lo, hi, sinogramBins, sinogramAngles, "density of θ·x, the top stands for more")
		q.X.Min, q.X.Max, q.Y.Min, q.Y.Max = 0, 180, -reach, reach
		q.X.Label.Text, q.Y.Label.Text = "angle φ of the direction, in degrees", "projection θ(φ)·x"
		q.X.Tick.Marker = halfTurn
		if len(sets) > 2 {
			q.X.Label.Text, q.X.Tick.Marker = "angle φ, in degrees", plot.ConstantTicks([]plot.Tick{{Value: 0, Label: "0"}, {Value: 90, Label: "90"}, {Value: 180, Label: "180"}})
		}
		if i > 0 {
			q.Y.Label.Text, q.Y.LineStyle.Width, q.Y.Tick.Length = "", 0, 0
			marks := q.Y.Tick.Marker.Ticks(-reach, reach)
			for k := range marks {
				marks[k].Label = strings.Repeat(" ", min(1, len(marks[k].Label))) // as high as a number
			}
			q.Y.Tick.Marker = plot.ConstantTicks(marks)
		}
		if o.Titles != nil {
			q.Title.Text = o.Titles[i]
		}
		plots = append(plots, q)
	}
	p.setPlots(plots, len(sets), p.room(len(sets)), 330-vg.Length(40*(len(sets)-1)))
	p.Height = whole(p.Height + titles(plots))
	return p, nil
}

const sinogramAngles, sinogramBins = 360, 240

// listDensity is the density of the means of the clouds' sorted projections at every angle, rows from the top down; NaN beyond the ends.
func listDensity(set [][]float32, right, up vec3, reach float64) []float64 {
	const angles, bins = sinogramAngles, sinogramBins
	width, n := 2*reach/bins, len(set[0])/3
	density := make([]float64, bins*angles)
	for k := range angles {
		sin, cos := math.Sincos((float64(k) + 0.5) * math.Pi / angles)
		list := make([]float64, n)
		for _, cloud := range set {
			var one []float64
			for _, q := range rows(cloud, 3) {
				one = append(one, cos*dot(q, right)+sin*dot(q, up))
			}
			slices.Sort(one)
			floats.AddScaled(list, 1/float64(len(set)), one)
		}
		for _, s := range list {
			at := (reach-s)/width - 0.5 // shared by the two bins beside it
			i := math.Floor(at)
			for side, share := range [2]float64{i + 1 - at, at - i} {
				if row := int(i) + side; row >= 0 && row < bins {
					density[row*angles+k] += share / (float64(n) * width)
				}
			}
		}
		for row := range bins { // whose middle is at
			if s := reach - (float64(row)+0.5)*width; s < list[0]-width/2 || s > list[n-1]+width/2 {
				density[row*angles+k] = math.NaN()
			}
		}
	}
	return density
}

// circleAxes are two unit vectors that span the plane with that normal: θ(0) and θ(90°).
func circleAxes(normal vec3) (right, up vec3) {
	nearest := 0
	for k := range normal {
		if math.Abs(normal[k]) > math.Abs(normal[nearest]) {
			nearest = k
		}
	}
	var next vec3
	next[(nearest+1)%3] = 1
	right = next.add(normal.scale(-dot(next, normal))).unit()
	return right, cross(normal, right)
}

// MatrixOptions configure [Matrix].
type MatrixOptions struct {
	Title string
	// Label names the numbers beside the colour bar, for example "SW₂".
	Label string
	// Groups, if not nil, has a number from 0 for each row: rows and columns are then sorted by it,
	// with lines between the groups.
	Groups []int
	// Names of the groups, by their number; nil: the numbers.
	Names []string
}

// Matrix draws a square matrix [n, n], such as the distances of n clouds, as colours: row 0 at the top.
func Matrix(o MatrixOptions, values []float64) (*Picture, error) {
	n := int(math.Round(math.Sqrt(float64(len(values)))))
	if err := cmp.Or(checkFinite("values", values),
		errorIf(n*n != len(values), "values has length %d, expected a square number", len(values)),
		errorIf(o.Groups != nil && len(o.Groups) != n, "Groups has length %d, expected %d, one for each row",
			len(o.Groups), n),
		each(o.Groups, func(i, g int) error {
			unnamed := o.Names != nil && g >= len(o.Names)
			return errorIf(g < 0 || unnamed, "Groups[%d] is %d, expected a number from 0 that has a name", i, g)
		})); err != nil {
		return nil, err
	}
	order := make([]int, n)
	for i := range order {
		order[i] = i
	}
	sorted := values
	if o.Groups != nil {
		slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(o.Groups[a], o.Groups[b]) })
		sorted = make([]float64, 0, n*n)
		for _, i := range order {
			for _, j := range order {
				sorted = append(sorted, values[i*n+j])
			}
		}
	}
	p := &Picture{Title: o.Title, Alt: altText(o.Title, fmt.Sprintf("a matrix of %d rows and columns as colours", n))}
	lo, hi := bounds(sorted)
	q := p.raster(sorted, lo, hi, n, n, o.Label)
	end := float64(n)
	q.X.Min, q.X.Max, q.Y.Min, q.Y.Max = 0, end, 0, end
	q.Y.Scale = plot.InvertedScale{Normalizer: plot.LinearScale{}}
	var marks []plot.Tick
	line := draw.LineStyle{Color: theme.Background, Width: 0.75}
	for from := 0; from < n && o.Groups != nil; {
		group, to := o.Groups[order[from]], from+1
		for to < n && o.Groups[order[to]] == group {
			to++
		}
		name := fmt.Sprint(group)
		if o.Names != nil {
			name = o.Names[group]
		}
		marks = append(marks, plot.Tick{Value: float64(from+to) / 2, Label: name})
		if to < n {
			q.Add(segment(0, float64(to), end, float64(to), line), segment(float64(to), 0, float64(to), end, line))
		}
		from = to
	}
	if marks != nil {
		q.X.Tick.Marker, q.Y.Tick.Marker = plot.ConstantTicks(marks), plot.ConstantTicks(marks)
		q.Y.Tick.Length = 0
		q.X.Tick.Label.Rotation, q.X.Tick.Label.XAlign, q.X.Tick.Label.YAlign = math.Pi/2, draw.XRight, draw.YCenter
	}
	p.setPlots([]*plot.Plot{q}, 1, 460, 460)
	return p, nil
}

// raster returns a plot whose data area is filled with the colours of a matrix from lo to hi, row 0 at the top, and
// gives the picture a colour bar.
func (p *Picture) raster(values []float64, lo, hi float64, height, width int, label string) *plot.Plot {
	if lo == hi { // a bar of some length
		hi = lo + math.Max(1e-9, math.Abs(lo))
	}
	bar, m := theme.colorBar(theme.Map, lo, hi, label, nil)
	p.bar = bar
	colors := m.Palette(shades).Colors()
	const pixels = 960 // of a side at least, so that the corners of a cell stay sharp, and of a larger matrix
	side := func(n int) int {
		if n >= pixels {
			return pixels
		}
		return (pixels + n - 1) / n * n
	}
	tall, wide := side(height), side(width)
	img := image.NewNRGBA(image.Rect(0, 0, wide, tall))
	for y := range tall {
		for x := range wide {
			if v := values[y*height/tall*width+x*width/wide]; !math.IsNaN(v) {
				img.Set(x, y, colors[int(scaleTo(lo, hi, v)*float64(len(colors)-1)+0.5)])
			}
		}
	}
	q := theme.bare()
	q.Add(&filling{img})
	return q
}

// filling is a plotter: an image in the whole data area.
type filling struct{ image.Image }

func (f *filling) Plot(c draw.Canvas, _ *plot.Plot) {
	c.DrawImage(vg.Rectangle{Min: c.Min, Max: c.Max}, f.Image)
}

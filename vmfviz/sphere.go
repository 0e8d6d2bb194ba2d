package vmfviz

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"
)

// SpherePanel is one sphere of a [Sphere] picture. Everything in it is optional; directions are
// unit vectors.
type SpherePanel struct {
	// Caption stands above the sphere, for example "κ = 10".
	Caption string
	// Points are directions [N, 3], for example samples of a distribution. Those on the near side
	// are solid, those on the far side pale. SphereHTML draws neither Groups nor Marks nor Circles nor Paths.
	Points []float32
	// Groups, if not nil, has a number from 0 for each point; equal numbers have one colour, that
	// of the series, and one shape.
	Groups []int
	// Marks are directions [N, 3] with rings around them, for example the diagonals of a cube that
	// points should avoid.
	Marks []float32
	// Circles are directions [N, 3] whose great circles, all that is orthogonal to one, are drawn dashed.
	Circles []float32
	// VMF are samples of a von Mises-Fisher distribution around Location, in the place of Points.
	VMF *VMF
	// Location is one direction [3], drawn as an arrow from the centre.
	Location []float32
	// LocationLabel is the letter at the arrow; "" means ε.
	LocationLabel string
	// Path is a sequence of directions [T, 3], joined by great circles, for example the ascent
	// steps of a location. Of more than 40, each has a dot.
	Path []float32
	// Paths are more of them, for example the ascents from several locations.
	Paths [][]float32
	// Heat paints a function on the sphere. The sphere is then opaque: the far side shows nothing
	// but the arrow.
	Heat *Heat
}

func (p SpherePanel) check(name string) error {
	return cmp.Or(
		checkUnit(name+".Points", p.Points, 3), checkUnit(name+".Marks", p.Marks, 3), checkUnit(name+".Path", p.Path, 3),
		checkUnit(name+".Circles", p.Circles, 3),
		each(p.Paths, func(i int, path []float32) error { return checkUnit(fmt.Sprintf("%s.Paths[%d]", name, i), path, 3) }),
		errorIf(p.Location != nil && len(p.Location) != 3, "%s.Location has length %d, expected 3", name, len(p.Location)),
		checkUnit(name+".Location", p.Location, 3),
		errorIf(p.Groups != nil && len(p.Groups) != len(p.Points)/3,
			"%s.Groups has length %d, expected %d, one for each of Points", name, len(p.Groups), len(p.Points)/3),
		each(p.Groups, func(i, g int) error {
			return errorIf(g < 0, "%s.Groups[%d] is %d, expected a number from 0", name, i, g)
		}),
		p.VMF.check(name, p), p.Heat.check(name+".Heat"))
}

// SphereOptions are what the panels of a [Sphere] picture share.
type SphereOptions struct {
	Title   string
	Caption string // that of the [Picture]
	// View is where the reader stands. The zero View is From(35, 22), or the place nearest to it from which no
	// Location is behind a sphere that is opaque ([Heat]).
	View View
	// Columns is the number of panels in a row; 0 means up to four.
	Columns int
	// Replace makes [SphereHTML] hide, in a notebook in which scripts run, the output above it: the
	// picture of the same panels.
	Replace bool
}

var sphereView = From(35, 22)

// view is where the reader of these panels stands.
func (o SphereOptions) view(panels []SpherePanel) View {
	if o.View.set {
		return o.View
	}
	best, most := sphereView, math.Inf(-1)
	for turn := 0.0; turn <= 180; turn += 5 {
		for _, v := range []View{
			From(sphereView.azimuth+turn, sphereView.elevation), From(sphereView.azimuth-turn, sphereView.elevation),
			From(sphereView.azimuth+turn, -sphereView.elevation), From(sphereView.azimuth-turn, -sphereView.elevation),
		} {
			// The least of the arrows that would be hidden; from 0.3 on, 17 degrees from the edge, it is seen well.
			least := 0.3
			for _, p := range panels {
				if p.Heat != nil && p.Location != nil {
					least = min(least, dot(v.cameraZ().fore, row3(p.Location, 0)))
				}
			}
			if v == sphereView && least >= 0 {
				return v
			}
			if least > most {
				best, most = v, least
			}
		}
	}
	return best
}

// Fold returns directions [N, 3] with those on the far side of the sphere in their opposites' places. Slices along
// θ and −θ cost the same, so both stand for one axis; a von Mises-Fisher distribution tells them apart.
// The zero View is that of [SphereOptions], From(35, 22).
func Fold(v View, directions []float32) ([]float32, error) {
	if err := checkUnit("directions", directions, 3); err != nil {
		return nil, err
	}
	fore := v.or(sphereView).cameraZ().fore
	folded := slices.Clone(directions)
	for i := range len(folded) / 3 {
		if dot(fore, row3(folded, i)) < 0 {
			for k := range 3 {
				folded[3*i+k] = -folded[3*i+k]
			}
		}
	}
	return folded, nil
}

func (o SphereOptions) check(panels []SpherePanel) error {
	return cmp.Or(
		errorIf(o.Columns < 0 || o.Columns > 12, "Columns = %d, expected 0 (automatic) to 12", o.Columns),
		errorIf(len(panels) == 0, "no panels given, expected at least one"),
		each(panels, func(i int, p SpherePanel) error { return p.check(fmt.Sprintf("panels[%d]", i)) }))
}

// Sphere draws one or several unit spheres with directions, locations, paths and functions on them.
// All panels have the same view, and where several have a Heat, one colour bar and one range for
// all. The axes of a plot are those of the picture plane, in radii of the sphere.
func Sphere(o SphereOptions, panels ...SpherePanel) (*Picture, error) {
	return o.draw(panels, columns(o.Columns, len(panels), 4), 390, false, "%d unit sphere(s) with directions")
}

// SphereMap draws what [Sphere] draws, the same panels, as flat maps that show the whole sphere at
// once and keep areas: where there are twice as many samples to a square millimetre, the density is
// twice as high.
//
// Every panel is an ellipse in Mollweide's projection: the z axis points up, and in the middle is
// what [Sphere] faces with the same View, whose elevation a map does not use. Shapes are true in the
// middle and stretched near the rim, where the left edge goes on at the right one. Costs of slices
// have F(θ) = F(−θ), so every valley is there twice.
//
// The location is a ring with its letter, the path a line from its open to its filled end, and
// crosses mark the ends of the axes. Columns 0 means up to two panels in a row.
func SphereMap(o SphereOptions, panels ...SpherePanel) (*Picture, error) {
	return o.draw(panels, columns(o.Columns, len(panels), 2), 600, true,
		"%d equal-area map(s) of the unit sphere with directions")
}

// columns returns how many of n plots stand in a row: as many as asked for, or up to most and no
// lonely one in the last row.
func columns(asked, n, most int) int {
	if asked == 0 {
		rows := (n + most - 1) / most
		asked = (n + rows - 1) / max(rows, 1)
	}
	return min(asked, n)
}

// draw draws the panels in rows of cols, at most widest points wide each.
func (o SphereOptions) draw(panels []SpherePanel, cols int, widest vg.Length, area bool, alt string) (*Picture, error) {
	if err := o.check(panels); err != nil {
		return nil, err
	}
	scale := newHeatScale(panels)
	p := &Picture{Title: o.Title, Caption: o.Caption, Alt: altText(o.Title, fmt.Sprintf(alt, len(panels))), bar: scale.bar}
	w := min(widest, p.room(cols))
	s := spheres{projection: o.view(panels).projection(area), heatScale: scale, small: w < 200}
	xmin, xmax, ymin, ymax := s.reach(panels)
	s.unit = float64(w) / (xmax - xmin)
	var plots []*plot.Plot
	for _, panel := range sampled(panels) {
		q := s.plot(panel)
		q.X.Min, q.X.Max, q.Y.Min, q.Y.Max = xmin, xmax, ymin, ymax
		wrap(&q.Title.TextStyle, &q.Title.Text, w)
		plots = append(plots, q)
	}
	p.setPlots(plots, cols, w, vg.Length(s.unit*(ymax-ymin))+titles(plots))
	return p, nil
}

// reach returns the range that the panels need: one for all, so that all spheres have one size.
func (s spheres) reach(panels []SpherePanel) (xmin, xmax, ymin, ymax float64) {
	if s.area {
		return -2.02, 2.02, -1.02, 1.02
	}
	const letter = 0.1
	seen := plotter.XYs{{X: letter - 1.05, Y: letter - 1.03}, {X: 1.05 - letter, Y: 1.03 - letter}}
	for _, axis := range axes {
		seen = append(seen, s.at(axis.scale(axisReach)))
	}
	for _, panel := range panels {
		if panel.Location != nil {
			_, to, _ := s.tip(panel.Location)
			seen = append(seen, to)
		}
	}
	xmin, xmax, ymin, ymax = plotter.XYRange(seen)
	return xmin - letter, xmax + letter, ymin - letter, ymax + letter
}

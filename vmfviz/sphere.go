package vmfviz

import (
	"fmt"
	"image/color"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/vg"
)

// SphereOptions are what the panels of a [Sphere] picture share.
type SphereOptions struct {
	Title string
	// View is where the reader stands; the zero View is From(35, 22).
	View View
	// Columns is the number of panels in a row; 0 means up to four.
	Columns int
	// Replace makes [SphereHTML] hide, in a notebook in which scripts run, the output
	// above it: the picture of the same panels.
	Replace bool
	// Theme is the look; nil means [DefaultTheme].
	Theme *Theme
}

var sphereView = From(35, 22)

func (o SphereOptions) check(panels []SpherePanel) error {
	if err := checkText("Title", o.Title); err != nil {
		return err
	}
	if err := o.View.check(); err != nil {
		return err
	}
	if o.Columns < 0 || o.Columns > 12 {
		return fmt.Errorf("vmfviz: Columns = %d, expected 0 (automatic) to 12", o.Columns)
	}
	if len(panels) == 0 {
		return fmt.Errorf("vmfviz: no panels given, expected at least one")
	}
	for i, p := range panels {
		if err := p.check(fmt.Sprintf("panels[%d]", i)); err != nil {
			return err
		}
	}
	return nil
}

// Sphere draws one or several unit spheres with directions, locations, paths
// and functions on them. All panels have the same view, and where several have
// a Heat, one colour bar and one range for all. The axes of a plot are those of
// the picture plane, in radii of the sphere: [View.Sphere] says where in it a
// direction lies, for plotters of your own.
func Sphere(o SphereOptions, panels ...SpherePanel) (*Picture, error) {
	n := len(panels)
	cols := o.Columns
	if cols == 0 && n > 0 { // up to four, and no lonely one in the last row
		rows := (n + 3) / 4
		cols = (n + rows - 1) / rows
	}
	return o.draw(panels, cols, 390, false, "%d unit sphere(s) with directions")
}

// SphereMap draws what [Sphere] draws, the same panels, as flat maps that show
// the whole sphere at once and keep areas: where there are twice as many samples
// to a square millimetre, the density is twice as high.
//
// Every panel is two discs in Lambert's azimuthal equal-area projection: at the
// left the half of the sphere that [Sphere] shows with the same View, at the
// right the half behind, seen from behind; they touch where the left one ends at
// the right. A map in one piece (Mollweide, Hammer) stretches shapes near its
// rim without bound; here lengths change by a factor of √2 at most, the samples
// of a vMF distribution around a location stay round, and no pole is special.
// Costs of slices have F(θ) = F(−θ): the right disc is then the left one
// mirrored top to bottom.
//
// The location is a ring with its letter, the path a line from its open to its
// filled end, and crosses mark the ends of the axes. Columns 0 means up to two
// panels in a row. [View.SphereMap] says where a direction lies in a plot.
func SphereMap(o SphereOptions, panels ...SpherePanel) (*Picture, error) {
	cols := o.Columns
	if cols == 0 {
		cols = min(len(panels), 2)
	}
	return o.draw(panels, cols, 600, true, "%d equal-area map(s) of the unit sphere with directions")
}

// Sphere returns the place of a direction in the plots of [Sphere] with this view,
// and whether it lies on the near side.
func (v View) Sphere(direction [3]float64) (x, y float64, near bool) {
	return v.place(direction, false)
}

// SphereMap returns the place of a direction in the plots of [SphereMap] with this
// view, and whether it lies on the disc of the near side.
func (v View) SphereMap(direction [3]float64) (x, y float64, near bool) {
	return v.place(direction, true)
}

func (v View) place(direction [3]float64, area bool) (x, y float64, near bool) {
	g := projection{v.or(sphereView).cameraZ(), area}
	d := vec3(direction).unit()
	q := g.at(d)
	return q.X, q.Y, g.front(d)
}

// draw draws the panels in rows of cols, at most widest points wide each.
func (o SphereOptions) draw(panels []SpherePanel, cols int, widest vg.Length, area bool, alt string) (*Picture, error) {
	if err := o.check(panels); err != nil {
		return nil, err
	}
	theme := o.Theme.or()
	cols = min(cols, len(panels))
	p := &Picture{Title: o.Title, Alt: altText(o.Title, fmt.Sprintf(alt, len(panels))), Theme: theme}
	s := spheres{theme: theme, projection: projection{o.View.or(sphereView).cameraZ(), area}}
	heats, label := heatsOf(panels)
	bar := vg.Length(0)
	if len(heats) > 0 {
		s.lo, s.hi = heatRange(heats)
		m, err := newColorMap(theme.Map, 0, 1)
		if err != nil {
			return nil, err
		}
		s.colors = m.Palette(shades).Colors()
		if anyContours(heats) {
			s.levels = contourLevels(s.lo, s.hi)
		}
		if p.Bar, err = theme.colorBar(theme.Map, s.lo, s.hi, label, s.levels); err != nil {
			return nil, err
		}
		bar = barRoom
	}
	w := min(widest, (fullWidth-2*cardEdge-bar-plotGap*vg.Length(cols-1))/vg.Length(cols))
	s.small = w < 200
	s.pixels = min(640, int(screenScale*w.Dots(96)))
	s.limits = s.reach(panels)
	height := w * vg.Length((s.limits.Max.Y-s.limits.Min.Y)/(s.limits.Max.X-s.limits.Min.X))
	if area {
		s.pixels /= 2
	}
	var plots []*plot.Plot
	caption := vg.Length(0)
	for _, panel := range sampled(panels) {
		q := s.plot(panel)
		wrap(&q.Title.TextStyle, &q.Title.Text, w)
		if q.Title.Text != "" {
			caption = max(caption, q.Title.TextStyle.Height(q.Title.Text)+q.Title.Padding)
		}
		plots = append(plots, q)
	}
	p.setPlots(plots, cols, 2*cardEdge+bar+w*vg.Length(cols)+plotGap*vg.Length(cols-1), height+caption)
	return p, nil
}

// heatsOf returns the functions of the panels and the first label of one.
func heatsOf(panels []SpherePanel) (heats []*Heat, label string) {
	for _, p := range panels {
		if p.Heat == nil {
			continue
		}
		heats = append(heats, p.Heat)
		if label == "" {
			label = p.Heat.Label
		}
	}
	return heats, label
}

// anyContours reports whether one of the functions has contours.
func anyContours(heats []*Heat) bool {
	for _, h := range heats {
		if h.Contours {
			return true
		}
	}
	return false
}

// spheres is what the plots of a picture share.
type spheres struct {
	theme *Theme
	projection
	lo, hi float64       // range of all functions
	colors []color.Color // of the range
	levels []float64     // of contours
	pixels int           // of the image of a function
	small  bool          // the plots are
	limits limits        // of the plots
}

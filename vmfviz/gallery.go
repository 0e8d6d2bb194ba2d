package vmfviz

import (
	"fmt"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/vg"
)

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
	// Theme is the look; nil means [DefaultTheme].
	Theme *Theme
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
	theme := o.Theme.or()
	p := &Picture{Title: o.Title, Alt: altText(o.Title, fmt.Sprintf("%d point clouds", len(clouds))), Theme: theme, Gap: cloudGap}
	role := o.Role
	if role == Auto {
		role = Input
	}
	lens := newLens(o.View.or(cloudView).cameraY())
	centers := make([]vec3, len(clouds))
	for i, c := range clouds {
		centers[i] = middle(c)
		lens.include(c, centers[i])
	}
	w, h := lens.cell(fullWidth-2*cardEdge, cols)
	var plots []*plot.Plot
	caption := vg.Length(0)
	for i, c := range clouds {
		q := lens.plot(theme, c, centers[i], shading(theme.color(role, 0)))
		if o.Captions != nil {
			q.X.Label.Text = o.Captions[i]
			q.X.Label.TextStyle.Font.Size = pointsTick
			wrap(&q.X.Label.TextStyle, &q.X.Label.Text, w+cloudGap/2)
			caption = max(caption, q.X.Label.TextStyle.Height(q.X.Label.Text)+6)
		}
		plots = append(plots, q)
	}
	p.setPlots(plots, cols, 2*cardEdge+w*vg.Length(cols)+cloudGap*vg.Length(cols-1), h+caption)
	p.fitTitle()
	return p, nil
}

package vmfviz

import (
	"cmp"
	"fmt"

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
	if err := cmp.Or(checkText("Title", o.Title), o.View.check(), checkNames("Captions", o.Captions, len(clouds)),
		errorIf(len(clouds) == 0, "no clouds given, expected at least one"),
		errorIf(o.Columns < 0 || o.Columns > 20, "Columns = %d, expected 0 (automatic) to 20", o.Columns)); err != nil {
		return nil, err
	}
	theme := o.Theme.or()
	tint := shading(theme.color(cmp.Or(o.Role, Input), 0))
	var cells []cloudCell
	for i, c := range clouds {
		if err := checkRows(fmt.Sprintf("clouds[%d]", i), c, 3); err != nil {
			return nil, err
		}
		cells = append(cells, cloudCell{c, middle(c), tint})
	}
	cols := columns(o.Columns, len(clouds), 8)
	plots, w, h := newPerspective(o.View.or(cloudView).cameraY(), cells).plots(theme, cells, fullWidth-2*cardEdge, cols)
	caption := vg.Length(0)
	for i, name := range o.Captions {
		label := &plots[i].X.Label
		label.Text, label.TextStyle.Font.Size = name, pointsTick
		wrap(&label.TextStyle, &label.Text, w+cloudGap/2)
		caption = max(caption, label.TextStyle.Height(label.Text)+6)
	}
	p := &Picture{Title: o.Title, Alt: altText(o.Title, fmt.Sprintf("%d point clouds", len(clouds))), Theme: theme, Gap: cloudGap}
	p.setPlots(plots, cols, 2*cardEdge+w*vg.Length(cols)+cloudGap*vg.Length(cols-1), h+caption)
	p.fitTitle()
	return p, nil
}

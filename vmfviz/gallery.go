package vmfviz

import (
	"fmt"
	"math"
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
		width = math.Min(cardWidth, math.Max(width, 2*margin+textWidth(textStyle{size: sizeTitle, bold: true}, plain(o.Title))))
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

	paint := func(s *page) {
		s.title(o.Title)
		for i, c := range clouds {
			b := box{
				x: math.Round(margin + (cell+gap)*float64(i%cols)),
				y: math.Round(top + (h+caption+gap)*float64(i/cols)),
				w: w, h: h,
			}
			s.cloud(b, lens, c, centers[i], shade3(o.Role.color()))
			if o.Captions != nil {
				s.text(pt{b.x + w/2, b.y + h + 14}, textStyle{size: sizeTick + 0.5, align: 0.5, maxLen: cell + 2}, plain(o.Captions[i]))
			}
		}
	}
	return newPicture(width, height, altText(o.Title, fmt.Sprintf("%d point clouds", len(clouds))), paint), nil
}

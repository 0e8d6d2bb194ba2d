package vmfviz

import "math"

// sphereLayout is what [Sphere] and [SphereMap] share: panels of one size in
// lines, a caption below each, and one colour bar for the functions of all.
type sphereLayout struct {
	title       string
	panels      []SpherePanel
	cols, lines int
	gap         float64
	caption     float64 // room for one line below each panel, 0 without captions
	bar         float64 // room for the colour bar, 0 without functions
	heats       []*Heat
	label       string  // of the colour bar
	lo, hi      float64 // range of all functions
	w, h        float64 // of a panel, for the caller to set
}

// newSphereLayout checks and samples the panels; automatic says how many stand
// in a line if the options do not.
func newSphereLayout(o SphereOptions, panels []SpherePanel, automatic func(n int) int, gap float64) (*sphereLayout, error) {
	if err := o.check(panels); err != nil {
		return nil, err
	}
	l := &sphereLayout{title: o.Title, panels: sampled(panels), cols: o.Columns, gap: gap}
	n := len(panels)
	if l.cols == 0 {
		l.cols = automatic(n)
	}
	l.cols = min(l.cols, n)
	l.lines = (n + l.cols - 1) / l.cols
	for _, p := range l.panels {
		if p.Caption != "" {
			l.caption = 26
		}
	}
	l.heats, l.label = heatsOf(panels)
	l.lo, l.hi = heatRange(l.heats)
	if len(l.heats) > 0 {
		l.bar = barWidth
	}
	return l, nil
}

// room is the width that a panel may have on a card of that width.
func (l *sphereLayout) room(width float64) float64 {
	return math.Floor((width - 2*margin - l.bar - l.gap*float64(l.cols-1)) / float64(l.cols))
}

// picture lays out the card; draw draws panel p into its box.
func (l *sphereLayout) picture(alt string, draw func(s *page, b box, p SpherePanel)) *Picture {
	top := titleHeight(l.title)
	width := 2*margin + l.bar + l.w*float64(l.cols) + l.gap*float64(l.cols-1)
	body := float64(l.lines)*(l.h+l.caption) + float64(l.lines-1)*l.gap
	paint := func(s *page) {
		s.title(l.title)
		for i, p := range l.panels {
			b := box{
				x: margin + float64(i%l.cols)*(l.w+l.gap),
				y: top + float64(i/l.cols)*(l.h+l.caption+l.gap),
				w: l.w, h: l.h,
			}
			draw(s, b, p)
			s.text(pt{b.x + b.w/2, b.y + b.h + 16}, textStyle{size: sizeCaption, align: 0.5, maxLen: l.w + l.gap - 4}, plain(p.Caption))
		}
		if l.bar == 0 {
			return
		}
		h, middle := math.Min(l.h, 320)*0.76, top+body/2
		if l.lines == 1 {
			middle = top + l.h/2
		}
		b := box{width - margin - l.bar + 18, middle - h/2, 16, h}
		s.colorBar(b, viridisMap, l.lo, l.hi, l.label)
		if anyContours(l.heats) {
			s.contourMarks(b, l.lo, l.hi)
		}
	}
	return newPicture(width, top+body+margin, altText(l.title, alt), paint)
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

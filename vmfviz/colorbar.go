package vmfviz

import (
	"image/color"
	"math"
)

// barWidth is the room that a colour bar takes at the right of a picture.
const barWidth = 100.0

// colorMap gives numbers from 0 to 1 their colours; those of an exact map are
// the same on a dark card.
type colorMap struct {
	at    func(t float64) color.NRGBA
	exact bool
}

var viridisMap = colorMap{viridis, true}

// colorBar draws a vertical bar of a colour map with ticks at its right and its
// label along it. It needs about 75 pixels to the right of b.x.
func (s *page) colorBar(b box, colors colorMap, lo, hi float64, label string) {
	// Bands rather than a stretched image: no blurred ends, real vectors.
	const bands = 64
	paint := func() {
		for i := range bands {
			y0 := b.y + b.h*float64(i)/bands
			y1 := math.Min(b.y+b.h, y0+b.h/bands+0.6)
			s.rect(box{b.x, y0, b.w, y1 - y0}, colors.at(1-(float64(i)+0.5)/bands))
		}
	}
	if colors.exact {
		s.exact(paint)
	} else {
		paint()
	}
	s.outline(b, stroke{width: 1, color: axis})
	widest := 0.0
	l := textStyle{size: sizeTick, color: ink}
	for _, t := range linearTicks(lo, hi, 5) {
		y := b.y + b.h*(1-scaleTo(lo, hi, t.at))
		s.line(stroke{width: 1, color: axis}, pt{b.x + b.w, y}, pt{b.x + b.w + 4, y})
		s.text(pt{b.x + b.w + 7, y + 0.36*sizeTick}, l, t.label...)
		widest = math.Max(widest, textWidth(l, t.label...))
	}
	s.text(pt{b.x + b.w + 7 + widest + 17, b.y + b.h/2}, textStyle{size: sizeLabel, align: 0.5, angle: math.Pi / 2, maxLen: b.h * 1.25}, plain(label))
}

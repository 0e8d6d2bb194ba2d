package vmfviz

import (
	"fmt"
	"math"
)

// Estimate is one line of a [Dots] picture.
type Estimate struct {
	Label string
	Value float64
	// StdErr is the standard error of Value, 0 if unknown.
	StdErr float64
	// Paper is a number to compare with, for example the published one; NaN
	// or 0 means none.
	Paper float64
	// Role gives the colour; Auto means Input (blue).
	Role Role
}

// DotsOptions describe a [Dots] picture.
type DotsOptions struct {
	Title string
	// XLabel names the quantity with its convention.
	XLabel string
	// LogX makes the axis logarithmic; values must be positive.
	LogX bool
	// PaperLabel names the reference numbers; "" means "paper".
	PaperLabel string
}

// Dots compares estimates, one in a line: a mark at the value, a bar from one
// standard error below to one above, the number at the right, and an open
// diamond where there is a reference number. Roles differ in the shape of the
// mark too: a disc for inputs, a diamond for outputs, a triangle for directions,
// a square for references.
func Dots(o DotsOptions, estimates ...Estimate) (*Picture, error) {
	if o.PaperLabel == "" {
		o.PaperLabel = "paper"
	}
	for _, f := range []struct{ name, s string }{{"Title", o.Title}, {"XLabel", o.XLabel}, {"PaperLabel", o.PaperLabel}} {
		if err := checkText(f.name, f.s); err != nil {
			return nil, err
		}
	}
	if len(estimates) == 0 {
		return nil, fmt.Errorf("vmfviz: no estimates given, expected at least one")
	}
	hasPaper := func(e Estimate) bool { return e.Paper != 0 && !math.IsNaN(e.Paper) }
	lo, hi := math.Inf(1), math.Inf(-1)
	labels, numbers, paper := 0.0, 0.0, false
	small := textStyle{size: sizeLabel}
	for i, e := range estimates {
		name := fmt.Sprintf("estimates[%d]", i)
		if err := checkText(name+".Label", e.Label); err != nil {
			return nil, err
		}
		if math.IsNaN(e.Value) || math.Abs(e.Value) > largest {
			return nil, fmt.Errorf("vmfviz: %s.Value is %g, expected a finite number", name, e.Value)
		}
		if !(e.StdErr >= 0 && e.StdErr < largest) {
			return nil, fmt.Errorf("vmfviz: %s.StdErr is %g, expected a number not below 0", name, e.StdErr)
		}
		if math.Abs(e.Paper) > largest {
			return nil, fmt.Errorf("vmfviz: %s.Paper is %g, expected a finite number, or NaN for none", name, e.Paper)
		}
		if o.LogX && (e.Value < 1/largest || (hasPaper(e) && e.Paper < 1/largest)) {
			return nil, fmt.Errorf("vmfviz: %s: value %g, reference %g: expected positive numbers for a logarithmic axis", name, e.Value, e.Paper)
		}
		low := e.Value - e.StdErr
		if o.LogX {
			low = math.Max(low, e.Value/10)
		}
		lo, hi = math.Min(lo, low), math.Max(hi, e.Value+e.StdErr)
		if hasPaper(e) {
			lo, hi, paper = math.Min(lo, e.Paper), math.Max(hi, e.Paper), true
		}
		labels = math.Max(labels, textWidth(small, plain(e.Label)))
		numbers = math.Max(numbers, textWidth(small, withError(e.Value, e.StdErr)...))
	}
	labels = math.Min(labels, 260)
	x := newScale(lo, hi, o.LogX)
	top := titleHeight(o.Title)
	head := 0.0
	if paper {
		head = 26
	}
	const line = 27
	body := line*float64(len(estimates)) + 8
	height := top + head + body + 48 + margin - 8
	in := box{margin + labels + 14, top + head, cardWidth - 2*margin - labels - 14 - numbers - 20, body}
	x.from, x.to = in.x, in.x+in.w

	paint := func(s *page) {
		s.title(o.Title)
		if paper {
			y := top + 8
			s.line(stroke{width: 2, color: soft}, pt{in.x - 4, y}, pt{in.x + 16, y})
			s.line(stroke{width: 2, color: soft}, pt{in.x - 4, y - 5}, pt{in.x - 4, y + 5})
			s.line(stroke{width: 2, color: soft}, pt{in.x + 16, y - 5}, pt{in.x + 16, y + 5})
			s.disc(pt{in.x + 6, y}, 4.6, soft)
			s.text(pt{in.x + 26, y + 4.8}, small, plain("measured ± standard error"))
			at := in.x + 26 + textWidth(small, plain("measured ± standard error")) + 26
			s.openDiamond(pt{at, y})
			s.text(pt{at + 12, y + 4.8}, small, plain(o.PaperLabel))
		}
		for _, t := range x.ticks(max(3, int(in.w/80))) {
			v := x.at(t.at)
			s.line(stroke{width: 1, color: grid}, pt{v, in.y}, pt{v, in.y + in.h})
			s.text(pt{v, in.y + in.h + 17}, textStyle{size: sizeTick, align: 0.5, color: soft}, t.label...)
		}
		s.line(stroke{width: 1.2, color: axis}, pt{in.x, in.y + in.h}, pt{in.x + in.w, in.y + in.h})
		s.text(pt{in.x + in.w/2, in.y + in.h + 38}, textStyle{size: sizeLabel, align: 0.5, maxLen: in.w}, plain(o.XLabel))
		for i, e := range estimates {
			y := in.y + 4 + line*(float64(i)+0.5)
			col := e.Role.color()
			s.text(pt{in.x - 12, y + 4.8}, textStyle{size: sizeLabel, align: 1, maxLen: labels + 2}, plain(e.Label))
			if hasPaper(e) {
				s.openDiamond(pt{x.at(e.Paper), y})
			}
			e.Role.mark(s, pt{x.at(e.Value), y}, 5.8, white)
			if e.StdErr > 0 {
				a, b := x.at(math.Max(e.Value-e.StdErr, x.lo)), x.at(e.Value+e.StdErr)
				s.line(stroke{width: 2, color: col}, pt{a, y}, pt{b, y})
				s.line(stroke{width: 2, color: col}, pt{a, y - 5}, pt{a, y + 5})
				s.line(stroke{width: 2, color: col}, pt{b, y - 5}, pt{b, y + 5})
			}
			e.Role.mark(s, pt{x.at(e.Value), y}, 4.6, col)
			s.text(pt{cardWidth - margin, y + 4.8}, textStyle{size: sizeLabel, align: 1}, withError(e.Value, e.StdErr)...)
		}
	}
	return newPicture(cardWidth, height, altText(o.Title, fmt.Sprintf("%d estimates with their standard errors", len(estimates))), paint), nil
}

func (s *page) openDiamond(p pt) {
	s.diamond(p, 7, soft)
	s.diamond(p, 4.7, white)
}

package vmfviz

import (
	"fmt"
	"image/color"
	"math"
	"unicode"

	stdfont "golang.org/x/image/font"
	"golang.org/x/image/font/sfnt"
	"gonum.org/v1/plot/font"
	"gonum.org/v1/plot/font/liberation"
	"gonum.org/v1/plot/vg"
)

// fonts is the collection that gonum/plot carries.
var fonts = font.NewCache(liberation.Collection())

// Text sizes in pixels.
const (
	sizeTitle   = 17.0
	sizeHead    = 14.5
	sizeLabel   = 13.5
	sizeTick    = 12.0
	sizeCaption = 13.5
)

// script says where a run of text stands relative to the line.
type script int

const (
	onLine script = iota
	subscript
	superscript
)

// span is a piece of text in one style; a line of text is a list of them.
type span struct {
	s      string
	italic bool
	script script
}

// plain, it, subIt and sup make runs.
func plain(s string) span { return span{s: s} }
func it(s string) span    { return span{s: s, italic: true} }
func subIt(s string) span { return span{s: s, italic: true, script: subscript} }
func sup(s string) span   { return span{s: s, script: superscript} }

// textStyle is how a line of text is set.
type textStyle struct {
	size   float64
	color  color.NRGBA
	bold   bool
	align  float64 // 0: p is the left end, 0.5: the middle, 1: the right end
	angle  float64 // radians, counter-clockwise
	halo   bool    // white seam, for text over drawings
	maxLen float64 // 0, or the room there is: the text shrinks to fit
}

func face(l textStyle, r span) font.Face {
	f := font.Font{Typeface: "Liberation", Variant: "Sans"}
	if l.bold {
		f.Weight = stdfont.WeightBold
	}
	if r.italic {
		f.Style = stdfont.StyleItalic
	}
	size := l.size
	if r.script != onLine {
		size *= 0.72
	}
	return fonts.Lookup(f, px(size))
}

// textWidth returns the length of a line in pixels.
func textWidth(l textStyle, runs ...span) float64 {
	var w float64
	for _, r := range runs {
		f := face(l, r)
		w += float64(f.Width(r.s)) / 0.75
	}
	return w
}

// fit returns the look and the runs that make the line no longer than
// l.maxLen: first smaller letters, down to three quarters, then an ellipsis.
func fit(l textStyle, runs []span) (textStyle, []span) {
	w := textWidth(l, runs...)
	if l.maxLen <= 0 || w <= l.maxLen {
		return l, runs
	}
	l.size *= math.Max(0.75, l.maxLen/w)
	runs = append([]span(nil), runs...)
	for textWidth(l, runs...) > l.maxLen && len(runs) > 0 {
		last := &runs[len(runs)-1]
		rs := []rune(last.s)
		if n := len(rs); n > 0 && rs[n-1] == '…' {
			rs = rs[:n-1]
		}
		if len(rs) < 2 {
			runs = runs[:len(runs)-1]
			continue
		}
		last.s = string(rs[:len(rs)-1]) + "…"
	}
	return l, runs
}

// text writes one line whose base line passes through p.
func (s *page) text(p pt, l textStyle, runs ...span) {
	l, runs = fit(l, runs)
	var zero color.NRGBA
	if l.color == zero {
		l.color = ink
	}
	if l.halo {
		h := l
		h.halo, h.maxLen, h.color = false, 0, white
		for i := range 12 {
			sin, cos := math.Sincos(float64(i) * math.Pi / 6)
			s.text(pt{p.x + 1.8*cos, p.y + 1.8*sin}, h, runs...)
		}
	}
	at := s.vg(p)
	s.c.Push()
	defer s.c.Pop()
	if l.angle != 0 {
		s.c.Translate(at)
		s.c.Rotate(l.angle)
		s.c.Translate(vg.Point{X: -at.X, Y: -at.Y})
	}
	s.c.SetColor(s.tone(l.color))
	at.X -= px(l.align * textWidth(l, runs...))
	for _, r := range runs {
		f := face(l, r)
		q := at
		switch r.script {
		case subscript:
			q.Y -= px(0.2 * l.size)
		case superscript:
			q.Y += px(0.36 * l.size)
		}
		w := f.Width(r.s)
		if r.s != "" {
			s.c.FillString(f, q, r.s)
			s.lengths = append(s.lengths, w)
		}
		at.X += w
	}
}

// missingRunes returns the runes of s that the font of the pictures lacks, in
// order, each once. Such a rune would be an empty place in the picture.
// The font, Liberation Sans, has among others θ κ ε ² ₁ ₂ √ ± − · × ≤ ∞ ∑.
func missingRunes(s string) []rune {
	var missing []rune
	seen := map[rune]bool{}
	var buf sfnt.Buffer
	for _, r := range s {
		if seen[r] {
			continue
		}
		seen[r] = true
		for _, italic := range []bool{false, true} {
			f := face(textStyle{size: sizeLabel}, span{italic: italic})
			if g, err := f.Face.GlyphIndex(&buf, r); err != nil || g == 0 {
				missing = append(missing, r)
				break
			}
		}
	}
	return missing
}

// checkText says what is wrong with a text that a picture should show.
func checkText(name, s string) error {
	for _, r := range s {
		if unicode.IsControl(r) {
			return fmt.Errorf("vmfviz: %s = %q: expected one line of text, found the control character %U", name, s, r)
		}
	}
	if m := missingRunes(s); len(m) > 0 {
		return fmt.Errorf("vmfviz: %s = %q: the font (Liberation Sans) has no letter %q (%U)", name, s, m[0], m[0])
	}
	return nil
}

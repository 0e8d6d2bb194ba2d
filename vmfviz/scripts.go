package vmfviz

import (
	"strings"

	"gonum.org/v1/plot/font"
	"gonum.org/v1/plot/text"
	"gonum.org/v1/plot/vg"
)

// handler is the text.Handler of all pictures: plain text, as gonum/plot's, with
// raised and lowered numbers. A user may set another, for example [text.Latex].
var handler text.Handler = scripts{text.Plain{Fonts: font.DefaultCache}}

// scripts sets ⁰¹²³⁴⁵⁶⁷⁸⁹⁺⁻ and ₀₁₂₃₄₅₆₇₈₉ᵢₘ₍₎ as small figures above and below the
// line: Liberation Sans, the font of gonum/plot, lacks some of them.
type scripts struct{ text.Plain }

var (
	raised  = strings.NewReplacer("⁰", "0", "¹", "1", "²", "2", "³", "3", "⁴", "4", "⁵", "5", "⁶", "6", "⁷", "7", "⁸", "8", "⁹", "9", "⁺", "+", "⁻", "−")
	lowered = strings.NewReplacer("₀", "0", "₁", "1", "₂", "2", "₃", "3", "₄", "4", "₅", "5", "₆", "6", "₇", "7", "₈", "8", "₉", "9", "ᵢ", "i", "ₘ", "m", "₍", "(", "₎", ")")
)

// piece is text of one size; rise is its base line above that of the line, in
// font sizes.
type piece struct {
	text string
	rise vg.Length
}

// pieces splits a line where the height of its letters changes.
func pieces(line string) []piece {
	var out []piece
	for _, r := range line {
		p := piece{text: string(r)}
		if s := raised.Replace(p.text); s != p.text {
			p = piece{s, 0.36}
		} else if s := lowered.Replace(p.text); s != p.text {
			p = piece{s, -0.16}
		}
		if n := len(out); n > 0 && out[n-1].rise == p.rise {
			out[n-1].text += p.text
		} else {
			out = append(out, p)
		}
	}
	return out
}

// face returns the font of a piece.
func (h scripts) face(p piece, f font.Font) font.Face {
	if p.rise != 0 {
		f.Size *= 0.72
	}
	return h.Fonts.Lookup(f, f.Size)
}

func (h scripts) width(line string, f font.Font) (w vg.Length) {
	for _, p := range pieces(line) {
		face := h.face(p, f)
		w += face.Width(p.text)
	}
	return w
}

// Box returns the size of one line.
func (h scripts) Box(line string, f font.Font) (width, height, depth vg.Length) {
	_, height, depth = h.Plain.Box(line, f)
	return h.width(line, f), height, depth
}

// leading is the room between lines in font sizes, besides that of gonum/plot, whose
// lines touch where one has figures above it.
const leading = 0.2

// Draw writes text at a place, as [text.Plain] does.
func (h scripts) Draw(c vg.Canvas, txt string, sty text.Style, at vg.Point) {
	lines := h.Lines(txt)
	if len(lines) == 1 && lines[0] == "" {
		return
	}
	c.SetColor(sty.Color)
	c.Push()
	defer c.Pop()
	c.Translate(at)
	if sty.Rotation != 0 {
		c.Rotate(sty.Rotation)
	}
	y := sty.Height(txt)*vg.Length(sty.YAlign) - h.Extents(sty.Font).Ascent
	for i, line := range lines {
		x := vg.Length(sty.XAlign) * h.width(line, sty.Font)
		base := y + vg.Length(len(lines)-i)*sty.Font.Size
		base += leading * sty.Font.Size * (vg.Length(len(lines)-1)/2 - vg.Length(i))
		for _, p := range pieces(line) {
			face := h.face(p, sty.Font)
			c.FillString(face, vg.Point{X: x, Y: base + p.rise*sty.Font.Size}, p.text)
			x += face.Width(p.text)
		}
	}
}

// axisLabels is the handler of axis labels, which ask for no room along their axis.
// gonum/plot places the box of a label at the arithmetic mean of the range, which
// is far from the middle of a logarithmic axis, and makes room for it there.
type axisLabels struct{ text.Handler }

// Box returns the size of one line, as if it had no width.
func (h axisLabels) Box(line string, f font.Font) (width, height, depth vg.Length) {
	_, height, depth = h.Handler.Box(line, f)
	return 0, height, depth
}

// power writes 10 to the n.
func power(n int) string { return "10" + exponent(n) }

func exponent(n int) string {
	if n < 0 {
		return "⁻" + exponent(-n)
	}
	digits := []rune("⁰¹²³⁴⁵⁶⁷⁸⁹")
	if n < 10 {
		return string(digits[n])
	}
	return exponent(n/10) + string(digits[n%10])
}

package vmfviz

import (
	"math"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"gonum.org/v1/plot/font"
	"gonum.org/v1/plot/text"
	"gonum.org/v1/plot/vg"
)

// handler is the text.Handler of all pictures: plain text, as gonum/plot's, with raised and lowered
// numbers. A user may set another, for example [text.Latex].
var handler text.Handler = scripts{text.Plain{Fonts: font.DefaultCache}}

// scripts sets ⁰¹²³⁴⁵⁶⁷⁸⁹⁺⁻ and ₀₁₂₃₄₅₆₇₈₉ᵢₘ₍₎ as small figures above and below the line:
// Liberation Sans, the font of gonum/plot, lacks some of them.
type scripts struct{ text.Plain }

var (
	raised = strings.NewReplacer("⁰", "0", "¹", "1", "²", "2", "³", "3", "⁴", "4", "⁵", "5", "⁶", "6", "⁷", "7", "⁸",
		"8", "⁹", "9", "⁺", "+", "⁻", "−")
	lowered = strings.NewReplacer("₀", "0", "₁", "1", "₂", "2", "₃", "3", "₄", "4", "₅", "5", "₆", "6", "₇", "7", "₈",
		"8", "₉", "9", "ᵢ", "i", "ₘ", "m", "₍", "(", "₎", ")")
)

// piece is text of one size; rise is its base line above that of the line, in font sizes. Accents
// that stand over the letter before, as in ε̂, are pieces of their own.
type piece struct {
	text   string
	rise   vg.Length
	accent bool
}

// pieces splits a line where the height of its letters changes, and at accents.
func pieces(line string) []piece {
	var out []piece
	for _, r := range line {
		p := piece{text: string(r), accent: unicode.Is(unicode.Mn, r)}
		if s := raised.Replace(p.text); s != p.text {
			p = piece{text: s, rise: 0.36}
		} else if s := lowered.Replace(p.text); s != p.text {
			p = piece{text: s, rise: -0.16}
		}
		if n := len(out); n > 0 && out[n-1].rise == p.rise && out[n-1].accent == p.accent {
			out[n-1].text += p.text
		} else {
			out = append(out, p)
		}
	}
	return out
}

// place calls f with the font and the place in the line of each piece, and returns the width of
// all.
func (h scripts) place(line string, fnt font.Font, f func(font.Face, piece, vg.Length)) (x vg.Length) {
	letter := vg.Length(0) // the width of the last one
	for _, p := range pieces(line) {
		sized := fnt
		if p.rise != 0 {
			sized.Size *= 0.72
		}
		face := h.Fonts.Lookup(sized, sized.Size)
		if p.accent { // centred at its place
			f(face, p, x-letter/2)
			continue
		}
		f(face, p, x)
		x += face.Width(p.text)
		last, _ := utf8.DecodeLastRuneInString(p.text)
		letter = face.Width(string(last))
	}
	return x
}

func (h scripts) width(line string, f font.Font) vg.Length {
	return h.place(line, f, func(font.Face, piece, vg.Length) {})
}

// Box returns the size of one line.
func (h scripts) Box(line string, f font.Font) (width, height, depth vg.Length) {
	_, height, depth = h.Plain.Box(line, f)
	return h.width(line, f), height, depth
}

// leading is the room between lines in font sizes, besides that of gonum/plot, whose lines touch
// where one has figures above it.
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
		h.place(line, sty.Font, func(face font.Face, p piece, along vg.Length) {
			c.FillString(face, vg.Point{X: x + along, Y: base + p.rise*sty.Font.Size}, p.text)
		})
	}
}

// axisLabels is the handler of axis labels, which ask for no room along their axis. gonum/plot
// places the box of a label at the arithmetic mean of the range, which is far from the middle of a
// logarithmic axis, and makes room for it there.
type axisLabels struct{ text.Handler }

// Box returns the size of one line, as if it had no width.
func (h axisLabels) Box(line string, f font.Font) (width, height, depth vg.Length) {
	_, height, depth = h.Handler.Box(line, f)
	return 0, height, depth
}

// short writes a number with up to n digits, as 1.2·10⁵ where plain writing is long.
func short(v float64, n int) string {
	exact, _ := strconv.ParseFloat(strconv.FormatFloat(v, 'g', n, 64), 64)
	if exact == 0 { // also −0
		return "0"
	}
	if a := math.Abs(exact); a >= 1e-3 && a < 1e5 {
		return decimals(exact, -1)
	}
	mantissa, exponent, _ := strings.Cut(strconv.FormatFloat(exact, 'e', -1, 64), "e")
	e, _ := strconv.Atoi(exponent)
	power := "10" + superscript.Replace(strconv.Itoa(e))
	if mantissa == "1" {
		return power
	}
	return minus.Replace(mantissa) + "·" + power
}

var (
	minus       = strings.NewReplacer("-", "−")
	superscript = strings.NewReplacer("-", "⁻", "0", "⁰", "1", "¹", "2", "²", "3", "³", "4", "⁴", "5", "⁵", "6", "⁶",
		"7", "⁷", "8", "⁸", "9", "⁹")
)

// decimals writes a number with n decimals; −1 means as many as it takes.
func decimals(v float64, n int) string { return minus.Replace(strconv.FormatFloat(v, 'f', n, 64)) }

// withError writes value ± error, the error with two digits.
func withError(v, e float64) string {
	if !(e > 0) {
		return short(v, 4)
	}
	if big := math.Max(math.Abs(v), e); big >= 1e5 || big < 1e-3 {
		return short(v, 4) + " ± " + short(e, 2)
	}
	n := max(0, 1-int(math.Floor(math.Log10(e))))
	return decimals(v, n) + " ± " + decimals(e, n)
}

// joined joins the texts that are not empty by a comma.
func joined(texts ...string) string {
	return strings.Join(slices.DeleteFunc(texts, func(t string) bool { return t == "" }), ", ")
}

// fitted makes text smaller, down to three quarters, that is wider than its room.
func fitted(s *text.Style, txt string, room vg.Length) {
	if w := s.Width(txt); w > room {
		s.Font.Size *= max(0.75, room/w)
	}
}

// ellipsis shortens a text that is wider than its room.
func ellipsis(s text.Style, txt string, room vg.Length) string {
	runes := []rune(txt)
	for len(runes) > 1 && s.Width(txt) > room {
		runes = runes[:len(runes)-1]
		txt = string(runes) + "…"
	}
	return txt
}

// wrap breaks a title that is wider than its room into lines, not before a per cent sign, and makes
// letters smaller, down to three quarters, where a word is wider.
func wrap(s *text.Style, txt *string, room vg.Length) {
	measured := *s // not by axisLabels, which says 0
	measured.Handler = handler
	var lines []string
	for _, word := range strings.Split(strings.ReplaceAll(strings.Join(strings.Fields(*txt), " "), " %", "\u00a0%"), " ") {
		if n := len(lines); n > 0 && measured.Width(lines[n-1]+" "+word) <= room {
			lines[n-1] += " " + word
		} else {
			lines = append(lines, word)
		}
	}
	*txt = strings.Join(lines, "\n")
	for _, l := range lines {
		fitted(&measured, l, room)
	}
	s.Font.Size = measured.Font.Size
}

package vmfviz

import (
	"math"
	"strings"
	"testing"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/font"
	"gonum.org/v1/plot/vg"
)

// TestWrap: the lines of a long title are no wider than their room, unless it has room
// for no word; nothing is lost.
func TestWrap(t *testing.T) {
	const title = "a caption that is too long by far for its cell"
	for _, room := range []vg.Length{60, 100, 180, 1000} {
		s, txt := theme.style(pointsHead, ink), title
		wrap(&s, &txt, room)
		for _, line := range strings.Split(txt, "\n") {
			if w := s.Width(line); w > room {
				t.Errorf("%q is %g points wide in a room of %g", line, w, room)
			}
		}
		if strings.ReplaceAll(txt, "\n", " ") != title || (room == 1000) != (txt == title) {
			t.Errorf("room %g: %q", room, txt)
		}
	}
	s, txt := theme.style(pointsHead, ink), "unbreakable"
	if wrap(&s, &txt, 50); s.Font.Size >= pointsHead || s.Font.Size < 0.74*pointsHead {
		t.Errorf("a long word has size %g", s.Font.Size)
	}
}

// TestAccent: an accent takes no room and stands over the middle of the letter before it.
func TestAccent(t *testing.T) {
	f := theme.style(100, nil).Font
	h := handler.(scripts)
	var at []vg.Length
	width := h.place("xε̂²", f, func(_ font.Face, p piece, x vg.Length) { at = append(at, x) })
	x, letters := h.width("x", f), h.width("xε", f)
	if len(at) != 3 || math.Abs(float64(at[1]-(x+letters)/2)) > 1e-6 || at[2] != letters || width != h.width("xε²", f) {
		t.Errorf("pieces at %v of %g, letters end at %g and %g", at, width, x, letters)
	}
}

// TestTicks: round, inside the range, few, increasing, and labels that say what
// they stand for.
func TestTicks(t *testing.T) {
	r := testRand(11)
	labelled := func(marks []plot.Tick, lo, hi float64) (n int) {
		for i, m := range marks {
			if m.Value < lo-1e-6*(hi-lo) || m.Value > hi+1e-6*(hi-lo) || (i > 0 && m.Value <= marks[i-1].Value) {
				t.Fatalf("tick %g of [%g, %g]", m.Value, lo, hi)
			}
			if m.Label != "" {
				n++
			}
		}
		return n
	}
	for range 2000 {
		lo := r.NormFloat64() * math.Pow(10, float64(r.IntN(16)-8))
		hi := lo + math.Abs(r.NormFloat64())*math.Pow(10, float64(r.IntN(16)-8))
		if n := labelled(ticks(lo, hi), lo, hi); n == 0 || n > 7 {
			t.Fatalf("%d ticks in [%g, %g]", n, lo, hi)
		}
		a := math.Pow(10, 8*r.Float64()-4)
		b := a * math.Pow(10, 0.75+9*r.Float64())
		if n := labelled(powers(a, b), a, b); n < 2 || n > 8 {
			t.Fatalf("%d ticks in [%g, %g]", n, a, b)
		}
	}
	for _, bad := range [][2]float64{{0, 1}, {-1, 1}, {1, math.Inf(1)}, {math.NaN(), 1}} {
		if marks := powers(bad[0], bad[1]); marks != nil {
			t.Errorf("%d ticks in [%g, %g] of a logarithmic axis", len(marks), bad[0], bad[1])
		}
	}
	for _, c := range []struct {
		x    float64
		want string
	}{{0, "0"}, {-1.5, "−1.5"}, {0.0143, "0.0143"}, {123456, "1.235·10⁵"}, {2e-7, "2·10⁻⁷"}, {1e-12, "10⁻¹²"}, {99990, "99990"}, {1000, "1000"}} {
		if got := short(c.x, 4); got != c.want {
			t.Errorf("short(%g) = %q, expected %q", c.x, got, c.want)
		}
	}
	for _, c := range []struct {
		v, e float64
		want string
	}{{0.03924, 0.00171, "0.0392 ± 0.0017"}, {-12.34, 0.5, "−12.34 ± 0.50"}, {1234, 56, "1234 ± 56"}, {3, 0, "3"}} {
		if got := withError(c.v, c.e); got != c.want {
			t.Errorf("withError(%g, %g) = %q, expected %q", c.v, c.e, got, c.want)
		}
	}
}

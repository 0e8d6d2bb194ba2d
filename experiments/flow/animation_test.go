package flow

import (
	"encoding/base64"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/janpfeifer/must"

	"github.com/sliced-wasserstein/lab/internal/canvas/canvastest"
)

// TestAnimation reads back what the script reads.
func TestAnimation(t *testing.T) {
	target := []float32{0, 0, 2, 1, 0, 0}
	f := &Flow{Frames: []Frame{{0, []float32{0, 1, 0, 0, -1, 0}, 0.5}, {7, []float32{0, 0.5, 0, 0, 0, 0.25}, 0.123456}}}
	page := must.M1(Animation(Film{"SW </script>", target, f}, Film{"EMD", target, f}))
	for _, banned := range []string{"http://", "https://", " id=", "{{"} {
		if strings.Contains(page, banned) {
			t.Errorf("the page holds %q", banned)
		}
	}
	_, after, _ := strings.Cut(page, `class="swlab-data">`)
	raw, _, _ := strings.Cut(after, "</script>")
	var d animationData
	must.M(json.Unmarshal([]byte(raw), &d))
	if len(d.Films) != 2 || d.Films[0].Caption != "SW </script>" || d.Steps[1] != 7 || d.Films[1].EMD[1] != 0.1235 {
		t.Errorf("%+v", d)
	}
	b, err := base64.StdEncoding.DecodeString(d.Films[0].Frames[1])
	if err != nil || len(b) != 12 {
		t.Fatalf("%d bytes, %v", len(b), err)
	}
	for i, want := range f.Frames[1].Points {
		// The target's radius is 2.
		got := 2 * float64(int16(binary.LittleEndian.Uint16(b[2*i:]))) / 32767
		if math.Abs(got-float64(want)) > 1e-4 {
			t.Errorf("coordinate %d: %v, expected %v", i, got, want)
		}
	}
}

// TestAnimationDrawing: the script draws target and cloud where the camera of vmfviz.From(142, 24)
// sees them, and the slider shows its step.
func TestAnimationDrawing(t *testing.T) {
	f := &Flow{Frames: []Frame{{0, []float32{0, 1, 0}, 0.5}, {7, []float32{0, 0, 1}, 0.25}}}
	page := must.M1(Animation(Film{"SW", []float32{1, 0, 0}, f}))
	lines := strings.Split(canvastest.Drawings(t, page, "input 0 1"), "\n")
	sa, ca := math.Sincos(142 * math.Pi / 180)
	se, ce := math.Sincos(24 * math.Pi / 180)
	const x, y, r = 260, 22 + 234, 232 // a card of 520 pixels
	place := func(right, up float64) string {
		px, py := x+r*right, y-r*up
		return fmt.Sprintf("%.2f<%.2f<%.2f %.2f<%.2f<%.2f", px-2, px, px+2, py-2, py, py+2)
	}
	target, first, second := place(ca, -se*sa), place(0, ce), place(-sa, -se*ca)
	for _, want := range []string{"#b4bcc6  1 pieces " + target, "#d55e00  1 pieces " + first, "#d55e00  1 pieces " + second, "text step 7"} {
		if !slices.ContainsFunc(lines, func(s string) bool { return strings.Contains(s, want) }) {
			t.Errorf("nothing drawn is %q:\n%s", want, strings.Join(lines, "\n"))
		}
	}
}

func TestWrongAnimations(t *testing.T) {
	target := []float32{0, 0, 1}
	film := func(caption string, step int, points ...float32) Film {
		return Film{caption, target, &Flow{Frames: []Frame{{step, points, 0}}}}
	}
	nowhere := Film{"a", nil, &Flow{Frames: []Frame{{0, []float32{0, 0, 0}, 0}}}}
	for want, films := range map[string][]Film{
		"found the radius 0":                            {nowhere},
		"found the radius +Inf":                         {film("a", 0, 0, 0, float32(math.Inf(1)))},
		"found the radius NaN":                          {film("a", 0, 0, 0, float32(math.NaN()))},
		`film 1, "b": expected frames of the steps [0]`: {film("a", 0, target...), film("b", 1, target...)},
	} {
		if _, err := Animation(films...); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, expected %q", err, want)
		}
	}
}

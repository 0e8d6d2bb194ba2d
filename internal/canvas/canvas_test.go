package canvas

import (
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/janpfeifer/must"

	"github.com/sliced-wasserstein/lab/internal/canvas/canvastest"
)

// TestPage: nothing in data or message ends the script or the element.
func TestPage(t *testing.T) {
	page, err := Page("<p>{{message}}</p>{{data}}{{view}}", "a < b", map[string]string{"text": "</script>"})
	if err != nil || !strings.HasPrefix(page, `<p>a &lt; b</p>{"text":"\u003c/script\u003e"}`) || !strings.HasSuffix(page, view) {
		t.Errorf("%.80s, %v", page, err)
	}
	if _, err := Page("", "", math.NaN()); err == nil {
		t.Error("NaN is no JSON")
	}
}

// TestTurning: the frame is orthonormal and matches the angles. Keys and dragging turn it, up to
// the poles, and Home turns it back.
func TestTurning(t *testing.T) {
	page := `<script class="swlab-data">{}</script><script>
{{view}}
  var p = open(document.querySelectorAll("")[0]);
  var v = turning(p.card, "label", 30, 40, function (v) {
    v.radius = 57;
    var f = v.frame();
    v.g.fillText([f.right, f.up, f.fore].map(function (a) { return a.map(function (x) { return x.toFixed(3); }).join(" "); }).join(", "), v.azimuth, v.elevation);
  });
  v.redraw();
</script>`
	filled := must.M1(Page(page, "", nil))
	var got []string
	for _, line := range strings.Split(canvastest.Drawings(t, filled, "keydown ArrowLeft", "keydown ArrowUp", "keydown x", "pointermove 5 5", "pointerdown 10 10", "pointermove 0 110", "keydown Home"), "\n") {
		if strings.HasPrefix(line, "fillText") {
			got = append(got, strings.TrimSpace(line))
		}
	}
	var want []string
	for _, angles := range [][2]float64{{30, 40}, {24, 40}, {24, 46}, {34, 90}, {30, 40}} {
		sa, ca := math.Sincos(angles[0] * math.Pi / 180)
		se, ce := math.Sincos(angles[1] * math.Pi / 180)
		want = append(want, line(angles, [9]float64{-sa, ca, 0, -se * ca, -se * sa, ce, ce * ca, ce * sa, se}))
	}
	if strings.Join(got, "\n") != strings.Join(want, "\n") {
		t.Errorf("drawn\n%s\nexpected\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
}

// line is what the page of TestTurning writes for a frame.
func line(angles [2]float64, frame [9]float64) string {
	var parts []string
	for i := range 3 {
		parts = append(parts, fmt.Sprintf("%.3f %.3f %.3f", frame[3*i], frame[3*i+1], frame[3*i+2]))
	}
	return strings.TrimSpace(fmt.Sprintf("fillText %s %.2f %.2f", strings.Join(parts, ", "), angles[0], angles[1]))
}

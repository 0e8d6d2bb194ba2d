package vmfviz

import (
	"math"
	"strings"
	"testing"

	"github.com/janpfeifer/must"
)

// TestDifferences: the lines are sorted, better first, whichever direction that is; bars and marks are at the numbers;
// and what is far from all others stands beyond a break, on its side, without squeezing them.
func TestDifferences(t *testing.T) {
	lines := []Difference{{"far", 90, 5, nil, nil}, {"worse", 2, 0.5, nil, nil}, {"better", -1.5, 0.5, nil, nil}, {"unclear", 0.2, 0.4, nil, nil}, {"farther", -70, 3, nil, nil}}
	for _, c := range []struct {
		up    bool
		names []string
	}{
		{false, []string{"farther", "better", "SW", "unclear", "worse", "far"}},
		{true, []string{"far", "worse", "unclear", "SW", "better", "farther"}},
	} {
		q := must.M1(Differences(DifferencesOptions{Quantity: "EMD", Reference: "SW", Number: "68.8", Up: c.up}, lines...)).Plots[0][0]
		for i, m := range q.Y.Tick.Marker.Ticks(0, 0) {
			if m.Label != c.names[i] || m.Value != -float64(i) {
				t.Errorf("up %v: line %d is %q at %g, expected %q", c.up, i, m.Label, m.Value, c.names[i])
			}
		}
		if !(q.X.Min > -5 && q.X.Min < -2 && q.X.Max > 2.5 && q.X.Max < 5) {
			t.Errorf("up %v: the axis goes from %g to %g", c.up, q.X.Min, q.X.Max)
		}
	}
	q := must.M1(Differences(DifferencesOptions{Reference: "SW", Ordered: true}, lines...)).Plots[0][0]
	for i, m := range q.Y.Tick.Marker.Ticks(0, 0) {
		if m.Label != lines[i].Label {
			t.Errorf("ordered: line %d is %q, expected %q", i, m.Label, lines[i].Label)
		}
	}
	svg := string(must.M1(must.M1(Differences(DifferencesOptions{Quantity: "EMD", Reference: "SW", Number: "68.8"}, lines...)).SVG()))
	for _, text := range []string{"+90 %", "+2.0 %", "−1.5 %", "+0.2 %", "−70 %", "68.8", "EMD against SW, 95 % intervals", "← better", "worse →"} {
		if strings.Count(svg, ">"+text+"<") != 1 {
			t.Errorf("the picture has %q %d times", text, strings.Count(svg, ">"+text+"<"))
		}
	}
	whole := must.M1(Differences(DifferencesOptions{}, Difference{"a", 80, 1, nil, nil}, Difference{"b", 2, 1, nil, nil}, Difference{"c", 90, 1, nil, nil}, Difference{"d", 1, 1, nil, nil})).Plots[0][0]
	if whole.X.Max < 90 {
		t.Errorf("half of the lines stand beyond a break at %g", whole.X.Max)
	}
	svg = string(must.M1(must.M1(Differences(DifferencesOptions{Ends: true}, Difference{"a", -1.5, 0.5, nil, nil}, Difference{"b", 2, 0.5, []float64{1, 2, 3}, nil})).SVG()))
	for _, text := range []string{"−2.0 to −1.0 %", "−0.5 to +4.5 %"} {
		if strings.Count(svg, ">"+text+"<") != 1 {
			t.Errorf("the picture has %q %d times", text, strings.Count(svg, ">"+text+"<"))
		}
	}
	repeats := Difference{"seeds", 2, 0.5, []float64{1, 2, 3}, nil} // 2 ± 4.303 / √3
	if half := repeats.repeated(); math.Abs(half-2.4843) > 1e-3 {
		t.Errorf("the interval of the repeats is 2 ± %g", half)
	}
	if q := must.M1(Differences(DifferencesOptions{}, repeats)).Plots[0][0]; q.X.Min > -0.48 || q.X.Max < 4.48 {
		t.Errorf("the axis goes from %g to %g", q.X.Min, q.X.Max)
	}
	three := []float64{1, 2, 3} // 4.302653 is Student's quantile with 2 degrees of freedom
	alone := string(must.M1(must.M1(Differences(DifferencesOptions{Ends: true}, Difference{Label: "b", Repeats: three})).SVG()))
	if alone != string(must.M1(must.M1(Differences(DifferencesOptions{Ends: true}, Difference{"b", 2, 4.302653 / math.Sqrt(3), three, nil})).SVG())) {
		t.Error("repeats alone: expected their mean and interval")
	}
	if q := must.M1(Differences(DifferencesOptions{}, Difference{"a", 2, 0, nil, nil})).Plots[0][0]; strings.Contains(q.X.Label.Text, "intervals") {
		t.Error("the axis names intervals where there are none")
	}
}

// TestDotsNames: the axis says what the bars are, the legend what the diamonds are, and
// rounding is written as 0.
func TestDotsNames(t *testing.T) {
	p := must.M1(Dots(DotsOptions{XLabel: "SW"},
		Estimate{Label: "first", Value: 0.5, StdErr: 0.01, Role: Input},
		Estimate{Label: "second", Value: 4.8e-13, StdErr: 8e-15, Role: Output, Paper: 0.2}))
	if want := "2 estimates ± standard error"; p.Alt != want {
		t.Errorf("the picture is described by %q, expected %q", p.Alt, want)
	}
	svg := must.M1(p.SVG())
	for text, want := range map[string]int{"SW, ± standard error": 1, ">paper<": 1, ">first<": 1, "·10": 0, "0.500 ± 0.010": 1} {
		if got := strings.Count(string(svg), text+"<") + strings.Count(string(svg), text)*strings.Count(text, "<"); want != got {
			t.Errorf("%q stands %d times in the picture, expected %d", text, got, want)
		}
	}
}

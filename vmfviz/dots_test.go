package vmfviz

import (
	"math"
	"strings"
	"testing"

	"github.com/janpfeifer/must"
)

// TestBrokenAxis: values far from the others break the axis, on either side, so
// that the others have three quarters of it; the scale still increases.
func TestBrokenAxis(t *testing.T) {
	for _, c := range []struct {
		name   string
		values []float64
		broken bool
	}{
		{"even", []float64{1, 2, 3, 4}, false},
		{"outlier above", []float64{2.1, 2.2, 2, 40}, true},
		{"outlier below", []float64{-30, 2.1, 2.2, 2}, true},
		{"two of six", []float64{1, 1.1, 1.2, 1.3, 90, 91}, true},
		{"two groups", []float64{1, 1.1, 90, 91}, false},
		{"one", []float64{3}, false},
		{"two", []float64{3, 90}, false},
		{"equal but one", []float64{3, 3, 3, 90}, true},
		{"tiny", []float64{1e-12, 2e-12, 3e-12, 1e-9}, true},
		{"huge", []float64{1e149, 1.1e149, 1e150, -1e150}, false},
	} {
		var lines []Estimate
		for _, v := range c.values {
			lines = append(lines, Estimate{Label: "a", Value: v, StdErr: 0.01 * math.Abs(v)})
		}
		q := must.M1(Dots(DotsOptions{}, lines...)).Plots[0][0]
		b, broken := q.X.Scale.(brokenScale)
		if broken != c.broken {
			t.Errorf("%s: broken %v, expected %v", c.name, broken, c.broken)
			continue
		}
		if !broken {
			continue
		}
		for _, v := range c.values {
			if x := q.X.Norm(v); !(x > 0 && x < 1) || v > b.from && v < b.to {
				t.Errorf("%s: %g stands at %g of the axis %+v", c.name, v, x, b)
			}
		}
		last := -1.0
		for k := range 1001 {
			x := q.X.Norm(b.min + float64(k)/1000*(b.max-b.min))
			if !(x > last && x > -1e-9 && x < 1+1e-9) {
				t.Fatalf("%s: the scale falls to %g after %g", c.name, x, last)
			}
			last = x
		}
		for _, m := range q.X.Tick.Marker.Ticks(q.X.Min, q.X.Max) {
			if m.Value > b.from && m.Value < b.to {
				t.Errorf("%s: a tick at %g within the break %+v", c.name, m.Value, b)
			}
		}
		q.X.Max = b.from // the user's limits leave the break out
		if x := q.X.Norm((q.X.Min + q.X.Max) / 2); math.Abs(x-0.5) > 1e-9 {
			t.Errorf("%s: with limits within one part the middle stands at %g", c.name, x)
		}
	}
}

// TestDotsNames: the axis says what the bars are, the legend what the marks are, and
// rounding is written as 0.
func TestDotsNames(t *testing.T) {
	p := must.M1(Dots(DotsOptions{XLabel: "SW", Legend: map[Role]string{Input: "of the paper", Output: "of this module", Direction: "unused"}},
		Estimate{Label: "first", Value: 0.5, StdErr: 0.01, Role: Input, Line: true},
		Estimate{Label: "second", Value: 4.8e-13, StdErr: 8e-15, Role: Output, Paper: 0.2}))
	if want := "2 estimates ± standard error"; p.Alt != want {
		t.Errorf("the picture is described by %q, expected %q", p.Alt, want)
	}
	svg := must.M1(p.SVG())
	for text, want := range map[string]int{"SW, ± standard error": 1, "of the paper": 1, "of this module": 1, "unused": 0, ">paper<": 1, ">first<": 2, "·10": 0, "0.500 ± 0.010": 1} {
		if got := strings.Count(string(svg), text+"<") + strings.Count(string(svg), text)*strings.Count(text, "<"); want != got {
			t.Errorf("%q stands %d times in the picture, expected %d", text, got, want)
		}
	}
}

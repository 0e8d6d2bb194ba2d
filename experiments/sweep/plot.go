package sweep

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/janpfeifer/must"

	"github.com/sliced-wasserstein/lab/swlab/train"
	"github.com/sliced-wasserstein/lab/vmfviz"
)

// wide is the ratio of a setting's largest value to its smallest from which on its axis is
// logarithmic.
const wide = 20

// Plot draws the metrics against the first varied setting that is a number, one line for each
// combination of the others, with a band of one standard error over seeds. With a single seed the
// band is half the 95 % interval, over test clouds, of the difference to the reference row, which has
// none itself. If no number is varied it draws the differences of the
// exact EMD, with that interval. Without rows to compare it returns nil.
func (r *Result) Plot() (*vmfviz.Picture, error) {
	x := slices.IndexFunc(r.Vary, func(v Vary) bool { return numeric(v.Name) })
	if x < 0 {
		return r.differences()
	}
	lines := r.lines(x)
	name := r.Vary[x].Name
	var panels []vmfviz.CurvePanel
	for _, m := range metrics {
		p := vmfviz.CurvePanel{Title: m.name, XLabel: name, YLabel: m.name + ", " + m.over, LogX: r.spread(x)}
		for _, l := range lines {
			if s, ok := r.series(l, m.key, x); ok {
				p.Series = append(p.Series, s)
			}
		}
		if p.Series == nil {
			return nil, nil
		}
		panels = append(panels, p)
	}
	return vmfviz.Curves(vmfviz.CurvesOptions{Title: fmt.Sprintf("Reconstruction by %s ± %s", name, r.interval())}, panels...)
}

// interval says what the bands and bars show.
func (r *Result) interval() string {
	if len(r.Seeds) > 1 {
		return fmt.Sprintf("standard error over %d seeds", len(r.Seeds))
	}
	return "half the 95 % interval of the difference to " + r.Label(r.Reference)
}

// bar returns the length of a row's bar to either side, see Plot; 0 where it is unknown.
func (r *Result) bar(row Row, key string) float64 {
	if n := row.Values[key]; n.SD != nil {
		return *n.SD / math.Sqrt(float64(n.N))
	}
	return row.Difference[key].half()
}

// numeric reports whether the setting of that name is a number.
func numeric(name string) bool {
	_, ok := must.M1(fields(new(train.Config)).Find(name)).Number()
	return ok
}

// line holds the rows of one combination of the other settings, by the value of the setting on the
// axis.
type line struct {
	label string
	rows  []int
}

func (r *Result) lines(x int) []line {
	var out []line
	for i, row := range r.Rows {
		var others []string
		for j, v := range r.Vary {
			if j != x {
				others = append(others, v.Name+" "+row.text(v.Name))
			}
		}
		label := strings.Join(others, ", ")
		k := slices.IndexFunc(out, func(l line) bool { return l.label == label })
		if k < 0 {
			k = len(out)
			out = append(out, line{label: label})
		}
		out[k].rows = append(out[k].rows, i)
	}
	for _, l := range out {
		slices.SortFunc(l.rows, func(a, b int) int { return cmp.Compare(r.at(a, x), r.at(b, x)) })
	}
	return out
}

// at returns the row's value of the setting on the axis.
func (r *Result) at(row, x int) float64 {
	switch v := r.Rows[row].Settings[r.Vary[x].Name].(type) {
	case int:
		return float64(v)
	case float64:
		return v
	}
	return math.NaN()
}

// spread reports whether the axis is logarithmic.
func (r *Result) spread(x int) bool {
	low, high := math.Inf(1), math.Inf(-1)
	for i := range r.Rows {
		low, high = min(low, r.at(i, x)), max(high, r.at(i, x))
	}
	return low > 0 && high > wide*low
}

// series returns a line of the plot, if it has a point.
func (r *Result) series(l line, key string, x int) (vmfviz.Series, bool) {
	s := vmfviz.Series{Label: l.label}
	some, band := false, false
	for _, i := range l.rows {
		n, there := r.Rows[i].Values[key]
		y, bar := math.NaN(), r.bar(r.Rows[i], key)
		if there {
			y, some = n.Mean, true
		}
		band = band || bar > 0
		s.X, s.Y, s.Low, s.High = append(s.X, r.at(i, x)), append(s.Y, y), append(s.Low, y-bar), append(s.High, y+bar)
	}
	if !band {
		s.Low, s.High = nil, nil
	}
	return s, some
}

// differences is the plot of a sweep over names: paired differences to the reference row over the test clouds.
func (r *Result) differences() (*vmfviz.Picture, error) {
	const key = "emd_exact"
	reference := r.Rows[r.Reference].Values[key]
	o := vmfviz.DifferencesOptions{Title: fmt.Sprintf("Reconstruction, %d seed(s), intervals over test clouds", len(r.Seeds)),
		Quantity: "exact EMD", Reference: r.Label(r.Reference), Number: fmt.Sprintf("%.3g", reference.Mean)}
	var lines []vmfviz.Difference
	for i, row := range r.Rows {
		if d, ok := row.Difference[key]; ok {
			lines = append(lines, vmfviz.Difference{Label: r.Label(i), Value: 100 * d.Mean / reference.Mean, Half: 100 * d.half() / reference.Mean})
		}
	}
	if lines == nil {
		return nil, nil
	}
	return vmfviz.Differences(o, lines...)
}

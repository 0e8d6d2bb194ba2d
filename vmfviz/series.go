package vmfviz

import (
	"fmt"
	"math"

	"gonum.org/v1/plot/plotter"
)

// Series is one curve.
type Series struct {
	// Label names the curve in the legend. A curve without one looks like the first
	// of its role, as one of several closed forms.
	Label string
	// X and Y are the points, X not decreasing. A nil X means 1, 2, 3, ...
	// A NaN in Y is a gap.
	X, Y []float64
	// Low and High bound a band around the curve, for example ± one standard
	// error; nil means none.
	Low, High []float64
	// Role gives the colour; Auto takes the next of the palette.
	Role Role
}

// check says what is wrong with the panel, and returns its series with X filled in.
func (c CurvePanel) check(name string) ([]Series, error) {
	for _, f := range []struct{ name, s string }{{"Title", c.Title}, {"XLabel", c.XLabel}, {"YLabel", c.YLabel}} {
		if err := checkText(name+"."+f.name, f.s); err != nil {
			return nil, err
		}
	}
	if !(c.Smooth >= 0 && c.Smooth < 1) {
		return nil, fmt.Errorf("vmfviz: %s.Smooth = %g, expected at least 0 and below 1", name, c.Smooth)
	}
	if len(c.Series) == 0 {
		return nil, fmt.Errorf("vmfviz: %s.Series is empty, expected at least one curve", name)
	}
	series := append([]Series(nil), c.Series...)
	for i := range series {
		if err := checkSeries(fmt.Sprintf("%s.Series[%d]", name, i), c, &series[i]); err != nil {
			return nil, err
		}
	}
	return series, nil
}

func checkSeries(name string, p CurvePanel, c *Series) error {
	if err := checkText(name+".Label", c.Label); err != nil {
		return err
	}
	if len(c.Y) == 0 {
		return fmt.Errorf("vmfviz: %s.Y is empty", name)
	}
	if c.X == nil {
		c.X = make([]float64, len(c.Y))
		for i := range c.X {
			c.X[i] = float64(i + 1)
		}
	}
	if len(c.X) != len(c.Y) {
		return fmt.Errorf("vmfviz: %s.X has length %d, expected %d as Y has", name, len(c.X), len(c.Y))
	}
	if (c.Low == nil) != (c.High == nil) {
		return fmt.Errorf("vmfviz: %s: one of Low and High is missing: a band needs both", name)
	}
	if c.Low != nil && (len(c.Low) != len(c.Y) || len(c.High) != len(c.Y)) {
		return fmt.Errorf("vmfviz: %s.Low and High have lengths %d and %d, expected %d as Y has", name, len(c.Low), len(c.High), len(c.Y))
	}
	seen := false
	check := func(field string, i int, v float64, log bool) error {
		if math.IsInf(v, 0) || math.IsNaN(v) || math.Abs(v) > largest {
			return fmt.Errorf("vmfviz: %s.%s[%d] is %g, expected a finite number of at most %g", name, field, i, v, largest)
		}
		if log && v < 1/largest {
			return fmt.Errorf("vmfviz: %s.%s[%d] is %g, expected a positive number for a logarithmic axis", name, field, i, v)
		}
		return nil
	}
	for i := range c.Y {
		if err := check("X", i, c.X[i], p.LogX); err != nil {
			return err
		}
		if i > 0 && c.X[i] < c.X[i-1] {
			return fmt.Errorf("vmfviz: %s.X[%d] = %g comes after %g, expected numbers that do not decrease", name, i, c.X[i], c.X[i-1])
		}
		if math.IsNaN(c.Y[i]) {
			continue
		}
		seen = true
		if err := check("Y", i, c.Y[i], p.LogY); err != nil {
			return err
		}
		if c.Low != nil {
			if err := check("Low", i, c.Low[i], p.LogY); err != nil {
				return err
			}
			if err := check("High", i, c.High[i], p.LogY); err != nil {
				return err
			}
		}
	}
	if !seen {
		return fmt.Errorf("vmfviz: %s.Y holds only NaN", name)
	}
	return nil
}

// smooth returns in place i the value of the line fitted to all values, in which
// value j counts weight^|i−j|: away from the ends the centred moving average, and
// at the ends without its bias. Gaps stay gaps. With log it fits the logarithms.
func smooth(y []float64, weight float64, log bool) []float64 {
	values := y
	if log {
		values = make([]float64, len(y))
		for i, v := range y {
			values[i] = math.Log(v)
		}
	}
	fits := make([]moments, len(y))
	var m moments
	for i, v := range values { // what came before, and the value
		m.move(weight)
		m.add(v)
		fits[i] = m
		fits[i].n1, fits[i].v1 = -m.n1, -m.v1
	}
	m = moments{}
	for i := len(y) - 1; i >= 0; i-- { // what comes after
		m.move(weight)
		f := &fits[i]
		f.n0, f.n1, f.n2, f.v0, f.v1 = f.n0+m.n0, f.n1+m.n1, f.n2+m.n2, f.v0+m.v0, f.v1+m.v1
		m.add(values[i])
	}
	out := make([]float64, len(y))
	for i, v := range values {
		if out[i] = v; !math.IsNaN(v) {
			out[i] = fits[i].atZero()
		}
		if log {
			out[i] = math.Exp(out[i])
		}
	}
	return out
}

// moments are sums over values at distances k, in which each counts weight^k: of
// 1, k and k², and of the value and k times the value.
type moments struct{ n0, n1, n2, v0, v1 float64 }

// move takes all values one place away.
func (m *moments) move(weight float64) {
	m.n0, m.n1, m.n2 = weight*m.n0, weight*(m.n1+m.n0), weight*(m.n2+2*m.n1+m.n0)
	m.v0, m.v1 = weight*m.v0, weight*(m.v1+m.v0)
}

// add adds a value at distance 0, unless it is a gap.
func (m *moments) add(v float64) {
	if !math.IsNaN(v) {
		m.n0, m.v0 = m.n0+1, m.v0+v
	}
}

// atZero returns the value of the fitted line at distance 0.
func (m moments) atZero() float64 {
	d := m.n0*m.n2 - m.n1*m.n1
	if d <= 1e-12*m.n0*m.n2 {
		return m.v0 / m.n0
	}
	return (m.n2*m.v0 - m.n1*m.v1) / d
}

// thin keeps, of a line with many more points than a picture has columns, the
// first, the lowest, the highest and the last of each group of neighbours.
func thin(l plotter.XYs) plotter.XYs {
	const groups = 1000
	if len(l) < 5*groups {
		return l
	}
	var out plotter.XYs
	for g := range groups {
		from, to := g*len(l)/groups, (g+1)*len(l)/groups
		lo, hi := from, from
		for i := from; i < to; i++ {
			if l[i].Y < l[lo].Y {
				lo = i
			}
			if l[i].Y > l[hi].Y {
				hi = i
			}
		}
		out = append(out, l[from], l[min(lo, hi)], l[max(lo, hi)], l[to-1])
	}
	return out
}

package vmfviz

import (
	"fmt"
	"math"
)

// Series is one curve.
type Series struct {
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

// smooth returns the exponential moving average without the bias of its start;
// gaps stay gaps.
func smooth(y []float64, weight float64) []float64 {
	out := make([]float64, len(y))
	sum, norm := 0.0, 0.0
	for i, v := range y {
		if math.IsNaN(v) {
			out[i] = v
			continue
		}
		sum = weight*sum + (1-weight)*v
		norm = weight*norm + (1 - weight)
		out[i] = sum / norm
	}
	return out
}

// thin keeps, of the points in each half pixel of x, the first, the lowest, the
// highest and the last.
func thin(p []pt) []pt {
	if len(p) < 2000 {
		return p
	}
	var out []pt
	for i := 0; i < len(p); {
		j, lo, hi := i, i, i
		for ; j < len(p) && math.Floor(2*p[j].x) == math.Floor(2*p[i].x); j++ {
			if p[j].y < p[lo].y {
				lo = j
			}
			if p[j].y > p[hi].y {
				hi = j
			}
		}
		last := -1
		for _, k := range []int{i, min(lo, hi), max(lo, hi), j - 1} {
			if k > last {
				out = append(out, p[k])
				last = k
			}
		}
		i = j
	}
	return out
}

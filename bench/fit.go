package main

import (
	"math"
	"slices"

	"gonum.org/v1/gonum/stat"
)

// curve is the cost of one kind of work by one program along an axis.
type curve struct {
	axis, name, program   string
	at, cost, least, most []float64 // cost: the fastest call, or MB; most: the largest median of a round
}

// curves collects curves in the order of the plan.
type curves struct {
	index map[[3]string]int
	all   []curve
}

func newCurves() *curves { return &curves{index: map[[3]string]int{}} }

// Axes of the amortizers alone, both of the points of a cloud: time, and memory.
const (
	pointsAxis = "points"
	memoryAxis = "points (memory)"
)

func (c *curves) add(p point, program string, s programSummary) {
	if p.Axis == memoryAxis {
		if s.Above <= 0 {
			return
		}
		s.Min, s.High = s.Above, s.Above
	}
	k := [3]string{p.Axis, p.Curve, program}
	i, ok := c.index[k]
	if !ok {
		i = len(c.all)
		c.index[k] = i
		c.all = append(c.all, curve{axis: p.Axis, name: p.Curve, program: program})
	}
	at, _ := slices.BinarySearch(c.all[i].at, p.At)
	v := &c.all[i]
	v.at = slices.Insert(v.at, at, p.At)
	v.cost = slices.Insert(v.cost, at, s.Min)
	v.least = slices.Insert(v.least, at, s.Min)
	v.most = slices.Insert(v.most, at, s.High)
}

// fit is the slope of log cost against the log of the axis over the upper end of a curve: the upper
// two decades of m, for cost / log m, else the upper decade, for cost. Uncertainty is the standard
// error of least squares, nil with fewer than three points.
type fit struct {
	Axis        string   `json:"axis"`
	Curve       string   `json:"curve"`
	Program     string   `json:"program"`
	Of          string   `json:"of"`
	From        float64  `json:"from"`
	To          float64  `json:"to"`
	Points      int      `json:"points"`
	Exponent    float64  `json:"exponent"`
	Uncertainty *float64 `json:"uncertainty,omitempty"`
}

func fitAll(all []curve) []fit {
	var out []fit
	for _, c := range all {
		if f, ok := fitCurve(c); ok {
			out = append(out, f)
		}
	}
	return out
}

func fitCurve(c curve) (fit, bool) {
	f := fit{Axis: c.axis, Curve: c.name, Program: c.program, Of: "t"}
	decades := 10.0
	switch c.axis {
	case memoryAxis:
		f.Of = "peak memory"
	case "m":
		f.Of, decades = "t / log m", 100
	}
	var x, y []float64
	for i, at := range c.at {
		if at*decades < c.at[len(c.at)-1] || at <= 1 {
			continue
		}
		cost := c.cost[i]
		if c.axis == "m" {
			cost /= math.Log(at)
		}
		x, y = append(x, math.Log(at)), append(y, math.Log(cost))
	}
	if len(x) < 2 {
		return f, false
	}
	slope, err := line(x, y)
	f.From, f.To, f.Points, f.Exponent = math.Round(math.Exp(x[0])), math.Round(math.Exp(x[len(x)-1])), len(x), slope
	if !math.IsNaN(err) {
		f.Uncertainty = &err
	}
	return f, true
}

// line returns the slope of the least-squares line and its standard error, NaN for two points.
func line(x, y []float64) (slope, err float64) {
	at0, slope := stat.LinearRegression(x, y, nil, false)
	rest := 0.0
	for i := range x {
		r := y[i] - at0 - slope*x[i]
		rest += r * r
	}
	n := float64(len(x))
	if n == 2 {
		return slope, math.NaN()
	}
	return slope, math.Sqrt(rest / (n - 2) / ((n - 1) * stat.Variance(x, nil)))
}

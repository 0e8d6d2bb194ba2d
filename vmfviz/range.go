package vmfviz

import (
	"math"

	"gonum.org/v1/plot"
)

// logAxis makes an axis logarithmic; its values must be positive.
func logAxis(a *plot.Axis) {
	a.Scale = plot.LogScale{}
	a.Tick.Marker = powers{}
}

// at is the value at the fraction t of the axis from its minimum, the inverse of
// [plot.Axis.Norm].
func at(a *plot.Axis, t float64) float64 {
	if _, log := a.Scale.(plot.LogScale); log {
		return math.Exp(math.Log(a.Min) + t*(math.Log(a.Max)-math.Log(a.Min)))
	}
	return a.Min + t*(a.Max-a.Min)
}

// pad widens the range of an axis by a fraction of it at both ends. A range of one
// number becomes one around it, and zero stays the end of a linear range that
// begins near it.
func pad(a *plot.Axis, t float64) {
	_, log := a.Scale.(plot.LogScale)
	lo, hi := a.Min, a.Max
	switch {
	case log && lo == hi:
		a.Min, a.Max = lo/2, hi*2
	case hi-lo <= 1e-9*math.Max(math.Abs(lo), math.Abs(hi)):
		d := math.Max(math.Abs(hi)*0.1, 1e-9)
		a.Min, a.Max = lo-d, hi+d
	default:
		min, max := at(a, -t), at(a, 1+t)
		if !log && lo >= 0 && lo < 0.35*hi {
			min = 0
		}
		a.Min, a.Max = min, max
	}
}

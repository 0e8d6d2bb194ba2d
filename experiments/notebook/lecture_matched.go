package notebook

import (
	"fmt"
	"math"
	"slices"
)

// MatchedLengths returns how far the points of x and y, [m, 3] each, that the slice along the unit vector theta [3] matches are from each other,
// root mean square over the pairs: along theta, which is √F(theta) with F the mean over points, and across it, which the slice does not see.
func MatchedLengths(x, y, theta []float32) (along, across float64, err error) {
	if len(theta) != 3 {
		return 0, 0, fmt.Errorf("theta: expected 3 coordinates, found %d", len(theta))
	}
	if len(x) == 0 || len(x)%3 != 0 || len(x) != len(y) {
		return 0, 0, fmt.Errorf("x, y: expected equally many points of 3 coordinates, found %d and %d numbers", len(x), len(y))
	}
	m := len(x) / 3
	height := func(cloud []float32, i int) (h float64) {
		for k, t := range theta {
			h += float64(t) * float64(cloud[3*i+k])
		}
		return h
	}
	order := func(cloud []float32) []int {
		out := make([]int, m)
		for i := range out {
			out[i] = i
		}
		slices.SortStableFunc(out, func(i, j int) int {
			switch d := height(cloud, i) - height(cloud, j); {
			case d < 0:
				return -1
			case d > 0:
				return 1
			}
			return 0
		})
		return out
	}
	ox, oy := order(x), order(y)
	var seen, whole float64
	for i := range m {
		d := height(x, ox[i]) - height(y, oy[i])
		seen += d * d / float64(m)
		for k := range 3 {
			g := float64(x[3*ox[i]+k]) - float64(y[3*oy[i]+k])
			whole += g * g / float64(m)
		}
	}
	return math.Sqrt(seen), math.Sqrt(max(0, whole-seen)), nil
}

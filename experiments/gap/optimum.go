package gap

import "math"

// ascend goes up f along the sphere from start. It steps along the gradient if that raises f by
// enough (Armijo), with longer steps after a success and shorter ones after a failure. It stops
// when a step no longer moves the location or the gradient is negligible.
func ascend(f Harmonics, start [3]float64) (at [3]float64, value float64) {
	at = start
	value, g := f.Slope(at)
	scale := math.Abs(f.Mean()) + math.Sqrt(f.power())
	length := 1.0 / math.Max(scale, math.SmallestNonzeroFloat64)
	for range 10000 {
		square := dot(g, g)
		if size := math.Sqrt(square); length*size < 1e-12 || size < 1e-9*scale {
			break
		}
		next := normalised([3]float64{at[0] + length*g[0], at[1] + length*g[1], at[2] + length*g[2]})
		v, gNext := f.Slope(next)
		if v > value && v >= value+0.3*length*square {
			at, value, g = next, v, gNext
			length *= 2
		} else {
			length /= 4
		}
	}
	return at, value
}

// maximum returns the largest value of f and its location: the best of ascents from the best points
// of a grid. The grid is finer than the bumps of a function of that degree.
func maximum(f Harmonics) (at [3]float64, value float64) {
	points := spiral((f.Degree + 2) * (f.Degree + 2))
	const starts = 6
	type start struct {
		at    [3]float64
		value float64
	}
	var best []start
	for _, p := range points {
		s := start{p, f.At(p)}
		if len(best) < starts {
			best = append(best, s)
		} else if s.value > best[starts-1].value {
			best[starts-1] = s
		} else {
			continue
		}
		for i := len(best) - 1; i > 0 && best[i].value > best[i-1].value; i-- {
			best[i], best[i-1] = best[i-1], best[i]
		}
	}
	value = math.Inf(-1)
	for _, s := range best {
		if a, v := ascend(f, s.at); v > value {
			at, value = a, v
		}
	}
	return at, value
}

// spiral returns n nearly even points on the upper half of the sphere (Fibonacci lattice).
func spiral(n int) [][3]float64 {
	var out [][3]float64
	for i := range n {
		z := (float64(i) + 0.5) / float64(n)
		sin, cos := math.Sincos(2 * math.Pi * math.Mod(float64(i)*math.Phi, 1))
		r := math.Sqrt(1 - z*z)
		out = append(out, [3]float64{r * cos, r * sin, z})
	}
	return out
}

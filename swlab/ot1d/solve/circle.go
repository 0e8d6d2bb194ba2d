package solve

import (
	"cmp"
	"math"
	"slices"
)

// Circle returns W_p^p between x and y on a circle of length 1, where only the fractional parts of
// numbers count and the distance is that along the shorter arc. Masses are divided by their sum.
// With X and Y the quantile functions of the fractional parts, continued by X(t + 1) = X(t) + 1,
//
//	W_p^p = min over a of C(a),   C(a) = int_0^1 |X(t) - Y(t - a)|^p dt
//
// C is convex and, between points, piecewise linear (Delon, Salomon and Sobolevskii 2010). So the
// lines that touch it on both sides of the minimum find it: the search ends at the minimum itself,
// after about log(mn) passes over the points.
func Circle(x, y Points, p float64) (Result, error) {
	if err := checkBoth(x, y, p); err != nil {
		return Result{}, err
	}
	c := circle{p: exponent(p), total: 1}
	m, n := len(x.At), len(y.At)
	if x.Mass == nil && y.Mass == nil {
		// in whole units, in which C has its corners at whole numbers
		common := gcd(m, n)
		c.whole, c.total = true, float64(m/common)*float64(n)
	}
	c.x, c.levelX = around(x, c.total)
	c.y, c.levelY = around(y, c.total)
	at := c.minimum()
	r := Result{DX: make([]float64, m), DY: make([]float64, n)}
	r.Cost = c.along(at, &r).cost / c.total
	return r, nil
}

func gcd(a, b int) int {
	for b != 0 {
		a, b = b, a%b
	}
	return a
}

// circle is a problem with the fractional parts of x and y in order and their cumulative masses.
type circle struct {
	p              exponent
	x, y           sorted
	levelX, levelY []float64
	total          float64 // mass of each cloud
	whole          bool    // all masses are whole numbers
}

// around sorts the fractional parts of a cloud and sums up its masses, in all total.
func around(c Points, total float64) (s sorted, levels []float64) {
	at := slices.Clone(c.At)
	for i, v := range at {
		if at[i] = v - math.Floor(v); at[i] == 1 { // just below 0
			at[i] = 0
		}
	}
	s = Points{at, c.Mass}.sort(total / float64(len(at)))
	if c.Mass != nil {
		largest, sum := slices.Max(s.mass), 0.0
		for i := range s.mass {
			s.mass[i] /= largest
			sum += s.mass[i]
		}
		for i := range s.mass {
			s.mass[i] *= total / sum
		}
	}
	levels = make([]float64, len(s.mass))
	sum := 0.0
	for i, w := range s.mass {
		sum += w
		levels[i] = sum
	}
	levels[len(levels)-1] = total
	return s, levels
}

// touch is C at a place, and its derivatives to the left and to the right.
type touch struct {
	at, cost, left, right float64
}

// minimum is where C is least: from -total, where every x lies below its y, to total.
func (c circle) minimum() float64 {
	low, high := touch{at: -2 * c.total, right: math.NaN()}, touch{at: 2 * c.total, left: math.NaN()}
	best := touch{cost: math.Inf(1)}
	for next, turn := 0.0, 0; turn < 200; turn++ {
		now := c.along(next, nil)
		if now.cost < best.cost {
			best = now
		}
		switch {
		case now.right < 0:
			low = now
		case now.left > 0:
			high = now
		default:
			return now.at
		}
		next = (low.at + high.at) / 2
		if turn%2 == 1 {
			// C lies above its lines at low and high, which meet here
			meet := low.at + (high.cost-low.cost-high.left*(high.at-low.at))/(low.right-high.left)
			if low.cost+low.right*(meet-low.at) >= best.cost*(1-1e-16) {
				return best.at
			}
			if meet > low.at && meet < high.at {
				next = meet
			}
		}
		if c.whole {
			next = max(low.at+1, min(math.Round(next), high.at-1))
		}
		if next <= low.at || next >= high.at {
			break
		}
	}
	return best.at
}

// along is C(a) and its derivatives, times total. It adds those in the points to r, unless nil.
func (c circle) along(a float64, r *Result) touch {
	t := touch{at: a}
	// y[j] + turn is Y just after -a
	turn := math.Floor(-a / c.total)
	rest := -a - turn*c.total
	j, _ := slices.BinarySearchFunc(c.levelY, rest, func(level, rest float64) int {
		if level <= rest {
			return -1
		}
		return 1
	})
	if j == len(c.levelY) {
		j, turn = 0, turn+1
	}
	yEnd := c.levelY[j] + turn*c.total + a
	for i, level := 0, 0.0; i < len(c.x.at); {
		d := c.x.at[i] - (c.y.at[j] + turn)
		xEnd := c.levelX[i]
		end := min(xEnd, yEnd)
		if mass := end - level; mass > 0 {
			t.cost += mass * c.p.power(d)
			if r != nil {
				slope := mass / c.total * c.p.slope(d)
				r.DX[c.x.order[i]] += slope
				r.DY[c.y.order[j]] -= slope
			}
			level = end
		}
		before, after := c.x.at[i], c.x.at[i] // X on both sides of the end
		if xEnd <= end {
			if i++; i < len(c.x.at) {
				after = c.x.at[i]
			} else {
				after = c.x.at[0] + 1
			}
		}
		if yEnd > end {
			continue
		}
		y := c.y.at[j] + turn
		if j++; j == len(c.y.at) {
			j, turn = 0, turn+1
		}
		next := c.y.at[j] + turn
		yEnd = c.levelY[j] + turn*c.total + a
		t.left += c.p.power(before-y) - c.p.power(before-next)
		t.right += c.p.power(after-y) - c.p.power(after-next)
	}
	return t
}

// Uniform returns W_p^p between x and the uniform distribution of a circle of length 1, and its
// derivatives in x. With A_i the cumulative masses of the fractional parts in order,
//
//	W_p^p = min over a of sum_i int_A_(i-1)^A_i |x_i - t - a|^p dt
//
// whose minimum for p = 2 is at the mean of x less 1/2 (Bonet et al. 2023); for other p it is found
// by bisection of the derivative.
func Uniform(x Points, p float64) (Result, error) {
	if err := cmp.Or(checkExponent(p), x.check("x")); err != nil {
		return Result{}, err
	}
	e := exponent(p)
	s, levels := around(x, 1)
	// below and above are x_i - t at both ends of its share
	ends := func(i int) (below, above float64) {
		first := 0.0
		if i > 0 {
			first = levels[i-1]
		}
		return s.at[i] - levels[i], s.at[i] - first
	}
	low, high := -1.0, 1.0
	for low < high {
		a := (low + high) / 2
		if a <= low || a >= high {
			break
		}
		slope := 0.0
		for i := range s.at {
			below, above := ends(i)
			slope += e.power(below-a) - e.power(above-a)
		}
		if slope < 0 {
			low = a
		} else {
			high = a
		}
	}
	r := Result{DX: make([]float64, len(x.At))}
	for i, k := range s.order {
		below, above := ends(i)
		below, above = below-high, above-high
		r.Cost += (above*e.power(above) - below*e.power(below)) / (p + 1)
		r.DX[k] = e.power(above) - e.power(below)
	}
	return r, nil
}

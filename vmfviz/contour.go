package vmfviz

import "math"

// contourLevels are the values at which contours are drawn: round numbers
// inside the range.
func contourLevels(lo, hi float64) []float64 {
	if lo == hi {
		return nil
	}
	var levels []float64
	for _, t := range marks(lo, hi, 10) {
		if u := scaleTo(lo, hi, t.Value); u > 1e-9 && u < 1-1e-9 {
			levels = append(levels, t.Value)
		}
	}
	return levels
}

// refined returns the function on a grid with times as many rows, for smooth
// contours.
func (h *Heat) refined(times int) *Heat {
	f := h.sampler()
	return HeatOf(h.Label, times*h.rows(), func(theta [3]float64) float64 { return f(theta) })
}

// contours returns the closed curves on which the function has a value, by
// marching squares on its grid with the two poles added. plotter.Contour draws
// its paths in an order that changes from run to run, and knows no sphere.
func (h *Heat) contours(level float64) [][]vec3 {
	g := newContourGrid(h)
	links := map[int][]int{} // edge to the edges that the curve goes on to
	join := func(a, b int) { links[a], links[b] = append(links[a], b), append(links[b], a) }
	for i := range g.rows - 1 {
		for j := range g.cols {
			a, b := g.at(i, j) >= level, g.at(i, j+1) >= level
			d, c := g.at(i+1, j) >= level, g.at(i+1, j+1) >= level
			top, right, bottom, left := g.across(i, j), g.down(i, j+1), g.across(i+1, j), g.down(i, j)
			var crossed []int
			for _, e := range []struct {
				crosses bool
				edge    int
			}{{a != b, top}, {b != c, right}, {c != d, bottom}, {d != a, left}} {
				if e.crosses {
					crossed = append(crossed, e.edge)
				}
			}
			switch middle := (g.at(i, j) + g.at(i, j+1) + g.at(i+1, j) + g.at(i+1, j+1)) / 4; {
			case len(crossed) == 2:
				join(crossed[0], crossed[1])
			case len(crossed) == 4 && (middle >= level) == a: // b and d are cut off
				join(top, right)
				join(bottom, left)
			case len(crossed) == 4:
				join(top, left)
				join(right, bottom)
			}
		}
	}
	var curves [][]vec3
	seen := map[int]bool{}
	for start := range 2 * g.rows * g.cols {
		if seen[start] || links[start] == nil {
			continue
		}
		var curve []vec3
		for e, last := start, -1; ; {
			seen[e] = true
			curve = append(curve, g.crossing(e, level))
			next := links[e][0]
			if next == last && links[e][1] != last || seen[next] {
				next = links[e][1]
			}
			if seen[next] {
				break
			}
			e, last = next, e
		}
		curves = append(curves, append(curve, curve[0]))
	}
	return curves
}

// contourGrid is the grid of a Heat with a row for each pole.
type contourGrid struct {
	rows, cols int
	values     []float64
}

func newContourGrid(h *Heat) contourGrid {
	rows, cols := h.rows(), 2*h.rows()
	g := contourGrid{rows: rows + 2, cols: cols}
	f := h.sampler()
	north, south := f(vec3{0, 0, 1}), f(vec3{0, 0, -1})
	for range cols {
		g.values = append(g.values, north)
	}
	g.values = append(g.values, h.Values...)
	for range cols {
		g.values = append(g.values, south)
	}
	return g
}

func (g contourGrid) at(i, j int) float64 { return g.values[i*g.cols+j%g.cols] }

// across and down number the edges from (i, j) to (i, j+1) and to (i+1, j).
func (g contourGrid) across(i, j int) int { return 2 * (i*g.cols + j%g.cols) }
func (g contourGrid) down(i, j int) int   { return 2*(i*g.cols+j%g.cols) + 1 }

// crossing returns the direction on an edge where the function, taken as linear,
// has the value.
func (g contourGrid) crossing(edge int, level float64) vec3 {
	i, j := edge/2/g.cols, edge/2%g.cols
	k, l := i, j+1
	if edge%2 == 1 {
		k, l = i+1, j
	}
	a, b := g.at(i, j), g.at(k, l)
	t := (level/2 - a/2) / (b/2 - a/2)
	n := g.rows - 2
	polar := func(i int) float64 {
		return math.Max(0, math.Min(math.Pi, (float64(i)-0.5)*math.Pi/float64(n)))
	}
	p := (1-t)*polar(i) + t*polar(k)
	q := (float64(j) + 0.5 + t*float64(l-j)) * math.Pi / float64(n)
	sp, cp := math.Sincos(p)
	sq, cq := math.Sincos(q)
	return vec3{sp * cq, sp * sq, cp}
}

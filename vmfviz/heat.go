package vmfviz

import (
	"fmt"
	"image"
	"math"
)

// Heat is a function on the unit sphere, known on the grid of [SphereGrid].
type Heat struct {
	// Values has one number for each direction of SphereGrid(rows): 2·rows²
	// numbers for some rows >= 4.
	Values []float64
	// Label names the quantity and its convention beside the colour bar, for
	// example "F(θ), sum over points".
	Label string
	// Contours adds lines of equal value at round numbers, which the colour bar
	// shows too. SphereHTML leaves them out.
	Contours bool
}

// SphereGrid returns 2·rows² directions [2·rows², 3] on the unit sphere: rows
// circles of latitude from north to south at polar angles (i+½)·π/rows, with
// 2·rows directions each at longitudes (j+½)·π/rows from the x axis. The z axis
// points north. Compute a function on them in one batch and give the result to
// [Heat]; 40 rows (3200 directions) are enough for a smooth picture.
//
// Rows below 4 or above 1000 are taken as 4 or 1000.
func SphereGrid(rows int) []float32 {
	rows = min(max(rows, 4), 1000)
	grid := make([]float32, 0, 6*rows*rows)
	for i := range rows {
		sp, cp := math.Sincos((float64(i) + 0.5) * math.Pi / float64(rows))
		for j := range 2 * rows {
			sl, cl := math.Sincos((float64(j) + 0.5) * math.Pi / float64(rows))
			grid = append(grid, float32(sp*cl), float32(sp*sl), float32(cp))
		}
	}
	return grid
}

// HeatOf evaluates f on SphereGrid(rows). nil, which is no heat, without f.
func HeatOf(label string, rows int, f func(theta [3]float64) float64) *Heat {
	if f == nil {
		return nil
	}
	g := SphereGrid(rows)
	h := &Heat{Label: label, Values: make([]float64, len(g)/3)}
	for i := range h.Values {
		h.Values[i] = f(row3(g, i))
	}
	return h
}

func (h *Heat) rows() int { return int(math.Round(math.Sqrt(float64(len(h.Values)) / 2))) }

func (h *Heat) check(name string) error {
	if err := checkFinite(name+".Values", h.Values); err != nil {
		return err
	}
	if r := h.rows(); r < 4 || 2*r*r != len(h.Values) {
		return fmt.Errorf("vmfviz: %s.Values has length %d, expected 2·rows² with rows >= 4, one number for each direction of SphereGrid(rows)", name, len(h.Values))
	}
	return checkText(name+".Label", h.Label)
}

// sampler returns the bilinear interpolation of the values; each pole is the
// mean of the circle around it.
func (h *Heat) sampler() func(vec3) float64 {
	rows := h.rows()
	cols := 2 * rows
	pole := func(i int) float64 {
		var sum float64
		for j := range cols {
			sum += h.Values[i*cols+j]
		}
		return sum / float64(cols)
	}
	north, south := pole(0), pole(rows-1)
	at := func(i, j int) float64 {
		switch {
		case i < 0:
			return north
		case i >= rows:
			return south
		}
		return h.Values[i*cols+(j+cols)%cols]
	}
	return func(t vec3) float64 {
		u := math.Acos(math.Max(-1, math.Min(1, t[2])))/math.Pi*float64(rows) - 0.5
		lambda := math.Atan2(t[1], t[0])
		if lambda < 0 {
			lambda += 2 * math.Pi
		}
		v := lambda/math.Pi*float64(rows) - 0.5
		i, j := math.Floor(u), math.Floor(v)
		fu, fv := u-i, v-j
		// Half a cell lies between a pole and its first circle.
		switch {
		case i < 0:
			fu = (fu - 0.5) * 2
		case int(i) == rows-1:
			fu *= 2
		}
		a := (1-fv)*at(int(i), int(j)) + fv*at(int(i), int(j)+1)
		b := (1-fv)*at(int(i)+1, int(j)) + fv*at(int(i)+1, int(j)+1)
		return (1-fu)*a + fu*b
	}
}

// heatRange returns the smallest and the largest value of all heats.
func heatRange(heats []*Heat) (lo, hi float64) {
	lo, hi = math.Inf(1), math.Inf(-1)
	for _, h := range heats {
		for _, v := range h.Values {
			lo, hi = math.Min(lo, v), math.Max(hi, v)
		}
	}
	return lo, hi
}

// scaleTo maps [lo, hi] to [0, 1]; a constant maps to the middle.
func scaleTo(lo, hi, v float64) float64 {
	if hi/2-lo/2 <= 1e-12*math.Max(math.Abs(lo), math.Abs(hi))/2 {
		return 0.5
	}
	return (v/2 - lo/2) / (hi/2 - lo/2)
}

// image paints the near half of the sphere on a square of n×n pixels.
func (h *Heat) image(cam camera, n int, lo, hi float64) image.Image {
	return h.disc(n, lo, hi, func(x, y float64) vec3 {
		return cam.back(vec3{x, y, math.Sqrt(math.Max(0, 1-x*x-y*y))})
	})
}

// disc paints the unit disc on a square of n×n pixels; theta says which
// direction lies at a place.
func (h *Heat) disc(n int, lo, hi float64, theta func(x, y float64) vec3) image.Image {
	img := image.NewNRGBA(image.Rect(0, 0, n, n))
	f := h.sampler()
	r := float64(n) / 2
	for i := range n {
		for j := range n {
			x, y := (float64(j)+0.5-r)/r, (r-float64(i)-0.5)/r
			d := math.Hypot(x, y)
			cover := math.Min(1, math.Max(0, (1-d)*r+0.5))
			if cover == 0 {
				continue
			}
			if d > 1 {
				x, y = x/d, y/d
			}
			img.SetNRGBA(j, i, alpha(viridis(scaleTo(lo, hi, f(theta(x, y)))), cover))
		}
	}
	return img
}

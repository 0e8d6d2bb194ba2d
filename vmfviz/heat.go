package vmfviz

import (
	"fmt"
	"image"
	"image/color"
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

// sampler returns the bicubic interpolation of the values (E. Catmull and R. Rom,
// 1974). Beyond a pole the grid goes on at the opposite longitude.
func (h *Heat) sampler() func(vec3) float64 {
	rows := h.rows()
	cols := 2 * rows
	at := func(i, j int) float64 {
		if i < 0 {
			i, j = -1-i, j+rows
		} else if i >= rows {
			i, j = cols-1-i, j+rows
		}
		return h.Values[i*cols+(j+2*cols)%cols]
	}
	return func(t vec3) float64 {
		u := math.Acos(math.Max(-1, math.Min(1, t[2])))/math.Pi*float64(rows) - 0.5
		v := math.Atan2(t[1], t[0])/math.Pi*float64(rows) - 0.5
		i, j := math.Floor(u), math.Floor(v)
		a, b := catmullRom(u-i), catmullRom(v-j)
		sum := 0.0
		for k := range 4 {
			for l := range 4 {
				sum += a[k] * b[l] * at(int(i)+k-1, int(j)+l-1)
			}
		}
		return sum
	}
}

// catmullRom returns the weights of the values at -1, 0, 1 and 2 for the place t in
// [0, 1].
func catmullRom(t float64) [4]float64 {
	return [4]float64{t * (t*(1-t/2) - 0.5), 1 + t*t*(1.5*t-2.5), t * (0.5 + t*(2-1.5*t)), t * t * (t - 1) / 2}
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

// disc paints the unit disc on a square of n by n pixels; back says which direction
// lies at a place.
func (h *Heat) disc(n int, lo, hi float64, colors []color.Color, back func(x, y float64) vec3) image.Image {
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
			t := math.Min(1, math.Max(0, scaleTo(lo, hi, f(back(x, y)))))
			img.Set(j, i, faded(colors[int(t*float64(len(colors)-1)+0.5)], cover))
		}
	}
	return img
}

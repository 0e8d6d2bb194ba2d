package notebook

import (
	"bytes"
	"encoding/base64"
	"fmt"
	raster "image"
	"image/png"
	"math"
	"regexp"
	"testing"

	"github.com/janpfeifer/must"

	"github.com/sliced-wasserstein/lab/datasets"
	"github.com/sliced-wasserstein/lab/swlab"
	"github.com/sliced-wasserstein/lab/swlab/loss"
	"github.com/sliced-wasserstein/lab/swlab/vmf"
	"github.com/sliced-wasserstein/lab/vmfviz"
)

// Maps of the sphere as the notebooks draw them: costs by swlab.Distance on the grid, drawn by
// vmfviz. The tests read the pixels of the picture back.

// mapRows is the grid of the maps.
const mapRows = 48

type vec = [3]float64

func dot(a, b vec) float64 { return a[0]*b[0] + a[1]*b[1] + a[2]*b[2] }

func cloud(points ...vec) *datasets.Set {
	s := &datasets.Set{Name: "cloud", Kind: "npy", Clouds: 1, Points: len(points), Dim: 3}
	for _, p := range points {
		s.Coords = append(s.Coords, float32(p[0]), float32(p[1]), float32(p[2]))
	}
	return s
}

// gridCosts returns W_p^p of the projections on the directions of the grid, computed as in the
// notebooks.
func gridCosts(t *testing.T, x, y *datasets.Set, p float64) []float64 {
	t.Helper()
	grid := vmfviz.SphereGrid(mapRows)
	o := swlab.DistanceConfig{Config: loss.Defaults(), Directions: &swlab.Directions{Values: grid, Shape: []int{len(grid) / 3, 3}}}
	o.Reduce, o.P = loss.Mean, p
	d := must.M1(swlab.Distance("sw", x, y, o))
	values := make([]float64, len(d.Costs))
	for i, c := range d.Costs {
		values[i] = float64(c)
	}
	return values
}

// pixel is one pixel of a map: its direction and the value of its colour.
type pixel struct {
	theta vec
	value float64
}

// readMap draws the values as an equal-area map and reads every pixel of its two discs; lo and hi
// are the range of the colour bar.
func readMap(t *testing.T, values []float64) []pixel {
	t.Helper()
	lo, hi := math.Inf(1), math.Inf(-1)
	for _, v := range values {
		lo, hi = math.Min(lo, v), math.Max(hi, v)
	}
	p := must.M1(vmfviz.SphereMap(vmfviz.SphereOptions{View: vmfviz.From(0, 0)}, vmfviz.SpherePanel{Heat: &vmfviz.Heat{Values: values}}))
	svg := must.M1(p.SVG())
	var images []raster.Image
	for _, m := range regexp.MustCompile(`data:image/png;base64,([^"]*)`).FindAllSubmatch(svg, -1) {
		raw := must.M1(base64.StdEncoding.DecodeString(string(m[1])))
		img := must.M1(png.Decode(bytes.NewReader(raw)))
		images = append(images, img)
	}
	if len(images) != 3 {
		t.Fatalf("%d images, expected the colour bar and the two halves of the sphere", len(images))
	}
	scale := colorScale(images[0])
	var out []pixel
	for k, img := range images[1:] {
		n := img.Bounds().Dx()
		for i := range n {
			for j := range n {
				x, y := (float64(j)+0.5)*2/float64(n)-1, 1-(float64(i)+0.5)*2/float64(n)
				if math.Hypot(x, y) > 0.995 {
					continue // the soft edge
				}
				u, ok := scale.value(rgb(img, j, i))
				if !ok {
					t.Fatalf("pixel %d %d of disc %d is no colour of the bar", i, j, k)
				}
				// Lambert's projection, inverted: seen from +x with z up, then from -x.
				d, side := x*x+y*y, 1-2*float64(k)
				r := math.Sqrt(2 - d)
				out = append(out, pixel{vec{side * (1 - d), side * r * x, r * y}, lo + u*(hi-lo)})
			}
		}
	}
	return out
}

func rgb(img raster.Image, x, y int) [3]uint8 {
	r, g, b, _ := img.At(x, y).RGBA()
	return [3]uint8{uint8(r >> 8), uint8(g >> 8), uint8(b >> 8)}
}

// colors are numbers from 0 to 1 by their colour.
type colors map[[3]uint8]float64

// value returns the number of a colour, of the nearest known one if it is new.
func (c colors) value(rgb [3]uint8) (u float64, ok bool) {
	if u, ok = c[rgb]; ok {
		return u, true
	}
	best := 10
	for other, v := range c {
		d := 0
		for k := range 3 {
			e := int(other[k]) - int(rgb[k])
			d += e * e
		}
		if d < best || d == best && v < u { // independent of the map's order
			best, u, ok = d, v, true
		}
	}
	c[rgb] = u
	return u, ok
}

// colorScale reads the colours of numbers from 0 to 1 from the image of a colour bar.
func colorScale(bar raster.Image) colors {
	scale, n := colors{}, bar.Bounds().Dy()
	for i := n - 1; i >= 0; i-- { // the lowest number of a colour: a density is 0 nearly everywhere
		scale[rgb(bar, 0, n-1-i)] = float64(i) / float64(n)
	}
	return scale
}

// TestSphereMapClosedForms: on an equal-area map the mean of the pixels is the mean over the
// sphere, and the largest pixel the largest slice. For two single points W_2^2 = (theta'd)^2 with
// mean |d|^2/3 and W_1 = |theta'd| with mean |d|/2, both largest along d.
func TestSphereMapClosedForms(t *testing.T) {
	d := vec{0.6, -0.3, 0.9}
	length := math.Sqrt(dot(d, d))
	axis := vec{d[0] / length, d[1] / length, d[2] / length}
	for p, mean := range map[float64]float64{2: length * length / 3, 1: length / 2} {
		top := math.Pow(length, p)
		pixels := readMap(t, gridCosts(t, cloud(vec{1, 2, 3}), cloud(vec{1 + d[0], 2 + d[1], 3 + d[2]}), p))
		checkMap(t, fmt.Sprintf("p = %g", p), pixels, mean, top, axis)
		for i := 0; i < len(pixels); i += 37 {
			if want := math.Pow(math.Abs(dot(d, pixels[i].theta)), p); math.Abs(pixels[i].value-want) > 0.06*top {
				t.Fatalf("p = %g: along %v the map has %.4f, expected %.4f", p, pixels[i].theta, pixels[i].value, want)
			}
		}
	}
}

// checkMap compares mean, maximum and position of the maximum, a line, of a map.
func checkMap(t *testing.T, name string, pixels []pixel, mean, top float64, axis vec) {
	t.Helper()
	sum, most := 0.0, pixel{value: math.Inf(-1)}
	for _, p := range pixels {
		sum += p.value
		if p.value > most.value {
			most = p
		}
	}
	if got := sum / float64(len(pixels)); math.Abs(got-mean) > 0.004*top {
		t.Errorf("%s: the mean of the map is %.5f, over the sphere %.5f", name, got, mean)
	}
	if math.Abs(most.value-top) > 0.01*top {
		t.Errorf("%s: the largest pixel is %.5f, the largest slice %.5f", name, most.value, top)
	}
	cos := dot(most.theta, axis)
	// a cell of the grid is 3.75 degrees wide
	if angle := math.Acos(math.Min(1, math.Abs(cos))) * 180 / math.Pi; angle > 4 {
		t.Errorf("%s: the largest pixel lies %.1f degrees from the largest slice", name, angle)
	}
}

// TestDensityMap: the density of vMF, as a map, integrates to 1. Its integral above a level, inside
// the contour, is that of the distribution.
func TestDensityMap(t *testing.T) {
	eps := vec{0.48, 0.6, 0.64}
	for _, kappa := range []float64{0.5, 5, 30} {
		density := func(theta vec) float64 {
			return kappa / (2 * math.Pi * -math.Expm1(-2*kappa)) * math.Exp(kappa*(eps[0]*theta[0]+eps[1]*theta[1]+eps[2]*theta[2]-1))
		}
		dist := must.M1(vmf.New(eps[:], kappa))
		if a, b := density(vec{0, 0, 1}), math.Exp(dist.LogProb([]float64{0, 0, 1})); math.Abs(a-b) > 1e-12*a {
			t.Errorf("kappa %g: density %g, by swlab/vmf %g", kappa, a, b)
		}
		values := vmfviz.HeatOf("density", mapRows, density).Values
		pixels := readMap(t, values)
		level := density(eps) / 2 // cosine to eps of the contour: 1 - log 2 / kappa
		total, above := 0.0, 0.0
		for _, p := range pixels {
			v := p.value * 4 * math.Pi / float64(len(pixels))
			total += v
			if p.value >= level {
				above += v
			}
		}
		if math.Abs(total-1) > 0.01 {
			t.Errorf("kappa %g: the map integrates to %.4f", kappa, total)
		}
		// 1 - exp(-log 2) = 1/2 over 1 - exp(-2 kappa), or everything if the level is never
		// reached.
		want := math.Min(1, 0.5/-math.Expm1(-2*kappa))
		if math.Abs(above-want) > 0.02 {
			t.Errorf("kappa %g: %.4f of the map lie above half the maximum, expected %.4f", kappa, above, want)
		}
	}
}

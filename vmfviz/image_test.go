package vmfviz

import (
	"image"
	"image/color"
	"math"
	"testing"

	"gonum.org/v1/plot/plotter"
)

// TestReduce: few colours stay as they are, many change little.
func TestReduce(t *testing.T) {
	img := image.NewRGBA(image.Rect(0, 0, 64, 64))
	for i := range 64 {
		for j := range 64 {
			img.SetRGBA(j, i, color.RGBA{uint8(4 * (i / 4)), uint8(4 * (j / 4)), 0, 255})
		}
	}
	q := quantize(img)
	for i := range 64 {
		for j := range 64 {
			if q.At(j, i) != img.At(j, i) {
				t.Fatalf("256 colours: pixel %d %d is %v, was %v", j, i, q.At(j, i), img.At(j, i))
			}
		}
	}
	m := newColorMap(theme.Map, 0, 4095)
	for i := range 64 { // a smooth colour map of 4096 values
		for j := range 64 {
			img.Set(j, i, colorAt(m, float64(64*i+j)))
		}
	}
	p := quantize(img)
	if len(p.Palette) > 256 {
		t.Fatalf("%d colours", len(p.Palette))
	}
	for i := range 64 {
		for j := range 64 {
			a, b := p.At(j, i).(color.RGBA), img.RGBAAt(j, i)
			for _, d := range []int{int(a.R) - int(b.R), int(a.G) - int(b.G), int(a.B) - int(b.B)} {
				if d > 4 || d < -4 {
					t.Fatalf("pixel %d %d is %v, was %v", j, i, a, b)
				}
			}
		}
	}
}

// TestSplat: near discs lie over far ones whatever their order.
func TestSplat(t *testing.T) {
	middle := plotter.XY{X: 10, Y: 10}
	a, b := cloudPoint{middle, 0.9, 5, blue}, cloudPoint{middle, 0.1, 8, vermilion}
	for _, dots := range [][]cloudPoint{{a, b}, {b, a}} {
		img := splat(20, 20, dots)
		if nrgba(img.At(10, 10)) != blue || nrgba(img.At(3, 10)) != vermilion || nrgba(img.At(0, 0)).A != 0 {
			t.Errorf("centre %v, edge %v, corner %v", img.At(10, 10), img.At(3, 10), img.At(0, 0))
		}
	}
}

// TestNearest: as brute force, with ties, outliers and single points.
func TestNearest(t *testing.T) {
	target := append(torus(1, 400, 0.1), 0, 0, 0, 0, 0, 0, 50, 0, 0)
	cloud := append(boxes(2, 300, 0.1), 100, 0, 0, -100, 3, 0, 0, 0, 0)
	for _, tg := range [][]float32{target, target[:3]} {
		for i, got := range nearestDistances(cloud, tg) {
			want := math.Inf(1)
			for j := range len(tg) / 3 {
				d := row3(cloud, i).sub(row3(tg, j))
				want = math.Min(want, math.Sqrt(dot(d, d)))
			}
			if got != want {
				t.Fatalf("point %d: %g, expected %g", i, got, want)
			}
		}
	}
	for _, errors := range []bool{true, false} {
		p, err := Clouds(CloudsOptions{}, CloudRow{Clouds: [][]float32{target, nil}}, CloudRow{Clouds: [][]float32{cloud, nil}, Errors: errors})
		if err != nil || (p.bar != nil) != errors || errors && !(p.bar.Y.Max > 98 && p.bar.Y.Max < 101) {
			t.Errorf("errors %v: colour bar %v (%v)", errors, p.bar, err)
		}
	}
}

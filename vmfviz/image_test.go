package vmfviz

import (
	"image"
	"image/color"
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
	m, err := newColorMap(DefaultTheme().Map, 0, 4095)
	if err != nil {
		t.Fatal(err)
	}
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
	for _, dots := range []cloudPoints{{a, b}, {b, a}} {
		img := splat(20, 20, dots)
		if nrgba(img.At(10, 10)) != blue || nrgba(img.At(3, 10)) != vermilion || nrgba(img.At(0, 0)).A != 0 {
			t.Errorf("centre %v, edge %v, corner %v", img.At(10, 10), img.At(3, 10), img.At(0, 0))
		}
	}
}

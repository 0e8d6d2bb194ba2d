package vmfviz

import (
	"image/color"
	"math"
	"testing"
)

// TestDarkContrast: text has 4.5:1 on the dark card too, marks 3:1.
func TestDarkContrast(t *testing.T) {
	card := luminance(darkTone(white)) + 0.05
	for _, c := range []color.NRGBA{ink, soft, dark(blue), dark(vermilion), dark(purple)} {
		if r := (luminance(darkTone(c)) + 0.05) / card; r < 4.5 {
			t.Errorf("text colour %v: contrast %.2f on the dark card", c, r)
		}
	}
	for _, c := range []color.NRGBA{blue, vermilion, purple, green, axis} {
		if r := (luminance(darkTone(c)) + 0.05) / card; r < 3 {
			t.Errorf("mark colour %v: contrast %.2f on the dark card", c, r)
		}
	}
}

// TestDarkTone: the hue stays, lightness is turned round, opacity stays, and the
// way to OKLab and back loses nothing.
func TestDarkTone(t *testing.T) {
	for _, c := range []color.NRGBA{blue, vermilion, purple, green, orange, sky, mix(blue, white, 0.5), dark(vermilion)} {
		d := darkTone(alpha(c, 0.4))
		if d.A != alpha(c, 0.4).A {
			t.Errorf("%v: opacity %d", c, d.A)
		}
		_, a0, b0 := okLab(c)
		_, a1, b1 := okLab(color.NRGBA{d.R, d.G, d.B, 255})
		if turn := math.Remainder(math.Atan2(b1, a1)-math.Atan2(b0, a0), 2*math.Pi); math.Abs(turn) > 0.06 {
			t.Errorf("%v becomes %v, whose hue differs by %.3f", c, d, turn)
		}
	}
	last := 2.0
	for v := range 256 {
		c := color.NRGBA{uint8(v), uint8(v), uint8(v), 255}
		l := luminance(darkTone(c))
		if l > last {
			t.Errorf("grey %d becomes lighter than %d", v, v-1)
		}
		last = l
	}
	r := testRand(6)
	for range 2000 {
		c := color.NRGBA{uint8(r.IntN(256)), uint8(r.IntN(256)), uint8(r.IntN(256)), 255}
		l, a, b := okLab(c)
		if back, ok := fromOkLab(l, a, b); back != c || !ok {
			t.Fatalf("%v comes back as %v, in range: %v", c, back, ok)
		}
	}
}

// TestDarkMap: the colours of numbers are the same on both cards, and the light
// picture is left as it was.
func TestDarkMap(t *testing.T) {
	p, err := Sphere(SphereOptions{}, SpherePanel{Heat: &Heat{Values: make([]float64, 32)}})
	if err != nil {
		t.Fatal(err)
	}
	light, _ := p.PNG()
	a, err := p.Image(1)
	if err != nil {
		t.Fatal(err)
	}
	b, err := p.Dark().Image(1)
	if err != nil {
		t.Fatal(err)
	}
	want, equal, ground := viridis(0.5), 0, 0
	for y := range a.Bounds().Dy() {
		for x := range a.Bounds().Dx() {
			if r, g, u, _ := a.At(x, y).RGBA(); uint8(r>>8) == want.R && uint8(g>>8) == want.G && uint8(u>>8) == want.B {
				ground++
				if a.At(x, y) == b.At(x, y) {
					equal++
				}
			}
		}
	}
	// Axes and letters over the map may differ.
	if ground < 50_000 || equal < ground*98/100 {
		t.Errorf("%d of %d pixels of the map are the same", equal, ground)
	}
	if again, _ := p.PNG(); string(again) != string(light) {
		t.Error("Dark changed the light picture")
	}
	if (*Picture)(nil).Dark() != nil {
		t.Error("Dark of nothing is something")
	}
}

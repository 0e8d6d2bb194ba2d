package vmfviz

import (
	"encoding/base64"
	"encoding/binary"
	"encoding/json"
	"image"
	"image/color"
	"math"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

var (
	nan32 = float32(math.NaN())
	inf32 = float32(math.Inf(1))
	up    = []float32{0, 0, 1}
)

// TestBadArguments: every mistake gives an error that names the argument.
func TestBadArguments(t *testing.T) {
	sphere := func(p SpherePanel) error { _, err := Sphere(SphereOptions{}, p); return err }
	slice := func(o SliceOptions, x, y, theta []float32, v []float64) error {
		_, err := Slice(o, x, y, theta, v)
		return err
	}
	clouds := func(o CloudsOptions, r ...CloudRow) error { _, err := Clouds(o, r...); return err }
	curves := func(p CurvePanel) error { _, err := Curves(CurvesOptions{}, p); return err }
	dots := func(o DotsOptions, e ...Estimate) error { _, err := Dots(o, e...); return err }
	matrix := func(o MatrixOptions, v [][]float64) error { _, err := Matrix(o, v); return err }
	row := CloudRow{Clouds: [][]float32{up}}
	y := []float64{1, 2}
	nan := math.NaN()
	for _, c := range []struct {
		name string
		err  error
		want string
	}{
		{"no panel", func() error { _, err := Sphere(SphereOptions{}); return err }(), "no panels"},
		{"columns", func() error { _, err := Sphere(SphereOptions{Columns: -1}, SpherePanel{}); return err }(), "Columns = -1"},
		{"view", func() error { _, err := Sphere(SphereOptions{View: From(nan, 0)}, SpherePanel{}); return err }(), "View"},
		{"glyph", func() error { _, err := Sphere(SphereOptions{Title: "ℝ"}, SpherePanel{}); return err }(), "Title"},
		{"line break", sphere(SpherePanel{Caption: "a\nb"}), "panels[0].Caption"},
		{"length", sphere(SpherePanel{Points: []float32{1, 0}}), "panels[0].Points has length 2, expected a multiple of 3"},
		{"empty", sphere(SpherePanel{Points: []float32{}}), "panels[0].Points is empty"},
		{"not a unit vector", sphere(SpherePanel{Points: []float32{0, 0, 1, 0, 0, 2}}), "panels[0].Points: row 1 has length 2"},
		{"NaN", sphere(SpherePanel{Points: []float32{0, nan32, 1}}), "panels[0].Points: row 0, column 1 is NaN"},
		{"infinite", sphere(SpherePanel{Path: []float32{0, inf32, 1}}), "panels[0].Path: row 0, column 1 is +Inf"},
		{"two locations", sphere(SpherePanel{Location: append(up, up...)}), "panels[0].Location has length 6"},
		{"zero location", sphere(SpherePanel{Location: make([]float32, 3)}), "panels[0].Location"},
		{"heat length", sphere(SpherePanel{Heat: &Heat{Values: make([]float64, 33)}}), "panels[0].Heat.Values has length 33"},
		{"heat NaN", sphere(SpherePanel{Heat: &Heat{Values: append(make([]float64, 31), nan)}}), "panels[0].Heat.Values[31]"},

		{"map without panels", func() error { _, err := SphereMap(SphereOptions{}); return err }(), "no panels"},
		{"map columns", func() error { _, err := SphereMap(SphereOptions{Columns: 13}, SpherePanel{}); return err }(), "Columns = 13"},
		{"map points", func() error {
			_, err := SphereMap(SphereOptions{}, SpherePanel{Points: []float32{2, 0, 0}})
			return err
		}(), "panels[0].Points: row 0 has length 2"},

		{"κ", sphere(SpherePanel{Location: up, VMF: &VMF{Kappa: -1, Noise: []float32{0, 0}}}), "panels[0].VMF.Kappa = -1, expected 0 to 1000"},
		{"κ NaN", sphere(SpherePanel{Location: up, VMF: &VMF{Kappa: nan, Noise: []float32{0, 0}}}), "panels[0].VMF.Kappa = NaN"},
		{"VMF without location", sphere(SpherePanel{VMF: &VMF{Noise: []float32{0, 0}}}), "panels[0].Location is nil"},
		{"VMF and points", sphere(SpherePanel{Location: up, Points: up, VMF: &VMF{Noise: []float32{0, 0}}}), "panels[0] has Points and VMF"},
		{"noise length", sphere(SpherePanel{Location: up, VMF: &VMF{Noise: up}}), "panels[0].VMF.Noise has length 3, expected a multiple of 2"},
		{"no noise", sphere(SpherePanel{Location: up, VMF: &VMF{}}), "panels[0].VMF.Noise is empty"},
		{"noise range", sphere(SpherePanel{Location: up, VMF: &VMF{Noise: []float32{0, 0, 0, 1.5}}}), "row 1, column 1 is 1.5"},

		{"no row", clouds(CloudsOptions{}), "no rows"},
		{"no cloud", clouds(CloudsOptions{}, CloudRow{}), "rows[0].Clouds has 0"},
		{"ragged", clouds(CloudsOptions{}, row, CloudRow{Clouds: [][]float32{up, up}}), "rows[1].Clouds has 2"},
		{"cloud length", clouds(CloudsOptions{}, CloudRow{Clouds: [][]float32{{1}}}), "rows[0].Clouds[0] has length 1"},
		{"cloud NaN", clouds(CloudsOptions{}, CloudRow{Clouds: [][]float32{{1, 2, nan32}}}), "rows[0].Clouds[0]: row 0, column 2"},
		{"captions", clouds(CloudsOptions{Columns: []string{"a", "b"}}, row), "Columns has 2"},
		{"errors without target", clouds(CloudsOptions{}, CloudRow{Clouds: [][]float32{nil}}, CloudRow{Clouds: [][]float32{up}, Errors: true}), "rows[0].Clouds[0] is nil"},
		{"gallery empty", func() error { _, err := Gallery(GalleryOptions{}); return err }(), "no clouds"},
		{"gallery captions", func() error { _, err := Gallery(GalleryOptions{Captions: []string{}}, up); return err }(), "Captions has length 0"},
		{"gallery cloud", func() error { _, err := Gallery(GalleryOptions{}, up, nil); return err }(), "clouds[1] is empty"},
		{"split", func() error { _, err := Split(make([]float32, 9), 2); return err }(), "points has length 9"},

		{"theta", slice(SliceOptions{}, up, up, []float32{1}, nil), "theta has length 1"},
		{"theta unit", slice(SliceOptions{}, up, up, []float32{1, 1, 0}, nil), "theta has length 1.414"},
		{"unequal", slice(SliceOptions{}, up, append(up, up...), up, nil), "y has 2 points, expected 1"},
		{"2-D cloud", slice(SliceOptions{}, up, up, []float32{1, 0}, nil), "x has length 3, expected a multiple of 2"},
		{"values", slice(SliceOptions{}, up, up, up, []float64{1, nan}), "values[1]"},
		{"no values", slice(SliceOptions{}, up, up, up, []float64{}), "values is empty"},
		{"convention", slice(SliceOptions{Convention: 7}, up, up, up, nil), "Convention = 7"},

		{"pairs theta", func() error { _, err := Pairs(PairsOptions{}, up, up, []float32{1, 1, 0}); return err }(), "theta has length 1.414"},
		{"pairs unequal", func() error { _, err := Pairs(PairsOptions{}, up, append(up, up...), up); return err }(), "y has 2 points, expected 1"},
		{"pairs lines", func() error { _, err := Pairs(PairsOptions{Lines: -1}, up, up, up); return err }(), "Lines = -1"},
		{"pairs title", func() error { _, err := Pairs(PairsOptions{Title: "ℝ"}, up, up, up); return err }(), "Title"},
		{"pairs view", func() error { _, err := Pairs(PairsOptions{View: From(nan, 0)}, up, up, up); return err }(), "View"},

		{"no series", curves(CurvePanel{}), "panels[0].Series is empty"},
		{"smooth", curves(CurvePanel{Smooth: 1, Series: []Series{{Y: y}}}), "panels[0].Smooth = 1"},
		{"no Y", curves(CurvePanel{Series: []Series{{}}}), "panels[0].Series[0].Y is empty"},
		{"X length", curves(CurvePanel{Series: []Series{{X: y, Y: y[:1]}}}), "panels[0].Series[0].X has length 2"},
		{"X order", curves(CurvePanel{Series: []Series{{X: []float64{2, 1}, Y: y}}}), "X[1] = 1 comes after 2"},
		{"log", curves(CurvePanel{LogY: true, Series: []Series{{Y: []float64{1, 0}}}}), "Y[1] is 0, expected a positive"},
		{"log X", curves(CurvePanel{LogX: true, Series: []Series{{X: []float64{0, 1}, Y: y}}}), "X[0] is 0, expected a positive"},
		{"band", curves(CurvePanel{Series: []Series{{Y: y, Low: y}}}), "one of Low and High"},
		{"band length", curves(CurvePanel{Series: []Series{{Y: y, Low: y, High: y[:1]}}}), "Low and High have lengths 2 and 1"},
		{"only gaps", curves(CurvePanel{Series: []Series{{Y: []float64{nan}}}}), "only NaN"},
		{"infinite Y", curves(CurvePanel{Series: []Series{{Y: []float64{math.Inf(1)}}}}), "Y[0] is +Inf"},

		{"no matrix", matrix(MatrixOptions{}, nil), "values has no rows"},
		{"empty row", matrix(MatrixOptions{}, [][]float64{{}}), "values[0] is empty"},
		{"ragged matrix", matrix(MatrixOptions{}, [][]float64{{1, 2}, {1}}), "values[1] has length 1, expected 2"},
		{"matrix NaN", matrix(MatrixOptions{}, [][]float64{{1, 2}, {1, nan}}), "values[1][1] is NaN"},
		{"row names", matrix(MatrixOptions{Rows: []string{"a"}}, [][]float64{{1}, {2}}), "Rows has 1 names, expected 2"},
		{"column names", matrix(MatrixOptions{Columns: []string{"a", "b"}}, [][]float64{{1}, {2}}), "Columns has 2 names, expected 1"},
		{"matrix letter", matrix(MatrixOptions{Columns: []string{"ℝ"}}, [][]float64{{1}}), "Columns[0]"},
		{"large matrix", matrix(MatrixOptions{}, make([][]float64, 3000)), "values is [3000, 0], expected at most 2000"},

		{"no estimate", dots(DotsOptions{}), "no estimates"},
		{"value", dots(DotsOptions{}, Estimate{Value: nan}), "estimates[0].Value"},
		{"error", dots(DotsOptions{}, Estimate{StdErr: -1}), "estimates[0].StdErr is -1"},
		{"log value", dots(DotsOptions{LogX: true}, Estimate{Value: -1}), "expected positive"},
		{"label", dots(DotsOptions{}, Estimate{Label: "\x00"}), "estimates[0].Label"},

		{"html", func() error { _, err := SphereHTML(SphereOptions{}); return err }(), "no panels"},
		{"nil picture", func() error { _, err := (*Picture)(nil).PNG(); return err }(), "empty"},
		{"nil PDF", func() error { _, err := (*Picture)(nil).PDF(); return err }(), "empty"},
		{"zero picture", (&Picture{}).Save("x.svg"), "empty"},
	} {
		if c.err == nil || !strings.Contains(c.err.Error(), c.want) {
			t.Errorf("%s: error %v, expected one that says %q", c.name, c.err, c.want)
		}
	}
}

// TestEdges: unusual but legal arguments make a picture.
func TestEdges(t *testing.T) {
	point := []float32{5, 5, 5}
	same := append(append([]float32{}, point...), point...)
	for name, f := range map[string]func() (*Picture, error){
		"bare sphere": func() (*Picture, error) { return Sphere(SphereOptions{}, SpherePanel{}) },
		"location at eye": func() (*Picture, error) {
			return Sphere(SphereOptions{View: From(0, 90)}, SpherePanel{Location: up, Path: up})
		},
		"location opposite": func() (*Picture, error) { return Sphere(SphereOptions{View: From(0, -90)}, SpherePanel{Location: up}) },
		"antipodal path": func() (*Picture, error) {
			return Sphere(SphereOptions{}, SpherePanel{Path: []float32{0, 0, 1, 0, 0, -1}})
		},
		"constant heat": func() (*Picture, error) {
			return Sphere(SphereOptions{}, SpherePanel{Heat: &Heat{Values: make([]float64, 32)}, Location: []float32{-1, 0, 0}})
		},
		"bare map": func() (*Picture, error) { return SphereMap(SphereOptions{View: From(0, 90)}, SpherePanel{}) },
		"map of the rim": func() (*Picture, error) {
			rim := []float32{0, 1, 0, 0, 0, 1, 0, -1, 0}
			return SphereMap(SphereOptions{View: From(0, 0)}, SpherePanel{Points: rim, Path: rim, Location: rim[:3]}, SpherePanel{Location: []float32{-1, 0, 0}})
		},
		"antipodal map path": func() (*Picture, error) {
			return SphereMap(SphereOptions{}, SpherePanel{Path: []float32{0, 0, 1, 0, 0, -1}, Heat: &Heat{Values: make([]float64, 32)}})
		},
		"constant contours": func() (*Picture, error) {
			return Sphere(SphereOptions{}, SpherePanel{Heat: &Heat{Values: make([]float64, 32), Contours: true}})
		},
		"contours of spheres": func() (*Picture, error) {
			h := HeatOf("", 10, func(t [3]float64) float64 { return 1e150 * t[0] * t[1] })
			h.Contours = true
			return Sphere(SphereOptions{}, SpherePanel{Heat: h}, SpherePanel{})
		},
		"seven spheres": func() (*Picture, error) { return Sphere(SphereOptions{}, make([]SpherePanel, 7)...) },
		"one point":     func() (*Picture, error) { return Gallery(GalleryOptions{}, point) },
		"equal points":  func() (*Picture, error) { return Clouds(CloudsOptions{}, CloudRow{Clouds: [][]float32{same}}) },
		"empty column":  func() (*Picture, error) { return Clouds(CloudsOptions{}, CloudRow{Clouds: [][]float32{nil, same}}) },
		"huge cloud":    func() (*Picture, error) { return Gallery(GalleryOptions{}, []float32{-1e15, 0, 0, 1e15, 0, 0}) },
		"tiny cloud":    func() (*Picture, error) { return Gallery(GalleryOptions{}, []float32{-1e-40, 0, 0, 1e-40, 0, 0}) },
		"equal clouds":  func() (*Picture, error) { return Slice(SliceOptions{}, point, point, up, []float64{0}) },
		"equal costs": func() (*Picture, error) {
			return Slice(SliceOptions{View: From(0, 90)}, same, same, []float32{0, 1, 0}, []float64{3, 3})
		},
		"equal quantiles": func() (*Picture, error) { return Slice(SliceOptions{Quantiles: true}, point, point, up, []float64{0}) },
		"one pair":        func() (*Picture, error) { return Pairs(PairsOptions{}, point, point, up) },
		"flat pairs": func() (*Picture, error) {
			return Pairs(PairsOptions{View: From(0, 0)}, same, same, []float32{0, 0, 1})
		},
		"pairs in the plane": func() (*Picture, error) { return Pairs(PairsOptions{}, point[:2], point[:2], []float32{1, 0}) },
		"one number":         func() (*Picture, error) { return Matrix(MatrixOptions{}, [][]float64{{0}}) },
		"tall matrix": func() (*Picture, error) {
			return Matrix(MatrixOptions{Columns: []string{"one long name"}}, make1(300, 1e150))
		},
		"no error": func() (*Picture, error) {
			r := CloudRow{Clouds: [][]float32{same}, Errors: true}
			return Clouds(CloudsOptions{}, r, r)
		},
		"one value": func() (*Picture, error) {
			return Curves(CurvesOptions{}, CurvePanel{Series: []Series{{Y: []float64{0}}}})
		},
		"one log value": func() (*Picture, error) {
			return Curves(CurvesOptions{}, CurvePanel{LogX: true, LogY: true, Series: []Series{{Y: []float64{1e-9}}}})
		},
		"extreme values": func() (*Picture, error) {
			return Curves(CurvesOptions{}, CurvePanel{Series: []Series{{X: []float64{-1e150, 1e150}, Y: []float64{-1e150, 1e150}}}})
		},
		"extreme log": func() (*Picture, error) {
			return Curves(CurvesOptions{}, CurvePanel{LogY: true, Series: []Series{{Y: []float64{1e-149, 1e149}}}})
		},
		"zero estimate": func() (*Picture, error) { return Dots(DotsOptions{}, Estimate{}) },
		"log estimate": func() (*Picture, error) {
			return Dots(DotsOptions{LogX: true}, Estimate{Value: 1, StdErr: 5}, Estimate{Value: 1e6, Paper: math.NaN()})
		},
	} {
		p, err := f()
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		svg, err := p.SVG()
		if err != nil {
			t.Errorf("%s: %v", name, err)
		}
		svg = regexp.MustCompile(`base64,[^"]*`).ReplaceAll(svg, nil)
		if s := string(svg); strings.Contains(s, "NaN") || strings.Contains(s, "Inf") {
			t.Errorf("%s: the SVG has coordinates that are not numbers", name)
		}
		if _, err := p.Image(0.5); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// make1 is a column of n equal numbers.
func make1(n int, v float64) [][]float64 {
	out := make([][]float64, n)
	for i := range out {
		out[i] = []float64{v}
	}
	return out
}

// FuzzPictures: whatever the numbers, there is a picture or an error.
func FuzzPictures(f *testing.F) {
	f.Add([]byte{0, 0, 128, 63, 0, 0, 0, 0, 0, 0, 0, 0})
	f.Add([]byte{0, 0, 128, 127, 0, 0, 192, 127, 1, 0, 0, 0})
	f.Add(make([]byte, 72))
	f.Fuzz(func(t *testing.T, raw []byte) {
		if len(raw) > 400 {
			return
		}
		var v []float32
		var w []float64
		for ; len(raw) >= 4; raw = raw[4:] {
			x := math.Float32frombits(binary.LittleEndian.Uint32(raw))
			v, w = append(v, x), append(w, float64(x))
		}
		half := len(v) / 2
		for _, make := range []func() (*Picture, error){
			func() (*Picture, error) { return Sphere(SphereOptions{}, SpherePanel{Points: v}) },
			func() (*Picture, error) { return Gallery(GalleryOptions{}, v) },
			func() (*Picture, error) { return Slice(SliceOptions{}, v[:half], v[half:], up, w) },
			func() (*Picture, error) { return Slice(SliceOptions{}, v[:half], v[half:], []float32{1, 0}, nil) },
			func() (*Picture, error) { return Slice(SliceOptions{Quantiles: true}, v[:half], v[half:], up, w) },
			func() (*Picture, error) { return Pairs(PairsOptions{}, v[:half], v[half:], up) },
			func() (*Picture, error) { return SphereMap(SphereOptions{}, SpherePanel{Points: v}) },
			func() (*Picture, error) { return Curves(CurvesOptions{}, CurvePanel{Series: []Series{{Y: w}}}) },
			func() (*Picture, error) {
				return Curves(CurvesOptions{}, CurvePanel{LogY: true, Series: []Series{{Y: w}}})
			},
		} {
			if p, err := make(); err == nil {
				if _, err := p.SVG(); err != nil {
					t.Error(err)
				}
			}
		}
	})
}

// TestEqualAspect: the heat map of a sphere is a disc on a square, whatever the
// number of panels.
func TestEqualAspect(t *testing.T) {
	h := HeatOf("", 8, func(v [3]float64) float64 { return v[2] })
	for n := 1; n <= 5; n++ {
		panels := make([]SpherePanel, n)
		for i := range panels {
			panels[i].Heat = h
		}
		p, err := Sphere(SphereOptions{}, panels...)
		if err != nil {
			t.Fatal(err)
		}
		svg, _ := p.SVG()
		m := regexp.MustCompile(`<image x="[^"]*" y="[^"]*" width="([^"]*)" height="([^"]*)"`).FindAllSubmatch(svg, -1)
		if len(m) != n {
			t.Fatalf("%d panels: %d images", n, len(m))
		}
		for _, s := range m {
			if string(s[1]) != string(s[2]) {
				t.Errorf("%d panels: the sphere is %s by %s", n, s[1], s[2])
			}
		}
	}
}

// TestHeatInterpolation: exact for constants, close for a smooth function, and
// the grid has the directions that the documentation promises.
func TestHeatInterpolation(t *testing.T) {
	g := SphereGrid(40)
	if len(g) != 3*2*40*40 {
		t.Fatalf("SphereGrid(40) has %d numbers", len(g))
	}
	if _, err := checkUnit("grid", g); err != nil {
		t.Fatal(err)
	}
	for i := range 3 { // the first circle is round the north pole, from the x axis
		if want := math.Cos(math.Pi / 80); math.Abs(float64(g[3*i+2])-want) > 1e-6 {
			t.Errorf("z of direction %d is %g, expected %g", i, g[3*i+2], want)
		}
	}
	f := func(t [3]float64) float64 { return 1 + t[0]*t[0] - 0.5*t[1]*t[2] + 0.3*t[2] }
	at := HeatOf("", 40, f).sampler()
	one := HeatOf("", 5, func([3]float64) float64 { return 7 }).sampler()
	worst := 0.0
	dirs := append(vmf(1, 3000, [3]float64{0, 0, 1}, 0), 0, 0, 1, 0, 0, -1, 1, 0, 0, -1, 0, 0)
	for i := range len(dirs) / 3 {
		d := row3(dirs, i)
		worst = math.Max(worst, math.Abs(at(d)-f(d)))
		if v := one(d); math.Abs(v-7) > 1e-12 {
			t.Fatalf("constant 7 gives %g at %v", v, d)
		}
	}
	if worst > 4e-3 {
		t.Errorf("largest error %g, expected below 4e-3 for 40 rows", worst)
	}
}

// TestViridis: the ends, and lightness that grows all the way.
func TestViridis(t *testing.T) {
	if viridis(0) != (color.NRGBA{0x44, 0x01, 0x54, 0xFF}) || viridis(1) != (color.NRGBA{0xFD, 0xE7, 0x25, 0xFF}) || viridis(math.NaN()) != viridis(-3) {
		t.Error("wrong ends")
	}
	last := -1.0
	for i := range 101 {
		l := luminance(viridis(float64(i) / 100))
		if l < last {
			t.Errorf("the colour of %d %% is darker than the one before", i)
		}
		last = l
	}
}

// TestPalette: any two of the seven curves that a panel has colours for differ in luminance
// by a ratio of 1.5, which reads in grey, or in their dashes; on both cards.
func TestPalette(t *testing.T) {
	c := &curvePlot{CurvePanel: CurvePanel{Series: make([]Series, len(seriesColors))}}
	for _, tone := range []func(color.NRGBA) color.NRGBA{func(c color.NRGBA) color.NRGBA { return c }, darkTone} {
		for i := range c.Series {
			for j := range i {
				a, dashA := c.style(i)
				b, dashB := c.style(j)
				u, v := luminance(tone(a))+0.05, luminance(tone(b))+0.05
				if math.Max(u, v)/math.Min(u, v) < 1.5 && slices.Equal(dashA, dashB) {
					t.Errorf("curves %d and %d: %v and %v with the same dashes", i, j, a, b)
				}
			}
		}
	}
}

// TestRoleMarks: every role has a mark of its own shape, about as large as the
// others.
func TestRoleMarks(t *testing.T) {
	shapes := map[string]Role{}
	for _, r := range []Role{Input, Output, Direction, Reference} {
		p := newPicture(40, 40, "", func(s *sheet) { r.mark(s, pt{20, 20}, 8, ink) })
		img, err := p.Image(1)
		if err != nil {
			t.Fatal(err)
		}
		shape, area := "", 0
		for y := 5; y < 35; y++ {
			for x := 5; x < 35; x++ {
				v, _, _, _ := img.At(x, y).RGBA()
				shape += string("# "[v>>15])
				if v < 1<<15 {
					area++
				}
			}
		}
		if area < 140 || area > 280 {
			t.Errorf("the mark of role %d covers %d pixels", r, area)
		}
		if other, ok := shapes[shape]; ok {
			t.Errorf("roles %d and %d have one mark", r, other)
		}
		shapes[shape] = r
	}
}

// TestContrast: text has at least the 4.5:1 that WCAG 2 asks for, marks 3:1.
func TestContrast(t *testing.T) {
	ratio := func(c color.NRGBA) float64 { return 1.05 / (luminance(c) + 0.05) }
	for _, c := range []color.NRGBA{ink, soft, dark(blue), dark(vermilion), dark(purple)} {
		if r := ratio(c); r < 4.5 {
			t.Errorf("text colour %v: contrast %.2f on white", c, r)
		}
	}
	for _, c := range []color.NRGBA{blue, vermilion, axis} {
		if r := ratio(c); r < 3 {
			t.Errorf("mark colour %v: contrast %.2f on white", c, r)
		}
	}
}

// TestFont: the font has every letter that the package itself writes; a plain
// search of the sources, so that a new label is checked too.
func TestFont(t *testing.T) {
	files, err := filepath.Glob("*.go")
	if err != nil {
		t.Fatal(err)
	}
	quoted := regexp.MustCompile(`(?:plain|it|subIt|sup|digits|name :?=)\(?"([^"]*)"`)
	found := 0
	for _, f := range files {
		if strings.HasSuffix(f, "_test.go") {
			continue
		}
		src, err := os.ReadFile(f)
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range quoted.FindAllSubmatch(src, -1) {
			found++
			if missing := MissingRunes(string(m[1])); len(missing) > 0 {
				t.Errorf("%s: the font lacks %q of %q", f, missing, m[1])
			}
		}
	}
	if found < 20 {
		t.Errorf("only %d labels found in the sources", found)
	}
	if m := MissingRunes("θκεψφγ ₀₁₂₃ ¹²³ √ ± − – · × ≤ ≥ ≈ ∞ ∑ ∫ ∂ … → ° "); len(m) > 0 {
		t.Errorf("the font lacks %q", m)
	}
	if m := MissingRunes("aℝbℝ∇"); string(m) != "ℝ∇" {
		t.Errorf("MissingRunes found %q", m)
	}
}

// TestFit: text that is too long ends inside its room, with an ellipsis.
func TestFit(t *testing.T) {
	for _, room := range []float64{30, 100, 180} {
		l, runs := fit(look{size: 14, maxLen: room}, []run{plain("a caption that is "), it("too long"), plain(" by far for its cell")})
		if w := textWidth(l, runs...); w > room {
			t.Errorf("%g pixels in a room of %g", w, room)
		}
		if s := plainText(runs); !strings.HasSuffix(s, "…") {
			t.Errorf("%q does not end with an ellipsis", s)
		}
	}
	if _, runs := fit(look{size: 14, maxLen: 100}, []run{plain("short")}); plainText(runs) != "short" {
		t.Error("a short text was changed")
	}
}

// TestTicks: round, inside the range, few, increasing, and labels that say what
// they stand for.
func TestTicks(t *testing.T) {
	r := testRand(11)
	for range 2000 {
		lo := r.NormFloat64() * math.Pow(10, float64(r.IntN(16)-8))
		hi := lo + math.Abs(r.NormFloat64())*math.Pow(10, float64(r.IntN(16)-8))
		ticks := linearTicks(lo, hi, 5)
		if len(ticks) == 0 || len(ticks) > 7 {
			t.Fatalf("%d ticks in [%g, %g]", len(ticks), lo, hi)
		}
		for i, k := range ticks {
			if k.at < lo-1e-6*(hi-lo) || k.at > hi+1e-6*(hi-lo) || (i > 0 && k.at <= ticks[i-1].at) {
				t.Fatalf("tick %g of [%g, %g]", k.at, lo, hi)
			}
		}
		a := math.Pow(10, 8*r.Float64()-4)
		b := a * math.Pow(10, 0.6+9*r.Float64())
		n := len(logTicks(a, b))
		if n == 0 || n > 8 {
			t.Fatalf("%d ticks in [%g, %g]", n, a, b)
		}
	}
	for _, c := range []struct {
		x    float64
		want string
	}{{0, "0"}, {-1.5, "−1.5"}, {0.0143, "0.0143"}, {123456, "1.235·10^5"}, {2e-7, "2·10^−7"}, {99999, "99999"}, {1000, "1000"}} {
		if got := plainText(number(c.x)); got != c.want {
			t.Errorf("number(%g) = %q, expected %q", c.x, got, c.want)
		}
	}
	for _, c := range []struct {
		v, e float64
		want string
	}{{0.03924, 0.00171, "0.0392 ± 0.0017"}, {-12.34, 0.5, "−12.34 ± 0.50"}, {1234, 56, "1234 ± 56"}, {3, 0, "3"}} {
		if got := plainText(withError(c.v, c.e)); got != c.want {
			t.Errorf("withError(%g, %g) = %q, expected %q", c.v, c.e, got, c.want)
		}
	}
}

// TestSmooth: a constant stays, weights are those of the formula, gaps stay.
func TestSmooth(t *testing.T) {
	for _, v := range smooth([]float64{4, 4, 4, 4}, 0.9) {
		if math.Abs(v-4) > 1e-12 {
			t.Errorf("a constant 4 becomes %g", v)
		}
	}
	got := smooth([]float64{1, math.NaN(), 3}, 0.5)
	if want := (0.25*1 + 0.5*3) / 0.75; got[0] != 1 || !math.IsNaN(got[1]) || math.Abs(got[2]-want) > 1e-12 {
		t.Errorf("smooth = %v, expected [1 NaN %g]", got, want)
	}
}

// TestThin: few points, same extent, no peak lost.
func TestThin(t *testing.T) {
	r := testRand(2)
	p := make([]pt, 50000)
	for i := range p {
		p[i] = pt{float64(i) / 100, r.NormFloat64()}
	}
	p[31234].y = 99
	q := thin(p)
	if len(q) > 4100 || q[0] != p[0] || q[len(q)-1] != p[len(p)-1] {
		t.Errorf("%d points from %v to %v", len(q), q[0], q[len(q)-1])
	}
	top := 0.0
	for i := range q {
		top = math.Max(top, q[i].y)
		if i > 0 && q[i].x < q[i-1].x {
			t.Fatal("points are out of order")
		}
	}
	if top != 99 {
		t.Error("a peak was lost")
	}
}

// TestSliceCost: the number under the matching against closed forms.
func TestSliceCost(t *testing.T) {
	x := torus(1, 300, 0)
	y := append([]float32(nil), x...)
	for i := range y {
		y[i] += []float32{1, 2, -1}[i%3]
	}
	theta := []float32{0.48, 0.6, 0.64} // a shift by s costs (θ·s)² a point
	want := math.Pow(0.48+1.2-0.64, 2)
	mean := newSliced(SliceOptions{Convention: MeanOverPoints}, x, y, theta)
	sum := newSliced(SliceOptions{}, x, y, theta)
	if math.Abs(mean.cost-want) > 1e-5 || math.Abs(sum.cost-300*want) > 3e-3 {
		t.Errorf("mean %g, sum %g, expected %g and %g", mean.cost, sum.cost, want, 300*want)
	}
	if c := newSliced(SliceOptions{}, x, x, theta).cost; c != 0 {
		t.Errorf("a cloud against itself costs %g", c)
	}
	if m, e := meanStdErr([]float64{1, 2, 3, 4}); m != 2.5 || math.Abs(e-math.Sqrt(5.0/3/4)) > 1e-12 {
		t.Errorf("mean %g ± %g", m, e)
	}
}

// TestGreatCircle: unit vectors, from a to b, equal steps.
func TestGreatCircle(t *testing.T) {
	a, b := vec3{1, 0, 0}, vec3{-0.6, 0.8, 0}
	c := greatCircle(a, b)
	if c[0].sub(a) != (vec3{}) && math.Sqrt(dot(c[0].sub(a), c[0].sub(a))) > 1e-12 {
		t.Errorf("starts at %v", c[0])
	}
	step := math.Acos(dot(a, b)) / float64(len(c)-1)
	for i := 1; i < len(c); i++ {
		if got := math.Acos(math.Min(1, dot(c[i-1], c[i]))); math.Abs(got-step) > 1e-6 {
			t.Errorf("step %d is %g, expected %g", i, got, step)
		}
	}
}

// TestCameras: orthonormal and right-handed, up is up, azimuths are as
// documented.
func TestCameras(t *testing.T) {
	for az := -170.0; az < 180; az += 35 {
		for _, el := range []float64{-80, -20, 0, 33, 90} {
			for _, c := range []camera{From(az, el).cameraZ(), From(az, el).cameraY()} {
				if d := cross(c.right, c.up).sub(c.fore); dot(d, d) > 1e-20 || math.Abs(dot(c.right, c.right)-1) > 1e-12 {
					t.Fatalf("azimuth %g, elevation %g: %v", az, el, c)
				}
				p := vec3{0.3, -0.2, 0.9}
				if d := c.back(c.apply(p)).sub(p); dot(d, d) > 1e-20 {
					t.Fatalf("back(apply(p)) = p + %v", d)
				}
			}
		}
	}
	near := func(a, b vec3) bool { d := a.sub(b); return dot(d, d) < 1e-20 }
	if c := From(0, 0).cameraZ(); !near(c.fore, vec3{1, 0, 0}) || !near(c.up, vec3{0, 0, 1}) {
		t.Errorf("From(0, 0) for spheres: %v", c)
	}
	if c := From(0, 0).cameraY(); !near(c.fore, vec3{0, 0, 1}) || !near(c.up, vec3{0, 1, 0}) || !near(c.right, vec3{1, 0, 0}) {
		t.Errorf("From(0, 0) for clouds: %v", c)
	}
	if c := From(90, 0).cameraY(); !near(c.fore, vec3{1, 0, 0}) {
		t.Errorf("From(90, 0) for clouds: %v", c)
	}
}

// TestReduce: few colours stay as they are, many change little.
func TestReduce(t *testing.T) {
	img := image.NewRGBA(image.Rect(0, 0, 64, 64))
	for i := range 64 {
		for j := range 64 {
			img.SetRGBA(j, i, color.RGBA{uint8(4 * (i / 4)), uint8(4 * (j / 4)), 0, 255})
		}
	}
	q := reduce(img)
	for i := range 64 {
		for j := range 64 {
			if q.At(j, i) != img.At(j, i) {
				t.Fatalf("256 colours: pixel %d %d is %v, was %v", j, i, q.At(j, i), img.At(j, i))
			}
		}
	}
	for i := range 64 { // a smooth colour map of 4096 values
		for j := range 64 {
			c := viridis(float64(64*i+j) / 4095)
			img.SetRGBA(j, i, color.RGBA{c.R, c.G, c.B, 255})
		}
	}
	p := reduce(img).(*image.Paletted)
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
	a := dot3{10, 10, 5, 0.9, blue}
	b := dot3{10, 10, 8, 0.1, vermilion}
	for _, dots := range [][]dot3{{a, b}, {b, a}} {
		img := splat(20, 20, dots)
		if img.NRGBAAt(10, 10) != blue || img.NRGBAAt(3, 10) != vermilion || img.NRGBAAt(0, 0).A != 0 {
			t.Errorf("centre %v, edge %v, corner %v", img.NRGBAAt(10, 10), img.NRGBAAt(3, 10), img.NRGBAAt(0, 0))
		}
	}
}

// TestSphereHTML: the data of the page are the directions, to 16 bits; nothing
// in a text can end the script; no ids, no addresses of other files.
func TestSphereHTML(t *testing.T) {
	points := vmf(1, 100, [3]float64{1, 2, 3}, 5)
	page, err := SphereHTML(SphereOptions{Title: `</script><b>"x"`, View: From(10, 20)},
		SpherePanel{Caption: "κ = 5", Points: points, Location: up},
		SpherePanel{Heat: HeatOf("F", 6, func(t [3]float64) float64 { return t[2] }), Path: points[:9]})
	if err != nil {
		t.Fatal(err)
	}
	for _, bad := range []string{"</script><b>", " id=", "http:", "https:", "src=", "{{"} {
		if strings.Contains(page, bad) {
			t.Errorf("the page holds %q", bad)
		}
	}
	m := regexp.MustCompile(`(?s)class="swlab-data">(.*?)</script>`).FindStringSubmatch(page)
	var d turningData
	if err := json.Unmarshal([]byte(m[1]), &d); err != nil {
		t.Fatal(err)
	}
	if d.Title != `</script><b>"x"` || d.Azimuth != 10 || d.Elevation != 20 || len(d.Frames) != 2 || d.Frames[1].Rows != 6 {
		t.Errorf("data %+v", d)
	}
	raw, err := base64.StdEncoding.DecodeString(d.Frames[0].Points)
	if err != nil || len(raw) != 600 {
		t.Fatalf("%d bytes of points, err %v", len(raw), err)
	}
	for i, want := range points {
		got := float64(int16(binary.LittleEndian.Uint16(raw[2*i:]))) / 32767
		if math.Abs(got-float64(want)) > 1e-4 {
			t.Fatalf("number %d is %g, expected %g", i, got, want)
		}
	}
	heat, _ := base64.StdEncoding.DecodeString(d.Frames[1].Heat)
	if len(heat) != 72 || heat[0] != 255 || heat[71] != 0 {
		t.Errorf("heat %v", heat)
	}
	again, _ := SphereHTML(SphereOptions{Title: `</script><b>"x"`, View: From(10, 20)},
		SpherePanel{Caption: "κ = 5", Points: points, Location: up},
		SpherePanel{Heat: HeatOf("F", 6, func(t [3]float64) float64 { return t[2] }), Path: points[:9]})
	if page != again {
		t.Error("two pages of equal arguments differ")
	}
}

// TestSave: both kinds, whole files only, no left-overs, errors that name the
// file.
func TestSave(t *testing.T) {
	p, err := Sphere(SphereOptions{}, SpherePanel{})
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	for _, name := range []string{"a.png", "b.SVG", "c.pdf"} {
		if err := p.Save(filepath.Join(dir, name)); err != nil {
			t.Error(err)
		}
	}
	missing := filepath.Join(dir, "no", "c.png")
	if err := p.Save(missing); err == nil || !strings.Contains(err.Error(), missing) {
		t.Errorf("missing folder: %v", err)
	}
	if err := p.Save(filepath.Join(dir, "d.jpg")); err == nil || !strings.Contains(err.Error(), ".png, .svg or .pdf") {
		t.Errorf("JPEG: %v", err)
	}
	if err := os.Mkdir(filepath.Join(dir, "e.png"), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := p.Save(filepath.Join(dir, "e.png")); err == nil {
		t.Error("a folder was overwritten")
	}
	left, _ := os.ReadDir(dir)
	if len(left) != 4 {
		t.Errorf("files left: %v", left)
	}
	f, err := os.Open(filepath.Join(dir, "a.png"))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	c, kind, err := image.DecodeConfig(f)
	if w, h := p.Size(); err != nil || kind != "png" || c.Width != 2*w || c.Height != 2*h {
		t.Errorf("%s of %d × %d, err %v; expected two pixels for one of %d × %d", kind, c.Width, c.Height, err, w, h)
	}
}

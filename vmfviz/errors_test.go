package vmfviz

import (
	"encoding/binary"
	"math"
	"regexp"
	"strings"
	"testing"
)

var (
	nan32 = float32(math.NaN())
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
	y := []float64{1, 2}
	nan := math.NaN()
	for _, c := range []struct {
		name string
		err  error
		want string
	}{
		{"no panel", func() error { _, err := Sphere(SphereOptions{}); return err }(), "no panels"},
		{"view", func() error { _, err := Sphere(SphereOptions{View: From(nan, 0)}, SpherePanel{}); return err }(), "View"},
		{"groups", sphere(SpherePanel{Points: up, Groups: []int{1, 2}}), "panels[0].Groups has length 2, expected 1"},
		{"marks", sphere(SpherePanel{Marks: []float32{1, 1, 1}}), "panels[0].Marks"},
		{"length", sphere(SpherePanel{Points: []float32{1, 0}}), "panels[0].Points has length 2, expected a multiple of 3"},
		{"not a unit vector", sphere(SpherePanel{Points: []float32{0, 0, 1, 0, 0, 2}}), "panels[0].Points: row 1 has length 2"},
		{"NaN", sphere(SpherePanel{Points: []float32{0, nan32, 1}}), "panels[0].Points: row 0, column 1 is NaN"},
		{"heat length", sphere(SpherePanel{Heat: &Heat{Values: make([]float64, 33)}}), "panels[0].Heat.Values has length 33"},

		{"map without panels", func() error { _, err := SphereMap(SphereOptions{}); return err }(), "no panels"},
		{"map points", func() error {
			_, err := SphereMap(SphereOptions{}, SpherePanel{Points: []float32{2, 0, 0}})
			return err
		}(), "panels[0].Points: row 0 has length 2"},

		{"κ", sphere(SpherePanel{Location: up, VMF: &VMF{Kappa: -1, Noise: []float32{0, 0}}}), "panels[0].VMF.Kappa = -1, expected 0 to 1000"},
		{"VMF without location", sphere(SpherePanel{VMF: &VMF{Noise: []float32{0, 0}}}), "panels[0].Location is nil"},
		{"VMF and points", sphere(SpherePanel{Location: up, Points: up, VMF: &VMF{Noise: []float32{0, 0}}}), "panels[0] has Points and VMF"},
		{"noise range", sphere(SpherePanel{Location: up, VMF: &VMF{Noise: []float32{0, 0, 0, 1.5}}}), "row 1, column 1 is 1.5"},

		{"no row", clouds(CloudsOptions{}), "no rows"},
		{"cloud length", clouds(CloudsOptions{}, CloudRow{Clouds: [][]float32{{1}}}), "rows[0].Clouds[0] has length 1"},
		{"cloud NaN", clouds(CloudsOptions{}, CloudRow{Clouds: [][]float32{{1, 2, nan32}}}), "rows[0].Clouds[0]: row 0, column 2"},
		{"errors without target", clouds(CloudsOptions{}, CloudRow{Clouds: [][]float32{nil}}, CloudRow{Clouds: [][]float32{up}, Errors: true}), "rows[0].Clouds[0] is nil"},
		{"gallery empty", func() error { _, err := Gallery(GalleryOptions{}); return err }(), "no clouds"},
		{"split", func() error { _, err := Split(make([]float32, 9), 2); return err }(), "points has length 9"},

		{"theta", slice(SliceOptions{}, up, up, []float32{1}, nil), "theta has length 1"},
		{"theta unit", slice(SliceOptions{}, up, up, []float32{1, 1, 0}, nil), "theta: row 0 has length 1.414"},
		{"unequal", slice(SliceOptions{}, up, append(up, up...), up, nil), "y has 2 points, expected 1"},
		{"values", slice(SliceOptions{}, up, up, up, []float64{1, nan}), "values[1]"},
		{"slice error", slice(SliceOptions{StdErr: -1}, up, up, up, nil), "StdErr is -1"},

		{"pairs unequal", func() error { _, err := Pairs(PairsOptions{}, up, append(up, up...), up); return err }(), "y has 2 points, expected 1"},

		{"no series", curves(CurvePanel{}), "panels[0].Series is empty"},
		{"smooth", curves(CurvePanel{Smooth: 1, Series: []Series{{Y: y}}}), "panels[0].Smooth = 1"},
		{"X length", curves(CurvePanel{Series: []Series{{X: y, Y: y[:1]}}}), "panels[0].Series[0].X has length 2"},
		{"log", curves(CurvePanel{LogY: true, Series: []Series{{Y: []float64{1, 0}}}}), "Y[1] is 0, expected a positive"},
		{"band", curves(CurvePanel{Series: []Series{{Y: y, Low: y}}}), "one of Low and High"},
		{"only gaps", curves(CurvePanel{Series: []Series{{Y: []float64{nan}}}}), "only NaN"},

		{"no estimate", dots(DotsOptions{}), "no estimates"},
		{"value", dots(DotsOptions{}, Estimate{Value: nan}), "estimates[0].Value"},
		{"error", dots(DotsOptions{}, Estimate{StdErr: -1}), "estimates[0].StdErr is -1"},

		{"html", func() error { _, err := SphereHTML(SphereOptions{}); return err }(), "no panels"},
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
			return Pairs(PairsOptions{}, same, same, []float32{0, 0, 1})
		},
		"pairs in the plane": func() (*Picture, error) { return Pairs(PairsOptions{}, point[:2], point[:2], []float32{1, 0}) },
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
		if _, err := p.pngAt(0.5); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
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

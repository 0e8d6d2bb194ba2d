package vmfviz

import (
	"encoding/binary"
	"math"
	"regexp"
	"slices"
	"strings"
	"testing"
)

var (
	nan32 = float32(math.NaN())
	up    = []float32{0, 0, 1}
)

// wrong returns the error of a drawing.
func wrong(_ any, err error) error { return err }

// TestBadArguments: every mistake gives an error that names the argument.
func TestBadArguments(t *testing.T) {
	sphere := func(p SpherePanel) error { return wrong(Sphere(SphereOptions{}, p)) }
	slice := func(o SliceOptions, x, y, theta []float32, v []float64) error { return wrong(Slice(o, x, y, theta, v)) }
	clouds := func(r ...CloudRow) error { return wrong(Clouds(CloudsOptions{}, r...)) }
	curve := func(logY bool, s Series) error {
		return wrong(Curves(CurvesOptions{}, CurvePanel{LogY: logY, Series: []Series{s}}))
	}
	dots := func(e ...Estimate) error { return wrong(Dots(DotsOptions{}, e...)) }
	differences := func(d ...Difference) error { return wrong(Differences(DifferencesOptions{}, d...)) }
	y, nan, noise := []float64{1, 2}, math.NaN(), []float32{0, 0}
	for _, c := range []struct {
		err  error
		want string
	}{
		{wrong(Sphere(SphereOptions{})), "no panels"},
		{wrong(SphereMap(SphereOptions{})), "no panels"},
		{wrong(SphereHTML(SphereOptions{})), "no panels"},
		{sphere(SpherePanel{Points: up, Groups: []int{1, 2}}), "panels[0].Groups has length 2, expected 1"},
		{sphere(SpherePanel{Marks: []float32{1, 1, 1}}), "panels[0].Marks"},
		{sphere(SpherePanel{Circles: []float32{1, 1, 1}}), "panels[0].Circles"},
		{sphere(SpherePanel{Points: []float32{1, 0}}), "panels[0].Points has length 2, expected a multiple of 3"},
		{sphere(SpherePanel{Points: []float32{0, 0, 1, 0, 0, 2}}), "panels[0].Points: row 1 has length 2"},
		{sphere(SpherePanel{Points: []float32{0, nan32, 1}}), "panels[0].Points: row 0, column 1 is NaN"},
		{sphere(SpherePanel{Heat: &Heat{Values: make([]float64, 33)}}), "panels[0].Heat.Values has length 33"},
		{sphere(SpherePanel{Location: up, VMF: &VMF{Kappa: -1, Noise: noise}}), "panels[0].VMF.Kappa = -1, expected 0 to 1000"},
		{sphere(SpherePanel{VMF: &VMF{Noise: noise}}), "panels[0].Location is nil"},
		{sphere(SpherePanel{Location: up, Points: up, VMF: &VMF{Noise: noise}}), "panels[0] has Points and VMF"},
		{sphere(SpherePanel{Location: up, VMF: &VMF{Noise: []float32{0, 0, 0, 1.5}}}), "row 1, column 1 is 1.5"},

		{clouds(), "no rows"},
		{clouds(CloudRow{Clouds: [][]float32{{1}}}), "rows[0].Clouds[0] has length 1"},
		{clouds(CloudRow{Clouds: [][]float32{{1, 2, nan32}}}), "rows[0].Clouds[0]: row 0, column 2"},
		{clouds(CloudRow{Clouds: [][]float32{nil}}, CloudRow{Clouds: [][]float32{up}, Errors: true}), "rows[0].Clouds[0] is nil"},
		{wrong(Gallery(GalleryOptions{})), "no clouds"},
		{wrong(Split(make([]float32, 9), 2)), "points has length 9"},

		{wrong(Sinogram(SinogramOptions{}, [][]float32{{1, 2}})), "cloud has length 2"},
		{wrong(Sinogram(SinogramOptions{Normal: [3]float64{0, 0, nan}}, [][]float32{up})), "Normal is [0 0 NaN]"},
		{wrong(Matrix(MatrixOptions{}, y)), "values has length 2, expected a square number"},
		{wrong(Matrix(MatrixOptions{}, []float64{nan})), "values[0] is NaN"},
		{wrong(Matrix(MatrixOptions{Groups: []int{0, 0}}, []float64{0})), "Groups has length 2, expected 1"},
		{wrong(Matrix(MatrixOptions{Groups: []int{1}, Names: []string{"a"}}, []float64{0})), "Groups[0] is 1"},

		{slice(SliceOptions{}, up, up, []float32{1}, nil), "theta has length 1"},
		{slice(SliceOptions{}, up, up, []float32{1, 1, 0}, nil), "theta: row 0 has length 1.414"},
		{slice(SliceOptions{}, up, append(up, up...), up, nil), "y has 2 points, expected 1"},
		{slice(SliceOptions{}, up, up, up, []float64{1, nan}), "values[1]"},
		{slice(SliceOptions{StdErr: -1}, up, up, up, nil), "StdErr is -1"},
		{wrong(SliceHTML(SliceOptions{}, up, append(up, up...), up, nil)), "y has 2 points, expected 1"},
		{wrong(SliceHTML(SliceOptions{}, up, up, up, make([]float64, 33))), "SphereGrid"},

		{wrong(Curves(CurvesOptions{}, CurvePanel{})), "panels[0].Series is empty"},
		{wrong(Curves(CurvesOptions{}, CurvePanel{Smooth: 1, Series: []Series{{Y: y}}})), "panels[0].Smooth = 1"},
		{curve(false, Series{X: y, Y: y[:1]}), "panels[0].Series[0].X has length 2"},
		{curve(true, Series{Y: []float64{1, 0}}), "Y[1] is 0, expected a positive"},
		{curve(false, Series{Y: y, Low: y}), "Low and High have lengths 2 and 0"},
		{curve(false, Series{Y: y, Low: y, High: []float64{2, math.Inf(1)}}), "High[1] is +Inf"},
		{wrong(Fold(View{}, []float32{1, 1, 1})), "directions: row 0 has length"},
		{curve(false, Series{Y: []float64{nan}}), "holds no number"},

		{dots(), "no estimates"},
		{dots(Estimate{Value: nan}), "estimates[0].Value"},
		{dots(Estimate{StdErr: -1}), "estimates[0].StdErr is -1"},
		{differences(), "no differences"},
		{differences(Difference{Value: nan}), "lines[0].Value"},
		{differences(Difference{Half: -1}), "lines[0].Half is -1"},
	} {
		if c.err == nil || !strings.Contains(c.err.Error(), c.want) {
			t.Errorf("error %v, expected one that says %q", c.err, c.want)
		}
	}
}

// TestEdges: unusual but legal arguments make a picture.
func TestEdges(t *testing.T) {
	type drawing = func() (*Picture, error)
	sphere := func(v View, p ...SpherePanel) drawing {
		return func() (*Picture, error) { return Sphere(SphereOptions{View: v}, p...) }
	}
	area := func(v View, p ...SpherePanel) drawing {
		return func() (*Picture, error) { return SphereMap(SphereOptions{View: v}, p...) }
	}
	gallery := func(c ...float32) drawing { return func() (*Picture, error) { return Gallery(GalleryOptions{}, c) } }
	clouds := func(r ...CloudRow) drawing { return func() (*Picture, error) { return Clouds(CloudsOptions{}, r...) } }
	slice := func(o SliceOptions, x, theta []float32, v ...float64) drawing {
		return func() (*Picture, error) { return Slice(o, x, x, theta, v) }
	}
	curves := func(log bool, x, y []float64) drawing {
		return func() (*Picture, error) {
			return Curves(CurvesOptions{}, CurvePanel{LogX: log, LogY: log, Series: []Series{{X: x, Y: y}}})
		}
	}
	point, poles, rim := []float32{5, 5, 5}, []float32{0, 0, 1, 0, 0, -1}, []float32{0, 1, 0, 0, 0, 1, 0, -1, 0}
	same := append(slices.Clone(point), point...)
	flat := make([]float64, 32)
	huge := heatOf("", 10, func(t [3]float64) float64 { return 1e150 * t[0] * t[1] })
	huge.Contours = true
	for name, f := range map[string]drawing{
		"location at eye":     sphere(From(0, 90), SpherePanel{Location: up, Path: up}),
		"location opposite":   sphere(From(0, -90), SpherePanel{Location: up}),
		"antipodal path":      sphere(View{}, SpherePanel{Path: poles}),
		"antipodal paths":     sphere(View{}, SpherePanel{Paths: [][]float32{poles, rim}}),
		"constant heat":       sphere(View{}, SpherePanel{Heat: &Heat{Values: flat}, Location: []float32{-1, 0, 0}}),
		"constant contours":   sphere(View{}, SpherePanel{Heat: &Heat{Values: flat, Contours: true}}),
		"contours of spheres": sphere(View{}, SpherePanel{Heat: huge}, SpherePanel{}),
		"seven spheres":       sphere(View{}, make([]SpherePanel, 7)...),
		"map of the rim": area(From(0, 0), SpherePanel{Points: rim, Path: rim, Location: rim[:3]},
			SpherePanel{Location: []float32{-1, 0, 0}}),
		"antipodal map path": area(From(0, 90), SpherePanel{Path: poles, Heat: &Heat{Values: flat}}, SpherePanel{}),
		"one point":          gallery(point...),
		"huge cloud":         gallery(-1e15, 0, 0, 1e15, 0, 0),
		"tiny cloud":         gallery(-1e-40, 0, 0, 1e-40, 0, 0),
		"empty column":       clouds(CloudRow{Clouds: [][]float32{nil, same}}),
		"no error":           clouds(CloudRow{Clouds: [][]float32{same}}, CloudRow{Clouds: [][]float32{same}, Errors: true}),
		"equal clouds":       slice(SliceOptions{}, point, up, 0),
		"equal costs":        slice(SliceOptions{View: From(0, 90)}, same, []float32{0, 1, 0}, 3, 3),
		"equal quantiles":    slice(SliceOptions{Quantiles: true}, point, up, 0),
		"one value":          curves(false, nil, []float64{0}),
		"one log value":      curves(true, nil, []float64{1e-9}),
		"extreme values":     curves(false, []float64{-1e150, 1e150}, []float64{-1e150, 1e150}),
		"extreme log":        curves(true, nil, []float64{1e-149, 1e149}),
		"zero estimate":      func() (*Picture, error) { return Dots(DotsOptions{}, Estimate{}) },
		"zero difference":    func() (*Picture, error) { return Differences(DifferencesOptions{}, Difference{}) },
	} {
		p, err := f()
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		svg, err := p.SVG()
		svg = regexp.MustCompile(`base64,[^"]*`).ReplaceAll(svg, nil)
		if s := string(svg); err != nil || strings.Contains(s, "NaN") || strings.Contains(s, "Inf") {
			t.Errorf("%s: the SVG has coordinates that are not numbers (%v)", name, err)
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

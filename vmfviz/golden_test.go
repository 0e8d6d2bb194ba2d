package vmfviz

import (
	"bytes"
	"encoding/xml"
	"flag"
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"
	"regexp"
	"testing"

	"github.com/janpfeifer/must"
	"gonum.org/v1/gonum/stat"
	"gonum.org/v1/plot/cmpimg"
)

var update = flag.Bool("update", false, "write the golden pictures anew")

// goldenPictures are small pictures of every kind. Each must look right: open
// testdata after -update.
var goldenPictures = []struct {
	name string
	make func() (*Picture, error)
}{
	{"sphere", func() (*Picture, error) {
		eps := [3]float64{0.75, 0.2, 0.63}
		loc := unit32(eps)
		var panels []SpherePanel
		for _, kappa := range []float64{0, 10, 100} {
			panels = append(panels, SpherePanel{Caption: fmt.Sprintf("κ = %g", kappa), Points: vmf(3, 150, eps, kappa), Location: loc})
		}
		panels = append(panels, SpherePanel{Caption: "location behind", Points: vmf(4, 150, [3]float64{-1, 0.2, 0.1}, 10), Location: unit32([3]float64{-1, 0.2, 0.1})})
		return Sphere(SphereOptions{Title: "Samples of vMF(ε, κ)"}, panels...)
	}},
	{"heat", func() (*Picture, error) {
		return Sphere(SphereOptions{Title: "Ascent"}, ascent([3]float64{0.2, 0.9, 0.2}, [3]float64{0.07, -0.08, -0.03}, [3]float64{1, 0, 1}))
	}},
	{"map", func() (*Picture, error) {
		return SphereMap(SphereOptions{Title: "Ascent"}, ascent([3]float64{0.9, 0.6, 0.3}, [3]float64{-0.13, 0, -0.05}, [3]float64{1, -0.4, 1}))
	}},
	{"contours", func() (*Picture, error) {
		mean := vec3{0.5, 0.6, 0.6}.unit()
		f := func(t [3]float64) float64 { return 0.7*math.Exp(8*(dot(t, mean)-1)) + 0.5*math.Exp(20*(t[0]-1)) }
		h := heatOf("density", 40, f)
		h.Contours = true
		return SphereMap(SphereOptions{Title: "Contours"}, SpherePanel{Heat: h, Caption: "a mixture"})
	}},
	{"marks", func() (*Picture, error) {
		var diagonals []float32
		for _, s := range [][3]float64{{1, 1, 1}, {-1, 1, 1}, {1, -1, 1}, {-1, -1, 1}, {1, 1, -1}, {-1, 1, -1}, {1, -1, -1}, {-1, -1, -1}} {
			diagonals = append(diagonals, unit32(s)...)
		}
		groups := make([]int, 60)
		for i := range groups {
			groups[i] = i / 12
		}
		return Sphere(SphereOptions{Title: "Groups and marks"}, SpherePanel{Points: vmf(3, 60, [3]float64{1, 0, 0}, 0), Groups: groups},
			SpherePanel{Points: vmf(3, 200, [3]float64{1, 0, 0}, 0), Marks: diagonals})
	}},
	{"vmf", func() (*Picture, error) {
		eps, noise := unit32([3]float64{0.6, 0.7, 0.2}), testNoise(4, 200)
		return Sphere(SphereOptions{Title: "The same noise at three concentrations"},
			SpherePanel{VMF: &VMF{Kappa: 1, Noise: noise}, Location: eps},
			SpherePanel{VMF: &VMF{Kappa: 10, Noise: noise}, Location: eps},
			SpherePanel{VMF: &VMF{Kappa: 100, Noise: noise}, Location: eps})
	}},
	{"map2", func() (*Picture, error) {
		var panels []SpherePanel
		for _, kappa := range []float64{1, 30} {
			panels = append(panels, SpherePanel{Caption: fmt.Sprintf("κ = %g", kappa), Points: vmf(3, 200, [3]float64{-0.1, 1, 0.3}, kappa), Location: unit32([3]float64{-0.1, 1, 0.3})})
		}
		return SphereMap(SphereOptions{}, panels...)
	}},
	{"clouds", func() (*Picture, error) {
		return Clouds(CloudsOptions{Title: "Input against reconstruction", Columns: []string{"torus", "boxes", "nothing"}},
			CloudRow{Caption: "input", Clouds: [][]float32{torus(1, 600, 0), boxes(1, 600, 0), nil}},
			CloudRow{Caption: "SW", Clouds: [][]float32{torus(2, 300, 0.04), boxes(2, 300, 0.04), boxes(2, 30, 0)}})
	}},
	{"errors", func() (*Picture, error) {
		return Clouds(CloudsOptions{Title: "Where the error is"},
			CloudRow{Caption: "input", Clouds: [][]float32{torus(1, 500, 0), boxes(1, 500, 0)}},
			CloudRow{Caption: "LA v-DSW", Errors: true, Clouds: [][]float32{torus(3, 500, 0.05), boxes(3, 500, 0.02)}})
	}},
	{"gallery", func() (*Picture, error) {
		return Gallery(GalleryOptions{Title: "Classes", Captions: []string{"torus", "boxes", "a name that is much too long for its cell"}, Columns: 3},
			torus(1, 500, 0), boxes(1, 500, 0), torus(3, 500, 0.1))
	}},
	{"slice", func() (*Picture, error) {
		x, y := torus(1, 200, 0), boxes(2, 200, 0)
		var values []float64
		g := vmf(9, 80, [3]float64{0, 0, 1}, 0)
		for i := range 80 {
			values = append(values, newSliced(SliceOptions{Convention: MeanOverPoints}, x, y, g[3*i:3*i+3], 1).cost)
		}
		stderr := stat.StdErr(stat.StdDev(values, nil), float64(len(values)))
		return Slice(SliceOptions{Title: "One slice and many", Convention: MeanOverPoints, StdErr: stderr}, x, y, []float32{0.36, 0.8, 0.48}, values)
	}},
	{"quantiles", func() (*Picture, error) {
		x, y := torus(1, 200, 0), boxes(2, 200, 0)
		return Slice(SliceOptions{Title: "One slice", Convention: MeanOverPoints, Quantiles: true}, x, y, []float32{0.36, 0.8, 0.48}, nil)
	}},
	{"slice2d", func() (*Picture, error) {
		x := []float32{0, 0, 1, 0.2, 0.5, 1, -0.4, 0.7, 0.2, 1.3}
		y := []float32{1.5, 1, 2, 1.4, 1.2, 2, 2.2, 0.4, 1.9, 1.9}
		return Slice(SliceOptions{}, x, y, []float32{0.8, 0.6}, nil)
	}},
	{"sinogram", func() (*Picture, error) {
		return Sinogram(SinogramOptions{Title: "Sinogram", Normal: [3]float64{0, 1, 0}}, [][]float32{torus(1, 400, 0)})
	}},
	{"matrix", func() (*Picture, error) {
		values, groups := make([]float64, 36), []int{0, 1, 2, 0, 1, 1}
		for k := range values {
			values[k] = math.Abs(float64(groups[k/6]-groups[k%6])) + 0.1*math.Abs(float64(k/6-k%6))
		}
		return Matrix(MatrixOptions{Title: "Distances", Label: "SW₂", Groups: groups, Names: []string{"chair", "table", "lamp"}}, values)
	}},
	{"curves", func() (*Picture, error) {
		r := testRand(5)
		var loss, ascent, l, m, lo, hi []float64
		for i := range 200 {
			e := math.Exp(-float64(i) / 40)
			loss = append(loss, (8*e+0.6)*(1+0.1*r.NormFloat64()))
			ascent = append(ascent, 3-2.5*e+0.2*r.NormFloat64())
		}
		ascent[100] = math.NaN()
		for n := 1.0; n < 2000; n *= 3 {
			s := 1 / math.Sqrt(n)
			l, m, lo, hi = append(l, n), append(m, s), append(lo, 0.7*s), append(hi, 1.3*s)
		}
		return Curves(CurvesOptions{Title: "Curves", Height: 200},
			CurvePanel{Title: "Loss", XLabel: "step", YLabel: "SW² (sum over points)", LogY: true, Smooth: 0.9,
				Series: []Series{{Label: "SW", Y: loss}, {Label: "ascent objective", Y: ascent, Role: Direction}}},
			CurvePanel{Title: "Error", XLabel: "slices L", YLabel: "standard error", LogX: true, LogY: true,
				Series: []Series{{Label: "SW", X: l, Y: m, Low: lo, High: hi}}})
	}},
	{"ends", func() (*Picture, error) {
		x := []float64{1, 10, 100}
		return Curves(CurvesOptions{Height: 160, Direct: true}, CurvePanel{XLabel: "slices L", YLabel: "error", LogX: true, Series: []Series{
			{Label: "far below", X: x, Y: []float64{9, 3, 1}}, {Label: "first of two", X: x, Y: []float64{9, 7, 6}},
			{Label: "the other", X: x, Y: []float64{8, 6.5, 5.9}}, {Label: "a theory", X: x, Y: []float64{4, 4, 4}, Thin: true}}})
	}},
	{"dots", func() (*Picture, error) {
		return Dots(DotsOptions{Title: "Estimates", XLabel: "SW (rooted, mean over points)"},
			Estimate{Label: "L = 10", Value: 0.21, StdErr: 0.03, Paper: 0.19},
			Estimate{Label: "v-DSW, κ = 10", Value: 0.27, StdErr: 0.01, Role: Direction},
			Estimate{Label: "Chamfer", Value: 0.09})
	}},
	{"differences", func() (*Picture, error) {
		return Differences(DifferencesOptions{Title: "One method is far behind, one ahead; two cannot be told apart from SW", Quantity: "EMD", Reference: "SW", Number: "68.8"},
			Difference{Label: "EMD", Value: -6.3, Half: 1.8}, Difference{Label: "v-DSW, κ = 1", Value: 0.4, Half: 0.7},
			Difference{Label: "L v-DSW", Value: -0.04, Half: 0.3}, Difference{Label: "Max-SW", Value: 10.3, Half: 4}, Difference{Label: "CD", Value: 111, Half: 9})
	}},
}

// ascent is a panel with a function, a path, and samples around a location.
func ascent(from, step, location [3]float64) SpherePanel {
	h := heatOf("F(θ), mean over points", 30, func(t [3]float64) float64 { return 0.2 + 0.5*t[0]*t[0] + 0.3*t[1]*t[2] })
	var path []float32
	for i := range 12 {
		path = append(path, unit32(vec3(from).add(vec3(step).scale(float64(i))))...)
	}
	return SpherePanel{Heat: h, Path: path, Points: vmf(3, 40, location, 20), Location: unit32(location)}
}

// goldenScale keeps the files small; letters can still be read.
const goldenScale = 0.75

func unit32(v [3]float64) []float32 {
	u := vec3(v).unit()
	return []float32{float32(u[0]), float32(u[1]), float32(u[2])}
}

// TestGolden compares every kind of picture with the one that was looked at,
// with room for the rounding of other processors; and checks that two drawings
// of one picture are equal to the byte and that the SVG is well-formed.
func TestGolden(t *testing.T) {
	for _, g := range goldenPictures {
		t.Run(g.name, func(t *testing.T) {
			t.Parallel()
			p := must.M1(g.make())
			got := must.M1(p.pngAt(goldenScale))
			path := filepath.Join("testdata", g.name+".png")
			if *update {
				must.M(os.WriteFile(path, got, 0o644))
			}
			if ok, err := cmpimg.EqualApprox("png", got, must.M1(os.ReadFile(path)), 0.15); err != nil || !ok {
				out := filepath.Join(t.TempDir(), g.name+".png")
				_ = os.WriteFile(out, got, 0o644)
				t.Errorf("%s: the picture differs from %s (err %v); if it should, look at it and run with -update", g.name, path, err)
			}

			again := must.M1(g.make())
			if other, _ := again.pngAt(goldenScale); !bytes.Equal(got, other) {
				t.Error("two PNG drawings of equal arguments differ")
			}
			for _, format := range []string{"svg", "pdf"} {
				one, err := p.vectors(format)
				if other, _ := again.vectors(format); err != nil || !bytes.Equal(one, other) {
					t.Errorf("two %s drawings of equal arguments differ (%v)", format, err)
				}
			}
			svg, _ := p.SVG()
			checkSVG(t, svg)
		})
	}
}

// checkSVG parses the file and checks what the package adds to it.
func checkSVG(t *testing.T, svg []byte) {
	t.Helper()
	d := xml.NewDecoder(bytes.NewReader(svg))
	texts := 0
	for {
		tok, err := d.Token()
		if err == io.EOF {
			break
		}
		if err != nil {
			t.Fatalf("SVG is not well-formed: %v", err)
		}
		if e, ok := tok.(xml.StartElement); ok && e.Name.Local == "text" {
			texts++
			var family bool
			for _, a := range e.Attr {
				family = family || (a.Name.Local == "style" && bytes.Contains([]byte(a.Value), []byte("Arial")))
			}
			if !family {
				t.Fatalf("SVG text without a fall-back font: %v", e.Attr)
			}
		}
	}
	if texts == 0 {
		t.Error("SVG has no text")
	}
	svg = regexp.MustCompile(`base64,[^"]*`).ReplaceAll(svg, nil)
	if bytes.Contains(svg, []byte("NaN")) || bytes.Contains(svg, []byte("Inf")) {
		t.Error("SVG has coordinates that are not numbers")
	}
}

package vmfviz

import (
	"bytes"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/janpfeifer/must"
)

// TestFold: folded directions are on the near side, on the same axes.
func TestFold(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 1))
	for _, v := range []View{{}, From(200, -40)} {
		fore := v.or(sphereView).cameraZ().fore
		for range 100 {
			u := vec3{r.NormFloat64(), r.NormFloat64(), r.NormFloat64()}.unit()
			d := []float32{float32(u[0]), float32(u[1]), float32(u[2])}
			before := slices.Clone(d)
			f := must.M1(Fold(v, d))
			if dot(fore, row3(f, 0)) < 0 || math.Abs(math.Abs(dot(row3(f, 0), row3(d, 0)))-1) > 1e-6 || !slices.Equal(before, d) {
				t.Fatalf("%v folds to %v", d, f)
			}
		}
	}
}

// TestArrowIsSeen: the arrow on an opaque sphere is on the near side, unless the caller has chosen the view.
func TestArrowIsSeen(t *testing.T) {
	r := rand.New(rand.NewPCG(2, 1))
	heat := &Heat{Values: make([]float64, 2*8*8)}
	for range 50 {
		u := vec3{r.NormFloat64(), r.NormFloat64(), r.NormFloat64()}.unit()
		at := []float32{float32(u[0]), float32(u[1]), float32(u[2])}
		v := SphereOptions{}.view([]SpherePanel{{}, {Location: at, Heat: heat}})
		if near := dot(v.cameraZ().fore, u); near < 0.17 && v != sphereView || near < 0 {
			t.Errorf("the arrow at %v is %.2f in front of the centre", at, near)
		}
		if v := (SphereOptions{}).view([]SpherePanel{{Location: at}}); v != sphereView {
			t.Errorf("on a sphere that can be seen through, the view is %v", v)
		}
		if chosen := From(1, 2); (SphereOptions{View: chosen}).view([]SpherePanel{{Location: at, Heat: heat}}) != chosen {
			t.Error("the view was chosen")
		}
	}
}

// TestNaNBounds: where bounds are NaN, like those of one slice, there is no band, and the curve goes on.
func TestNaNBounds(t *testing.T) {
	nan := math.NaN()
	y := []float64{2, 3, 4, 3}
	with := func(low, high []float64) *Picture {
		return must.M1(Curves(CurvesOptions{}, CurvePanel{LogX: true, LogY: true, Series: []Series{{Y: y, Low: low, High: high}}}))
	}
	svg := func(p *Picture) []byte { return must.M1(p.SVG()) }
	gap := svg(with([]float64{nan, 2, 3, 2}, []float64{3, 4, 5, 4}))
	if !bytes.Equal(gap, svg(with([]float64{1, 2, 3, 2}, []float64{nan, 4, 5, 4}))) {
		t.Error("one bound and the other: the pictures differ")
	}
	if none := svg(with([]float64{nan, nan, nan, nan}, []float64{nan, nan, nan, nan})); !bytes.Equal(none, svg(with(nil, nil))) {
		t.Error("bounds that are all NaN, and none: the pictures differ")
	}
	s := Series{Y: y, Low: []float64{1, nan, 3, 2}, High: y}
	if got := s.band(); len(got) != 2 || len(got[0]) != 2 || len(got[1]) != 4 {
		t.Errorf("rings %v", got)
	}
}

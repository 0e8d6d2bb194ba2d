package datasets

import (
	"math"
	"slices"
	"testing"

	"github.com/janpfeifer/must"
)

func TestFromSlices(t *testing.T) {
	points := [][][]float32{{{1, 2, 3}, {4, 5, 6}}, {{7, 8, 9}, {10, 11, 12}}}
	s := must.M1(FromSlices(points))
	if s.Clouds != 2 || s.Points != 2 || s.Dim != 3 || !slices.Equal(s.Cloud(1), []float32{7, 8, 9, 10, 11, 12}) {
		t.Errorf("found %+v", s)
	}
	points[1][0][0] = 0
	if s.Coords[6] != 7 {
		t.Error("the set shares the slices")
	}
	nan := float32(math.NaN())
	for want, bad := range map[string][][][]float32{
		"at least one cloud":                nil,
		"one point":                         {{}},
		"one coordinate":                    {{{}}},
		"cloud 1: expected 1 points":        {{{1}}, {}},
		"cloud 1, point 0: expected 1 coor": {{{1}}, {{1, 2}}},
		"cloud 0: point 0, coordinate 1":    {{{1, nan}}},
	} {
		wantError(t, failure(FromSlices(bad)), want)
	}
}

func TestNew(t *testing.T) {
	flat := []float32{1, 2, 3, 4, 5, 6}
	s, err := New(flat, 3, 2)
	if err != nil || s.Clouds != 1 || s.Points != 3 || s.Dim != 2 {
		t.Fatalf("found %+v, %v", s, err)
	}
	flat[0] = 9
	if s.Coords[0] != 9 {
		t.Error("New says that it shares flat")
	}
	if s, err := New(flat, 1, 2, 3); err != nil || s.Clouds != 1 || s.Points != 2 || s.Dim != 3 {
		t.Errorf("found %+v, %v", s, err)
	}
	for _, c := range []struct {
		want  string
		shape []int
	}{
		{"[clouds, points, dim]", nil}, {"[clouds, points, dim]", []int{6}}, {"[clouds, points, dim]", []int{1, 1, 2, 3}},
		{"no points", []int{0, 3}}, {"no points", []int{-2, -3}}, {"found 6", []int{2, 2}}, {"found 6", []int{1 << 62, 1 << 62, 6}},
	} {
		wantError(t, failure(New(flat, c.shape...)), c.want)
	}
	wantError(t, failure(New([]float32{float32(math.Inf(1)), 0}, 1, 2)), "finite")
}

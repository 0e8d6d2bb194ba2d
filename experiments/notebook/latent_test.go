package notebook

import (
	"math"
	"slices"
	"strings"
	"testing"
)

// TestArc: unit vectors at equal angles in the plane of the ends, which are the first and the last.
func TestArc(t *testing.T) {
	a, b := []float32{1, 0, 0}, []float32{-0.5, float32(math.Sqrt(0.75)), 0} // 120 degrees
	z, err := Arc(a, b, 5)
	if err != nil || len(z) != 15 {
		t.Fatalf("%v, %v", z, err)
	}
	for k := range 5 {
		angle := float64(k) * math.Pi / 6
		for i, want := range []float64{math.Cos(angle), math.Sin(angle), 0} {
			if math.Abs(float64(z[3*k+i])-want) > 1e-6 {
				t.Errorf("code %d: %v, expected the angle %v", k, z[3*k:3*k+3], angle)
			}
		}
	}
	if z, err := Arc(a, a, 2); err != nil || !slices.Equal(z, []float32{1, 0, 0, 1, 0, 0}) {
		t.Errorf("from a code to itself: %v, %v", z, err)
	}
	for _, c := range []struct {
		a, b []float32
		n    int
		want string
	}{
		{a, b, 1, "n: expected at least 2"},
		{a, b[:2], 3, "found 3 and 2 numbers"},
		{a, []float32{2, 0, 0}, 3, "expected unit vectors, found the lengths 1 and 2"},
		{a, []float32{-1, 0, 0}, 3, "not opposite"},
	} {
		if _, err := Arc(c.a, c.b, c.n); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%v, expected %q", err, c.want)
		}
	}
}

func TestNearest(t *testing.T) {
	set := []float32{1, 0, 0, 1, -1, 0}
	rows, cosines, err := Nearest([]float32{0, 3, 0.6, 0.8, -2, -2}, set, 2)
	if err != nil || !slices.Equal(rows, []int{1, 1, 2}) {
		t.Fatalf("%v, %v", rows, err)
	}
	for i, want := range []float64{1, 0.8, math.Sqrt(0.5)} {
		if math.Abs(cosines[i]-want) > 1e-6 {
			t.Errorf("code %d: cosine %v, expected %v", i, cosines[i], want)
		}
	}
	if _, _, err := Nearest([]float32{1}, set, 2); err == nil {
		t.Error("no error for codes of another length")
	}
}

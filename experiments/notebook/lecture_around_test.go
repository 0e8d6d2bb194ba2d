package notebook

import (
	"math"
	"strings"
	"testing"
)

// TestAround: the mean height over the location is coth κ - 1/κ, 0 without concentration, and a seed's directions are the same again.
func TestAround(t *testing.T) {
	const n = 20000
	location := []float32{0.6, 0, 0.8}
	for _, kappa := range []float64{0, 1, 10, 100} {
		got, err := Around(location, kappa, n, 1)
		if err != nil || len(got) != 3*n {
			t.Fatalf("%d numbers, %v", len(got), err)
		}
		mean := 0.0
		for i := range n {
			mean += float64(location[0]*got[3*i]+location[1]*got[3*i+1]+location[2]*got[3*i+2]) / n
		}
		want := 0.0
		if kappa > 0 {
			want = 1/math.Tanh(kappa) - 1/kappa
		}
		if math.Abs(mean-want) > 4/math.Sqrt(3*n) {
			t.Errorf("kappa %g: mean height %.4f, expected %.4f", kappa, mean, want)
		}
	}
	a, _ := Around(location, 3, 5, 7)
	b, _ := Around(location, 3, 5, 7)
	c, _ := Around(location, 3, 5, 8)
	if a[4] != b[4] || a[4] == c[4] {
		t.Errorf("seed 7: %v and %v; seed 8: %v", a[4], b[4], c[4])
	}
	for want, call := range map[string]func() ([]float32, error){
		"3 coordinates, found 2": func() ([]float32, error) { return Around(location[:2], 1, 5, 1) },
		"at least 1":             func() ([]float32, error) { return Around(location, 1, 0, 1) },
		"":                       func() ([]float32, error) { return Around([]float32{0, 0, 0}, 1, 5, 1) },
	} {
		if _, err := call(); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("found %v, expected %q", err, want)
		}
	}
}

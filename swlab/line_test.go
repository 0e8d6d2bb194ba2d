package swlab

import (
	"math"
	"slices"
	"testing"

	"github.com/janpfeifer/must"

	"github.com/sliced-wasserstein/lab/swlab/loss"
)

// TestOneDimension: on the line every sliced loss is W_p^p itself, from one slice and without an
// error, and so are the other transports.
func TestOneDimension(t *testing.T) {
	x, y := gaussian(1, 2, 50, 1, 1), gaussian(2, 2, 50, 1, 3)
	want := make([]float64, 2) // W_2^2
	for b := range want {
		a, c := slices.Sorted(slices.Values(x.Cloud(b))), slices.Sorted(slices.Values(y.Cloud(b)))
		for i := range a {
			d := float64(a[i]) - float64(c[i])
			want[b] += d * d / 50
		}
	}
	for _, name := range inSpace() {
		o := DistanceConfig{Config: loss.Config{P: 2, Reduce: loss.Mean, Slices: 30, Reg: 1e-3}, Gradient: true}
		tol := 1e-6
		switch name {
		case "chamfer", "emd-approx":
			o.P, o.Reduce = 0, 0
			tol = math.Inf(1)
		case "sinkhorn", "sinkhorn-divergence":
			o.Reduce = 0
			tol = 1e-2
		}
		for path := AutoPath; path <= GraphPath; path++ {
			if path == GraphPath && testing.Short() {
				break // it compiles programs
			}
			o.Path = path
			d := must.M1(Distance(name, x, y, o))
			for b, v := range d.PerPair {
				if !(math.Abs(v/want[b]-1) <= tol) {
					t.Errorf("%s, path %d, pair %d: %v, expected %v", name, path, b, v, want[b])
				}
			}
			if d.StdErr != 0 || d.Low != d.Value || d.High != d.Value || d.Costs != nil && d.Slices != 1 ||
				len(d.Gradient) != 100 {
				t.Errorf("%s, path %d: %v +- %v from %v to %v, %d slices, %d numbers of gradient", name, path, d.Value, d.StdErr,
					d.Low, d.High, d.Slices, len(d.Gradient))
			}
		}
	}
}

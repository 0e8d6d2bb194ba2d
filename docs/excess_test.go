package main

import (
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"strings"
	"testing"

	"github.com/janpfeifer/must"
	"github.com/sliced-wasserstein/lab/datasets"
	"github.com/sliced-wasserstein/lab/swlab"
	"github.com/sliced-wasserstein/lab/swlab/loss"
)

// TestExcess measures by how much the approximate EMD exceeds the exact one in clouds of radius 1 and
// smaller, for the table of theory.md (2048 points in make test-long): two samples of a sphere, two different shapes, and a shape and
// its bootstrap. No figure is above those that warnings give.
func TestExcess(t *testing.T) {
	radii := []float64{1, 0.5, 0.25, 0.1, 0.03, 0.01, 0.001}
	sizes := []int{64, 512}
	switch {
	case testing.Short():
		t.Skip("runs in make check")
	case os.Getenv("SWLAB_TEST_LONG") != "":
		sizes = append(sizes, 2048)
	}
	columns := map[int][]string{}
	for _, m := range sizes {
		pairs := min(10, 10240/m)
		shapes := must.M1(datasets.Load(datasets.Builtin, datasets.Options{Points: m, Seed: 1}))
		for _, kind := range []string{"spheres", "shapes", "bootstrap"} {
			r := rand.New(rand.NewPCG(uint64(m), 1))
			var x, y []float32
			for range pairs {
				a, b := shapes.Cloud(r.IntN(shapes.Clouds)), shapes.Cloud(r.IntN(shapes.Clouds))
				switch kind {
				case "spheres":
					a, b = sphere(r, m), sphere(r, m)
				case "bootstrap":
					b = nil
					for range m {
						j := r.IntN(m)
						b = append(b, a[3*j:3*j+3]...)
					}
				}
				x, y = append(x, a...), append(y, b...)
			}
			exact := perPair(t, "emd-exact", x, y, m, 1)
			for _, radius := range radii {
				least, most := math.Inf(1), 0.0
				for i, v := range perPair(t, "emd-approx", x, y, m, radius) {
					factor := v / (radius * exact[i])
					least, most = min(least, factor), max(most, factor)
				}
				columns[m] = append(columns[m], fmt.Sprintf("%.2f to %.2f", least, most))
				t.Logf("m = %d, %s, radius %g: %.3f to %.3f", m, kind, radius, least, most)
				if known := loss.LargestExcess(radius); most > known {
					t.Errorf("m = %d, %s: at radius %g the approximate EMD is up to %.3f times the exact one; warnings say up to %g", m, kind, radius, most, known)
				}
			}
		}
	}
	for i, radius := range radii {
		row := fmt.Sprintf("| %g |", radius)
		for _, m := range sizes {
			for kind := range 3 {
				row += " " + columns[m][kind*len(radii)+i] + " |"
			}
		}
		if !strings.Contains(theory(t), row) {
			t.Errorf("theory.md does not have the row %q", row)
		}
	}
}

// sphere is m uniform points of the unit sphere.
func sphere(r *rand.Rand, m int) (out []float32) {
	for range m {
		a, b, c := r.NormFloat64(), r.NormFloat64(), r.NormFloat64()
		n := math.Sqrt(a*a + b*b + c*c)
		out = append(out, float32(a/n), float32(b/n), float32(c/n))
	}
	return out
}

// perPair is a loss of the pairs of clouds of m points, times a factor.
func perPair(t *testing.T, name string, x, y []float32, m int, factor float64) []float64 {
	t.Helper()
	var sets [2]*datasets.Set
	for i, cloud := range [][]float32{x, y} {
		scaled := make([]float32, len(cloud))
		for j, v := range cloud {
			scaled[j] = float32(factor) * v
		}
		sets[i] = must.M1(datasets.New(scaled, len(cloud)/m/3, m, 3))
	}
	return must.M1(swlab.Distance(name, sets[0], sets[1], swlab.DistanceConfig{})).PerPair
}

package ot

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"github.com/gomlx/gomlx/core/tensors"
	"github.com/janpfeifer/must"

	"github.com/sliced-wasserstein/lab/datasets"
	"github.com/sliced-wasserstein/lab/datasets/format"
	"github.com/sliced-wasserstein/lab/swlab/internal/graphtest"
)

// TestReferenceEMD compares with scipy's linear_sum_assignment on shapes, a jittered and a bootstrapped pair.
func TestReferenceEMD(t *testing.T) {
	z := graphtest.Golden(t, "chamfer_emd.npz")
	for _, set := range []struct {
		suffix   string
		pairs, m int
	}{{"", 6, 256}, {"_big", 1, 2048}} {
		x, y := tensors.MustCopyFlatData[float32](z["x"+set.suffix]), tensors.MustCopyFlatData[float32](z["y"+set.suffix])
		for key, p := range map[string]float64{"emd_exact": 1, "emd_exact_sq": 2} {
			want := graphtest.Values(z[key+set.suffix])
			for b := range set.pairs {
				size := set.m * 3
				a := emd(t, key, x[b*size:(b+1)*size], y[b*size:(b+1)*size], 3, p)
				near(t, fmt.Sprintf("%s%s[%d]", key, set.suffix, b), a.Cost, want[b], 1e-12*want[b])
			}
		}
	}
}

// TestRealShapes solves pairs of scanned-like shapes of 2048 points, as they are and one against its own bootstrap.
func TestRealShapes(t *testing.T) {
	path := filepath.Join("..", "..", "..", "shared", "data", "psb_shrec12", "points.npy")
	if _, err := os.Stat(path); err != nil {
		t.Skipf("the shapes are not here: %v", err)
	}
	points, shape := must.M2(format.ReadNPY(path))
	m, r := shape[1], source(9)
	cloud := func(i int) []float32 { return points[i*m*3 : (i+1)*m*3] }
	for range 3 {
		i, j := r.IntN(shape[0]), r.IntN(shape[0])
		boot := make([]float32, 0, m*3)
		for range m {
			k := r.IntN(m)
			boot = append(boot, cloud(i)[3*k:3*k+3]...)
		}
		emd(t, fmt.Sprintf("shapes %d, %d", i, j), cloud(i), cloud(j), 3, 1)
		emd(t, fmt.Sprintf("shape %d and its bootstrap", i), cloud(i), boot, 3, 1)
	}
}

// BenchmarkEMD matches procedural shapes of 2048 points: different ones, a cloud and its bootstrap, a cloud and itself
// jittered.
func BenchmarkEMD(b *testing.B) {
	set := must.M1(datasets.Shapes{Train: 1, Points: 2048,
		Classes: []string{"aeroplane", "chair", "guitar", "table"}}.Generate())
	r := source(10)
	boot, jitter := make([]float32, 0, 6144), make([]float32, 0, 6144)
	for range 2048 {
		i, k := r.IntN(2048), r.IntN(2048)
		boot = append(boot, set.Cloud(0)[3*i:3*i+3]...)
		for d := range 3 {
			jitter = append(jitter, set.Cloud(0)[3*k+d]+float32(0.01*r.NormFloat64()))
		}
	}
	for _, c := range []struct {
		name string
		x, y []float32
	}{
		{"aeroplane-chair", set.Cloud(0), set.Cloud(1)}, {"guitar-table", set.Cloud(2), set.Cloud(3)},
		{"bootstrap", set.Cloud(0), boot}, {"jitter", set.Cloud(0), jitter},
	} {
		for _, p := range []float64{1, 2} {
			b.Run(fmt.Sprintf("%s/p=%g", c.name, p), func(b *testing.B) {
				for b.Loop() {
					must.M1(EMD(c.x, c.y, 3, p))
				}
			})
		}
	}
}

// BenchmarkSinkhorn: squared costs between a guitar and a table of 2048 points, largest cost about 2.5.
func BenchmarkSinkhorn(b *testing.B) {
	set := must.M1(datasets.Shapes{Train: 1, Points: 2048, Classes: []string{"guitar", "table"}}.Generate())
	for _, reg := range []float64{0.1, 0.01, 0.001} {
		b.Run(fmt.Sprintf("reg=%g", reg), func(b *testing.B) {
			for b.Loop() {
				p, err := Sinkhorn{Reg: reg, Tolerance: 1e-6}.Solve(set.Cloud(0), set.Cloud(1), 3)
				if err != nil || !p.Converged {
					b.Fatal(p, err)
				}
			}
		})
	}
}

package metric

import (
	"context"
	"math"
	"testing"

	"github.com/gomlx/gomlx/core/tensors"
	"github.com/janpfeifer/must"

	"github.com/sliced-wasserstein/lab/datasets"
	"github.com/sliced-wasserstein/lab/swlab/internal/graphtest"
)

// golden reads the reference numbers, or skips the test.
func golden(t *testing.T) (generated, reference *datasets.Set, numbers func(key string) []float64) {
	t.Helper()
	z := graphtest.Golden(t, "metrics.npz")
	set := func(key string) *datasets.Set {
		d := z[key].Shape().Dimensions
		return &datasets.Set{Name: key, Clouds: d[0], Points: d[1], Dim: d[2],
			Coords: tensors.MustCopyFlatData[float32](z[key])}
	}
	return set("gen"), set("real"), func(key string) []float64 { return graphtest.Values(z[key]) }
}

// TestGoldenCells: the counts of both sets at both scales, and the divergences.
func TestGoldenCells(t *testing.T) {
	generated, reference, numbers := golden(t)
	for suffix, scale := range map[string]float64{"": 1, "_half": 0.5} {
		for key, set := range map[string]*datasets.Set{"cells_gen": generated, "cells_real": reference} {
			got := must.M1(Cells(set, scale))
			for k, want := range numbers(key + suffix) {
				if got[k] != int(want) {
					t.Fatalf("%s%s: %d points in cell %d, want %v", key, suffix, got[k], k, want)
				}
			}
		}
		got, err := JSD(generated, reference, scale)
		if want := numbers("jsd" + suffix)[0]; err != nil || math.Abs(got-want) > 1e-9*want {
			t.Errorf("jsd%s %v, want %v (%v)", suffix, got, want, err)
		}
	}
}

// TestGoldenScores: matrices and scores of both distances of the paper, through Compare and matrices.
func TestGoldenScores(t *testing.T) {
	if testing.Short() {
		t.Skip("a minute on the pure-Go backend: make check does it on XLA")
	}
	generated, reference, numbers := golden(t)
	e := graphtest.Engine(t)
	ctx := context.Background()
	o := Config{Store: t.TempDir()} // every matrix is computed once
	r := must.M1(Compare(ctx, e, reference, generated, o))
	if r.NGenerated != 24 || r.NReference != 20 || r.EMDExact != nil || !(r.EMDMatchedMass > 0.999) {
		t.Errorf("%+v", r)
	}
	for _, d := range []struct {
		name, key string
		tol       float64
	}{{"cd", "cd", 1e-6}, {"emd-approx", "emd", 5e-5}} {
		for _, m := range []struct {
			key  string
			a, b *datasets.Set
		}{{"_gg", generated, generated}, {"_gr", generated, reference}, {"_rr", reference, reference}} {
			got := must.M1(pairwise(ctx, e, m.a, m.b, d.name, o))
			graphtest.Close(t, d.key+m.key, got.Values, numbers(d.key+m.key), d.tol)
		}
		s := r.Scores(d.name)
		for _, c := range []struct {
			key      string
			got, tol float64
		}{
			{"_mmd_code", s.MMDPaper, 5e-5}, {"_mmd_smp_code", s.MMDStandard, 5e-5}, {"_mmd_std", s.MMDStandard, 5e-5},
			{"_cov_code", s.COVPaper, 0}, {"_cov_std", s.COVStandard, 0},
			{"_nna", s.NNA, 0}, {"_nna_gen", s.NNAGenerated, 0}, {"_nna_real", s.NNAReference, 0},
		} {
			if want := numbers(d.key + c.key)[0]; math.Abs(c.got-want) > c.tol*want+1e-15 {
				t.Errorf("%s%s %v, want %v", d.key, c.key, c.got, want)
			}
		}
	}
}

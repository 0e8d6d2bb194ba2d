package ot1d

import (
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"testing"
)

// TestSIMD compares the network with the radix sort, for sizes that are and are not powers of two, several dimensions, exponents, numbers of
// directions, clouds far from the origin, directions of any length, and equal clouds. A build without SIMD must refuse by name.
func TestSIMD(t *testing.T) {
	r := rand.New(rand.NewPCG(9, 1))
	for _, c := range []struct {
		points, dim, slices int
		p, far              float64
		normalized          bool
	}{{1, 3, 1, 2, 0, false}, {2, 3, 16, 2, 0, false}, {7, 2, 17, 1, 0, true}, {64, 3, 40, 2, 0, true}, {100, 4, 5, 1.5, 0, false}, {2048, 3, 33, 2, 0, false}, {1000, 3, 8, 2, 50, false}} {
		t.Run(fmt.Sprintf("m=%d d=%d L=%d p=%g far=%g", c.points, c.dim, c.slices, c.p, c.far), func(t *testing.T) {
			const batch = 2
			cloud := func(sd float64) Clouds {
				v := normals(r, batch*c.points*c.dim, sd)
				for i := range v {
					v[i] += float32(c.far)
				}
				return Clouds{Coords: v, Batch: batch, Points: c.points, Dim: c.dim}
			}
			x, y := cloud(.3), cloud(.5)
			d := directions(r, batch*c.slices, c.dim)
			for i := range d[:c.dim] {
				d[i] *= 7
			}
			got, err := HostCosts(x, y, d, c.slices, HostConfig{P: c.p, Reduce: meanIf(c.normalized), SIMD: true})
			if missing := SIMD(); missing != "" {
				if err == nil || !strings.Contains(err.Error(), missing) {
					t.Fatalf("expected to be refused (%s), found %v", missing, err)
				}
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			want, err := HostCosts(x, y, d, c.slices, HostConfig{P: c.p, Reduce: meanIf(c.normalized)})
			if err != nil {
				t.Fatal(err)
			}
			for i := range want {
				if math.Abs(got[i]-want[i]) > 3e-6*want[i] {
					t.Errorf("pair and slice %d: %v, want %v", i, got[i], want[i])
				}
			}
			same, err := HostCosts(x, x, d, c.slices, HostConfig{P: c.p, SIMD: true})
			if err != nil {
				t.Fatal(err)
			}
			for _, v := range same {
				if v != 0 {
					t.Errorf("a cloud and itself: %v", v)
				}
			}
		})
	}
	_, err := HostCosts(Clouds{Coords: make([]float32, 6), Batch: 1, Points: 2, Dim: 3}, Clouds{Coords: make([]float32, 9), Batch: 1, Points: 3, Dim: 3}, make([]float32, 3), 1, HostConfig{Reduce: Mean, SIMD: true})
	if err == nil || !strings.Contains(err.Error(), "SIMD") {
		t.Errorf("clouds of two sizes: expected to be refused by name, found %v", err)
	}
	one := Clouds{Coords: make([]float32, 6), Batch: 1, Points: 2, Dim: 3}
	if _, _, err = HostGradients(one, one, make([]float32, 3), 1, []float64{1}, Y, HostConfig{SIMD: true}); err == nil || !strings.Contains(err.Error(), "SIMD") {
		t.Errorf("a gradient: expected to be refused by name, found %v", err)
	}
}

package datasets

import (
	"math"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"testing"

	"github.com/janpfeifer/must"

	"github.com/sliced-wasserstein/lab/datasets/format"
)

// TestRest: with Exact, positions are the float64 of the file to 2^-48, also far from 0, of subsets and
// of chosen clouds; without, to float32.
func TestRest(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	wide := make([]float64, 3*20*2)
	for i := range wide {
		wide[i] = r.NormFloat64()
		if i >= 40 && i < 80 {
			wide[i] += 1e9
		}
	}
	path := filepath.Join(t.TempDir(), "x.npy")
	must.M(format.WriteNPYFloat64(path, wide, 3, 20, 2))
	far := func(s *Set, rows ...int) (worst float64) {
		for i, row := range rows {
			for j, v := range s.Positions(i) {
				want := wide[row*40 : (row+1)*40]
				if s.Points == 20 {
					want = want[j : j+1]
				}
				off := math.Inf(1)
				for _, w := range want {
					off = min(off, math.Abs(w-v)/max(1, math.Abs(w)))
				}
				worst = max(worst, off)
			}
		}
		return worst
	}
	exact := must.M1(Load(path, Options{Raw: true, Exact: true}))
	subset := must.M1(Load(path, Options{Raw: true, Exact: true, Points: 7}))
	for i, off := range []float64{far(exact, 0, 1, 2), far(exact.Select([]int{2, 0}), 2, 0), far(subset, 0, 1, 2),
		far(must.M1(New(wide, 3, 20, 2)), 0, 1, 2)} {
		if off > 0x1p-48 {
			t.Errorf("%d: off by %g", i, off)
		}
	}
	if off := far(must.M1(Load(path, Options{Raw: true})), 0, 1, 2); off < 1e-9 {
		t.Errorf("without Exact off by %g", off)
	}
	if s := must.M1(New(slices.Repeat([]float64{0.5}, 6), 3, 2)); s.Rest != nil {
		t.Error("float32 holds 0.5, but something is left")
	}
}

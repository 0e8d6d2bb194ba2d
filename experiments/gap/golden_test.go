package gap

import (
	"math"
	"os"
	"path/filepath"
	"testing"

	"github.com/gomlx/gomlx/core/tensors"
	"github.com/gomlx/gomlx/core/tensors/numpy"
	"github.com/janpfeifer/must"

	"github.com/sliced-wasserstein/lab/experiments"
	"github.com/sliced-wasserstein/lab/swlab/vmf"
)

// TestReference follows five steps of the released ascent on 20 real pairs with given noise, and
// its distances, if the project's golden set is available; its clouds may not be copied into the
// repository. Tolerances are those of the set.
func TestReference(t *testing.T) {
	path := filepath.Join("..", "..", "..", "shared", "golden", "gap.npz")
	if _, err := os.Stat(path); err != nil {
		t.Skipf("the golden set is not here: %v", err)
	}
	z := must.M1(numpy.FromNpzFile(path))
	wide := func(key string) []float64 {
		var out []float64
		for _, v := range tensors.MustCopyFlatData[float32](z[key]) {
			out = append(out, float64(v))
		}
		return out
	}
	const n, slices = 20, 10
	x := tensors.MustCopyFlatData[float32](z["x"])
	p := pairs{n: n, m: len(x) / n / 3, first: x, second: tensors.MustCopyFlatData[float32](z["y"])}
	s := sampler{kappa: 1, slices: slices, reflection: vmf.Released}
	eps := make([][3]float64, n)
	for i, v := range wide("eps0") {
		eps[i/3][i%3] = v
	}
	u, normals := wide("u"), wide("normals")
	evaluation := noise{wide("u_eval"), wide("normals_eval")}
	wantEps, wantDistance := tensors.MustCopyFlatData[float64](z["eps"]), tensors.MustCopyFlatData[float64](z["distance"])
	for step := range 6 {
		if step > 0 {
			at := step - 1
			given := func() noise {
				return noise{u[at*n*slices : (at+1)*n*slices], normals[at*n*slices*2 : (at+1)*n*slices*2]}
			}
			must.M(s.ascend(p, eps, 1, 0.1, n, given))
		}
		worst := 0.0
		for i, w := range wantEps[step*n*3 : (step+1)*n*3] {
			worst = math.Max(worst, math.Abs(eps[i/3][i%3]-w))
		}
		values, _ := must.M2(s.values(p, eps, evaluation))
		off := math.Abs(experiments.NewScore(values).Mean/wantDistance[step] - 1)
		t.Logf("step %d: locations %.1e, distance %.1e", step, worst, off)
		if worst > 5e-4 || off > 1e-4 {
			t.Errorf("step %d: locations differ by %g, the distance by a part %g; allowed 5e-4 and 1e-4", step, worst, off)
		}
	}
}

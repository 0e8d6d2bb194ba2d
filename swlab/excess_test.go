package swlab

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/janpfeifer/must"

	"github.com/sliced-wasserstein/lab/datasets"
	"github.com/sliced-wasserstein/lab/swlab/engine"
)

// small makes a pair of clouds of m points in balls of a radius, away from 0.
func small(t *testing.T, m int, radius float64) (x, y *datasets.Set) {
	t.Helper()
	r := rand.New(rand.NewPCG(3, uint64(m)))
	var sets [2]*datasets.Set
	for i := range sets {
		var v []float32
		for range m {
			a, b, c := r.NormFloat64(), r.NormFloat64(), r.NormFloat64()
			s := radius * math.Cbrt(r.Float64()) / math.Sqrt(a*a+b*b+c*c)
			v = append(v, float32(s*a+radius), float32(s*b), float32(s*c-2*radius))
		}
		sets[i] = must.M1(datasets.New(v, 1, m, 3))
	}
	return sets[0], sets[1]
}

// TestSmallClouds: the approximate EMD of small clouds says by how much it exceeds the exact one;
// normalised, it is at every radius what it is at radius 1, in the units of the clouds.
func TestSmallClouds(t *testing.T) {
	e := must.M1(engine.Open("go"))
	const m = 120
	atOne := math.NaN()
	for _, radius := range []float64{1, 0.02, 0.001, 1e-12, 30} {
		x, y := small(t, m, radius)
		o := DistanceConfig{Engine: e, Gradient: true, GradientX: true}
		as := must.M1(Distance("emd-approx", x, y, o))
		exact := must.M1(Distance("emd-exact", x, y, DistanceConfig{}))
		o.Normalize = true
		unit := must.M1(Distance("emd-approx", x, y, o))
		ratio, normalised := as.Value/exact.Value, unit.Value/exact.Value
		if atOne != atOne {
			atOne = normalised
		}
		if math.Abs(normalised/atOne-1) > 1e-5 || !(normalised > 1.08 && normalised < 1.53) || len(unit.Warnings) > 0 ||
			unit.Low != unit.Value {
			t.Errorf("radius %g: %.5g times the exact EMD when normalised, at radius 1 %.5g; %q", radius, normalised, atOne,
				unit.Warnings)
		}
		warned := len(as.Warnings) == 1
		if warned {
			for _, part := range []string{"pair 0: excess: ", fmt.Sprintf(" %.3g times as much", ratio),
				fmt.Sprintf("the exact one is %.6g", exact.Value), "--normalize unit"} {
				if !strings.Contains(as.Warnings[0], part) {
					t.Errorf("radius %g: the warning %q does not say %q", radius, as.Warnings[0], part)
				}
			}
		}
		if warned != (ratio > 1.53) || warned != (radius < 0.1) {
			t.Errorf("radius %g: %.3g times the exact EMD, warnings %q", radius, ratio, as.Warnings)
		}
		// The gradient of points moved together, with the match, centre and scale held fixed: they cancel.
		sum := 0.0
		for i, g := range unit.Gradient {
			sum += float64(g) + float64(unit.GradientX[i])
		}
		if math.Abs(sum) > 1e-4 {
			t.Errorf("radius %g: the gradients add up to %g", radius, sum)
		}
	}
	x, y := small(t, 2048+1, 0.01) // too large for an exact EMD
	d, err := Distance("emd-approx", x, y, DistanceConfig{Engine: e})
	if err != nil || len(d.Warnings) != 1 || !strings.Contains(d.Warnings[0], "up to 27.4 times") {
		t.Errorf("%v, %q; expected the ratio of the table", err, d.Warnings)
	}
	for _, name := range []string{"sw", "chamfer", "emd-exact", "sinkhorn"} {
		refused(t, "normalize: loss")(Distance(name, x, y, DistanceConfig{Normalize: true}))
	}
}

// TestNormalizedPairs: every pair has its own centre and scale, equal points have none, and the
// gradient in y is that of the mean.
func TestNormalizedPairs(t *testing.T) {
	x, y := small(t, 40, 0.02)
	v, w := small(t, 40, 5)
	equal := slices.Repeat([]float32{1, 2, 3}, 40)
	join := func(sets ...[]float32) *datasets.Set {
		return must.M1(datasets.New(slices.Concat(sets...), len(sets), 40, 3))
	}
	of := func(x, y *datasets.Set) *Result {
		return must.M1(Distance("emd-approx", x, y, DistanceConfig{Normalize: true, Gradient: true}))
	}
	all, one, two := of(join(x.Coords, v.Coords, equal), join(y.Coords, w.Coords, equal)), of(x, y), of(v, w)
	for b, want := range []float64{one.Value, two.Value, 0} {
		if math.Abs(all.PerPair[b]-want) > 1e-5*want+1e-8 {
			t.Errorf("pair %d: %v, alone %v", b, all.PerPair[b], want)
		}
	}
	if math.Abs(all.Value-(one.Value+two.Value)/3) > 1e-5*all.Value {
		t.Errorf("the mean is %v", all.Value)
	}
	for i, g := range slices.Concat(one.Gradient, two.Gradient) {
		if math.Abs(float64(all.Gradient[i])-float64(g)/3) > 1e-4 {
			t.Fatalf("coordinate %d of the gradient: %v, alone %v", i, all.Gradient[i], g)
		}
	}
}

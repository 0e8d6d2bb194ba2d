package swlab

import (
	"math"
	"slices"
	"testing"

	"github.com/janpfeifer/must"

	"github.com/sliced-wasserstein/lab/swlab/loss"
)

// rootOnLine is W_p of two clouds of one size on the line, for any p.
func rootOnLine(x, y []float32, p float64) float64 {
	x, y = slices.Sorted(slices.Values(x)), slices.Sorted(slices.Values(y))
	largest, sum := 0.0, 0.0
	for i := range x {
		largest = max(largest, math.Abs(float64(x[i])-float64(y[i])))
	}
	for i := range x {
		sum += math.Pow(math.Abs(float64(x[i])-float64(y[i]))/largest, p) / float64(len(x))
	}
	return largest * math.Pow(sum, 1/p)
}

// TestRootsOfHighPowers: with a root, neither p nor the clouds' size leaves the numbers.
func TestRootsOfHighPowers(t *testing.T) {
	x, y := cloudOf(1, 1, 2, 3, 54), cloudOf(1, 1, 2, 3, 4)
	for p, want := range map[float64]float64{2: 25, 100: 49.311635, 540: 49.8718,
		1000: rootOnLine(x.Coords, y.Coords, 1000)} {
		d, err := Distance("sw", x, y, DistanceConfig{Config: loss.Config{P: p, Reduce: loss.Mean, Root: true}})
		if err != nil || math.Abs(d.Value/want-1) > 1e-6 || p > 2 && len(d.Warnings) != 1 {
			t.Errorf("p = %v: %+v (%v), expected %v", p, d, err, want)
		}
	}
	// in the plane, along given directions, at any scale, with gradients
	a, b := gaussian(1, 2, 30, 2, 1), gaussian(2, 2, 30, 2, 2)
	theta := []float32{1, 0, 0, 1, 0.6, 0.8}
	along := func(coords []float32, l int) (out []float32) {
		for i := 0; i < len(coords); i += 2 {
			out = append(out, theta[2*l]*coords[i]+theta[2*l+1]*coords[i+1])
		}
		return out
	}
	for _, p := range []float64{3, 60, 400} {
		for _, scale := range []float32{1, 1e-30, 1e25} {
			x, y := a.Select([]int{0, 1}), b.Select([]int{0, 1})
			for i := range x.Coords {
				x.Coords[i] *= scale
				y.Coords[i] *= scale
			}
			for _, name := range []string{"sw", "cv-sw", "eb-sw", "asw"} {
				o := DistanceConfig{Config: loss.Config{P: p, Reduce: loss.Mean, Root: true, Control: "lower"},
					Directions: &Directions{theta, []int{3, 2}}, Gradient: true}
				o.GradientX = true
				d := must.M1(Distance(name, x, y, o))
				euler := 0.0 // sum of gradient times coordinate, of both clouds: the value
				for i := range y.Coords {
					euler += float64(d.Gradient[i])*float64(y.Coords[i]) + float64(d.GradientX[i])*float64(x.Coords[i])
				}
				if name == "sw" || name == "asw" && d.Slices == 3 {
					want := 0.0
					for pair := range 2 {
						mean, roots := 0.0, []float64{}
						for l := range 3 {
							roots = append(roots, rootOnLine(along(x.Cloud(pair), l), along(y.Cloud(pair), l), p))
						}
						largest := slices.Max(roots)
						for _, r := range roots {
							mean += math.Pow(r/largest, p) / 3
						}
						want += largest * math.Pow(mean, 1/p) / 2
					}
					if math.Abs(d.Value/want-1) > 1e-5 {
						t.Errorf("%s, p = %v, scale %v: %v, expected %v", name, p, scale, d.Value, want)
					}
				}
				if name == "sw" && math.Abs(euler/d.Value-1) > 1e-4 {
					t.Errorf("%s, p = %v, scale %v: the gradients give %v, the value is %v", name, p, scale, euler, d.Value)
				}
				if !(d.Value > 0) || math.IsInf(d.Value, 0) || math.IsNaN(d.StdErr) {
					t.Errorf("%s, p = %v, scale %v: %v +- %v", name, p, scale, d.Value, d.StdErr)
				}
			}
		}
	}
	// the ascent too
	for _, name := range []string{"max-sw", "v-dsw"} {
		o := DistanceConfig{Config: loss.Config{P: 60, Root: true, AscentSteps: 5, Slices: 5}}
		far, near := a.Select([]int{0, 1}), b.Select([]int{0, 1})
		for i := range far.Coords {
			far.Coords[i] *= 100
		}
		if d, err := Distance(name, far, near, o); err != nil || !(d.Value > 10 && d.Value < 1000) {
			t.Errorf("%s: %+v (%v)", name, d, err)
		}
	}
	// masses and unequal sizes
	o := DistanceConfig{Config: loss.Config{P: 200, Reduce: loss.Mean, Root: true}, MassX: []float64{1, 1, 1, 1e-12}}
	d, err := Distance("sw", x, cloudOf(1, 1, 2, 3), o)
	if want := 51 * math.Pow(1e-12/3, 1./200); err != nil || math.Abs(d.Value/want-1) > 1e-6 {
		t.Errorf("masses: %+v (%v), expected %v", d, err, want)
	}
	// without a root it stays an error
	refused(t, "does not fit into float32")(
		Distance("sw", x, y, DistanceConfig{Config: loss.Config{P: 100, Reduce: loss.Mean}}))
	refused(t, "lower p")(
		Distance("sw", x, y, DistanceConfig{Config: loss.Config{P: 1e6, Reduce: loss.Mean, Root: true}}))
	if d, err := Distance("sw", x, x, DistanceConfig{Config: loss.Config{P: 100, Reduce: loss.Mean,
		Root: true}}); err != nil || d.Value != 0 || d.Warnings != nil {
		t.Errorf("a cloud and itself: %+v (%v)", d, err)
	}
}

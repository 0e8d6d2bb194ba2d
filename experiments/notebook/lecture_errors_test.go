package notebook

import (
	"math"
	"strings"
	"testing"

	"github.com/sliced-wasserstein/lab/datasets"
	"github.com/sliced-wasserstein/lab/swlab"
	"github.com/sliced-wasserstein/lab/swlab/loss"
)

func TestPair(t *testing.T) {
	x, y, err := Pair(64, "chair", "person")
	if err != nil || x.N != 1 || y.N != 1 || x.M != 64 || x.Classes[x.Labels[0]] != "chair" || y.Classes[y.Labels[0]] != "person" {
		t.Fatalf("%+v, %+v, %v", x, y, err)
	}
	again, _, err := Pair(64, "chair", "mug")
	if err != nil || again.Points[0] != x.Points[0] {
		t.Errorf("a chair beside another class is another chair: %v", err)
	}
	for _, call := range []struct {
		points        int
		first, second string
		want          string
	}{{64, "chair", "chair", "twice"}, {0, "chair", "mug", "points >= 1"}, {64, "chair", "char", `unknown class "char"`}} {
		if _, _, err := Pair(call.points, call.first, call.second); err == nil || !strings.Contains(err.Error(), call.want) {
			t.Errorf("Pair(%d, %q, %q): expected an error with %q, found %v", call.points, call.first, call.second, call.want, err)
		}
	}
}

// TestSliceErrors: a point and its translate by (1, 0, 0) have F = theta_1^2, so SW^2 = 1/3 with variance (1/5 - 1/9)/L, and an
// orthonormal frame is exact.
func TestSliceErrors(t *testing.T) {
	x := &datasets.Set{Name: "x", Kind: "npy", Points: []float32{0, 0, 0}, N: 1, M: 1, D: 3}
	y := &datasets.Set{Name: "y", Kind: "npy", Points: []float32{1, 0, 0}, N: 1, M: 1, D: 3}
	o := swlab.DistanceOptions{Settings: loss.Defaults(), Seed: 3}
	const repeats = 2000
	found, err := SliceErrors("sw", x, y, o, 1.0/3, []int{30, 120, 480}, repeats)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range found {
		want := math.Sqrt((1.0/5 - 1.0/9) / float64(e.Slices))
		tolerance := 4 / math.Sqrt(2*repeats) // four standard errors of a standard deviation
		if math.Abs(e.RMS/want-1) > tolerance || math.Abs(e.Claimed/want-1) > tolerance {
			t.Errorf("%d slices: %v, claimed %v, expected %v", e.Slices, e.RMS, e.Claimed, want)
		}
		if e.Covered < 0.92 || e.Covered > 0.98 {
			t.Errorf("%d slices: two standard errors cover %v", e.Slices, e.Covered)
		}
	}
	if r := Order(found); math.Abs(r+0.5) > 0.05 {
		t.Errorf("order %v, expected -1/2", r)
	}
	if found, err = SliceErrors("orthogonal-sw", x, y, o, 1.0/3, []int{30}, 20); err != nil || found[0].RMS > 1e-6 {
		t.Errorf("orthonormal frames are off by %+v, %v", found, err)
	}
	if _, err := SliceErrors("sw", x, y, o, 0, []int{30}, 1); err == nil || !strings.Contains(err.Error(), "found 1") {
		t.Errorf("one repeat: %v", err)
	}
	if _, err := SliceErrors("sw", x.Select([]int{0, 0}), y, o, 0, []int{30}, 9); err == nil || !strings.Contains(err.Error(), "found 2 and 1") {
		t.Errorf("two clouds in x: %v", err)
	}
}

// TestOrder: a power law has its exponent.
func TestOrder(t *testing.T) {
	var e []SliceError
	for _, l := range []int{1, 10, 70} {
		e = append(e, SliceError{Slices: l, RMS: 3 * math.Pow(float64(l), -1.25)})
	}
	if r := Order(e); math.Abs(r+1.25) > 1e-12 {
		t.Errorf("order %v", r)
	}
}

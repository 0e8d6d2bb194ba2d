package lab

import (
	"math"
	"os"
	"testing"

	"github.com/janpfeifer/must"
)

// TestNetwork: a trained network encodes, decodes and is looked at, and a generator of codes learns.
func TestNetwork(t *testing.T) {
	if testing.Short() {
		t.Skip("trains")
	}
	process(t, "")
	t.Chdir(t.TempDir())
	set := Shapes("builtin", Size(32))
	run := Train(SW, On(set), Steps(3), Batch(8), Slices(5))
	codes := run.Encode(set)
	if codes.Count != 1 || codes.Points != set.Count || codes.Dim != 256 {
		t.Errorf("found codes %v", codes)
	}
	norm := 0.0
	for _, v := range codes.Coordinates()[:256] {
		norm += float64(v) * float64(v)
	}
	if math.Abs(norm-1) > 1e-4 {
		t.Errorf("a code has the norm %v", math.Sqrt(norm))
	}
	x := Cloud("chair", Size(32))
	if y := run.Reconstruct(x); y.Count != 1 || y.Points != 32 || y.Dim != 3 {
		t.Errorf("found %v", y)
	}
	g := Generate(codes, 5, Slices(20), Epochs(6))
	if last := len(g.Losses) - 1; last != 5 || !(g.Losses[last] < g.Losses[0]) || run.Decode(g.Codes).Count != 5 {
		t.Errorf("found losses %v", g.Losses)
	}
	run.Looks().Save("looks.png")
	Strip(x.Called("chair"), run.Reconstruct(x).Called("reconstruction")).Save("strip.png")
	for _, name := range []string{"looks.png", "strip.png"} {
		if must.M1(os.Stat(name)).Size() < 1000 {
			t.Error(name)
		}
	}
}

// TestDisplacement: halfway, every point is in the middle between itself and its partner.
func TestDisplacement(t *testing.T) {
	process(t, "")
	x, y := Points([][]float64{{0, 0}, {1, 0}}), Points([][]float64{{1, 2}, {0, 2}})
	got := Displacement(x, y, 0, 0.5, 1)
	want := []float32{0, 0, 1, 0, 0, 1, 1, 1, 0, 2, 1, 2}
	for i, v := range got.Coordinates() {
		if v != want[i] {
			t.Fatalf("found %v, expected %v", got.Coordinates(), want)
		}
	}
}

package lab

import (
	"math"
	"os"
	"strings"
	"testing"

	"github.com/janpfeifer/must"
)

// TestLandscape: two points and the same, moved by (0, 0, 2): F is (2z)², its mean 4/3, and J that of the second moment
// under a von Mises-Fisher distribution.
func TestLandscape(t *testing.T) {
	withProcess(t, "")
	d := SW(Points([][]float64{{0, 0, 0}, {1, 0, 0}}), Points([][]float64{{0, 0, 2}, {1, 0, 2}}), Slices(5))
	if f := d.F(0, 0, 3); math.Abs(f-4) > 1e-6 {
		t.Errorf("F is %v along the move", f)
	}
	l := d.Landscape()
	if math.Abs(l.Mean-4.0/3) > 1e-4 || math.Abs(l.Highest-4) > 1e-5 || l.Lowest > 1e-6 || math.Abs(l.Best[2]*l.Best[2]-1) > 1e-4 || math.Abs(l.Worst[2]) > 1e-3 {
		t.Errorf("%+v", l)
	}
	const kappa = 10
	j, second := d.Landscape(kappa), 1-2*(1/math.Tanh(kappa)-1.0/kappa)/kappa
	if math.Abs(j.At(0, 0, 1)-4*second) > 1e-3 || math.Abs(j.Highest-4*second) > 1e-3 || math.Abs(j.Mean-l.Mean) > 1e-12 {
		t.Errorf("J is %v at the move, at most %v, expected %v", j.At(0, 0, 1), j.Highest, 4*second)
	}
	if plane := SW(Points([][]float64{{0, 0}}), Points([][]float64{{1, 0}})).Landscape(); math.Abs(plane.Mean-0.5) > 1e-6 || len(plane.Values()) != 720 {
		t.Errorf("in the plane: %+v", plane)
	}
}

// TestDrawn: curves of functions and matchings are pictures.
func TestDrawn(t *testing.T) {
	withProcess(t, "")
	square := func(x int) float64 { return float64(x * x) }
	p := Curves("x", "y", Dots("a", []int{1, 10}, func(x int) (float64, float64) { return square(x), 0.1 }), Theory("b", []int{1, 1000}, square))
	d := SW(Points([][]float64{{0, 0}, {1, 0}}), Points([][]float64{{0, 2}, {1, 3}}))
	if !strings.Contains(d.Turn(0, 2).found.answer.Text["turns"], "swlab-slice") {
		t.Error("no slice that turns")
	}
	for _, p := range []*Picture{p, Matchings([]float64{0, 1}, []float64{3, 2}, []int{0, 1}, []int{1, 0}).Caption("c")} {
		if !p.isPNG() {
			t.Errorf("%s is no picture", p)
		}
	}
}

// TestValue: as many digits as the error allows.
func TestValue(t *testing.T) {
	for text, v := range map[string]Value{"0.0532 ± 0.0014": {0.05317, 0.00141}, "81.7 ± 1.2": {81.69, 1.23}, "1235": {1234.6, 0}} {
		if v.String() != text {
			t.Errorf("%s, expected %s", v, text)
		}
	}
	c := Columns("a", "b")
	c.Row("x", Percent(0.5))
	c.Row(1, 0.123456)
	if text := textTable(c.rows[0], c.rows[1:]); text != "a  b\nx  50 %\n1  0.1235\n" {
		t.Errorf("%q", text)
	}
}

// ring are n points of an ellipse around (at, 0).
func ring(n int, at, wide float64) *Clouds {
	var rows [][]float64
	for i := range n {
		s, c := math.Sincos(2 * math.Pi * float64(i) / float64(n))
		rows = append(rows, []float64{at + wide*c, s})
	}
	return Points(rows)
}

// TestDescend: the flow of W₂² halves the distance with η = 1/2; one fixed direction sees only its own; a row has the
// settings that vary.
func TestDescend(t *testing.T) {
	withProcess(t, "")
	t.Chdir(t.TempDir())
	x, y := ring(40, 0, 1), ring(40, 0.5, 0.3)
	all := Descend(y, x, Losses(SW, EMD, VDSW, MaxSW, Chamfer), Steps(4), LearningRate(0.5), Slices(20))
	if len(all.Rows) != 5 || len(all.Steps) != 5 || all.Rows[1].Settings["loss"] != "emd-exact" {
		t.Fatalf("found %+v", all)
	}
	w := all.Rows[1].W2
	for i := 1; i < len(w); i++ {
		if math.Abs(w[i]/w[i-1]-0.5) > 1e-3 {
			t.Errorf("W₂ goes from %v to %v, expected half", w[i-1], w[i])
		}
	}
	if l := all.Rows[0].Losses; len(l) != 5 || !(l[4] < l[0]/4) {
		t.Errorf("SW falls as %v", l)
	}
	slices := Descend(y, x, Slices(1), Fresh(false, true), Steps(200), LearningRate(0.5))
	if fixed, fresh := slices.Rows[0], slices.Rows[1]; !(fresh.W2[len(fresh.W2)-1] < 0.1*fixed.W2[len(fixed.W2)-1]) || fixed.Label != "fixed" {
		t.Errorf("found %+v", slices.Rows)
	}
	for name, p := range map[string]*Picture{"flows.png": all.Plot(), "curves.svg": all.Curves(), "space.png": Descend(Cloud("chair"), Cloud("bed"), Steps(2)).Plot()} {
		p.Save(name)
		if must.M1(os.Stat(name)).Size() < 1000 {
			t.Error(name)
		}
	}
}

// TestDifferences: the intervals can be drawn.
func TestDifferences(t *testing.T) {
	withProcess(t, "")
	t.Chdir(t.TempDir())
	Differences("EMD", "κ = 1", Interval{"κ = 10", -1, 1}, Interval{"κ = 100", 1, 2}).Save("differences.svg")
	if must.M1(os.Stat("differences.svg")).Size() < 1000 {
		t.Error("no picture")
	}
}

// TestNetwork: a trained network encodes, decodes and is looked at, and a generator of codes learns.
func TestNetwork(t *testing.T) {
	if testing.Short() {
		t.Skip("trains")
	}
	withProcess(t, "")
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
	withProcess(t, "")
	x, y := Points([][]float64{{0, 0}, {1, 0}}), Points([][]float64{{1, 2}, {0, 2}})
	got := Displacement(x, y, 0, 0.5, 1)
	want := []float32{0, 0, 1, 0, 0, 1, 1, 1, 0, 2, 1, 2}
	for i, v := range got.Coordinates() {
		if v != want[i] {
			t.Fatalf("found %v, expected %v", got.Coordinates(), want)
		}
	}
}

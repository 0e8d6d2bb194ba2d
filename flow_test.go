package lab

import (
	"math"
	"os"
	"testing"

	"github.com/janpfeifer/must"
)

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
	process(t, "")
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

// TestForest: the picture names rows and groups.
func TestForest(t *testing.T) {
	process(t, "")
	t.Chdir(t.TempDir())
	Forest("difference", Interval{"a", "one", -1, 1}, Interval{"b", "two", 1, 2}).Save("forest.svg")
	if must.M1(os.Stat("forest.svg")).Size() < 1000 {
		t.Error("no picture")
	}
}

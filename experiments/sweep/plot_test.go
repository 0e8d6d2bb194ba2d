package sweep

import (
	"math"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/janpfeifer/must"

	"github.com/sliced-wasserstein/lab/experiments/table"
)

// made is a result over kappa and slices without runs: CD = kappa + slices for the first seed, half
// a unit more for each further one. The other metrics have the same values.
func made(kappas []float64, seeds int) *Result {
	r := &Result{Vary: []Vary{{Name: "kappa"}, {Name: "slices"}}, Seeds: make([]uint64, seeds)}
	for _, kappa := range kappas {
		for _, n := range []int{10, 100} {
			row := Row{Settings: map[string]any{"kappa": kappa, "slices": n}, State: Done, Values: map[string]table.Cell{}}
			for _, m := range metrics {
				var v []float64
				for j := range seeds {
					v = append(v, kappa+float64(n)+float64(j)/2)
				}
				row.Values[m.key] = table.NewCell(v...)
			}
			r.Rows = append(r.Rows, row)
		}
	}
	return r
}

func TestLines(t *testing.T) {
	r := made([]float64{50, 0.1, 1}, 3)
	delete(r.Rows[2].Values, "cd") // kappa 0.1, slices 10: not finished
	lines := r.lines(0)
	if len(lines) != 2 || lines[0].label != "slices 10" || lines[1].label != "slices 100" || !r.spread(0) || r.spread(1) {
		t.Fatalf("lines %+v", lines)
	}
	s, ok := r.series(lines[0], "cd", 0)
	if !ok || !slices.Equal(s.X, []float64{0.1, 1, 50}) || !math.IsNaN(s.Y[0]) || s.Y[1] != 11.5 || s.Y[2] != 60.5 || s.Low[1] != 11.5-0.5/math.Sqrt(3) || s.High[1] != 11.5+0.5/math.Sqrt(3) {
		t.Errorf("series %+v", s)
	}
	one := made([]float64{1, 2}, 1)
	if s, ok := one.series(one.lines(0)[0], "cd", 0); !ok || s.Low != nil {
		t.Error("a band of one seed without differences")
	}
	one.Rows[2].Difference = map[string]Difference{"cd": {Low: 1, High: 4}}
	if s, ok := one.series(one.lines(0)[0], "cd", 0); !ok || !slices.Equal(s.Low, []float64{11, 10.5}) || !slices.Equal(s.High, []float64{11, 13.5}) {
		t.Errorf("one seed: series %+v", s)
	}
	if made([]float64{0, 1, 100}, 1).spread(0) {
		t.Error("zero on a logarithmic axis")
	}
}

// TestDecimals: the numbers of a column have equally many decimals.
func TestDecimals(t *testing.T) {
	r := made([]float64{0.1, 1, 27.5}, 1) // the largest mean is 127.5
	if n := r.decimals("cd"); n != 1 {
		t.Errorf("%d decimals, expected 1", n)
	}
	r.Rows[1].Difference = map[string]Difference{"cd": {Cell: table.NewCell(0.5), Low: 0.47, High: 0.53}}
	if n := r.decimals("cd"); n != 3 {
		t.Errorf("%d decimals beside an interval of ± 0.03, expected 3", n)
	}
	s := r.Sheet()
	if got, below := s.Lines[0].Cells[1].Mean, s.Lines[1].Below[1]; got != "10.100" || below.Mean != "+0.500" || below.Spread != "0.030" {
		t.Errorf("%q, below the second %+v", got, below)
	}
}

// TestPlot: four panels, each with a curve for every number of slices, and one legend.
func TestPlot(t *testing.T) {
	r := made([]float64{0.1, 1, 10, 50}, 3)
	p := must.M1(r.Plot())
	svg := must.M1(p.SVG())
	for label, want := range map[string]int{">slices 10<": 1, ">slices 100<": 1, ">kappa<": 4} { // the plots share a legend
		if n := strings.Count(string(svg), label); n != want {
			t.Errorf("%s %d times, expected %d", label, n, want)
		}
	}
	if err := p.Save(filepath.Join(t.TempDir(), "p.png")); err != nil {
		t.Error(err)
	}
	for i := range r.Rows {
		r.Rows[i].Values = nil
	}
	if p, err := r.Plot(); p != nil || err != nil {
		t.Errorf("nothing is finished: %v, %v", p, err)
	}
}

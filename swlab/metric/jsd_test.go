package metric

import (
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/janpfeifer/must"

	"github.com/sliced-wasserstein/lab/datasets"
)

// kept are the centres of JSD's cells from their definition, in float64.
func kept() [][3]float64 {
	var out [][3]float64
	at := func(i int) float64 { return -0.5 + float64(i)/27 }
	for i := range 28 {
		for j := range 28 {
			for l := range 28 {
				if x, y, z := at(i), at(j), at(l); x*x+y*y+z*z <= 0.25 {
					out = append(out, [3]float64{x, y, z})
				}
			}
		}
	}
	return out
}

// TestCells compares with a search through all cells: points inside, on the sphere, far outside.
func TestCells(t *testing.T) {
	centres := kept()
	if len(centres) != 10144 || ball.cells != 10144 {
		t.Fatalf("%d and %d cells, want 10144 (K4)", len(centres), ball.cells)
	}
	r := rand.New(rand.NewPCG(5, 1))
	const m = 400
	set := &datasets.Set{Name: "points", Clouds: 2, Points: m, Dim: 3, Coords: make([]float32, 2*m*3)}
	for i := range set.Coords {
		size := []float64{0.2, 0.3, 0.5, 1, 30}[i/3%5]
		set.Coords[i] = float32(size * r.NormFloat64())
	}
	copy(set.Coords, []float32{0.5, 0, 0, -1, -1, -1, 100, 0, 0, 0.51, 1e-3, -1e-3, 0, 0.2, 0.9})
	for _, scale := range []float64{1, 0.5} {
		got := must.M1(Cells(set, scale))
		want := make([]int, len(centres))
		for p := 0; p < len(set.Coords); p += 3 {
			best, at := math.Inf(1), 0
			for k, c := range centres {
				d := 0.0
				for a := range 3 {
					v := scale*float64(set.Coords[p+a]) - c[a]
					d += v * v
				}
				if d < best*(1-1e-12) { // ties by rounding go to the first
					best, at = d, k
				}
			}
			want[at]++
		}
		for k := range want {
			if got[k] != want[k] {
				t.Fatalf("scale %v, cell %d at %v: %d points, want %d", scale, k, centres[k], got[k], want[k])
			}
		}
	}
}

// TestJSD: closed forms. Clouds at one point each: 0 in the same cell, 1 in two. Three quarters and
// one quarter against one half: by the entropies.
func TestJSD(t *testing.T) {
	set := func(n int, points ...float32) *datasets.Set {
		return &datasets.Set{Name: "points", Clouds: n, Points: len(points) / 3 / n, Dim: 3, Coords: points}
	}
	h := func(p ...float64) float64 {
		s := 0.0
		for _, v := range p {
			s -= v * math.Log2(v)
		}
		return s
	}
	a, b := []float32{0.3, 0, 0}, []float32{-0.3, 0, 0}
	join := func(parts ...[]float32) (out []float32) {
		for _, p := range parts {
			out = append(out, p...)
		}
		return out
	}
	for _, c := range []struct {
		p, q *datasets.Set
		want float64
	}{
		{set(1, a...), set(1, a...), 0},
		{set(1, a...), set(1, b...), 1},
		// Points count, not clouds; the sets differ in size.
		{set(2, join(a, a, a, b)...), set(1, join(a, b)...), h(5./8, 3./8) - (h(3./4, 1./4)+1)/2},
	} {
		for _, order := range [][2]*datasets.Set{{c.p, c.q}, {c.q, c.p}} {
			if got, err := JSD(order[0], order[1], 1); err != nil || math.Abs(got-c.want) > 1e-14 {
				t.Errorf("%v, want %v (%v)", got, c.want, err)
			}
		}
	}
	// Scaled clouds, and clouds that are so large that the grid does not see where they are (T9).
	if got, err := JSD(set(1, 0.4, 0, 0), set(1, 0.2, 0, 0), 0.5); err != nil || got != 1 {
		t.Errorf("scaled: %v, %v", got, err)
	}
	if got, err := JSD(set(1, 0.9, 0, 0), set(1, 0.6, 0, 0), 1); err != nil || got != 0 {
		t.Errorf("beyond the grid: %v, %v", got, err)
	}
}

func TestJSDRefuses(t *testing.T) {
	good := &datasets.Set{Name: "good", Clouds: 1, Points: 1, Dim: 3, Coords: []float32{0, 0, 0}}
	for says, c := range map[string]struct {
		set   *datasets.Set
		scale float64
	}{
		"flat: JSD: expected clouds of dimension 3, found 2": {&datasets.Set{Name: "flat", Clouds: 1,
			Points: 1, Dim: 2, Coords: []float32{0, 0}}, 1},
		"JSD: expected a scale above 0, found -1": {good, -1},
		"hole: cloud 0, point 0: expected finite coordinates, found [0 NaN 0]": {&datasets.Set{Name: "hole", Clouds: 1,
			Points: 1, Dim: 3, Coords: []float32{0, float32(math.NaN()), 0}}, 1},
		"JSD: expected points in both sets, found 0 and 1": {&datasets.Set{Name: "none", Clouds: 0, Points: 1, Dim: 3}, 1},
	} {
		if _, err := JSD(c.set, good, c.scale); err == nil || !strings.Contains(err.Error(), says) {
			t.Errorf("error %v, expected %q", err, says)
		}
	}
}

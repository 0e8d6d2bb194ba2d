package ot1d

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/janpfeifer/must"
)

// TestPlans: the plan of a direction has the masses as marginals and costs on the line what Costs says,
// for all ways to sort and match.
func TestPlans(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	masses := func(n int) []float64 {
		m := make([]float64, n)
		for i := range m {
			m[i] = max(0, r.NormFloat64()) // half of them are 0
		}
		m[n-1] = 1
		return m
	}
	for _, c := range []struct {
		name           string
		m, n, dim      int
		mass, outliers bool
		flat           float32 // factor of the last coordinate
	}{
		{"equal", 40, 40, 3, false, false, 1},
		{"unequal", 40, 28, 2, false, false, 1},
		{"masses", 30, 17, 5, true, false, 1},
		{"one point", 1, 1, 3, false, false, 1},
		{"one against many", 1, 9, 4, true, false, 1},
		{"outliers", 50, 50, 3, false, true, 1},
		{"outliers with masses", 40, 50, 2, true, true, 1},
		{"in a plane", 33, 33, 3, false, false, 0},
		{"on a line", 12, 12, 1, false, false, 1},
	} {
		x := Clouds{Coords: make([]float32, 2*c.m*c.dim), Batch: 2, Points: c.m, Dim: c.dim}
		y := Clouds{Coords: make([]float32, 2*c.n*c.dim), Batch: 2, Points: c.n, Dim: c.dim}
		for _, cloud := range []Clouds{x, y} {
			for i := range cloud.Coords {
				cloud.Coords[i] = float32(r.NormFloat64())
				if i%c.dim == c.dim-1 {
					cloud.Coords[i] *= c.flat
				}
			}
			if c.outliers {
				cloud.Coords[0] = 1e20
			}
		}
		if c.mass {
			x.Mass, y.Mass = masses(2*c.m), masses(2*c.n)
			x.Mass[c.m-1], y.Mass[c.n-1] = 1, 1
		}
		const slices = 11
		directions := make([]float32, slices*c.dim)
		for i := range directions {
			directions[i] = float32(r.NormFloat64())
		}
		for i := range c.dim { // the last axis: in a plane, all projections are equal
			directions[i] = float32(i / (c.dim - 1 + 1/c.dim))
		}
		wide := make([]float64, len(directions))
		for i, v := range directions {
			wide[i] = float64(v)
		}
		pairs := must.M1(NewHostPairs(x, y, Config{Reduce: Mean}))
		want := must.M1(pairs.Costs(directions, slices))
		visited := make([]int, 2*slices)
		must.M(pairs.Plans(wide, slices, func(pair, slice int, plan []Match) {
			visited[pair*slices+slice]++
			cost := 0.0
			marginals := [2][]float64{make([]float64, c.m), make([]float64, c.n)}
			for _, m := range plan {
				d := 0.0
				for j := range c.dim {
					d += wide[slice*c.dim+j] * (float64(x.cloud(pair)[m.X*c.dim+j]) - float64(y.cloud(pair)[m.Y*c.dim+j]))
				}
				cost += m.Mass * d * d
				marginals[0][m.X] += m.Mass
				marginals[1][m.Y] += m.Mass
				if !(m.Mass > 0) {
					t.Errorf("%s: a match of mass %g", c.name, m.Mass)
				}
			}
			if w := want[pair*slices+slice]; math.Abs(cost-w) > 1e-9*w {
				t.Errorf("%s, direction %d: the plan costs %.12g on the line, expected %.12g", c.name, slice, cost, w)
			}
			for which, sums := range marginals {
				for i, sum := range sums {
					if w := pairs.mass(which, pair)(uint64(i)); math.Abs(sum-w) > 1e-15 {
						t.Errorf("%s: cloud %d gives point %d mass %g, expected %g", c.name, which, i, sum, w)
					}
				}
			}
		}))
		for task, n := range visited {
			if n != 1 {
				t.Errorf("%s: task %d was visited %d times", c.name, task, n)
			}
		}
	}
}

// TestPlansOfTies: on a grid, most projections on the axes are shared by many points. A permutation of a
// cloud costs nothing in space, and a translate what the translation does.
func TestPlansOfTies(t *testing.T) {
	const side = 6
	var x, y []float32
	for i := range side * side * side {
		x = append(x, float32(i%side), float32(i/side%side), float32(i/side/side))
	}
	for _, i := range rand.New(rand.NewPCG(3, 4)).Perm(len(x) / 3) {
		y = append(y, x[3*i]+1, x[3*i+1], x[3*i+2]-2)
	}
	cloud := func(coords []float32) Clouds {
		return Clouds{Coords: coords, Batch: 1, Points: len(coords) / 3, Dim: 3}
	}
	directions := []float64{1, 0, 0, 0, 1, 0, 0, 0, 1, 1, 1, 0, -1, 0, 0}
	must.M(must.M1(NewHostPairs(cloud(x), cloud(y), Config{Reduce: Mean})).Plans(directions, 5, func(_, slice int, plan []Match) {
		if cost := Lift(plan, x, y, 3); math.Abs(cost-5) > 1e-12 {
			t.Errorf("direction %d: cost %g, expected that of the translation, 5", slice, cost)
		}
	}))
}

package ot1d

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"runtime"
	"runtime/debug"
	"slices"
	"testing"

	"github.com/janpfeifer/must"

	"github.com/sliced-wasserstein/lab/internal/memory"
	"github.com/sliced-wasserstein/lab/swlab/ot1d/internal/lanes"
)

// TestLanes compares directions that are sorted together with the same ones given one at a time, which
// a radix sort orders. Costs and gradients must be equal to the last bit: for sizes that are and are not
// powers of two, clouds far from the origin, equal clouds, equal points, masses, sizes that differ, and
// directions that are 0.
func TestLanes(t *testing.T) {
	if lanes.Lanes(64) == 0 {
		t.Skip("this processor has no vector instructions that the package uses")
	}
	r := rand.New(rand.NewPCG(9, 1))
	for _, c := range []struct {
		m, n, dim, slices int
		p, far            float64
		mass, same        bool
	}{
		{m: 1, n: 1, dim: 3, slices: 8}, {m: 2, n: 2, dim: 2, slices: 16}, {m: 7, n: 7, dim: 3, slices: 17, p: 1},
		{m: 64, n: 64, dim: 1, slices: 40}, {m: 100, n: 100, dim: 40, slices: 5, p: 1.5},
		{m: 2048, n: 2048, dim: 3, slices: 12},
		{m: 1000, n: 1000, dim: 3, slices: 9, far: 1e4}, {m: 1000, n: 1000, dim: 3, slices: 8, same: true},
		{m: 33, n: 20, dim: 3, slices: 10}, {m: 33, n: 33, dim: 3, slices: 11, mass: true},
		{m: 700, n: 1500, dim: 2, slices: 4, p: 3, mass: true},
		{m: 5000, n: 5000, dim: 3, slices: 4, p: 1},
	} {
		t.Run(fmt.Sprintf("%+v", c), func(t *testing.T) {
			const batch = 2
			cloud := func(n int, sd float64) Clouds {
				v := normals(r, batch*n*c.dim, sd)
				for i := range v {
					v[i] += float32(c.far)
				}
				copy(v[:c.dim], v[n*c.dim-c.dim:n*c.dim]) // two equal points
				out := Clouds{Coords: v, Batch: batch, Points: n, Dim: c.dim}
				if c.mass {
					for range batch * n {
						out.Mass = append(out.Mass, float64(r.Float32()))
					}
				}
				return out
			}
			x, y := cloud(c.m, .3), cloud(c.n, .5)
			if c.same {
				y = x
			}
			d := directions(r, c.slices, c.dim)
			clear(d[c.dim : 2*c.dim])
			up := make([]float64, batch*c.slices)
			for i := range up {
				up[i] = r.NormFloat64()
			}
			o := Config{P: c.p, Reduce: Mean}
			costs := must.M1(HostCosts(x, y, d, c.slices, o))
			for _, wrt := range []Wrt{Directions, X | Directions, X | Y} {
				again, grad := must.M2(HostGradients(x, y, d, c.slices, up, wrt, o))
				var sum Gradients
				for l := range c.slices {
					one := d[l*c.dim : (l+1)*c.dim]
					alone := must.M1(HostCosts(x, y, one, 1, o))
					of, g := must.M2(HostGradients(x, y, one, 1, []float64{up[l], up[c.slices+l]}, wrt, o))
					for b := range batch {
						at := b*c.slices + l
						if costs[at] != alone[b] || again[at] != of[b] {
							t.Fatalf("pair %d, slice %d: %v and %v together, %v and %v alone", b, l, costs[at], again[at], alone[b], of[b])
						}
						if wrt&Directions != 0 && !slices.Equal(grad.Directions[at*c.dim:][:c.dim], g.Directions[b*c.dim:][:c.dim]) {
							t.Fatalf("pair %d, slice %d: the gradients in the direction differ", b, l)
						}
					}
					sum.X, sum.Y = add(sum.X, g.X), add(sum.Y, g.Y)
				}
				if !slices.Equal(grad.X, sum.X) || !slices.Equal(grad.Y, sum.Y) {
					t.Fatal("the gradients in the points differ")
				}
			}
		})
	}
}

// TestGroups: costs are the same to the last bit on any number of goroutines, which divide few
// directions among themselves: with keys of 32 and of 64 bits, and where a few directions remain that do
// not fill a vector.
func TestGroups(t *testing.T) {
	r := rand.New(rand.NewPCG(9, 3))
	const m = 200
	for _, pairs := range []int{1, 2, 70} {
		x, y := normalClouds(r, pairs, m, 3, 1), normalClouds(r, pairs, m, 3, 2)
		for _, lines := range []int{1, 2, 3, 5, 10, 16, 17, 18, 20, 35} {
			d := directions(r, lines, 3)
			for _, fast := range []bool{false, true} {
				var first []float64
				for _, procs := range []int{1, 2, 3, 5, 40} {
					before := runtime.GOMAXPROCS(procs)
					c := must.M1(HostCosts(x, y, d, lines, Config{Fast: fast}))
					runtime.GOMAXPROCS(before)
					if first == nil {
						first = c
					} else if !slices.Equal(c, first) {
						t.Errorf("%d pairs, %d directions, fast %v: costs differ between 1 and %d goroutines", pairs, lines, fast, procs)
					}
				}
			}
		}
	}
}

// TestLargeFits: clouds whose vectors would not fit into memory are refused, and sorted without Fast.
func TestLargeFits(t *testing.T) {
	if lanes.Lanes(fastBits) == 0 {
		t.Skip("this processor has no vector instructions that the package uses")
	}
	defer debug.SetMemoryLimit(debug.SetMemoryLimit(1 << 26))
	const m = 900_000
	x := Clouds{Coords: make([]float32, m), Batch: 1, Points: m, Dim: 1}
	x.Coords[0] = 1
	var refused *memory.Error
	d := []float32{1, -1, .5}
	if _, err := HostCosts(x, x, d, 3, Config{Fast: true}); !errors.As(err, &refused) || refused.Needed < 1<<26 {
		t.Errorf("%v, expected too little memory", err)
	}
	if costs, err := HostCosts(x, x, d, 3, Config{}); err != nil || !slices.Equal(costs, make([]float64, 3)) {
		t.Errorf("%v, %v", costs, err)
	}
}

func add(a, b []float64) []float64 {
	if a == nil {
		return slices.Clone(b)
	}
	for i, v := range b {
		a[i] += v
	}
	return a
}

// TestFast compares costs from keys of 32 bits with exact ones: within 1e-6, for clouds of every
// distance, from far apart to equal; and for points whose rounding errors would add up without a dither:
// lattices, and many equal points beside an outlier.
func TestFast(t *testing.T) {
	r := rand.New(rand.NewPCG(9, 2))
	fast := 0
	compare := func(name string, x, y Clouds, d []float32) {
		t.Helper()
		for _, p := range []float64{1, 1.5, 2} {
			n := len(d) / x.Dim
			exact := must.M1(HostCosts(x, y, d, n, Config{P: p, Reduce: Mean}))
			got := must.M1(HostCosts(x, y, d, n, Config{P: p, Reduce: Mean, Fast: true}))
			for i, v := range exact {
				if math.Abs(got[i]-v) > 1e-6*v {
					t.Fatalf("%s, p = %g, slice %d: %v, want %v", name, p, i, got[i], v)
				}
				if got[i] != v {
					fast++
				}
			}
		}
	}
	for _, m := range []int{1, 5, 300, 2048} {
		for _, dim := range []int{1, 3, 20} {
			x := normalClouds(r, 2, m, dim, 1)
			for _, off := range []float32{10, 1, 1e-2, 3e-3, 1e-3, 1e-4, 1e-6, 0} {
				y := Clouds{Coords: slices.Clone(x.Coords), Batch: 2, Points: m, Dim: dim}
				for i := range y.Coords {
					y.Coords[i] += off * (1 + float32(r.NormFloat64()))
				}
				compare(fmt.Sprintf("m = %d, d = %d, distance %g", m, dim, off), x, y, directions(r, 35, dim))
			}
		}
	}
	for _, far := range []float32{1e3, 1e5, 1e7} { // float32 has few numbers there
		for _, m := range []int{300, 20000} {
			x, y := normalClouds(r, 1, m, 3, 5), normalClouds(r, 1, m, 3, 7)
			for i := range x.Coords {
				x.Coords[i] += far
				y.Coords[i] += far
			}
			compare(fmt.Sprintf("%d points %g from the origin", m, far), x, y, directions(r, 35, 3))
		}
	}
	m := maxLanePoints + 1 // beyond it costs that are not certain are computed by the radix sort
	large := normalClouds(r, 1, m, 1, 1)
	for _, off := range []float32{.5, 0} {
		y := Clouds{Coords: slices.Clone(large.Coords), Batch: 1, Points: m, Dim: 1}
		for i := range y.Coords {
			y.Coords[i] += off
		}
		compare(fmt.Sprintf("%d points, %g apart", m, off), large, y, []float32{1, -1, .5})
	}
	lattice := func(m int, at func(i int) float32) Clouds {
		c := Clouds{Batch: 1, Points: m, Dim: 3}
		for i := range m {
			c.Coords = append(c.Coords, at(i), 0, 0)
		}
		return c
	}
	axes := append([]float32{1, 0, 0, -1, 0, 0, .5, 0, 0}, directions(r, 13, 3)...)
	for _, m := range []int{100, 2048, 20000} {
		for _, shift := range []float32{.1, .01, .001, 1.0 / 1024} {
			regular := func(from float32) Clouds { return lattice(m, func(i int) float32 { return from + float32(i) }) }
			compare(fmt.Sprintf("%d points of a lattice, %g apart", m, shift), regular(0), regular(shift), axes)
			outlier := func(at float32) Clouds {
				return lattice(m, func(i int) float32 {
					if i == 0 {
						return 100
					}
					return at
				})
			}
			compare(fmt.Sprintf("%d equal points and an outlier, %g apart", m, shift), outlier(0), outlier(shift), axes)
		}
	}
	if lanes.Lanes(32) > 0 && fast < 1000 {
		t.Errorf("%d costs differ from the exact ones, expected most: 32 bits were not used", fast)
	}
}

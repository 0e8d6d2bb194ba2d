package ot1d

import (
	"math"
	"math/rand/v2"
	"runtime"
	"slices"
	"testing"

	"github.com/janpfeifer/must"
)

// TestHostGradient compares with central differences of the float64 reference, for plain sums, unequal
// sizes and weights, with directions of every pair's own and shared.
func TestHostGradient(t *testing.T) {
	const batch, lines = 2, 5
	for _, c := range []struct {
		dim, m, n int
		hasMass   bool
		shared    bool
	}{{3, 24, 24, false, false}, {2, 24, 24, false, true}, {3, 24, 15, false, true}, {3, 20, 24, true, false}} {
		dim := c.dim
		for _, p := range []float64{1.5, 2, 3} {
			r := rand.New(rand.NewPCG(3, 1))
			x, y := normalClouds(r, batch, c.m, dim, .3), normalClouds(r, batch, c.n, dim, .5)
			d := directions(r, batch*lines, dim)
			if c.shared {
				d = d[:lines*dim]
			}
			if c.hasMass {
				x.Mass, y.Mass = positive(r, batch*c.m), positive(r, batch*c.n)
			}
			upstream := make([]float64, batch*lines)
			for i := range upstream {
				upstream[i] = r.NormFloat64()
			}
			o := Config{P: p, Reduce: meanIf(c.m != c.n || c.dim == 2)}
			loss := func() float64 {
				sum := 0.0
				for k, u := range upstream {
					b, at := k/lines, k*dim%len(d)
					if o.Reduce == Mean {
						sum += u * quantile(x.cloud(b), y.cloud(b), x.mass(b), y.mass(b), d[at:at+dim], p)
					} else {
						sum += u * reference(x.cloud(b), y.cloud(b), d[at:at+dim], p)
					}
				}
				return sum
			}
			costs, grad := must.M2(HostGradients(x, y, d, lines, upstream, X|Y|Directions, o))
			gd, all := grad.Directions, [][]float64{grad.X, grad.Y, grad.Directions}
			alone := must.M1(HostCosts(x, y, d, lines, o))
			for k := range costs {
				if math.Abs(costs[k]-alone[k]) > 1e-12*alone[k] {
					t.Errorf("cost %v with and %v without gradient", costs[k], alone[k])
				}
			}
			for i, wrt := range []Wrt{X, Y, Directions} { // what is not asked for is nil and changes nothing
				quick, one := must.M2(HostGradients(x, y, d, lines, upstream, wrt, o))
				same := func(a, b float64) bool { return math.Abs(a-b) <= 1e-11*math.Max(1, math.Abs(b)) }
				for k, g := range [][]float64{one.X, one.Y, one.Directions} {
					if k != i && g != nil || k == i && !slices.EqualFunc(g, all[k], same) || !slices.EqualFunc(quick, costs, same) {
						t.Errorf("m=%d n=%d p=%g, Wrt %d alone, argument %d: %v", c.m, c.n, p, wrt, k, g)
					}
				}
			}
			if c.shared {
				for i := range d {
					gd[i] += gd[len(d)+i]
				}
			}
			for k, v := range [][]float32{x.Coords, y.Coords, d} {
				for i := range v {
					const h = 1.0 / 1024 / 1024
					keep := v[i]
					v[i] = keep + h
					up, hi := loss(), v[i]
					v[i] = keep - h
					down, lo := loss(), v[i]
					v[i] = keep
					if want := (up - down) / float64(hi-lo); math.Abs(all[k][i]-want) > 1e-4*math.Max(.1, math.Abs(want)) {
						t.Errorf("m=%d n=%d p=%g argument %d element %d: %v, central difference %v", c.m, c.n, p, k, i, all[k][i], want)
					}
				}
			}
		}
	}
}

// TestHostDeterministic: one and several goroutines give the same bits, also where the gradient takes
// several blocks, and those of any part of the directions add up.
func TestHostDeterministic(t *testing.T) {
	const batch, n, lines = 2, 40000, 50
	r := rand.New(rand.NewPCG(7, 1))
	x, y := normalClouds(r, batch, n, 1, 1), normalClouds(r, batch, n, 1, 1)
	d, up := normals(r, lines, 1), slices.Repeat([]float64{.5}, batch*lines)
	var first [4][]float64
	for _, procs := range []int{1, 5} {
		before := runtime.GOMAXPROCS(procs)
		c, grad := must.M2(HostGradients(x, y, d, lines, up, X|Y|Directions, Config{}))
		runtime.GOMAXPROCS(before)
		for i, v := range [][]float64{c, grad.X, grad.Y, grad.Directions} {
			if first[i] == nil {
				first[i] = v
			} else if !slices.Equal(first[i], v) {
				t.Errorf("result %d differs between 1 and %d goroutines", i, procs)
			}
		}
	}
	sum := make([]float64, batch*n)
	for l := 0; l < lines; l += lines / 2 {
		_, grad := must.M2(HostGradients(x, y, d[l:l+lines/2], lines/2, up[:batch*lines/2], Y, Config{}))
		for i, v := range grad.Y {
			sum[i] += v
		}
	}
	for i, v := range sum {
		if math.Abs(v-first[2][i]) > 1e-9*math.Max(1, math.Abs(v)) {
			t.Fatalf("point %d: gradient %v, in parts %v", i, first[2][i], v)
		}
	}
}

// TestHostBatch: the gradients of many pairs, which goroutines share pair by pair, are to the bit those
// of every pair alone, whose slices they share.
func TestHostBatch(t *testing.T) {
	const batch, lines = 70, 13
	for _, c := range []struct{ dim, m, n int }{{3, 40, 40}, {2, 40, 40}, {3, 30, 41}} {
		r := rand.New(rand.NewPCG(5, 1))
		x, y := normalClouds(r, batch, c.m, c.dim, 1), normalClouds(r, batch, c.n, c.dim, 1)
		d, up := directions(r, batch*lines, c.dim), make([]float64, batch*lines)
		for i := range up {
			up[i] = r.NormFloat64()
		}
		if batch < 2*runtime.GOMAXPROCS(0) {
			t.Skip("too few pairs for so many processors")
		}
		for _, p := range []float64{1, 2} {
			o := Config{P: p, Reduce: Mean}
			costs, grad := must.M2(HostGradients(x, y, d, lines, up, X|Y|Directions, o))
			for b := range batch {
				one := func(c Clouds) Clouds { return Clouds{Coords: c.cloud(b), Batch: 1, Points: c.Points, Dim: c.Dim} }
				own := d[b*lines*c.dim:][:lines*c.dim]
				k, g := must.M2(HostGradients(one(x), one(y), own, lines, up[b*lines:][:lines], X|Y|Directions, o))
				all := [][]float64{costs, grad.X, grad.Y, grad.Directions}
				for i, alone := range [][]float64{k, g.X, g.Y, g.Directions} {
					if n := len(all[i]) / batch; !slices.Equal(all[i][b*n:][:n], alone) {
						t.Errorf("%+v, p = %g: pair %d differs from itself alone", c, p, b)
					}
				}
			}
		}
	}
}

package sphere

import (
	"cmp"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/janpfeifer/must"
	"gonum.org/v1/gonum/mat"

	"github.com/sliced-wasserstein/lab/swlab/internal/vec"
	"github.com/sliced-wasserstein/lab/swlab/ot1d"
	"github.com/sliced-wasserstein/lab/swlab/vmf"
)

// TestCells: random directions of a cell are within its radius of its centre, and in one of its halves,
// however often it is split; and the first cells hold every direction or its opposite.
func TestCells(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	inside := func(c Cell, at []float64) bool {
		m := mat.NewDense(len(at), len(at), nil)
		for i, v := range c.Corners {
			m.SetCol(i, v)
		}
		var weights mat.VecDense
		err := weights.SolveVec(m, mat.NewVecDense(len(at), at))
		return err == nil && slices.Min(weights.RawVector().Data) > -1e-9
	}
	for dim := 2; dim <= 4; dim++ {
		for range 50 {
			at := vmf.Uniform(r, dim, 1)
			if at[dim-1] < 0 {
				for i := range at {
					at[i] = -at[i]
				}
			}
			first := slices.IndexFunc(orthants(dim), func(c cell) bool { return inside(c.Cell, at) })
			if first < 0 {
				t.Fatalf("%v is in no cell", at)
			}
			c := orthants(dim)[first].Cell
			for range 30 {
				if far := angle(c.Centre, at); far > c.Radius+1e-14 {
					t.Fatalf("%v: %v from the centre, radius %v", at, far, c.Radius)
				}
				halves := c.halves()
				which := slices.IndexFunc(halves[:], func(c Cell) bool { return inside(c, at) })
				if which < 0 {
					t.Fatalf("%v is in none of the halves", at)
				}
				c = halves[which]
			}
		}
	}
}

// randomForm is a form of eigenvalues that are not negative.
func randomForm(r *rand.Rand, dim int) form {
	var plan []ot1d.Match
	x := ot1d.Clouds{Points: 4, Dim: dim, Batch: 1}
	y := ot1d.Clouds{Points: 4, Dim: dim, Batch: 1, Coords: make([]float32, 4*dim)}
	for i := range 4 {
		plan = append(plan, ot1d.Match{X: i, Y: i, Mass: 0.25})
		for range dim {
			x.Coords = append(x.Coords, float32(r.NormFloat64()*math.Exp(r.NormFloat64())))
		}
	}
	return newForm(plan, x, y)
}

// TestBound: in cells of any size the bound of a form, and of the same form as a norm, is at least its
// value at random directions, and little more in a small cell.
func TestBound(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	for dim := 2; dim <= 4; dim++ {
		for range 200 {
			f := randomForm(r, dim)
			c := orthants(dim)[r.IntN(1<<(dim-1))].Cell
			for depth := range 40 {
				bound, most := f.bound(c), 0.0
				for range 10 {
					at := make([]float64, dim)
					for _, v := range c.Corners {
						w := r.ExpFloat64()
						for i := range at {
							at[i] += w * v[i]
						}
					}
					most = max(most, f.along(vec.Unit(at)))
				}
				if most > bound || depth == 39 && bound > 1.01*most+1e-5 {
					t.Fatalf("dim %d, radius %v: bound %v, value %v", dim, c.Radius, bound, most)
				}
				c = c.halves()[r.IntN(2)]
			}
		}
	}
}

// TestMaximize: the largest value of a form is its first eigenvalue. A small budget leaves a larger gap,
// but no wrong one.
func TestMaximize(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 6))
	for dim := 2; dim <= 4; dim++ {
		for range 20 {
			f := randomForm(r, dim)
			var e mat.EigenSym
			e.Factorize(mat.NewSymDense(dim, f.a), false)
			top := math.Sqrt(slices.Max(e.Values(nil)))
			try := func(at []float64) (float64, Bound) { return f.along(at), f.bound }
			for _, s := range []Search{{}, {Gap: 1e-6}, {Budget: 3}} {
				m := must.M1(Maximize(dim, try, s))
				full := s.WithDefaults()
				if !(m.Value <= top*(1+1e-12) && top <= m.Upper) || m.Value != f.along(m.At) {
					t.Errorf("dim %d, %+v: %+v, want %v", dim, s, m, top)
				}
				if reached := m.Upper <= m.Value*(1+full.Gap); !reached && m.Evaluations < full.Budget {
					t.Errorf("dim %d, %+v: ends at %+v", dim, s, m)
				}
			}
		}
	}
}

func TestMaximizeRefuses(t *testing.T) {
	f := func([]float64) (float64, Bound) { return 0, func(Cell) float64 { return 0 } }
	for want, try := range map[string]func() error{
		"at least 2 dimensions, found 1": func() error { _, err := Maximize(1, f, Search{}); return err },
		"gap: expected a number > 0":     func() error { _, err := Maximize(2, f, Search{Gap: -1}); return err },
		"budget: expected at least 1":    func() error { _, err := Maximize(2, f, Search{Budget: -1}); return err },
		"dimension 2 or 3, found 4": func() error {
			x := ot1d.Clouds{Coords: make([]float32, 4), Batch: 1, Points: 1, Dim: 4}
			_, err := MaxSliced(x, x, 2, Search{})
			return err
		},
		"point 0: coordinate NaN": func() error {
			x := ot1d.Clouds{Coords: []float32{float32(math.NaN()), 0}, Batch: 1, Points: 1, Dim: 2}
			_, err := MaxSliced(x, x, 2, Search{})
			return err
		},
	} {
		if err := try(); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("error %v, want %q", err, want)
		}
	}
}

// normals is a batch of stretched normal clouds.
func normals(r *rand.Rand, batch, points, dim int, size float64) ot1d.Clouds {
	c := ot1d.Clouds{Batch: batch, Points: points, Dim: dim}
	for range batch * points {
		for j := range dim {
			c.Coords = append(c.Coords, float32(size*r.NormFloat64()*(1+0.5*float64(j))))
		}
	}
	return c
}

func masses(r *rand.Rand, c ot1d.Clouds) ot1d.Clouds {
	for range c.Batch * c.Points {
		c.Mass = append(c.Mass, r.ExpFloat64())
	}
	return c
}

// TestMaxSliced: no direction of a dense grid costs more than the upper bound, and the value is within
// the gap of it.
func TestMaxSliced(t *testing.T) {
	r := rand.New(rand.NewPCG(7, 8))
	for _, c := range []struct {
		name string
		p    float64
		x, y func(dim int) ot1d.Clouds
	}{
		{"p = 2", 0, func(dim int) ot1d.Clouds { return normals(r, 3, 40, dim, 1) },
			func(dim int) ot1d.Clouds { return normals(r, 3, 40, dim, 1) }},
		{"p = 1", 1, func(dim int) ot1d.Clouds { return normals(r, 2, 40, dim, 1) },
			func(dim int) ot1d.Clouds { return normals(r, 2, 40, dim, 2) }},
		{"p = 3, sizes and masses", 3, func(dim int) ot1d.Clouds { return masses(r, normals(r, 2, 20, dim, 1)) },
			func(dim int) ot1d.Clouds { return normals(r, 2, 30, dim, 2) }},
		{"p = 2, sizes and masses", 2, func(dim int) ot1d.Clouds { return normals(r, 2, 20, dim, 1e-20) },
			func(dim int) ot1d.Clouds { return masses(r, normals(r, 2, 30, dim, 1e-20)) }},
		{"one point", 2, func(dim int) ot1d.Clouds { return normals(r, 2, 1, dim, 1e18) },
			func(dim int) ot1d.Clouds { return normals(r, 2, 1, dim, 1e18) }},
	} {
		for dim := 2; dim <= 3; dim++ {
			x, y := c.x(dim), c.y(dim)
			found := must.M1(MaxSliced(x, y, c.p, Search{}))
			const n = 4000
			grid := vec.To[float32](vmf.Uniform(r, dim, n))
			costs := must.M1(ot1d.HostCosts(x, y, grid, n, ot1d.Config{P: c.p, Reduce: ot1d.Mean}))
			for b, m := range found {
				top := math.Pow(slices.Max(costs[b*n:(b+1)*n]), 1/cmp.Or(c.p, 2))
				if top*(1-1e-7) > m.Upper || top*(1-DefaultGap) > m.Value || m.Upper > m.Value*(1+1.01*DefaultGap) {
					t.Errorf("%s, dim %d, pair %d: %+v, grid %v", c.name, dim, b, m, top)
				}
			}
		}
	}
}

// TestMaxSlicedOfItself: a cloud and a permutation of it differ along no direction, and this is proved to
// rounding.
func TestMaxSlicedOfItself(t *testing.T) {
	x := ot1d.Clouds{Coords: []float32{0, 0, 1, 0, 0, 1, 1, 1}, Batch: 1, Points: 4, Dim: 2}
	y := x
	y.Coords = []float32{1, 1, 0, 1, 0, 0, 1, 0}
	for _, p := range []float64{1, 2, 3} {
		m := must.M1(MaxSliced(x, y, p, Search{}))[0]
		if m.Value != 0 || !(m.Upper > 0 && m.Upper < 1e-11) || m.Evaluations > 10 {
			t.Errorf("p = %g: %+v", p, m)
		}
	}
}

// lipschitz is the Lipschitz constant of W_2: the sum of the largest standard deviations of both clouds
// around their common centre.
func lipschitz(x, y ot1d.Clouds) (sum float64) {
	centre := make([]float64, x.Dim)
	for _, c := range []ot1d.Clouds{x, y} {
		for i, v := range c.Coords {
			centre[i%c.Dim] += float64(v) / float64(2*c.Points)
		}
	}
	for _, c := range []ot1d.Clouds{x, y} {
		moments := mat.NewSymDense(c.Dim, nil)
		for i := range c.Points {
			point := vec.To[float64](c.Coords[i*c.Dim : (i+1)*c.Dim])
			for j := range point {
				point[j] -= centre[j]
			}
			moments.SymRankOne(moments, 1/float64(c.Points), mat.NewVecDense(c.Dim, point))
		}
		var e mat.EigenSym
		e.Factorize(moments, false)
		sum += math.Sqrt(slices.Max(e.Values(nil)))
	}
	return sum
}

// TestFewerThanLipschitz: to a gap of 1e-3 of W_2^2, a search by the Lipschitz constant alone needs at least
// 15 times as many directions in the plane, and at least 100 times as many in space, and finds the same.
func TestFewerThanLipschitz(t *testing.T) {
	if testing.Short() {
		t.Skip("tries hundreds of thousands of directions")
	}
	r := rand.New(rand.NewPCG(9, 10))
	for dim, pairs := range map[int]int{2: 20, 3: 1} {
		least, most := math.Inf(1), 0.0
		for range pairs {
			x, y := normals(r, 1, 100, dim, 1), normals(r, 1, 100, dim, 2)
			s := Search{Gap: math.Sqrt(1.001) - 1}
			m := must.M1(MaxSliced(x, y, 2, s))[0]
			constant, pair := lipschitz(x, y), must.M1(ot1d.NewHostPairs(x, y, ot1d.Config{Reduce: ot1d.Mean}))
			s.Budget = 1e7
			slow := must.M1(Maximize(dim, func(at []float64) (float64, Bound) {
				v := math.Sqrt(must.M1(pair.Costs(vec.To[float32](at), 1))[0])
				return v, func(c Cell) float64 { return v + constant*2*math.Sin(c.Farthest(at)/2) }
			}, s))
			if !(slow.Value <= m.Upper && m.Value <= slow.Upper) {
				t.Errorf("dim %d: %+v, by the Lipschitz constant %+v", dim, m, slow)
			}
			ratio := float64(slow.Evaluations) / float64(m.Evaluations)
			least, most = min(least, ratio), max(most, ratio)
		}
		t.Logf("dim %d: %.0f to %.0f times as many directions", dim, least, most)
		if least < map[int]float64{2: 15, 3: 100}[dim] {
			t.Errorf("dim %d: from %.0f times as many directions", dim, least)
		}
	}
}

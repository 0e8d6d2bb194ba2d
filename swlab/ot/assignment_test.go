package ot

import (
	"fmt"
	"math"
	"math/big"
	"math/rand/v2"
	"reflect"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/janpfeifer/must"
)

func source(seed uint64) *rand.Rand { return rand.New(rand.NewPCG(seed, 7)) }

func normal(r *rand.Rand, n int, scale float64) []float32 {
	x := make([]float32, n)
	for i := range x {
		x[i] = float32(scale * r.NormFloat64())
	}
	return x
}

// lattice has many equal points and equal distances.
func lattice(r *rand.Rand, n int) []float32 {
	x := make([]float32, n)
	for i := range x {
		x[i] = float32(r.IntN(3))
	}
	return x
}

func matrixOf(x, y []float32, dim int, p float64) []float64 {
	c := make([]float64, 0, len(x)/dim*(len(y)/dim))
	for i := 0; i < len(x); i += dim {
		for j := 0; j < len(y); j += dim {
			s := 0.0
			for d := range dim {
				e := float64(x[i+d]) - float64(y[j+d])
				s += e * e
			}
			switch p {
			case 1:
				s = math.Sqrt(s)
			case 2:
			default:
				s = math.Pow(s, p/2)
			}
			c = append(c, s)
		}
	}
	return c
}

// verify proves optimality by exact arithmetic, with costs computed here: the matching is one, potentials stay
// below the costs by at most the slack, and the gap is at least the distance of the cost from their sum. The gap
// is below 1e-12 of the cost, or of scale if that is larger.
func verify(t *testing.T, name string, a *Assignment, c []float64, m int, scale float64) {
	t.Helper()
	number := func(v float64) *big.Float { return new(big.Float).SetPrec(wide).SetFloat64(v) }
	total, dual, cost := number(0), number(0), number(a.Cost)
	used := make([]bool, m)
	for i, j := range a.Match {
		if used[j] {
			t.Fatalf("%s: column %d is matched twice", name, j)
		}
		used[j] = true
		total.Add(total, number(c[i*m+int(j)]))
		dual.Add(dual, number(a.U[i])).Add(dual, number(a.V[i]))
	}
	for _, distance := range []*big.Float{number(0).Sub(cost, dual), number(0).Sub(total, cost)} {
		if distance.Cmp(number(a.DualityGap)) > 0 {
			t.Errorf("%s: cost %v may be %v from the optimum, but the gap is %v", name, a.Cost, distance, a.DualityGap)
		}
	}
	for n, v := range c {
		if sum, rest := twoSum(a.U[n/m], a.V[n%m]); sum > v || sum == v && rest > 0 {
			t.Fatalf("%s: U[%d] + V[%d] is above the cost %v", name, n/m, n%m, v)
		}
	}
	if len(a.Match) != m || a.Slack != 0 || !(a.DualityGap <= 1e-12*max(math.Abs(a.Cost), scale)) {
		t.Errorf("%s: %d pairs, cost %v, gap %v, slack %v", name, len(a.Match), a.Cost, a.DualityGap, a.Slack)
	}
}

// sizeOf is the sum of the absolute costs of m pairs, at most.
func sizeOf(c []float64, m int) (size float64) {
	for _, v := range c {
		size = max(size, math.Abs(v)*float64(m))
	}
	return size
}

func assign(t *testing.T, name string, c []float64, m int, scale float64) *Assignment {
	t.Helper()
	a := must.M1(Assign(c, m))
	verify(t, name, a, c, m, scale)
	return a
}

func emd(t *testing.T, name string, x, y []float32, dim int, p float64) *Assignment {
	t.Helper()
	a := must.M1(EMD(x, y, dim, p))
	verify(t, name, a, matrixOf(x, y, dim, p), len(x)/dim, 0)
	return a
}

// refuses checks that every call returns an error with the text that it is under.
func refuses(t *testing.T, calls map[string]func() error) {
	t.Helper()
	for says, f := range calls {
		if err := f(); err == nil || !strings.Contains(err.Error(), says) {
			t.Errorf("error %v, expected one that says %q", err, says)
		}
	}
}

// checkGradient compares a gradient in v with central differences of value, which reads v. Both agree within
// tolerance, relative to 1 or the slope.
func checkGradient(t *testing.T, name string, v []float32, gradient []float64, step, tolerance float64,
	value func() float64) {
	t.Helper()
	for i, old := range v {
		v[i] = old + float32(step)
		up, high := value(), float64(v[i])
		v[i] = old - float32(step)
		down, low := value(), float64(v[i])
		v[i] = old
		want := (up - down) / (high - low)
		near(t, fmt.Sprintf("%s, coordinate %d", name, i), gradient[i], want, tolerance*(1+math.Abs(want)))
	}
}

func near(t *testing.T, name string, got, want, tol float64) {
	t.Helper()
	if !(math.Abs(got-want) <= tol) {
		t.Errorf("%s: %.15g, expected %.15g within %g", name, got, want, tol)
	}
}

// bruteForce is the least cost over all permutations.
func bruteForce(c []float64, m int) float64 {
	best := math.Inf(1)
	perm := make([]int, m)
	for i := range perm {
		perm[i] = i
	}
	var try func(k int, cost float64)
	try = func(k int, cost float64) {
		if k == m {
			best = min(best, cost)
			return
		}
		for n := k; n < m; n++ {
			perm[k], perm[n] = perm[n], perm[k]
			try(k+1, cost+c[k*m+perm[k]])
			perm[k], perm[n] = perm[n], perm[k]
		}
	}
	try(0, 0)
	return best
}

// hungarian is the textbook O(m^3) method.
func hungarian(c []float64, m int) float64 {
	u, v := make([]float64, m+1), make([]float64, m+1)
	row, way := make([]int, m+1), make([]int, m+1)
	for i := 1; i <= m; i++ {
		row[0] = i
		least, used := make([]float64, m+1), make([]bool, m+1)
		for j := range least {
			least[j] = math.Inf(1)
		}
		j0 := 0
		for row[j0] != 0 {
			used[j0] = true
			delta, next := math.Inf(1), 0
			for j := 1; j <= m; j++ {
				if used[j] {
					continue
				}
				if r := c[(row[j0]-1)*m+j-1] - u[row[j0]] - v[j]; r < least[j] {
					least[j], way[j] = r, j0
				}
				if least[j] < delta {
					delta, next = least[j], j
				}
			}
			for j := range used {
				if used[j] {
					u[row[j]] += delta
					v[j] -= delta
				} else {
					least[j] -= delta
				}
			}
			j0 = next
		}
		for j0 != 0 {
			row[j0] = row[way[j0]]
			j0 = way[j0]
		}
	}
	return -v[0]
}

func TestAssignAgainstPermutations(t *testing.T) {
	r := source(1)
	for m := 1; m <= 7; m++ {
		for k := range 40 {
			c := make([]float64, m*m)
			for n := range c {
				if c[n] = r.NormFloat64(); k%2 == 1 {
					c[n] = float64(r.IntN(4) - 2)
				}
			}
			near(t, fmt.Sprint("m = ", m), assign(t, fmt.Sprint("m = ", m), c, m, sizeOf(c, m)).Cost, bruteForce(c, m), 1e-12)
		}
	}
}

func TestAssignAgainstHungarian(t *testing.T) {
	r := source(2)
	kinds := map[string]func(i, j int) float64{
		"uniform":       func(i, j int) float64 { return r.Float64() },
		"ties":          func(i, j int) float64 { return float64(r.IntN(3) - 1) },
		"equal":         func(i, j int) float64 { return 5 },
		"product":       func(i, j int) float64 { return float64((i + 1) * (j + 1)) }, // the hard case of the Hungarian method
		"sum":           func(i, j int) float64 { return math.Sqrt(float64(i+1)) + math.Log(float64(j+1)) },
		"wild":          func(i, j int) float64 { return math.Exp(20 * r.NormFloat64()) },
		"shifted":       func(i, j int) float64 { return -1e6 + r.Float64() },
		"one expensive": func(i, j int) float64 { return map[bool]float64{true: 1e9, false: r.Float64()}[i == j] },
		"two kinds":     func(i, j int) float64 { return float64((i ^ j) & 1) },
	}
	for name, f := range kinds {
		for _, m := range []int{17, 64, 150} {
			c := make([]float64, m*m)
			for n := range c {
				c[n] = f(n/m, n%m)
			}
			near(t, name, assign(t, name, c, m, sizeOf(c, m)).Cost, hungarian(c, m), 1e-12*sizeOf(c, m))
		}
	}
}

// TestEMDAgainstHungarian covers sizes around those of blocks and of the coarser problems, dimensions with their own
// code, exponents with their own code, and clouds that make ties.
func TestEMDAgainstHungarian(t *testing.T) {
	r := source(3)
	for _, dim := range []int{1, 2, 3, 5, 9} {
		for _, m := range []int{1, 2, 15, 16, 17, 33, 100, 270} {
			for _, p := range []float64{1, 2, 1.5, 0.5} {
				if m == 270 && p == 0.5 {
					continue
				}
				for kind, cloud := range []func() []float32{func() []float32 { return normal(r, m*dim, 1) },
					func() []float32 { return lattice(r, m*dim) }} {
					x, y := cloud(), cloud()
					name := fmt.Sprintf("dim %d, m %d, p %v, kind %d", dim, m, p, kind)
					c := matrixOf(x, y, dim, p)
					near(t, name, emd(t, name, x, y, dim, p).Cost, hungarian(c, m), 1e-10*float64(m))
				}
			}
		}
	}
}

func TestEMDOnTheLine(t *testing.T) {
	r := source(4)
	const m = 300
	x, y := normal(r, m, 1), normal(r, m, 2)
	sx, sy := slices.Sorted(slices.Values(x)), slices.Sorted(slices.Values(y))
	for _, p := range []float64{1, 1.5, 2, 3} {
		want := 0.0
		for i := range sx {
			want += math.Pow(math.Abs(float64(sx[i])-float64(sy[i])), p)
		}
		near(t, fmt.Sprint("p = ", p), emd(t, "line", x, y, 1, p).Cost, want, 1e-12*want)
	}
	// The same along a diagonal in space.
	var x3, y3 []float32
	for i := range x {
		x3, y3 = append(x3, x[i], x[i], x[i]), append(y3, y[i], y[i], y[i])
	}
	near(t, "diagonal", emd(t, "diagonal", x3, y3, 3, 1).Cost, math.Sqrt(3)*emd(t, "line", x, y, 1, 1).Cost, 1e-10*m)
}

func TestKnownAnswer(t *testing.T) {
	x := []float32{0, 0, 0, .5, 0, 0, 0, .5, 0, 0, 0, .5}
	y := []float32{.1, 0, 0, .4, .1, 0, 0, .3, .2, -.2, 0, .6}
	a := emd(t, "K1", x, y, 3, 1)
	near(t, "K1", a.Cost, 0.74787087, 2e-8)
	if !slices.Equal(a.Match, []int32{0, 1, 2, 3}) {
		t.Errorf("match %v", a.Match)
	}
}

// TestEMDProperties: translations, exchange, permutation, scale, identical and bootstrapped clouds.
func TestEMDProperties(t *testing.T) {
	r := source(5)
	const m = 400
	x, y := normal(r, 3*m, 0.3), normal(r, 3*m, 0.5)
	moved := slices.Clone(x)
	for i := range moved {
		moved[i] += []float32{2, -1, 0.5}[i%3]
	}
	// coordinates are rounded to float32
	near(t, "translation, p = 2", emd(t, "translation", x, moved, 3, 2).Cost, m*5.25, 1e-3)
	same := emd(t, "identical", x, x, 3, 1)
	near(t, "identical", same.Cost, 0, 0)
	perm := r.Perm(m)
	shuffled := make([]float32, 3*m)
	for i, q := range perm {
		copy(shuffled[3*q:3*q+3], x[3*i:])
	}
	a := emd(t, "shuffled", x, shuffled, 3, 1)
	near(t, "shuffled", a.Cost, 0, 0)
	for i, q := range perm {
		if int(a.Match[i]) != q {
			t.Fatalf("point %d was matched with %d, expected %d", i, a.Match[i], q)
		}
	}
	for _, p := range []float64{1, 2} {
		forth := emd(t, "forth", x, y, 3, p).Cost
		near(t, "exchanged", emd(t, "back", y, x, 3, p).Cost, forth, 1e-12*forth)
		near(t, "permuted", emd(t, "permuted", shuffled, y, 3, p).Cost, forth, 1e-12*forth)
		big, small := slices.Clone(x), slices.Clone(y)
		for i := range big {
			big[i], small[i] = float32(math.Ldexp(float64(x[i]), 100)), float32(math.Ldexp(float64(y[i]), 100))
		}
		scale := math.Pow(math.Ldexp(1, 100), p)
		near(t, "scaled", emd(t, "scaled", big, small, 3, p).Cost/scale, forth, 1e-12*forth)
	}
	boot := make([]float32, 3*m)
	for i := range m {
		copy(boot[3*i:3*i+3], x[3*r.IntN(m):])
	}
	for _, p := range []float64{1, 2} {
		near(t, "bootstrap", emd(t, "bootstrap", x, boot, 3, p).Cost, hungarian(matrixOf(x, boot, 3, p), m), 1e-10)
	}
	point := make([]float32, 3*m)
	want := 0.0
	for _, c := range matrixOf(point[:3], y, 3, 1) {
		want += c
	}
	near(t, "all in one point", emd(t, "one point", point, y, 3, 1).Cost, want, 1e-9)
	far := slices.Clone(y)
	for i := range far {
		far[i] += 1e5
	}
	near(t, "far away", emd(t, "far", x, far, 3, 1).Cost, hungarian(matrixOf(x, far, 3, 1), m), 1e-9*1e5)
}

// TestEMDProcessors: results do not depend on the number of processors.
func TestEMDProcessors(t *testing.T) {
	r := source(8)
	x, y := normal(r, 3*1000, 1), normal(r, 3*1000, 2)
	before := runtime.GOMAXPROCS(1)
	defer runtime.GOMAXPROCS(before)
	one, _ := EMD(x, y, 3, 1)
	runtime.GOMAXPROCS(4)
	four, _ := EMD(x, y, 3, 1)
	if !reflect.DeepEqual(one, four) {
		t.Error("1 and 4 processors give different assignments")
	}
}

func TestEMDGradient(t *testing.T) {
	r := source(6)
	const m, dim = 40, 3
	x, y := normal(r, m*dim, 1), normal(r, m*dim, 1)
	for _, p := range []float64{1, 1.5, 2, 3} {
		a := emd(t, "gradient", x, y, dim, p)
		cost := func() (sum float64) {
			c := matrixOf(x, y, dim, p)
			for i, j := range a.Match {
				sum += c[i*m+int(j)]
			}
			return sum
		}
		gx, gy := a.Gradient(x, y, dim, p)
		checkGradient(t, fmt.Sprint("x, p ", p), x, gx, 1e-3, 2e-4, cost)
		checkGradient(t, fmt.Sprint("y, p ", p), y, gy, 1e-3, 2e-4, cost)
		gx, gy = emd(t, "coinciding", x, x, dim, p).Gradient(x, x, dim, p)
		near(t, "coinciding", math.Abs(slices.Max(gx))+math.Abs(slices.Min(gy)), 0, 0)
	}
}

// TestCertificateTells: a matching that is not optimal shows in Gap, whatever the potentials.
func TestCertificateTells(t *testing.T) {
	s := newSolver(&matrix{[]float64{1, 5, 0, 2, 1, 7, 3, 4, 1}, 3}, []float64{0, 0, 0})
	for i, j := range []int32{0, 1, 2} { // 1 + 1 + 1; the bound is 0 + 1 + 1
		s.colOf[i], s.rowOf[j], s.cost[i] = j, int32(i), s.c.at(i, int(j))
	}
	a := certify(s.c, s.colOf, s.v)
	if a.Cost != 3 || a.DualityGap != 1 || a.Slack != 0 || !slices.Equal(a.U, []float64{0, 1, 1}) {
		t.Errorf("%+v, expected cost 3, gap 1 and potentials 0, 1, 1", a)
	}
	x := []float64{0, 0, 1, 0}
	points := newSolver(newCloudCosts(x, x, 2, 1), []float64{0, 0})
	points.colOf, points.rowOf, points.cost = []int32{1, 0}, []int32{1, 0}, []float64{1, 1}
	if a := certify(points.c, points.colOf, points.v); a.Cost != 2 || a.DualityGap != 2 {
		t.Errorf("%+v, expected cost 2 and gap 2", a)
	}
}

func TestWrongClouds(t *testing.T) {
	nan, inf := float32(math.NaN()), float32(math.Inf(-1))
	call := func(x, y []float32, dim int, p float64) func() error {
		return func() error { _, err := EMD(x, y, dim, p); return err }
	}
	assign := func(c []float64, m int) func() error { return func() error { _, err := Assign(c, m); return err } }
	three := []float32{1, 2, 3}
	refuses(t, map[string]func() error{
		"found dim = 0":                                                   call(three, three, 0, 1),
		"p > 0, found 0":                                                  call(three, three, 3, 0),
		"p > 0, found NaN":                                                call(three, three, 3, math.NaN()),
		"equally many points, found 1 and 2":                              call(three, make([]float32, 6), 3, 1),
		"dim = 3, 0 and 0 numbers":                                        call(nil, nil, 3, 1),
		"dim = 2, 3 and 3 numbers":                                        call(three, three, 2, 1),
		"coordinate 1 of point 0 of cloud y is NaN":                       call(three, []float32{1, nan, 3}, 3, 1),
		"coordinate 0 of point 1 of cloud x is -Inf":                      call([]float32{1, 2, inf, 2}, make([]float32, 4), 2, 1),
		"to the power of p = 20":                                          call([]float32{-3e38, 0, 0}, []float32{3e38, 0, 0}, 3, 20),
		"expected m >= 1 and m^2 costs, found m = 2 and 3 costs":          assign(make([]float64, 3), 2),
		"the cost of row 1 and column 0 is NaN, expected a finite number": assign([]float64{0, 0, math.NaN(), 0}, 2),
		"the cost of row 0 and column 1 is -Inf, expected a finite":       assign([]float64{0, math.Inf(-1), 0, 0}, 2),
		"has a forbidden pair or costs beyond float64":                    assign([]float64{math.Inf(1), 0, math.Inf(1), 0}, 2),
		"a forbidden pair or costs beyond":                                assign([]float64{1.7e308, math.Inf(1), 0, 1.7e308}, 2),
	})
}

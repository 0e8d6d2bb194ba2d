package ot

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/janpfeifer/must"
)

// around is a matrix in which 60 % of the entries, outside a hidden matching, are 1e6 to 1e300.
func around(r *rand.Rand, m int) []float64 {
	c, allowed := make([]float64, m*m), r.Perm(m)
	for n := range c {
		if c[n] = r.Float64(); n%m != allowed[n/m] && r.Float64() < 0.6 {
			c[n] = math.Pow(10, 6+294*r.Float64())
		}
	}
	return c
}

func TestCertificateOfWideCosts(t *testing.T) {
	r := source(11)
	for k := range 200 {
		m := 1 + r.IntN(8)
		if k >= 150 {
			m = 20 + r.IntN(280)
		}
		c := around(r, m)
		if k%3 == 1 { // the largest ones are forbidden
			for n, v := range c {
				if v > 1e200 {
					c[n] = math.Inf(1)
				}
			}
		}
		if testing.Short() && k >= 160 {
			break
		}
		name := fmt.Sprintf("matrix %d, m = %d", k, m)
		a := assign(t, name, c, m, 0)
		if m <= 8 {
			want := bruteForce(c, m)
			near(t, name, a.Cost, want, 1e-13*want)
		}
	}
}

func TestAssignWideCosts(t *testing.T) {
	inf := math.Inf(1)
	for _, k := range []struct {
		c    []float64
		want float64
	}{
		{[]float64{0.1, 1e20, 0.3, 1e20, 0.2, 0.9, 0.5, 0.4, 1e20}, 1},
		{[]float64{1e308, 1, 1, 1e308}, 2},
		{[]float64{1.7e308, 1, 0, 1.7e308}, 1},
		{[]float64{inf, 3, 4, inf}, 7},
		{[]float64{inf, -3, 1e300, inf, 4, -3, 1, inf, inf}, -5},
		{[]float64{-1e300, 1, inf, 2, 1e300, 3, inf, 5, -1e300}, -1e300},
		{[]float64{1e300, inf, inf, inf, -1e300, inf, inf, inf, 3}, 3},
		{[]float64{1e16, -1, 7, -1e16, 1e300, 3, 2, 5, 1}, -1e16},
		{[]float64{5e-324, 1e300, 1e300, 5e-324}, 1e-323},
		{[]float64{1e300, 1e300, 1e300, 1e300}, 2e300},
		{[]float64{0, 0, inf, inf, 0, inf, 0, inf, 0}, 0},
		{[]float64{0, inf, inf, inf, inf, 0, inf, 0, inf}, 0},
		{[]float64{-1e11, inf, inf, -4e10}, -1.4e11},
		{[]float64{5, inf, 5, 5, 5, inf, inf, 5, 5}, 15},
	} {
		m := int(math.Sqrt(float64(len(k.c))))
		near(t, fmt.Sprint(k.c), assign(t, fmt.Sprint(k.c), k.c, m, 0).Cost, k.want, 0)
	}
}

// TestEMDHighPowers: on the line the matching in order is the optimum for every p >= 1.
func TestEMDHighPowers(t *testing.T) {
	near(t, "p = 60", emd(t, "p = 60", []float32{1, 2, 5, 5}, []float32{0, 6, 1, 6}, 1, 60).Cost, 4, 0)
	r := source(12)
	for _, p := range []float64{1, 2, 7, 30, 60, 100} {
		for _, m := range []int{2, 8, 64, 300} {
			if testing.Short() && m > 64 {
				continue // runs in make check
			}
			for dim := 1; dim <= 3; dim++ {
				x, y := normal(r, m*dim, 10), normal(r, m*dim, 10)
				name := fmt.Sprintf("p %v, m %d, dim %d", p, m, dim)
				a := emd(t, name, x, y, dim, p)
				if dim > 1 {
					continue
				}
				slices.Sort(x)
				slices.Sort(y)
				want := 0.0
				for i := range x {
					want += math.Pow(math.Abs(float64(x[i])-float64(y[i])), p)
				}
				near(t, name, a.Cost, want, 1e-12*want)
			}
		}
	}
	// costs between the clouds' ends are beyond float64, those of the optimum are not
	a := must.M1(EMD([]float32{0, 1e4, 3e4}, []float32{3e4 + 2, 2, 1e4 + 2}, 1, 100))
	near(t, "beyond float64", a.Cost, 3*math.Pow(2, 100), 0)
}

// TestAssignFeasible: a matrix of equal costs and forbidden pairs around a hidden matching has that
// matching's cost, whatever the costs are.
func TestAssignFeasible(t *testing.T) {
	r := source(13)
	for k := range 200 {
		m := 1 + r.IntN(12)
		cost := []float64{0, 3, -2, 1e-300, -1e300}[k%5]
		c, allowed := make([]float64, m*m), r.Perm(m)
		for n := range c {
			if c[n] = cost; n%m != allowed[n/m] && r.Float64() < 0.7 {
				c[n] = math.Inf(1)
			}
		}
		a := must.M1(Assign(c, m))
		near(t, fmt.Sprintf("m = %d, costs %v", m, cost), a.Cost, float64(m)*cost, 1e-15*float64(m)*math.Abs(cost))
	}
}

// TestAssignBeyondFloat64: sums and differences beyond float64 are refused, or leave the gap open.
func TestAssignBeyondFloat64(t *testing.T) {
	for _, c := range [][]float64{
		{-3.251972985915313e307, -1.709603007445239e308, 1.2740424832427108e308, 9.709166222461102e307},
		{1.7599118299735962e308, -1.0248146243234233e308, -1.0218498819707715e308, -1.6892229991880384e308,
			3.0653159135956136e307,
			-1.5389949933519322e308, 9.468724041427056e307, -9.410068189482254e307, 1.2992744120672209e308},
	} {
		m := int(math.Sqrt(float64(len(c))))
		a, err := Assign(c, m)
		if err != nil {
			continue
		}
		if math.IsInf(a.Cost, 0) || !(a.DualityGap >= a.Cost-bruteForce(c, m)) {
			t.Errorf("%v: %+v", c, a)
		}
	}
}

package ot

import (
	"cmp"
	"fmt"
	"math"
	"math/big"
	"math/bits"
	"slices"

	"github.com/sliced-wasserstein/lab/swlab/internal/parallel"
)

// TransportPlan is an optimal plan between two clouds with masses and its certificate of optimality.
type TransportPlan struct {
	// Mass[e] goes from point X[e] to point Y[e]; in all, 1. There are at most as many entries as
	// points of both clouds.
	X, Y []int32
	Mass []float64
	Cost float64 // sum_e Mass[e] c(x_X[e], y_Y[e]) = W_p^p, a MEAN over mass
	// Dual potentials: U[i] + V[j] <= c_ij for all i and j. So no plan between masses a and b costs
	// less than sum a U + sum b V.
	U, V []float64
	// DualityGap bounds the distance of Cost from the optimum for the costs in float64, with every
	// rounding added.
	DualityGap float64

	ground Ground
}

// Transport moves the masses of the points of x [m, dim] to those of the points of y [n, dim] at
// the least total cost sum_ij P_ij ||x_i - y_j||^p, p > 0: the plan P has row sums massX and column
// sums massY, each divided by its sum. Masses may be 0; nil stands for equal ones.
//
// It is a network simplex on strongly feasible trees, which starts from the plan along the widest
// axis. Masses are integers in it, in units of 2^-120 of their sum, so that they balance exactly and
// no mass moves for the sake of rounding. The costs are stored, 8 m n bytes.
func Transport(x, y []float32, dim int, p float64, massX, massY []float64) (*TransportPlan, error) {
	return Euclidean.Transport(x, y, dim, p, massX, massY)
}

// Transport is the function [Transport] with this ground cost.
func (g Ground) Transport(x, y []float32, dim int, p float64, massX, massY []float64) (*TransportPlan, error) {
	m, n, err := checkSides("Transport", x, y, dim, p)
	if err != nil {
		return nil, err
	}
	if err := checkTable(m, n); err != nil {
		return nil, err
	}
	a, err := unitsOf("massX", massX, m)
	if err != nil {
		return nil, err
	}
	b, err := unitsOf("massY", massY, n)
	if err != nil {
		return nil, err
	}
	axis := widestAxis(x, y, dim)
	rows, cols := a.alongAxis(x, dim, axis), b.alongAxis(y, dim, axis)
	problem := &transportProblem{m: m, n: n, a: a, b: b, rows: rows, cols: cols, costs: g.costs(x, y, dim, p)}
	plan := problem.solve()
	if plan == nil {
		return nil, beyondFloat64("Transport", p)
	}
	plan.ground = g
	return plan, nil
}

// Gradient is the gradient of Cost in the points with the plan held fixed, [m, dim] and [n, dim]:
// sum of Mass p ||d||^(p-2) d, d = x_X[e] - y_Y[e], over the entries of a point of x, and its
// negative for y. Coinciding points contribute 0. x, y, dim and p are those of [Transport].
func (t *TransportPlan) Gradient(x, y []float32, dim int, p float64) (gx, gy []float64) {
	gx, gy = make([]float64, len(x)), make([]float64, len(y))
	for e, mass := range t.Mass {
		i, j := int(t.X[e]), int(t.Y[e])
		t.ground.add(gx[i*dim:(i+1)*dim], gy[j*dim:(j+1)*dim], x[i*dim:(i+1)*dim], y[j*dim:(j+1)*dim], p, mass)
	}
	return gx, gy
}

// widestAxis is the coordinate with the largest extent.
func widestAxis(x, y []float32, dim int) int {
	axis, widest := 0, -1.0
	for d := range dim {
		low, high := math.Inf(1), math.Inf(-1)
		for _, cloud := range [][]float32{x, y} {
			for i := d; i < len(cloud); i += dim {
				low, high = min(low, float64(cloud[i])), max(high, float64(cloud[i]))
			}
		}
		if high-low > widest {
			axis, widest = d, high-low
		}
	}
	return axis
}

// shares are masses as integers: mass i is unit[i]/sum of the whole.
type shares struct {
	unit []*big.Int
	sum  *big.Int
}

// unitsOf makes integers of masses; nil stands for n equal ones.
func unitsOf(name string, masses []float64, n int) (shares, error) {
	s := shares{unit: make([]*big.Int, n), sum: new(big.Int)}
	if masses != nil && len(masses) != n {
		return s, fmt.Errorf("Transport: expected a mass in %s for each of %d points, found %d", name, n, len(masses))
	}
	sum := new(big.Float).SetPrec(wide)
	for i, v := range masses {
		if !(v >= 0) || math.IsInf(v, 1) {
			return s, fmt.Errorf("Transport: %s[%d] is %v, expected a finite mass of at least 0", name, i, v)
		}
		sum.Add(sum, new(big.Float).SetFloat64(v))
	}
	if masses != nil && sum.Sign() == 0 {
		return s, fmt.Errorf("Transport: %s: expected a positive mass, found only 0", name)
	}
	const unitBits = 120
	for i := range s.unit {
		s.unit[i] = big.NewInt(1)
		if masses != nil {
			v := new(big.Float).SetFloat64(masses[i])
			v.SetMantExp(v, unitBits-sum.MantExp(nil))
			v.SetPrec(wide).Add(v, big.NewFloat(0.5)).Int(s.unit[i])
		}
		s.sum.Add(s.sum, s.unit[i])
	}
	return s, nil
}

// alongAxis are the points that have mass, in the order of one coordinate.
func (s shares) alongAxis(x []float32, dim, axis int) []int32 {
	var order []int32
	for i, u := range s.unit {
		if u.Sign() > 0 {
			order = append(order, int32(i))
		}
	}
	slices.SortFunc(order, func(a, b int32) int {
		return cmp.Or(cmp.Compare(x[int(a)*dim+axis], x[int(b)*dim+axis]), cmp.Compare(a, b))
	})
	return order
}

type transportProblem struct {
	m, n       int
	a, b       shares
	rows, cols []int32   // the points with mass, in the order of the first plan
	costs      []float64 // [m, n], +Inf where beyond float64
}

// solve solves again with clipped costs, as [matrix.assign] does, as long as the largest cost that
// the plan uses falls. Potentials for clipped costs are valid, whatever the limit. nil: the plan
// found has a cost beyond float64.
func (t *transportProblem) solve() (known *TransportPlan) {
	limit := 0.0
	for _, c := range t.costs {
		if !math.IsInf(c, 1) {
			limit = max(limit, c)
		}
	}
	limit = min(2*limit, math.MaxFloat64)
	s := newSimplex(t)
	for {
		// The sums of the simplex stay within float64.
		_, exponent := math.Frexp(limit)
		scale := math.Ldexp(1, min(0, 1000-exponent-bits.Len(uint(t.m+t.n))))
		for r, i := range t.rows {
			for c, j := range t.cols {
				s.cost[r*len(t.cols)+c] = min(t.costs[int(i)*t.n+int(j)], limit) * scale
			}
		}
		s.run()
		next, most := t.certify(s, 1/scale)
		if math.IsInf(next.Cost, 1) {
			return known
		}
		if known == nil || next.DualityGap < known.DualityGap {
			known = next
		}
		last := limit
		limit = max(2*most, 0x1p-1000)
		if known.DualityGap <= proved*known.Cost || !(limit <= last/2) {
			return known
		}
	}
}

// certify reads the plan and its potentials from a solved simplex, as [certify] does for a matching,
// and the largest cost that the plan uses.
func (t *transportProblem) certify(s *simplex, scale float64) (plan *TransportPlan, most float64) {
	number := func(v *big.Int) *big.Float { return new(big.Float).SetPrec(wide).SetInt(v) }
	plan = &TransportPlan{U: make([]float64, t.m), V: make([]float64, t.n)}
	whole := number(new(big.Int).Mul(t.a.sum, t.b.sum))
	cost := number(new(big.Int))
	for node, flow := range s.flow {
		if node == 0 || flow == (units{}) {
			continue
		}
		row, col := s.arcOf(int32(node))
		i, j := t.rows[row], t.cols[col]
		c := t.costs[int(i)*t.n+int(j)]
		if math.IsInf(c, 1) {
			return &TransportPlan{Cost: c}, c
		}
		most = max(most, c)
		mass := number(flow.int())
		mass.Quo(mass, whole)
		share, _ := mass.Float64()
		plan.X, plan.Y, plan.Mass = append(plan.X, i), append(plan.Y, j), append(plan.Mass, share)
		cost.Add(cost, mass.Mul(mass, new(big.Float).SetFloat64(c)))
	}
	plan.Cost, _ = cost.Float64()
	has := make([]bool, t.n)
	for c, j := range t.cols {
		plan.V[j], has[j] = s.potential[len(t.rows)+c]*scale, true
	}
	parallel.Pieces(t.m, 16, func(from, to int) {
		for i := from; i < to; i++ {
			u := math.Inf(1)
			for j, c := range t.costs[i*t.n : (i+1)*t.n] {
				if has[j] && !math.IsInf(c, 1) {
					u = min(u, differenceBelow(c, plan.V[j]))
				}
			}
			plan.U[i] = u
		}
	})
	for j := range plan.V {
		if has[j] {
			continue
		}
		v := math.Inf(1)
		for i, u := range plan.U {
			v = min(v, differenceBelow(t.costs[i*t.n+j], u))
		}
		plan.V[j] = v
	}
	// The gap is the larger of both distances: of Cost from the bound, and of the plan from Cost.
	bound := number(new(big.Int))
	for _, side := range []struct {
		shares
		potential []float64
	}{{t.a, plan.U}, {t.b, plan.V}} {
		sum := number(new(big.Int))
		for i, w := range side.unit {
			if w.Sign() > 0 {
				sum.Add(sum, number(w).Mul(number(w), new(big.Float).SetFloat64(side.potential[i])))
			}
		}
		bound.Add(bound, sum.Quo(sum, number(side.sum)))
	}
	value := new(big.Float).SetPrec(wide).SetFloat64(plan.Cost)
	for _, distance := range []*big.Float{number(new(big.Int)).Sub(value, bound), number(new(big.Int)).Sub(cost, value)} {
		if gap, rounded := distance.Float64(); gap > plan.DualityGap || rounded == big.Below && gap >= plan.DualityGap {
			if rounded == big.Below {
				gap = math.Nextafter(gap, math.Inf(1))
			}
			plan.DualityGap = gap
		}
	}
	return plan, most
}

package ot

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"github.com/sliced-wasserstein/lab/swlab/internal/parallel"
)

// Sinkhorn is entropic optimal transport: the plan P >= 0 with row sums a and column sums b that
// minimises
//
//	sum_ij P_ij c_ij + Reg sum_ij P_ij log P_ij,    c_ij = ||x_i - y_j||^P,
//
// which is P_ij = exp((f_i + g_j - c_ij)/Reg). One iteration is g from f (columns), then f from g
// (rows).
type Sinkhorn struct {
	Reg    float64   // > 0, in units of the cost
	P      float64   // the exponent; 0: 2
	Ground Ground    // the norm in the cost
	A, B   []float64 // masses of the points of x and y, > 0, of equal sums; nil: 1/n and 1/k
	// Iterations > 0: exactly that many plain iterations from f = 0. Iterations = 0: to Tolerance,
	// from larger Reg that fall to the wanted one, with Newton steps where plain iterations are
	// slow.
	Iterations int
	Tolerance  float64 // on Plan.Error; 0: 1e-9. With Iterations > 0 it decides only Converged
	// MaxIterations applies if Iterations = 0; 0: 10000. Every larger Reg has at least one
	// iteration.
	MaxIterations int
}

// Plan is the solution of a [Sinkhorn] problem.
type Plan struct {
	Cost      float64 // sum P c: the transport part
	Entropy   float64 // sum P log P, the negative of the entropy
	Objective float64 // Cost + Reg sum P log(P/(a b)): the regularised cost in its divergence form
	// potentials of rows and columns, unique up to a constant that may move between them
	F, G       []float64
	Error      float64 // sum_i |row sum - a_i| + sum_j |column sum - b_j|, over sum a
	Iterations int     // passes over the kernel, of any kind
	Converged  bool    // Error <= Tolerance

	x, y   []float32
	dim    int
	p, reg float64
	ground Ground
	cost   []float64
}

// Solve finds the plan between x [n, dim] and y [k, dim].
//
// Iterations multiply with a kernel exp((f + g - c)/Reg) that has absorbed the potentials. Only if
// a factor would leave [e^-20, e^20] is an iteration done with logarithms and the kernel rebuilt.
// Costs and kernel are stored: 16 n k bytes, or 8 n k and 12 per entry above e^-100 of its mass if
// those are few. A plan that has not converged in MaxIterations has Converged = false. That happens
// with unequal sizes or masses if Reg is below about 1e-4 of the costs' spread. 2048 points of a
// shape each take 0.25 s on one processor for Reg = 0.1 and 1 s for 1e-3 (BenchmarkSinkhorn).
func (s Sinkhorn) Solve(x, y []float32, dim int) (*Plan, error) {
	s.P, s.Tolerance = cmp.Or(s.P, 2), cmp.Or(s.Tolerance, 1e-9)
	s.MaxIterations = cmp.Or(s.MaxIterations, 10000)
	n, k, err := checkSides("Sinkhorn", x, y, dim, s.P)
	if err != nil {
		return nil, err
	}
	for _, c := range []struct {
		name  string
		value float64
	}{{"Reg", s.Reg}, {"Tolerance", s.Tolerance}} {
		if !(c.value > 0) || math.IsInf(c.value, 1) {
			return nil, fmt.Errorf("Sinkhorn: expected a finite %s > 0, found %v", c.name, c.value)
		}
	}
	if s.Iterations < 0 || s.MaxIterations < 0 {
		return nil, fmt.Errorf("Sinkhorn: expected Iterations >= 0 and MaxIterations >= 0, found %d and %d", s.Iterations,
			s.MaxIterations)
	}
	a, mass, err := masses("A", s.A, n)
	if err != nil {
		return nil, err
	}
	b, massB, err := masses("B", s.B, k)
	if err != nil {
		return nil, err
	}
	if math.Abs(mass-massB) > 1e-9*mass {
		return nil, fmt.Errorf("Sinkhorn: expected masses A and B of equal sums, found %v and %v", mass, massB)
	}
	if err := checkTable(n, k); err != nil {
		return nil, err
	}
	c := s.Ground.costs(x, y, dim, s.P)
	largest := slices.Max(c)
	if math.IsInf(largest*mass, 1) || math.IsInf(largest/s.Reg, 1) {
		return nil, fmt.Errorf(
			"Sinkhorn: costs up to %v with Reg = %v are beyond float64, expected smaller coordinates or P", largest, s.Reg)
	}
	w := newScaling(c, a, b)
	if s.Iterations > 0 {
		w.reg = s.Reg
		w.plain(s.Iterations)
	} else {
		w.solve(s.Reg, largest, s.Tolerance*mass, mass, s.MaxIterations)
	}
	plan := &Plan{F: w.f, G: w.g, Iterations: w.rounds, x: x, y: y, dim: dim, p: s.P, ground: s.Ground, reg: s.Reg,
		cost: c}
	plan.sums(a, b, mass)
	plan.Converged = plan.Error <= s.Tolerance
	return plan, nil
}

// masses checks masses, or makes uniform ones, and sums them.
func masses(name string, w []float64, n int) ([]float64, float64, error) {
	if w == nil {
		return slices.Repeat([]float64{1 / float64(n)}, n), 1, nil
	}
	if len(w) != n {
		return nil, 0, fmt.Errorf("Sinkhorn: expected a mass %s for each of %d points, found %d", name, n, len(w))
	}
	sum := 0.0
	for i, v := range w {
		if sum += v; !(v > 0) || math.IsInf(sum, 1) {
			return nil, 0, fmt.Errorf("Sinkhorn: mass %s[%d] is %v, expected finite masses > 0", name, i, v)
		}
	}
	return w, sum, nil
}

// Matrix is P, [n, k].
func (p *Plan) Matrix() []float64 {
	out := make([]float64, len(p.cost))
	k := len(p.G)
	parallel.Pieces(len(p.F), 16, func(from, to int) {
		for i := from; i < to; i++ {
			for j, g := range p.G {
				out[i*k+j] = math.Exp((p.F[i] + g - p.cost[i*k+j]) / p.reg)
			}
		}
	})
	return out
}

// sums fills in the numbers that are sums over the plan.
func (p *Plan) sums(a, b []float64, mass float64) {
	rows, columns, k := make([]float64, len(a)), make([]float64, len(b)), len(b)
	logB := make([]float64, k)
	for j, w := range b {
		logB[j] = math.Log(w)
	}
	plan, cross := p.Matrix(), 0.0
	for i := range rows {
		c := p.cost[i*k : (i+1)*k]
		for j, m := range plan[i*k : (i+1)*k] {
			if m == 0 {
				continue
			}
			rows[i] += m
			columns[j] += m
			p.Cost += m * c[j]
			p.Entropy += m * (p.F[i] + p.G[j] - c[j]) / p.reg
			cross += m * logB[j]
		}
	}
	for i, w := range a {
		p.Error += math.Abs(rows[i]-w) / mass
		cross += rows[i] * math.Log(w)
	}
	for j, w := range b {
		p.Error += math.Abs(columns[j]-w) / mass
	}
	p.Objective = p.Cost + p.reg*(p.Entropy-cross)
}

// Gradient is the gradient of Cost in the points with the plan held fixed, [n, dim] and [k, dim]:
// sum_j P_ij p ||x_i - y_j||^(p-2) (x_i - y_j) for x_i. For a converged plan it is the exact
// gradient of Objective, which the plan minimises; it is not the gradient of Cost alone. Coinciding
// points contribute 0.
func (p *Plan) Gradient() (gx, gy []float64) {
	return p.ground.gradient(p.Matrix(), p.x, p.y, p.dim, p.p)
}

// Divergence is the debiased S(x, y) = OT(x, y) - (OT(x, x) + OT(y, y))/2 of Objectives, with its
// gradient in x and y.
type Divergence struct {
	Value        float64
	GradX, GradY []float64
	Converged    bool // all three plans
}

// Divergence computes the Sinkhorn divergence, which is zero between a cloud and itself and, for
// P <= 2, positive between different ones. It solves three problems.
func (s Sinkhorn) Divergence(x, y []float32, dim int) (*Divergence, error) {
	xy, err := s.Solve(x, y, dim)
	if err != nil {
		return nil, err
	}
	out := &Divergence{Value: xy.Objective, Converged: xy.Converged}
	out.GradX, out.GradY = xy.Gradient()
	for _, side := range []struct {
		cloud  []float32
		masses []float64
		grad   []float64
	}{{x, s.A, out.GradX}, {y, s.B, out.GradY}} {
		own := s
		own.A, own.B = side.masses, side.masses
		plan, err := own.Solve(side.cloud, side.cloud, dim)
		if err != nil {
			return nil, err
		}
		out.Value -= plan.Objective / 2
		out.Converged = out.Converged && plan.Converged
		first, second := plan.Gradient()
		for e := range first {
			side.grad[e] -= (first[e] + second[e]) / 2
		}
	}
	return out, nil
}

package ot

import (
	"fmt"
	"math"
	"slices"

	"github.com/sliced-wasserstein/lab/swlab/internal/vec"
)

// Constants of the stabilised loop of the released code of Nguyen et al. 2023.
const (
	StabilisedIterations = 1001 // its stopping test is never met
	stabilisedGuard      = 1e-16
	stabilisedLimit      = 100
)

// Stabilised is what the stabilised Sinkhorn loop returns, with its gradient.
type Stabilised struct {
	Cost float64 // sum_ij Gamma_ij M_ij, without an entropy term
	// d Cost / d x [n, dim], d Cost / d y [k, dim], back-propagated through all iterations
	GradX, GradY []float64
	Absorptions  int
	LastAbsorbed bool // the last iteration absorbed: Gamma and all numbers here are n k times too small
}

// StabilisedSinkhorn is the training loss of the latent generator exactly as released: x [n, dim]
// the real and y [k, dim] the generated codes, M_ij = ||x_i - y_j||^2, marginals 1/n and 1/k,
// reg > 0 (released: 1e-3), iterations (released: 1001):
//
//	alpha = beta = 0, u = 1/n, v = 1/k, K = exp(-(M - alpha - beta)/reg)
//	repeat:  v = (1/k) / (K'u + 1e-16),  u = (1/n) / (K v + 1e-16)
//	         if max u > 100 or max v > 100:  alpha += reg log u, beta += reg log v, u = 1/n, v = 1/k, rebuild K
//	         if u or v has a NaN:  restore the u, v before this iteration and stop
//	Gamma = exp(-(M - alpha - beta)/reg + log u + log v)
//
// The gradient is that of the program: it includes the guards and the unconverged loop, and so
// differs from the one with the plan held fixed ([Plan.Gradient]; cosine 0.85 to 0.99 for n = 64,
// dim = 256). An absorption in the last iteration leaves u v = 1/(n k) in Gamma, as in the released
// code; LastAbsorbed reports it.
//
// Cost: 8 n k multiplications per iteration, n k exponentials per absorption. Memory 8 (n+k) bytes
// per iteration.
func StabilisedSinkhorn(x, y []float32, dim int, reg float64, iterations int) (*Stabilised, error) {
	n, k, err := checkSides("StabilisedSinkhorn", x, y, dim, 2)
	if err != nil {
		return nil, err
	}
	if !(reg > 0) || math.IsInf(reg, 1) || iterations < 1 {
		return nil, fmt.Errorf(
			"StabilisedSinkhorn: expected a finite reg > 0 and iterations >= 1, found reg = %v, iterations = %d",
			reg, iterations)
	}
	if err := checkTable(n, k); err != nil {
		return nil, err
	}
	s := &stabilised{n: n, k: k, reg: reg, m: Euclidean.costs(x, y, dim, 2), kernel: make([]float64, n*k)}
	s.forward(iterations)
	out := &Stabilised{Absorptions: len(s.starts) - 1}
	out.LastAbsorbed = s.starts[out.Absorptions] == len(s.u)-1 && out.Absorptions > 0
	var grad []float64
	out.Cost, grad = s.backward()
	if !vec.Finite(out.Cost) {
		return nil, fmt.Errorf("StabilisedSinkhorn: the cost is %v after %d iterations with reg = %v, expected a larger reg",
			out.Cost, len(s.u)-1, reg)
	}
	out.GradX, out.GradY = Euclidean.gradient(grad, x, y, dim, 2)
	return out, nil
}

// stabilised is the tape of the loop. Iteration t goes from (u[t], v[t]) to (u[t+1], v[t+1]), the
// values before an absorption. An iteration that starts segment s uses 1/n, 1/k and the potentials
// alpha[s], beta[s].
type stabilised struct {
	n, k        int
	reg         float64
	m, kernel   []float64   // [n, k]
	u, v        [][]float64 // [iterations + 1]
	starts      []int       // [segments] first iteration
	alpha, beta [][]float64 // [segments]
}

// rebuild computes the kernel of a segment.
func (s *stabilised) rebuild(segment int) {
	alpha, beta := s.alpha[segment], s.beta[segment]
	for i, a := range alpha {
		for j, b := range beta {
			s.kernel[i*s.k+j] = math.Exp(-(s.m[i*s.k+j] - a - b) / s.reg)
		}
	}
}

func (s *stabilised) forward(iterations int) {
	u := slices.Repeat([]float64{1 / float64(s.n)}, s.n)
	v := slices.Repeat([]float64{1 / float64(s.k)}, s.k)
	s.u, s.v, s.starts = [][]float64{u}, [][]float64{v}, []int{0}
	s.alpha, s.beta = [][]float64{make([]float64, s.n)}, [][]float64{make([]float64, s.k)}
	s.rebuild(0)
	for t := range iterations {
		sums := make([]float64, s.k)
		for i, a := range u {
			for j, c := range s.kernel[i*s.k : (i+1)*s.k] {
				sums[j] += c * a
			}
		}
		v, u = sums, make([]float64, s.n)
		worst, bad := 0.0, false
		for j, a := range v {
			v[j] = 1 / float64(s.k) / (a + stabilisedGuard)
			worst, bad = math.Max(worst, v[j]), bad || math.IsNaN(v[j])
		}
		for i := range u {
			sum := 0.0
			for j, c := range s.kernel[i*s.k : (i+1)*s.k] {
				sum += c * v[j]
			}
			u[i] = 1 / float64(s.n) / (sum + stabilisedGuard)
			worst, bad = math.Max(worst, u[i]), bad || math.IsNaN(u[i])
		}
		if bad { // undo the iteration
			return
		}
		s.u, s.v = append(s.u, u), append(s.v, v)
		if worst > stabilisedLimit {
			last := len(s.starts) - 1
			alpha, beta := make([]float64, s.n), make([]float64, s.k)
			for i := range alpha {
				alpha[i] = s.alpha[last][i] + s.reg*math.Log(u[i])
			}
			for j := range beta {
				beta[j] = s.beta[last][j] + s.reg*math.Log(v[j])
			}
			s.alpha, s.beta, s.starts = append(s.alpha, alpha), append(s.beta, beta), append(s.starts, t+1)
			s.rebuild(last + 1)
			u = s.u[0]
		}
	}
}

// backward returns the cost and its gradient in M.
func (s *stabilised) backward() (cost float64, grad []float64) {
	n, k, reg := s.n, s.k, s.reg
	segment, t := len(s.starts)-1, len(s.u)-1
	before := func(t int) (u, v []float64) { // the start of iteration t
		if t == s.starts[segment] {
			return s.u[0], s.v[0]
		}
		return s.u[t], s.v[t]
	}
	u, v := before(t)
	grad = make([]float64, n*k)
	du, dv, dalpha, dbeta := make([]float64, n), make([]float64, k), make([]float64, n), make([]float64, k)
	for i := range n {
		for j := range k {
			m := s.m[i*k+j]
			gamma := math.Exp(-(m-s.alpha[segment][i]-s.beta[segment][j])/reg + math.Log(u[i]) + math.Log(v[j]))
			c := gamma * m
			cost += c
			grad[i*k+j] = gamma - c/reg
			du[i] += c / u[i]
			dv[j] += c / v[j]
			dalpha[i] += c / reg
			dbeta[j] += c / reg
		}
	}
	dkernel := make([]float64, n*k)
	for {
		for ; t > s.starts[segment]; t-- {
			old, _ := before(t - 1)
			s.step(old, s.u[t], s.v[t], du, dv, dkernel)
		}
		// The segment's kernel came from M, alpha and beta.
		for i := range n {
			for j := range k {
				g := dkernel[i*k+j] * s.kernel[i*k+j] / reg
				dkernel[i*k+j] = 0
				grad[i*k+j] -= g
				dalpha[i] += g
				dbeta[j] += g
			}
		}
		if segment == 0 {
			return cost, grad
		}
		for i := range du { // alpha = old alpha + reg log u; the next u is a constant
			du[i] = dalpha[i] * reg / s.u[t][i]
		}
		for j := range dv {
			dv[j] = dbeta[j] * reg / s.v[t][j]
		}
		segment--
		s.rebuild(segment)
	}
}

// step turns the gradients du, dv in the results u and v of an iteration into those in its start,
// old and an unused v.
func (s *stabilised) step(old, u, v, du, dv, dkernel []float64) {
	for i, d := range du {
		w := -d * u[i] * u[i] * float64(s.n) // of the sum K v
		du[i] = w
		for j, c := range s.kernel[i*s.k : (i+1)*s.k] {
			dv[j] += c * w
		}
	}
	for j, d := range dv {
		dv[j] = -d * v[j] * v[j] * float64(s.k) // of the sum K'u
	}
	for i, w := range du {
		sum, a := 0.0, old[i]
		row := dkernel[i*s.k : (i+1)*s.k]
		for j, c := range s.kernel[i*s.k : (i+1)*s.k] {
			sum += c * dv[j]
			row[j] += w*v[j] + a*dv[j]
		}
		du[i] = sum
	}
	clear(dv)
}

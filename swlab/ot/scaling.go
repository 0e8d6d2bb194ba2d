package ot

import (
	"math"
	"slices"

	"github.com/sliced-wasserstein/lab/swlab/internal/parallel"
)

const (
	absorbAt   = 20   // |log u|, |log v| beyond which potentials are absorbed
	dropAt     = -100 // log of a kernel entry, relative to the smaller mass, below which it counts as 0
	warmStart  = 30   // the first reg is at least the largest cost over this
	warmFactor = 3    // between successive regs
	warmRounds = 200  // maximum number of passes for a larger reg
	warmError  = 1e-2 // tolerance there
)

// scaling is the state of Sinkhorn's algorithm: the plan is diag(u) kernel diag(v) with
// kernel = exp((f + g - c)/reg).
type scaling struct {
	reg    float64
	c      []float64 // [n, k]
	a, b   []float64
	f, g   []float64
	u, v   []float64
	kernel kernel
	column []float64 // kernel' u
	rounds int
}

func newScaling(c, a, b []float64) *scaling {
	n, k := len(a), len(b)
	return &scaling{c: c, a: a, b: b, f: make([]float64, n), g: make([]float64, k), kernel: newKernel(n, k),
		u: slices.Repeat([]float64{1}, n), v: slices.Repeat([]float64{1}, k), column: make([]float64, k)}
}

// plain does that many iterations from the present potentials, the first with logarithms, and
// absorbs.
func (s *scaling) plain(rounds int) {
	s.logRound()
	s.build()
	for s.rounds < rounds {
		s.advance()
	}
	s.absorb()
}

// solve works through larger, falling regs with a loose tolerance, and reduces the error at the
// last one to tolerance if limit passes over the kernel in all allow it.
func (s *scaling) solve(reg, largest, tolerance, mass float64, limit int) {
	for s.reg = max(reg, largest/warmStart); ; {
		s.build()
		s.advance() // from here on the rows are exact
		if s.reg == reg {
			s.converge(limit, tolerance)
			return
		}
		s.converge(min(limit, s.rounds+warmRounds), warmError*mass)
		next := max(reg, s.reg/warmFactor)
		// f and g hold Reg times the log of the masses.
		for i, w := range s.a {
			s.f[i] += (next - s.reg) * math.Log(w)
		}
		for j, w := range s.b {
			s.g[j] += (next - s.reg) * math.Log(w)
		}
		s.reg = next
	}
}

// error is sum_j |column sum of the plan - b_j|; the rows are exact after an iteration.
func (s *scaling) error() float64 {
	e := 0.0
	for j, w := range s.b {
		e += math.Abs(s.v[j]*s.column[j] - w)
	}
	return e
}

// advance is an iteration, with the kernel if it is accurate.
func (s *scaling) advance() {
	v := make([]float64, len(s.v))
	for j, w := range s.b {
		v[j] = w / s.column[j]
	}
	if !s.follow(v) {
		s.restart()
	}
}

// restart is an iteration with logarithms from the last factors, and a new kernel.
func (s *scaling) restart() {
	s.absorb()
	s.logRound()
	s.build()
}

// follow takes v and the rows' answer u_i = a_i / (kernel v)_i. If a factor would leave the range
// in which the kernel is accurate, it changes nothing and returns false.
func (s *scaling) follow(v []float64) bool {
	low, high := math.Exp(-absorbAt), math.Exp(absorbAt)
	for _, w := range v {
		if !(w > low && w < high) {
			return false
		}
	}
	u, column := make([]float64, len(s.u)), make([]float64, len(s.v))
	s.kernel.round(v, u, column, func(i int, sum float64) float64 { return s.a[i] / sum })
	for _, w := range u {
		if !(w > low && w < high) {
			return false
		}
	}
	s.rounds++
	s.u, s.v, s.column = u, v, column
	return true
}

func (s *scaling) absorb() {
	for i, u := range s.u {
		s.f[i] += s.reg * math.Log(u)
		s.u[i] = 1
	}
	for j, v := range s.v {
		s.g[j] += s.reg * math.Log(v)
		s.v[j] = 1
	}
}

// logRound is an iteration with logarithms, for any potentials.
func (s *scaling) logRound() {
	n, k := len(s.a), len(s.b)
	parts := pieces(n)
	top, sum := make([]float64, parts*k), make([]float64, parts*k)
	parallel.Pieces(parts, 1, func(from, to int) {
		for part := from; part < to; part++ {
			top := top[part*k : (part+1)*k]
			for j := range top {
				top[j] = math.Inf(-1)
			}
			for i := part * n / parts; i < (part+1)*n/parts; i++ {
				f := s.f[i]
				for j, c := range s.c[i*k : (i+1)*k] {
					top[j] = max(top[j], f-c)
				}
			}
		}
	})
	for j := range k {
		for part := 1; part < parts; part++ {
			top[j] = max(top[j], top[part*k+j])
		}
	}
	parallel.Pieces(parts, 1, func(from, to int) {
		for part := from; part < to; part++ {
			sum := sum[part*k : (part+1)*k]
			for i := part * n / parts; i < (part+1)*n/parts; i++ {
				f := s.f[i]
				for j, c := range s.c[i*k : (i+1)*k] {
					if t := (f - c - top[j]) / s.reg; t > dropAt {
						sum[j] += math.Exp(t)
					}
				}
			}
		}
	})
	for j := range k {
		for part := 1; part < parts; part++ {
			sum[j] += sum[part*k+j]
		}
		s.g[j] = s.reg*(math.Log(s.b[j])-math.Log(sum[j])) - top[j]
	}
	parallel.Pieces(n, 16, func(from, to int) {
		for i := from; i < to; i++ {
			top, sum := math.Inf(-1), 0.0
			row := s.c[i*k : (i+1)*k]
			for j, c := range row {
				top = max(top, s.g[j]-c)
			}
			for j, c := range row {
				if t := (s.g[j] - c - top) / s.reg; t > dropAt {
					sum += math.Exp(t)
				}
			}
			s.f[i] = s.reg*(math.Log(s.a[i])-math.Log(sum)) - top
		}
	})
	s.rounds++
}

// build computes the kernel of the present potentials and its column sums.
func (s *scaling) build() {
	s.kernel.build(s.f, s.g, s.c, s.reg, dropAt+math.Log(min(slices.Min(s.a), slices.Min(s.b))))
	s.kernel.round(s.v, make([]float64, len(s.u)), s.column, func(i int, _ float64) float64 { return s.u[i] })
}

package solve

import (
	"fmt"
	"math"
)

// Unbalanced returns the cost of transport whose plan need not have the masses a and b of x and y
// as its sums, at a price kl times the Kullback-Leibler divergence of its sums from them,
//
//	min over P >= 0 of sum_ij P_ij |x_i - y_j|^p + kl sum_i KL(sum_j P_ij | a_i) + kl sum_j KL(sum_i P_ij | b_j),
//	KL(m | a) = m log(m/a) - m + a
//
// Masses are used as given, 1 without any. Two points of masses a and b at cost c pay kl (a + b - 2
// sqrt(ab) exp(-c/(2 kl))), and as kl grows without bound, clouds of one mass pay W_p^p times it.
//
// The dual is, for f_i + g_j <= |x_i - y_j|^p,
//
//	max kl sum_i a_i (1 - exp(-f_i/kl)) + kl sum_j b_j (1 - exp(-g_j/kl))
//
// The problem is that of Séjourné et al. (2023), whose steps of Frank and Wolfe come near the
// optimum; this finds it. The plan lies on a staircase of pairs (i, j). On a given one the dual is
// isotonic regression, which is solved exactly by splitting it at the best cut until no cut gains.
// Where two parts violate the constraint at a corner between them, the staircase turns there, and
// the cost falls. Without such a corner it is optimal, because |d|^p is convex. The first staircase
// is that of half of the points. A few thousand points take milliseconds, and more where kl is
// about the cost of a typical pair.
func Unbalanced(x, y Points, p, kl float64) (Result, error) {
	if err := checkBoth(x, y, p); err != nil {
		return Result{}, err
	}
	if !(kl > 0) || math.IsInf(kl, 1) {
		return Result{}, fmt.Errorf("solve: weight of the divergence: expected a finite number > 0, found %v", kl)
	}
	u := solved(x.sort(1), y.sort(1), exponent(p), kl)
	r := Result{DX: make([]float64, len(x.At)), DY: make([]float64, len(y.At))}
	u.read(&r)
	return r, nil
}

// maxJoins is how often, per point, the staircase may turn everywhere. It needs far fewer turns;
// rounding might repeat them.
const maxJoins = 10

// cell is a pair (i, j).
type cell struct{ i, j int }

// unbalanced is the state of Unbalanced.
type unbalanced struct {
	p          exponent
	kl         float64
	x, y       sorted
	logA, logB []float64 // of the masses
	f, g       []float64 // dual solution
	// stairs are m+n-1 cells from (0, 0) to (m-1, n-1), each with the next i or the next j. Points are
	// numbered as they appear: x_0 is 0, and cell c adds c+1.
	stairs []cell
	cut    []bool // cells that separate two parts and carry nothing

	// of solve
	log     []float64 // [m+n] by point: log of its mass
	label   []int     // 1: above, 0: below
	flow    []logSum  // before a point: the gain of a change there
	changed [][2]bool // whether the label changes before a point, by its label
}

func newUnbalanced(x, y sorted, p exponent, kl float64) *unbalanced {
	m, n := len(x.at), len(y.at)
	u := &unbalanced{p: p, kl: kl, x: x, y: y, f: make([]float64, m), g: make([]float64, n),
		logA: make([]float64, m), logB: make([]float64, n),
		stairs: make([]cell, 0, m+n-1), cut: make([]bool, m+n-1),
		log: make([]float64, m+n), label: make([]int, m+n), flow: make([]logSum, m+n), changed: make([][2]bool, m+n)}
	for i, v := range x.mass {
		u.logA[i] = math.Log(v)
	}
	for j, v := range y.mass {
		u.logB[j] = math.Log(v)
	}
	return u
}

func (u *unbalanced) cost(c cell) float64 { return u.p.power(u.x.at[c.i] - u.y.at[c.j]) }

// walk appends to the staircase that of optimal transport between the masses exp(-f/kl) times those
// of x and exp(-g/kl) times those of y, of the points from the first to the last cell, each side
// divided by its sum.
func (u *unbalanced) walk(first, last cell) {
	a := shares(u.logA, u.f, u.kl, first.i, last.i)
	b := shares(u.logB, u.g, u.kl, first.j, last.j)
	levelA, levelB := a[0], b[0]
	for at := first; ; {
		u.stairs = append(u.stairs, at)
		if at == last {
			return
		}
		if at.j == last.j || at.i < last.i && levelA < levelB {
			at.i++
			levelA += a[at.i-first.i]
		} else {
			at.j++
			levelB += b[at.j-first.j]
		}
	}
}

// shares are the parts of exp(log - potential/kl) in their sum, of the points from first to last.
func shares(log, potential []float64, kl float64, first, last int) []float64 {
	out := make([]float64, last-first+1)
	var sum logSum
	for k := range out {
		out[k] = log[first+k] - potential[first+k]/kl
		sum.add(out[k], 1)
	}
	for k, v := range out {
		out[k] = math.Exp(v - sum.log())
	}
	return out
}

// logSum adds numbers given by their logarithms and signs.
type logSum struct {
	largest, sum float64 // the sum is exp(largest) sum; 0 at first
}

func (s *logSum) add(log, sign float64) {
	switch {
	case *s == logSum{}:
		s.largest, s.sum = log, sign
	case log > s.largest:
		s.largest, s.sum = log, s.sum*math.Exp(s.largest-log)+sign
	default:
		s.sum += sign * math.Exp(log-s.largest)
	}
}

func (s *logSum) log() float64 { return s.largest + math.Log(s.sum) }

// coarse is a cloud with one point for every two neighbours.
func (s sorted) coarse() (half sorted) {
	for i := 0; i < len(s.at); i += 2 {
		at, mass := s.at[i], s.mass[i]
		if i+1 < len(s.at) {
			mass += s.mass[i+1]
			at += (s.at[i+1] - at) * (s.mass[i+1] / mass)
		}
		half.at, half.mass = append(half.at, at), append(half.mass, mass)
	}
	return half
}

// solved is the solution of Unbalanced. Its first staircase is that of the masses of the dual
// solution with half of the points.
func solved(x, y sorted, p exponent, kl float64) *unbalanced {
	u := newUnbalanced(x, y, p, kl)
	m, n := len(x.at), len(y.at)
	if m < 4 || n < 4 {
		u.walk(cell{}, cell{m - 1, n - 1})
	} else {
		half := solved(x.coarse(), y.coarse(), p, kl)
		p.conjugate(half.y.at, half.g, x.at, u.f)
		p.conjugate(x.at, u.f, y.at, u.g)
		var first cell
		for c, at := range half.stairs {
			if c+1 == len(half.stairs) || half.cut[c+1] {
				last := cell{min(2*at.i+1, m-1), min(2*at.j+1, n-1)}
				u.walk(first, last)
				first = cell{last.i + 1, last.j + 1}
				if c+1 < len(half.stairs) { // its corner
					if half.isX(c + 2) {
						u.stairs = append(u.stairs, cell{first.i, last.j})
					} else {
						u.stairs = append(u.stairs, cell{last.i, first.j})
					}
				}
			}
		}
	}
	u.solve(0, len(u.log))
	for turn := 0; turn < maxJoins*(m+n) && u.join(); turn++ {
	}
	return u
}

// conjugate finds the largest g with f_i + g_j <= |x_i - y_j|^p, whose best i ascends with j.
func (p exponent) conjugate(x, f, y, g []float64) {
	var find func(from, to, low, high int)
	find = func(from, to, low, high int) {
		if from >= to {
			return
		}
		j, best := (from+to)/2, low
		g[j] = math.Inf(1)
		for i := low; i <= high; i++ {
			if v := p.power(x[i]-y[j]) - f[i]; v < g[j] {
				g[j], best = v, i
			}
		}
		find(from, j, low, best)
		find(j+1, to, best, high)
	}
	find(0, len(y), 0, len(x)-1)
}

// solve finds f and g for the cells of the staircase alone.
//
// The solutions are f_i + t, g_j - t for f and g of potentials and a translation t of each point; a
// cell demands t <= t' for its x and its y. A point of x gains from a higher t, one of y from a
// lower one. The best t that all points share makes their masses balance. If points do better with
// t's of their own, those that gain most by a higher t, as far as cells allow, lie above the rest
// in the optimum too: both are problems of their own, and so is each run of points in them.
func (u *unbalanced) solve(from, to int) {
	clear(u.cut[from : to-1])
	runs := [][2]int{{from, to}}
	for len(runs) > 0 {
		from, to := runs[len(runs)-1][0], runs[len(runs)-1][1]
		runs = runs[:len(runs)-1]
		u.tie(from, to)
		u.split(from, to)
		first := from
		for k := from + 1; k < to; k++ {
			if u.label[k] != u.label[k-1] {
				u.cut[k-1] = true
				runs = append(runs, [2]int{first, k})
				first = k
			}
		}
		if first > from {
			runs = append(runs, [2]int{first, to})
		}
	}
}

// isX reports whether a point is of x.
func (u *unbalanced) isX(k int) bool {
	return k == 0 || k > 1 && u.stairs[k-1].i > u.stairs[k-2].i
}

// tie finds f and g of the points from ... to-1 that balance, with equality in their cells, and the
// logarithms of their masses.
func (u *unbalanced) tie(from, to int) {
	var a, b logSum
	for k := from; k < to; k++ {
		c := u.stairs[max(k-1, 0)]
		potential, log, sum := &u.g[c.j], u.logB[c.j], &b
		other := u.f[c.i]
		if u.isX(k) {
			potential, log, sum = &u.f[c.i], u.logA[c.i], &a
			other = u.g[c.j]
		}
		*potential = 0
		if k > from {
			*potential = u.cost(c) - other
		}
		u.log[k] = log - *potential/u.kl
		sum.add(u.log[k], 1)
	}
	by := u.kl / 2 * (a.log() - b.log())
	for k := from; k < to; k++ {
		c := u.stairs[max(k-1, 0)]
		if u.isX(k) {
			u.f[c.i] += by
			u.log[k] -= by / u.kl
		} else {
			u.g[c.j] -= by
			u.log[k] += by / u.kl
		}
	}
}

// split labels the points from ... to-1 that are to lie above the rest: those with the largest sum
// of masses of x less masses of y. A label changes only at a corner of the staircase, to below
// where its cell adds a point of x and to above where it adds one of y; what that gains is the flow
// in that cell with a minus, so cells with a negative flow are cut, the best of neighbouring ones
// that change a label alike.
func (u *unbalanced) split(from, to int) {
	// Sums from both ends are the same but for their rounding, which that of smaller masses has less
	// of.
	var sum logSum
	for k := from + 1; k < to; k++ {
		u.add(&sum, k-1)
		u.flow[k] = sum
	}
	top := math.Inf(-1)
	sum = logSum{}
	for k := to - 1; k > from; k-- {
		if u.add(&sum, k); sum.largest < u.flow[k].largest {
			u.flow[k] = logSum{sum.largest, -sum.sum}
		}
		if !u.isX(k) {
			u.flow[k].sum *= -1
		}
		if u.isCorner(k) && u.flow[k].sum > noise {
			top = max(top, u.flow[k].log())
		}
	}
	// the best sums so far by the last label, and before the last change; runs have two points or
	// more, of both clouds
	var now, before [2]float64
	for k := from + 1; k < to; k++ {
		u.changed[k] = [2]bool{}
		if last := before; k > from+1 && k < to-1 && u.gains(k, top) {
			before = now
			gain := math.Copysign(math.Exp(math.Log(math.Abs(u.flow[k].sum))+u.flow[k].largest-top), u.flow[k].sum)
			label := 1
			if u.isX(k) {
				label = 0
			}
			if last[1-label]+gain > now[label] {
				now[label], u.changed[k][label] = last[1-label]+gain, true
			}
		} else {
			before = now
		}
	}
	label := 0
	if now[1] > now[0] {
		label = 1
	}
	for k := to - 1; k >= from; k-- {
		u.label[k] = label
		if u.changed[k][label] && k > from {
			label = 1 - label
			k--
			u.label[k] = label
		}
	}
}

// gains reports whether a cut before a point changes the sum of split, in which top is the
// logarithm of the largest gain.
func (u *unbalanced) gains(k int, top float64) bool {
	return !math.IsInf(top, -1) && u.isCorner(k) && math.Abs(u.flow[k].sum) > noise
}

// noise is the rounding of a sum.
const noise = 1e-14

// add adds the mass of a point, with a minus if it is of y.
func (u *unbalanced) add(sum *logSum, k int) {
	if u.isX(k) {
		sum.add(u.log[k], 1)
	} else {
		sum.add(u.log[k], -1)
	}
}

// isCorner reports whether the staircase has a corner at the cell that adds a point.
func (u *unbalanced) isCorner(k int) bool {
	return k > 1 && k+1 < len(u.log) && u.isX(k) != u.isX(k+1)
}

// join joins parts at cuts whose cell or opposite corner violates its constraint, by this cell, and
// solves them together, which lowers the cost. It reports whether there were any.
func (u *unbalanced) join() (joined bool) {
	for c := 0; c < len(u.cut); c++ {
		if !u.cut[c] {
			continue
		}
		at, other := u.stairs[c], u.opposite(c)
		if u.violation(other) > u.violation(at) {
			at = other
		}
		v := u.violation(at)
		if !(v > 1e-13*(math.Abs(u.f[at.i])+math.Abs(u.g[at.j]))) {
			continue
		}
		from, to := c, c+2 // points
		for from > 0 && !u.cut[from-1] {
			from--
		}
		for to < len(u.log) && !u.cut[to-1] {
			to++
		}
		u.stairs[c] = at
		u.solve(from, to)
		c, joined = to-1, true
	}
	return joined
}

// opposite is the other corner at a corner of the staircase.
func (u *unbalanced) opposite(c int) cell {
	before, at, after := u.stairs[c-1], u.stairs[c], u.stairs[c+1]
	return cell{before.i + after.i - at.i, before.j + after.j - at.j}
}

func (u *unbalanced) violation(c cell) float64 { return u.f[c.i] + u.g[c.j] - u.cost(c) }

// read writes the plan's cost and its derivatives.
func (u *unbalanced) read(r *Result) {
	low, feasible := make([]float64, len(u.f)), make([]float64, len(u.g))
	for i, f := range u.f {
		low[i] = min(f, 45*u.kl) // a larger one gains no digit
	}
	u.p.conjugate(u.x.at, low, u.y.at, feasible)
	dual := 0.0
	for i, f := range low {
		dual -= u.x.mass[i] * math.Expm1(-f/u.kl)
	}
	for j, g := range u.g {
		dual -= u.y.mass[j] * math.Expm1(-min(g, feasible[j])/u.kl)
	}
	sumA, sumB := make([]float64, len(u.f)), make([]float64, len(u.g))
	u.flows(func(c cell, mass float64) {
		sumA[c.i] += mass
		sumB[c.j] += mass
		r.Cost += mass * u.cost(c)
		slope := mass * u.p.slope(u.x.at[c.i]-u.y.at[c.j])
		r.DX[u.x.order[c.i]] += slope
		r.DY[u.y.order[c.j]] -= slope
	})
	for i, a := range sumA {
		r.Cost += u.kl * divergence(a, u.x.mass[i])
	}
	for j, b := range sumB {
		r.Cost += u.kl * divergence(b, u.y.mass[j])
	}
	r.Gap = max(0, r.Cost-u.kl*dual)
}

// divergence is KL(m | a).
func divergence(m, a float64) float64 {
	if m/a == 0 {
		return a
	}
	return m*math.Log(m/a) - m + a
}

// flows calls yield with the mass of every cell of the plan.
func (u *unbalanced) flows(yield func(c cell, mass float64)) {
	a := func(i int) float64 { return math.Exp(u.logA[i] - u.f[i]/u.kl) }
	b := func(j int) float64 { return math.Exp(u.logB[j] - u.g[j]/u.kl) }
	var restA, restB float64
	for c, at := range u.stairs {
		if u.cut[c] {
			continue
		}
		if c == 0 || u.cut[c-1] {
			restA, restB = a(at.i), b(at.j)
		}
		goesOn := c+1 < len(u.stairs) && !u.cut[c+1]
		mass := min(restA, restB)
		switch {
		case goesOn && u.isX(c+2):
			mass = restA
			restA, restB = a(at.i+1), restB-mass
		case goesOn:
			mass = restB
			restA, restB = restA-mass, b(at.j+1)
		}
		yield(at, max(0, mass))
	}
}

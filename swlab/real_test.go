package swlab

import (
	"math"
	"math/big"
	"slices"
)

// real is a number of 256 bits, of which the references below lose few: the reference of
// TestNumbersAtTheEdge. Its exponent has 32 bits, so nothing overflows or underflows.
type real struct{ f *big.Float }

const realBits = 256

func newReal() *big.Float { return new(big.Float).SetPrec(realBits) }

func number(v float64) real { return real{newReal().SetFloat64(v)} }

func (a real) plus(b real) real  { return real{newReal().Add(a.f, b.f)} }
func (a real) minus(b real) real { return real{newReal().Sub(a.f, b.f)} }
func (a real) times(b real) real { return real{newReal().Mul(a.f, b.f)} }
func (a real) over(b real) real  { return real{newReal().Quo(a.f, b.f)} }
func (a real) abs() real         { return real{newReal().Abs(a.f)} }
func (a real) sqrt() real        { return real{newReal().Sqrt(a.f)} }
func (a real) less(b real) bool  { return a.f.Cmp(b.f) < 0 }
func (a real) zero() bool        { return a.f.Sign() == 0 }
func (a real) float() float64    { v, _ := a.f.Float64(); return v }

// shifted is a 2^n.
func (a real) shifted(n int) real { return real{newReal().SetMantExp(a.f, n)} }

// exp is the Taylor series at a/2^n below 2^-20, squared n times; 0 below exp(-2^30).
func (a real) exp() real {
	if a.zero() {
		return number(1)
	}
	size := a.f.MantExp(nil)
	if size > 30 {
		if a.f.Sign() > 0 {
			panic("exp of a number above 2^30")
		}
		return number(0)
	}
	halvings := max(0, size+20)
	small := a.shifted(-halvings)
	sum, term := number(1), number(1)
	for k := 1; k < 20; k++ {
		term = term.times(small).over(number(float64(k)))
		sum = sum.plus(term)
	}
	for range halvings {
		sum = sum.times(sum)
	}
	return sum
}

// ln2 is log 2 = sum_k 1 / (k 2^k).
var ln2 = func() real {
	sum := number(0)
	for k := 1; k < 300; k++ {
		sum = sum.plus(number(1).shifted(-k).over(number(float64(k))))
	}
	return sum
}()

// log is Newton's iteration for exp(y) = the mantissa, from the value in float64.
func (a real) log() real {
	mantissa := newReal()
	exponent := a.f.MantExp(mantissa)
	m := real{mantissa}
	y := number(math.Log(m.float()))
	for range 3 { // 53, 106, 212, all bits
		y = y.plus(m.times(number(0).minus(y).exp())).minus(number(1))
	}
	return y.plus(ln2.times(number(float64(exponent))))
}

// pow is a^p for a >= 0 and p > 0.
func (a real) pow(p float64) real {
	switch {
	case a.zero():
		return number(0)
	case p == math.Trunc(p):
		out := number(1)
		for range int(p) {
			out = out.times(a)
		}
		return out
	}
	return a.log().times(number(p)).exp()
}

// root is a^(1/p).
func (a real) root(p float64) real {
	if a.zero() {
		return a
	}
	return a.log().over(number(p)).exp()
}

func sumOf(v []real) real {
	sum := number(0)
	for _, x := range v {
		sum = sum.plus(x)
	}
	return sum
}

func meanOf(v []real) real { return sumOf(v).over(number(float64(len(v)))) }

// reals are the numbers of v.
func reals(v []float32) []real {
	out := make([]real, len(v))
	for i, x := range v {
		out[i] = number(float64(x))
	}
	return out
}

// points are the rows of a cloud.
func points(v []float32, dim int) (out [][]real) {
	for p := range slices.Chunk(v, dim) {
		out = append(out, reals(p))
	}
	return out
}

func dot(a, b []real) real {
	sum := number(0)
	for i := range a {
		sum = sum.plus(a[i].times(b[i]))
	}
	return sum
}

// squareBetween is ||a - b||^2.
func squareBetween(a, b []real) real {
	d := make([]real, len(a))
	for i := range a {
		d[i] = a[i].minus(b[i])
	}
	return dot(d, d)
}

// distance is ||a - b||^p.
func distance(a, b []real, p float64) real {
	if p == 2 {
		return squareBetween(a, b)
	}
	return squareBetween(a, b).sqrt().pow(p)
}

// realSlice is the sum over points of |a_(i) - b_(i)|^p on a direction.
func realSlice(x, y [][]real, theta []real, p float64) real {
	project := func(cloud [][]real) (out []real) {
		for _, v := range cloud {
			out = append(out, dot(v, theta))
		}
		slices.SortFunc(out, func(a, b real) int { return a.f.Cmp(b.f) })
		return out
	}
	a, b, sum := project(x), project(y), number(0)
	for i := range a {
		sum = sum.plus(a[i].minus(b[i]).abs().pow(p))
	}
	return sum
}

// realEnergy weights the costs by exp(cost/m).
func realEnergy(costs []real, m int) real {
	top := slices.MaxFunc(costs, func(a, b real) int { return a.f.Cmp(b.f) })
	sum, weights := number(0), number(0)
	for _, c := range costs {
		w := c.minus(top).over(number(float64(m))).exp()
		sum, weights = sum.plus(w.times(c)), weights.plus(w)
	}
	return sum.over(weights)
}

// realAdaptive is the mean over the first n costs, with n of the released rule for one pair.
func realAdaptive(costs []real, epsilon float64) (value real, used int) {
	for n := 2; ; n++ {
		mean, spread := meanOf(costs[:n]), number(0)
		for _, c := range costs[:n] {
			d := c.minus(mean)
			spread = spread.plus(d.times(d))
		}
		bound := number(epsilon).times(number(epsilon)).times(number(float64(n * (n - 1)))).over(number(4))
		if n == len(costs) || !bound.less(spread) {
			return mean, n
		}
	}
}

// realUpper is the mean with the upper control variate.
func realUpper(costs []real, x, y [][]real, directions [][]real) real {
	dim := float64(len(directions[0]))
	if dim == 1 {
		return meanOf(costs)
	}
	centre := func(cloud [][]real) []real {
		out := make([]real, int(dim))
		for j := range out {
			out[j] = number(0)
			for _, v := range cloud {
				out[j] = out[j].plus(v[j].over(number(float64(len(cloud)))))
			}
		}
		return out
	}
	meanX, meanY := centre(x), centre(y)
	// the mean over the points of (theta'(v - centre))^2, without theta the squared length over d
	spread := func(cloud [][]real, centre, theta []real) real {
		sum := number(0)
		for _, v := range cloud {
			d := make([]real, len(v))
			for j := range v {
				d[j] = v[j].minus(centre[j])
			}
			part := dot(d, d).over(number(dim))
			if theta != nil {
				part = dot(d, theta).times(dot(d, theta))
			}
			sum = sum.plus(part)
		}
		return sum.over(number(float64(len(cloud))))
	}
	control := func(theta []real) real {
		return spread([][]real{meanX}, meanY, theta).plus(spread(x, meanX, theta)).plus(spread(y, meanY, theta))
	}
	var c []real
	for _, theta := range directions {
		c = append(c, control(theta))
	}
	meanF, meanC, cov, variance := meanOf(costs), meanOf(c), number(0), number(0)
	for l := range c {
		d := c[l].minus(meanC)
		cov, variance = cov.plus(d.times(costs[l].minus(meanF))), variance.plus(d.times(d))
	}
	if variance.zero() {
		return meanF
	}
	return meanF.minus(cov.over(variance).times(meanC.minus(control(nil))))
}

// realChamfer is the mean distance to the nearest neighbour, both ways.
func realChamfer(x, y [][]real, p float64) real {
	oneWay := func(x, y [][]real) real {
		var all []real
		for _, a := range x {
			var near []real
			for _, b := range y {
				near = append(near, squareBetween(a, b))
			}
			least := slices.MinFunc(near, func(a, b real) int { return a.f.Cmp(b.f) })
			if p != 2 {
				least = least.sqrt().pow(p)
			}
			all = append(all, least)
		}
		return meanOf(all)
	}
	return oneWay(x, y).plus(oneWay(y, x))
}

func realTable(x, y [][]real, p float64) [][]real {
	out := make([][]real, len(x))
	for i := range x {
		for j := range y {
			out[i] = append(out[i], distance(x[i], y[j], p))
		}
	}
	return out
}

// realEMD tries every permutation.
func realEMD(cost [][]real) real {
	m := len(cost)
	order := make([]int, m)
	for i := range order {
		order[i] = i
	}
	var best *real
	var try func(k int, sum real)
	try = func(k int, sum real) {
		if k == m {
			if best == nil || sum.less(*best) {
				best = &sum
			}
			return
		}
		for i := k; i < m; i++ {
			order[k], order[i] = order[i], order[k]
			try(k+1, sum.plus(cost[k][order[k]]))
			order[k], order[i] = order[i], order[k]
		}
	}
	try(0, number(0))
	return *best
}

// realApproximateEMD is the soft assignment of nine levels (loss.ApproximateEMD).
func realApproximateEMD(x, y [][]real) real {
	m := len(x)
	square, match := realTable(x, y, 2), make([][]real, m)
	left, right := make([]real, m), make([]real, m)
	for i := range m {
		left[i], right[i], match[i] = number(1), number(1), make([]real, m)
		for l := range m {
			match[i][l] = number(0)
		}
	}
	tiny := number(1e-9)
	for j := 7; j >= -1; j-- {
		e := make([][]real, m)
		for k := range m {
			for l := range m {
				e[k] = append(e[k], number(0).minus(square[k][l]).times(number(math.Pow(4, float64(j)))).exp())
			}
		}
		a, b := make([]real, m), make([]real, m)
		for k := range m {
			a[k] = left[k].over(tiny.plus(dot(e[k], right)))
		}
		for l := range m {
			s := number(0)
			for k := range m {
				s = s.plus(e[k][l].times(a[k]))
			}
			s = s.times(right[l])
			share := right[l].over(s.plus(tiny))
			if number(1).less(share) {
				share = number(1)
			}
			b[l] = share.times(right[l])
			if right[l] = right[l].minus(s); right[l].less(number(0)) {
				right[l] = number(0)
			}
		}
		for k := range m {
			for l := range m {
				w := a[k].times(e[k][l]).times(b[l])
				match[k][l], left[k] = match[k][l].plus(w), left[k].minus(w)
			}
			if left[k].less(number(0)) {
				left[k] = number(0)
			}
		}
	}
	sum := number(0)
	for k := range m {
		for l := range m {
			sum = sum.plus(match[k][l].times(square[k][l].sqrt()))
		}
	}
	return sum
}

// realSinkhorn is the plan between masses of 1 by iterations in the kernel, which 256 bits and an exponent of 32 bits
// can hold: its transport part and its objective. ok is false if the marginals are not right after many iterations.
func realSinkhorn(cost [][]real, reg float64) (transport, objective real, ok bool) {
	m, n := len(cost), len(cost[0])
	kernel := make([][]real, m)
	for i := range cost {
		for j := range cost[i] {
			kernel[i] = append(kernel[i], number(0).minus(cost[i][j]).over(number(reg)).exp())
		}
	}
	u, v := make([]real, m), make([]real, n)
	for j := range v {
		v[j] = number(1)
	}
	a, b := number(1).over(number(float64(m))), number(1).over(number(float64(n)))
	for range 8000 {
		change := number(0)
		for i := range u {
			row := dot(kernel[i], v)
			if row.zero() {
				return row, row, false
			}
			next := a.over(row)
			if u[i].f != nil {
				change = change.plus(next.minus(u[i]).abs().over(next))
			} else {
				change = number(1)
			}
			u[i] = next
		}
		for j := range v {
			column := number(0)
			for i := range u {
				column = column.plus(kernel[i][j].times(u[i]))
			}
			v[j] = b.over(column)
		}
		if ok = change.less(number(1e-20)); ok {
			break
		}
	}
	transport, entropy := number(0), number(0)
	for i := range u {
		for j := range v {
			if w := kernel[i][j].times(u[i]).times(v[j]); !w.zero() {
				transport = transport.plus(w.times(cost[i][j]))
				entropy = entropy.plus(w.times(w.over(a).over(b).log()))
			}
		}
	}
	return transport, transport.plus(number(reg).times(entropy)), ok
}

package vmf

import "math"

// With nu = d/2-1, every closed form of the package follows from two functions of (d, kappa):
//
//	A(kappa) = I_{nu+1}(kappa) / I_nu(kappa)                              mean of omega
//	M(kappa) = log E_uniform[exp(kappa omega)] = log 0F1(nu+1; kappa^2/4)  so that log C_d(kappa) = log C_d(0) - M
//
// Neither is computed from I itself, which overflows for kappa > 713.

// fractionDepth is the number of terms kept of Perron's continued fraction. With n terms the
// relative truncation error is at most of the order 2^-n, the worst case being kappa = n/2 and
// small d.
const fractionDepth = 100

// ratio holds A(kappa) in forms that keep their relative accuracy where A tends to 0 or to 1.
type ratio struct {
	mean float64 // A
	gap  float64 // 1 - A
	cos2 float64 // E[omega^2] = 1 - (d-1) A / kappa
}

// besselRatio evaluates A by Perron's continued fraction (Gautschi and Slavik, Math. Comp. 32,
// 1978):
//
//	A = kappa / (kappa + d - E),   E = (d+1)k/(2k+d+1 - (d+3)k/(2k+d+2 - (d+5)k/(2k+d+3 - ...))),  k = kappa.
//
// 1 - A and E[omega^2] are then quotients over the same denominator, with no cancellation that
// grows with kappa.
func besselRatio(d int, kappa float64) ratio {
	dim := float64(d)
	e := 0.0
	for k := float64(fractionDepth); k >= 1; k-- {
		e = (dim + 2*k - 1) * kappa / (2*kappa + dim + k - e)
	}
	scale := 1 / (kappa + dim - e)
	return ratio{mean: kappa * scale, gap: (dim - e) * scale, cos2: (kappa + 1 - e) * scale}
}

// logMean returns M(kappa) and rest = kappa - M(kappa) = -log E_uniform[exp(-kappa(1-omega))].
// Either may be the small one: M = kappa^2/(2d) + ... at 0, rest = (d-1)/2 log kappa + const + ...
// at infinity.
func logMean(d int, kappa float64) (m, rest float64) {
	nu := float64(d)/2 - 1
	if kappa <= 100 || kappa*kappa <= 1200*(nu+1) {
		m = logMeanSeries(nu, kappa)
		return m, kappa - m
	}
	rest = restUniform(nu, kappa)
	return kappa - rest, rest
}

// logMeanSeries sums the power series of 0F1(nu+1; kappa^2/4), whose terms are all positive. The
// caller keeps the value below exp(300).
func logMeanSeries(nu, kappa float64) float64 {
	quarter := kappa * kappa / 4
	sum, term := 0.0, 1.0
	for k := 1.0; ; k++ {
		factor := quarter / (k * (nu + k))
		term *= factor
		sum += term
		if factor < 0.5 && term <= 1e-17*sum {
			return math.Log1p(sum)
		}
	}
}

// debyeOrder is the number of correction terms of the uniform expansion; its argument is at least
// 100, where the first term left out is below 1e-16.
const debyeOrder = 8

// debye[k-1] holds the coefficients c_{k,j} of Debye's polynomials u_k(t) = sum_j c_{k,j} t^(k+2j),
// j = 0..k.
var debye = debyePolynomials(debyeOrder)

// debyePolynomials runs u_{k+1}(t) = t^2(1-t^2)/2 u_k'(t) + 1/8 integral_0^t (1-5s^2) u_k(s) ds
// (DLMF 10.41.9).
func debyePolynomials(order int) [][]float64 {
	rows := make([][]float64, 0, order)
	last := []float64{1}
	for k := 0; k < order; k++ {
		next := make([]float64, k+2)
		for j, c := range last {
			n := float64(k + 2*j)
			next[j] += c * (n/2 + 1/(8*(n+1)))
			next[j+1] -= c * (n/2 + 5/(8*(n+3)))
		}
		rows = append(rows, next)
		last = next
	}
	return rows
}

// restUniform is kappa - M by Debye's expansion of I_nu, uniform in the order (DLMF 10.41.3),
// written with w = sqrt(nu^2 + kappa^2) so that it also holds at nu = 0, where it is Hankel's
// expansion:
//
//	M = w - nu log(nu+w) - log(w)/2 + lgamma(nu+1) + nu log 2 - log(2 pi)/2 + log U,
//	U = 1 + sum_k w^-k sum_j c_{k,j} (nu/w)^(2j).
func restUniform(nu, kappa float64) float64 {
	w := math.Hypot(nu, kappa)
	t2 := (nu / w) * (nu / w)
	u, power := 0.0, 1.0
	for _, row := range debye {
		power /= w
		poly := 0.0
		for j := len(row) - 1; j >= 0; j-- {
			poly = poly*t2 + row[j]
		}
		u += poly * power
	}
	lgamma, _ := math.Lgamma(nu + 1)
	constant := lgamma + nu*math.Ln2 - math.Log(2*math.Pi)/2
	return nu*math.Log(nu+w) + math.Log(w)/2 - constant - math.Log1p(u) - nu/(w+kappa)*nu
}

package experiments

import (
	"fmt"
	"math"
	"math/rand/v2"

	"gonum.org/v1/gonum/stat/distuv"
)

// Comparison compares two networks scored on the same clouds along the same directions. Its
// uncertainty is over clouds, for these two sets of weights. It says nothing about other training
// seeds: for those compare the means of several runs.
type Comparison struct {
	N int `json:"n"` // clouds
	// Metrics has the keys of Scores: cd, sw, emd_approx and, where both have it, emd_exact.
	Metrics map[string]Paired `json:"metrics"`
}

// Paired compares two metrics of the same n clouds, where less is better. With d_i = a_i - b_i, s
// the standard deviation of the d_i and t Student's with n-1 degrees of freedom, the difference is
// mean(d) +- t_0.975 s/sqrt(n).
type Paired struct {
	A          float64 `json:"a"` // means over the clouds
	B          float64 `json:"b"`
	Difference float64 `json:"difference"` // A - B
	StdErr     float64 `json:"stderr"`     // s/sqrt(n)
	Low        float64 `json:"low"`        // 95 % confidence interval of Difference
	High       float64 `json:"high"`
	P          float64 `json:"p"` // two-sided, of the paired t test
	// PPermutation is also two-sided, and does not assume normal differences. It is (1 + count)/(1
	// + SignFlips), where count is the number, out of SignFlips random signs of the d_i, whose sum
	// is as far from 0 as the observed one. It is never below 1/(1 + SignFlips).
	PPermutation float64 `json:"p_permutation"`
	// ABetter is the share of clouds where a is less than b; equal ones count half.
	ABetter float64 `json:"a_better"`
	// StdErrUnpaired is the standard error of the same difference between means over different
	// clouds, sqrt((s_a^2 + s_b^2)/n). It shows what pairing gains.
	StdErrUnpaired float64 `json:"stderr_unpaired"`
}

// SignFlips is the number of random sign vectors in a permutation test.
const SignFlips = 10_000

// Compare compares the values per cloud of a and b (EvaluateOptions.PerCloud). Both must come from
// the same clouds and the same seed, and hence the same directions. seed is the seed of the
// permutation test.
func Compare(a, b Scores, seed uint64) (Comparison, error) {
	pa, pb := a.PerCloud, b.PerCloud
	switch {
	case pa == nil || pb == nil:
		return Comparison{}, fmt.Errorf("comparison: expected scores with their values per cloud, found none")
	case pa.Digest != pb.Digest:
		return Comparison{}, fmt.Errorf("comparison: expected scores of the same clouds, found %d with digest %.12s and %d with %.12s", len(pa.CD), pa.Digest, len(pb.CD), pb.Digest)
	case pa.Seed != pb.Seed:
		return Comparison{}, fmt.Errorf("comparison: expected scores along the same directions, found those of seeds %d and %d", pa.Seed, pb.Seed)
	case (pa.ExactEMD == nil) != (pb.ExactEMD == nil):
		return Comparison{}, fmt.Errorf("comparison: expected the exact EMD of both or of none, found that of one")
	}
	out := Comparison{N: len(pa.CD), Metrics: map[string]Paired{}}
	for _, key := range []string{"cd", "sw", "emd_approx", "emd_exact"} {
		if pa.Metric(key) == nil {
			continue
		}
		p, err := ComparePaired(pa.Metric(key), pb.Metric(key), seed)
		if err != nil {
			return Comparison{}, fmt.Errorf("%s: %w", key, err)
		}
		out.Metrics[key] = p
	}
	return out, nil
}

// Metric returns the values of the metric of that key, as in Comparison.
func (p *PerCloud) Metric(key string) []float64 {
	return map[string][]float64{"cd": p.CD, "sw": p.SW, "emd_approx": p.EMD, "emd_exact": p.ExactEMD}[key]
}

// ComparePaired compares two lists of at least two finite values of the same items.
func ComparePaired(a, b []float64, seed uint64) (Paired, error) {
	if len(a) != len(b) || len(a) < 2 {
		return Paired{}, fmt.Errorf("comparison: expected two values or more, as many of a as of b, found %d and %d", len(a), len(b))
	}
	d, better := make([]float64, len(a)), 0.0
	for i := range a {
		d[i] = a[i] - b[i]
		switch {
		case d[i]-d[i] != 0:
			return Paired{}, fmt.Errorf("comparison: expected finite values, found %v and %v at %d", a[i], b[i], i)
		case d[i] < 0:
			better++
		case d[i] == 0:
			better += 0.5
		}
	}
	n := float64(len(d))
	of, oa, ob := NewScore(d), NewScore(a), NewScore(b)
	t := distuv.StudentsT{Mu: 0, Sigma: 1, Nu: n - 1}
	half := t.Quantile(0.975) * of.StdErr
	p := Paired{A: oa.Mean, B: ob.Mean, Difference: of.Mean, StdErr: of.StdErr, Low: of.Mean - half, High: of.Mean + half,
		P: 1, PPermutation: signFlips(d, seed), ABetter: better / n, StdErrUnpaired: math.Hypot(oa.StdErr, ob.StdErr)}
	if of.Mean != 0 {
		p.P = 2 * t.CDF(-math.Abs(of.Mean)/of.StdErr)
	}
	return p, nil
}

// signFlips computes Paired.PPermutation (Fisher 1935).
func signFlips(d []float64, seed uint64) float64 {
	sum, size := 0.0, 0.0
	for _, v := range d {
		sum, size = sum+v, size+math.Abs(v)
	}
	far := math.Abs(sum) - 1e-12*size   // treats sums that differ by rounding as equal
	r := rand.NewPCG(seed, 0x666c_6970) // second word: "flip"
	count := 0
	for range SignFlips {
		flipped, bits := 0.0, uint64(0)
		for i, v := range d {
			if i%64 == 0 {
				bits = r.Uint64()
			}
			flipped += math.Float64frombits(math.Float64bits(v) ^ bits<<63)
			bits >>= 1
		}
		if math.Abs(flipped) >= far {
			count++
		}
	}
	return float64(1+count) / float64(1+SignFlips)
}

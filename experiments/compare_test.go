package experiments

import (
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/janpfeifer/must"
)

// TestPairedByHand: d = (1, 2, 3, -2) has mean 1 and s^2 = 14/3. With t = 1/sqrt(14/12), Student's
// distribution with 3 degrees of freedom has the closed form P(|T| > t) = 1 - (2/pi)(u/(1+u^2) +
// atan u), u = t/sqrt(3). Of the 16 signs 8 have a sum of at least 4.
func TestPairedByHand(t *testing.T) {
	a, b := []float64{4, 4, 4, 0}, []float64{3, 2, 1, 2}
	p := must.M1(ComparePaired(a, b, 1))
	se := math.Sqrt(14. / 12)
	u := 1 / se / math.Sqrt(3)
	student := 1 - 2/math.Pi*(u/(1+u*u)+math.Atan(u))
	half := 3.182446305284263 * se // t_0.975 with 3 degrees of freedom
	unpaired := math.Sqrt(4./4 + 2./3/4)
	for _, c := range []struct {
		what      string
		got, want float64
	}{
		{"a", p.A, 3}, {"b", p.B, 2}, {"difference", p.Difference, 1}, {"standard error", p.StdErr, se}, {"low", p.Low, 1 - half}, {"high", p.High, 1 + half},
		{"p", p.P, student}, {"a better", p.ABetter, 0.25}, {"unpaired", p.StdErrUnpaired, unpaired},
	} {
		if math.Abs(c.got-c.want) > 1e-9 {
			t.Errorf("%s: %v, want %v", c.what, c.got, c.want)
		}
	}
	// The sum of +-1 +-2 +-3 +-2 is at least 4 in absolute value for 8 of 16 signs.
	count := 0
	for s := range 16 {
		sum := 0
		for i, d := range []int{1, 2, 3, 2} {
			sum += d - 2*d*(s>>i&1)
		}
		if sum >= 4 || sum <= -4 {
			count++
		}
	}
	if want := float64(count) / 16; math.Abs(p.PPermutation-want) > 4*math.Sqrt(want*(1-want)/SignFlips) {
		t.Errorf("sign flips %v, want %v", p.PPermutation, want)
	}
	again, _ := ComparePaired(a, b, 1)
	other, _ := ComparePaired(a, b, 2)
	if again != p || other.PPermutation == p.PPermutation {
		t.Errorf("seed 1 again %v, seed 2 %v, was %v", again.PPermutation, other.PPermutation, p.PPermutation)
	}
	exchanged, _ := ComparePaired(b, a, 1)
	if exchanged.Difference != -1 || exchanged.P != p.P || exchanged.PPermutation != p.PPermutation || exchanged.ABetter != 0.75 || exchanged.Low != -p.High {
		t.Errorf("exchanged: %+v, was %+v", exchanged, p)
	}
}

func TestPairedExtremes(t *testing.T) {
	v := []float64{0.3, 0.1, 0.7}
	want := Paired{A: (0.3 + 0.1 + 0.7) / 3, P: 1, PPermutation: 1, ABetter: 0.5}
	p, err := ComparePaired(v, v, 1)
	want.A, want.B, want.StdErrUnpaired = p.A, p.A, p.StdErrUnpaired
	if err != nil || p != want || math.Abs(p.A-1.1/3) > 1e-12 {
		t.Errorf("with itself: %+v, %v", p, err)
	}
	// The same difference everywhere has no spread.
	if p, _ := ComparePaired([]float64{1, 2, 4}, []float64{2, 3, 5}, 1); p.Difference != -1 || p.P > 1e-12 || p.ABetter != 1 || p.Low != p.High {
		t.Errorf("constant difference: %+v", p)
	}
}

// TestCoverage: on normal pairs with a common part the interval covers the true difference in 95 %
// of the experiments, each p is below 0.05 in 5 % if there is no difference, and pairing reduces
// the error by the factor expected from the common part.
func TestCoverage(t *testing.T) {
	const experiments, n, difference = 2000, 9, 0.4
	r := rand.New(rand.NewPCG(7, 7))
	covered, students, flips, ratio := 0.0, 0.0, 0.0, 0.0
	for range experiments {
		a, b, same := make([]float64, n), make([]float64, n), make([]float64, n)
		for i := range a {
			common := 3 * r.NormFloat64()
			a[i], same[i], b[i] = common+r.NormFloat64()+difference, common+r.NormFloat64(), common+r.NormFloat64()
		}
		p := must.M1(ComparePaired(a, b, r.Uint64()))
		if p.Low <= difference && difference <= p.High {
			covered++
		}
		ratio += p.StdErr * p.StdErr / experiments / (20. / n) // unpaired: 2 (9 + 1)/n
		null := must.M1(ComparePaired(same, b, r.Uint64()))
		if null.P < 0.05 {
			students++
		}
		if null.PPermutation < 0.05 {
			flips++
		}
	}
	const four = 4 * 0.0049 // standard errors of a rate of 5 %
	if rate := covered / experiments; math.Abs(rate-0.95) > four {
		t.Errorf("coverage %v", rate)
	}
	if rate := students / experiments; math.Abs(rate-0.05) > four {
		t.Errorf("Student's p below 0.05 at rate %v", rate)
	}
	if rate := flips / experiments; math.Abs(rate-0.05) > four {
		t.Errorf("sign flips below 0.05 at rate %v", rate)
	}
	if math.Abs(ratio-0.1) > 0.01 {
		t.Errorf("squared standard error %v of the unpaired one, want 0.1", ratio)
	}
}

func TestCompare(t *testing.T) {
	scores := func(shift float64, change func(*PerCloud)) Scores {
		p := &PerCloud{Digest: "0123456789abcdef", Seed: 1, CD: []float64{1, 2 + shift}, SW: []float64{3, 4 + shift}, EMD: []float64{5, 6 + shift}}
		if change != nil {
			change(p)
		}
		s := p.scores()
		s.PerCloud = p
		return s
	}
	c, err := Compare(scores(0, nil), scores(2, nil), 1)
	if err != nil || c.N != 2 || len(c.Metrics) != 3 {
		t.Fatalf("%+v, %v", c, err)
	}
	for _, key := range []string{"cd", "sw", "emd_approx"} {
		if p := c.Metrics[key]; p.Difference != -1 || p.ABetter != 0.75 {
			t.Errorf("%s: %+v", key, p)
		}
	}
	exact := func(p *PerCloud) { p.ExactEMD = []float64{4, 5} }
	if c, err = Compare(scores(0, exact), scores(0, exact), 1); err != nil || c.Metrics["emd_exact"].P != 1 {
		t.Errorf("%+v, %v", c, err)
	}
	for says, b := range map[string]Scores{
		"with their values per cloud":                      {N: 2},
		"found 2 with digest 0123456789ab and 2 with none": scores(0, func(p *PerCloud) { p.Digest = "none" }),
		"seeds 1 and 7":       scores(0, func(p *PerCloud) { p.Seed = 7 }),
		"found that of one":   scores(0, exact),
		"sw: comparison: exp": scores(math.NaN(), func(p *PerCloud) { p.CD[1] = 2 }),
	} {
		if _, err := Compare(scores(0, nil), b, 1); err == nil || !strings.Contains(err.Error(), says) {
			t.Errorf("error %v, expected one that says %q", err, says)
		}
	}
	if _, err := ComparePaired([]float64{1}, []float64{2}, 1); err == nil || !strings.Contains(err.Error(), "found 1 and 1") {
		t.Errorf("one cloud: %v", err)
	}
}

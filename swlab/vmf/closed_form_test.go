package vmf

import (
	"encoding/json"
	"math"
	"os"
	"testing"

	"github.com/janpfeifer/must"
)

type closedRow struct {
	Dim                 int     `json:"dim"`
	Kappa               float64 `json:"kappa"`
	MeanResultantLength float64 `json:"mean_resultant_length"`
	ResultantGap        float64 `json:"resultant_gap"`
	MeanCos2            float64 `json:"mean_cos2"`
	LogNormalizer       float64 `json:"log_normalizer"`
	Entropy             float64 `json:"entropy"`
	KLUniform           float64 `json:"kl_uniform"`
}

// varOmega is the variance of omega, in a form without the digits that 1 - A^2 loses where kappa is large.
func varOmega(d int, kappa float64) float64 {
	r := besselRatio(d, kappa)
	if kappa < float64(d) {
		return r.cos2 - r.mean*r.mean
	}
	g := kappa * r.gap
	return (2*g - float64(d-1)*(1-r.gap) - g*r.gap) / kappa
}

// relative is |got-want| over the larger of |want| and floor.
func relative(got, want, floor float64) float64 {
	if got == want {
		return 0
	}
	return math.Abs(got-want) / math.Max(math.Abs(want), floor)
}

func TestClosedFormsAgainstMultiplePrecision(t *testing.T) {
	raw := must.M1(os.ReadFile("testdata/closed_forms.json"))
	var rows []closedRow
	must.M(json.Unmarshal(raw, &rows))
	worst := map[string]float64{}
	check := func(r closedRow, name string, got, want, floor, tol float64) {
		e := relative(got, want, floor)
		worst[name] = max(worst[name], e)
		if !(e <= tol) {
			t.Errorf("%s(d=%d, kappa=%g) = %.17g, want %.17g (relative error %.1e)", name, r.Dim, r.Kappa, got, want, e)
		}
	}
	for _, r := range rows {
		check(r, "MeanResultantLength", MeanResultantLength(r.Dim, r.Kappa), r.MeanResultantLength, 0, 2e-15)
		check(r, "1-MeanResultantLength", besselRatio(r.Dim, r.Kappa).gap, r.ResultantGap, 0, 2e-15)
		check(r, "MeanCos2", MeanCos2(r.Dim, r.Kappa), r.MeanCos2, 0, 1e-12)
		check(r, "KLUniform", KLUniform(r.Dim, r.Kappa), r.KLUniform, 0, 1e-12)
		// The next two pass through zero: relative to the terms that they are made of.
		check(r, "LogNormalizer", LogNormalizer(r.Dim, r.Kappa), r.LogNormalizer, math.Abs(LogSurfaceArea(r.Dim)), 1e-12)
		check(r, "Entropy", Entropy(r.Dim, r.Kappa), r.Entropy, math.Abs(LogSurfaceArea(r.Dim)), 1e-12)
	}
	t.Logf("%d rows, worst relative errors %v", len(rows), worst)
}

// The closed forms are tied by calculus: M' = A, KL' = kappa A' with A' = Var omega. Differences across the places where
// the method changes would show here.
func TestClosedFormsDerivatives(t *testing.T) {
	for _, d := range []int{2, 3, 5, 10, 50, 100} {
		edges := []float64{1, 100, math.Sqrt(1200 * float64(d) / 2)}
		for _, kappa := range append(edges, 0.3, 7, 40, 250, 3000) {
			h := 1e-4 * kappa
			slope := func(f func(int, float64) float64) float64 {
				return (f(d, kappa-2*h) - 8*f(d, kappa-h) + 8*f(d, kappa+h) - f(d, kappa+2*h)) / (12 * h)
			}
			m := func(d int, kappa float64) float64 { m, _ := logMean(d, kappa); return m }
			if got, want := slope(m), MeanResultantLength(d, kappa); relative(got, want, 0) > 1e-9 {
				t.Errorf("d=%d kappa=%g: dM/dkappa = %.12g, A = %.12g", d, kappa, got, want)
			}
			if got, want := slope(KLUniform), kappa*varOmega(d, kappa); relative(got, want, 0) > 1e-7 {
				t.Errorf("d=%d kappa=%g: dKL/dkappa = %.12g, kappa A' = %.12g", d, kappa, got, want)
			}
		}
	}
}

func TestClosedFormsLimits(t *testing.T) {
	for _, d := range []int{2, 3, 7, 100} {
		n := float64(d)
		for name, got := range map[string]float64{
			"A(0)": MeanResultantLength(d, 0), "KL(0)": KLUniform(d, 0),
			"logC(0)+area": LogNormalizer(d, 0) + LogSurfaceArea(d), "E[w^2]-1/d": MeanCos2(d, 0) - 1/n,
		} {
			if got != 0 {
				t.Errorf("d=%d: %s = %g, want 0", d, name, got)
			}
		}
		// 1-A -> (d-1)/(2 kappa), KL -> log(surface) - (d-1)/2 (1 + log(2 pi/kappa)).
		gap := besselRatio(d, MaxKappa).gap * MaxKappa
		kl := LogSurfaceArea(d) - (n-1)/2*(1+math.Log(2*math.Pi/MaxKappa))
		if relative(gap, (n-1)/2, 0) > 1e-9 || relative(KLUniform(d, MaxKappa), kl, 0) > 1e-9 {
			t.Errorf("d=%d at MaxKappa: kappa(1-A) = %g, want %g; KL = %g, want %g", d, gap, (n-1)/2, KLUniform(d, MaxKappa), kl)
		}
	}
	if got := LogSurfaceArea(3); relative(got, math.Log(4*math.Pi), 0) > 1e-15 {
		t.Errorf("surface of the ordinary sphere: log = %g", got)
	}
}

func TestClosedFormsOutsideTheirRange(t *testing.T) {
	functions := map[string]func(int, float64) float64{
		"LogNormalizer": LogNormalizer, "MeanResultantLength": MeanResultantLength, "MeanCos2": MeanCos2,
		"KLUniform": KLUniform, "Entropy": Entropy,
	}
	for name, f := range functions {
		for _, c := range []struct {
			d     int
			kappa float64
		}{{1, 1}, {0, 1}, {-3, 1}, {3, -1e-9}, {3, math.NaN()}, {3, math.Inf(1)}, {3, 2 * MaxKappa}} {
			if got := f(c.d, c.kappa); !math.IsNaN(got) {
				t.Errorf("%s(%d, %g) = %g, want NaN", name, c.d, c.kappa, got)
			}
		}
	}
	if got := LogSurfaceArea(0); !math.IsNaN(got) {
		t.Errorf("LogSurfaceArea(0) = %g, want NaN", got)
	}
}

// No overflow, and the bounds that every distribution keeps, from kappa = 0 to MaxKappa in every
// dimension: A in [0, 1) rising with kappa, A^2 <= E[omega^2] <= 1, KL >= 0 rising,
// log C falling.
func TestClosedFormsEverywhere(t *testing.T) {
	dims := []int{64, 100, 1000, 1e4, 1e6}
	for d := 2; d <= 32; d++ {
		dims = append(dims, d)
	}
	for _, d := range dims {
		var last [3]float64
		for i := -1; i <= 240; i++ { // kappa = 0, then 1e-9 to 1e15 in tenths of a decade
			kappa := 0.0
			if i >= 0 {
				kappa = math.Min(MaxKappa, math.Pow(10, float64(i)/10-9))
			}
			mean, cos2 := MeanResultantLength(d, kappa), MeanCos2(d, kappa)
			logC, kl, entropy := LogNormalizer(d, kappa), KLUniform(d, kappa), Entropy(d, kappa)
			for _, v := range []float64{logC, kl, entropy} {
				if math.IsNaN(v) || math.IsInf(v, 0) {
					t.Fatalf("d=%d kappa=%g: log C %g, KL %g, entropy %g", d, kappa, logC, kl, entropy)
				}
			}
			if !(mean >= 0 && mean <= 1 && cos2 >= mean*mean*(1-1e-12) && cos2 <= 1 && kl >= 0) {
				t.Fatalf("d=%d kappa=%g: A %g, E[omega^2] %g, KL %g", d, kappa, mean, cos2, kl)
			}
			if i >= 0 && !(mean >= last[0] && kl >= last[1]*(1-1e-12) && logC <= last[2]+1e-9*math.Abs(last[2])) {
				t.Fatalf("d=%d kappa=%g: A %g after %g, KL %g after %g, log C %g after %g", d, kappa, mean, last[0], kl, last[1],
					logC, last[2])
			}
			last = [3]float64{mean, kl, logC}
		}
	}
}

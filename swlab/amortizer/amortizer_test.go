package amortizer_test

import (
	"math"
	"strings"
	"testing"

	"github.com/janpfeifer/must"

	"github.com/sliced-wasserstein/lab/swlab/amortizer"
	"github.com/sliced-wasserstein/lab/swlab/conformance"
	"github.com/sliced-wasserstein/lab/swlab/weights"
)

// TestRegistered runs the conformance suite on every registered map.
func TestRegistered(t *testing.T) {
	for _, name := range amortizer.Names() {
		t.Run(name, func(t *testing.T) {
			conformance.Amortizer(t, func(c amortizer.Config) amortizer.Amortizer {
				a := must.M1(amortizer.New(name, c))
				if a.Name() != name {
					t.Errorf("the map registered as %q calls itself %q", name, a.Name())
				}
				return a
			})
		})
	}
}

// TestParameterCounts: the published counts at m = 2048, and those of the paper's variant, counted
// by hand.
func TestParameterCounts(t *testing.T) {
	for _, c := range []struct {
		name           string
		dk, k          int
		coded, written int
	}{
		{"l", 0, 0, 4097, 4099},
		{"g", 0, 0, 4121, 4117}, {"n", 0, 0, 4121, 4117},
		{"a", 16, 0, 140, 105}, {"a", 32, 0, 268, 201}, {"a", 64, 0, 524, 393}, {"a", 128, 0, 1036, 777},
		{"ea", 16, 0, 140, 105}, {"ea", 32, 0, 268, 201}, {"ea", 64, 0, 524, 393}, {"ea", 128, 0, 1036, 777},
		{"la", 16, 64, 262412, 262249}, {"la", 32, 64, 262540, 262345}, {"la", 64, 64, 262796, 262537},
		{"la", 128, 64, 263308, 262921},
		{"la", 16, 128, 524684, 524393}, {"la", 32, 128, 524812, 524489}, {"la", 64, 128, 525068, 524681},
		{"la", 128, 128, 525580, 525065},
		{"la-sorted", 64, 64, 262796, 262537},
	} {
		for form, want := range map[amortizer.Variant]int{amortizer.Released: c.coded, amortizer.Paper: c.written} {
			a := must.M1(amortizer.New(c.name, amortizer.Config{Points: 2048, DK: c.dk, K: c.k, Variant: form}))
			if got := amortizer.Parameters(a); got != want {
				t.Errorf("%s %s d_k=%d k=%d: %d parameters, want %d", c.name, form, c.dk, c.k, got, want)
			}
		}
	}
}

// TestInitialDistributions: PyTorch's U(+-1/sqrt(in)), and N(0, 2/(m+k)) for LA's two projections; variances to 6 %.
func TestInitialDistributions(t *testing.T) {
	const m, k, dk = 2048, 32, 4096
	type dist struct{ variance, bound float64 } // variance 0: too few values to tell
	points, form := dist{1. / 9, 1 / math.Sqrt(3)}, dist{1. / 3 / (2 * m), 1 / math.Sqrt(2*m)}
	few := func(l dist) dist { return dist{0, l.bound} }
	attended := func() map[string]dist {
		dists := map[string]dist{"attn.tovalues.weight": few(points), "attn.tovalues.bias": few(points)}
		for _, s := range []string{"queries.weight", "queries.bias", "keys.weight", "keys.bias"} {
			dists["attn.to"+s] = points
		}
		return dists
	}
	projected := attended()
	for _, s := range []string{"Kproj", "Vproj"} {
		projected["attn."+s+".weight"], projected["attn."+s+".bias"] = dist{2. / (m + k), 1}, dist{0, 1 / math.Sqrt(m)}
	}
	network := func(name string) map[string]dist {
		dists := map[string]dist{"f.0.weight": form, "f.0.bias": few(form)}
		for _, s := range []string{".0.weight", ".0.bias", ".2.weight", ".2.bias"} {
			dists[name+s] = few(points)
		}
		return dists
	}
	for name, dists := range map[string]map[string]dist{
		"l": {"f.0.weight": form, "f.0.bias": few(form)}, "g": network("g"), "n": network("h"), "a": attended(),
		"ea": attended(), "la": projected,
	} {
		a := must.M1(amortizer.New(name, amortizer.Config{Points: m, DK: dk, K: k}))
		set := weights.Init(a.Specs(), 1)
		for _, tensor := range set.Names() {
			dist, known := dists[tensor]
			if !known {
				t.Errorf("%s has a weight %s", name, tensor)
			}
			delete(dists, tensor)
			v, _ := set.Get(tensor)
			variance, top := 0.0, 0.0
			for _, x := range v.Data {
				variance += float64(x) * float64(x) / float64(len(v.Data))
				top = math.Max(top, math.Abs(float64(x)))
			}
			if dist.variance > 0 && math.Abs(variance/dist.variance-1) > 0.06 || top > dist.bound || top == 0 {
				t.Errorf("%s %s: variance %v up to %v, expected %v up to %v", name, tensor, variance, top, dist.variance,
					dist.bound)
			}
		}
		if len(dists) > 0 {
			t.Errorf("%s lacks weights: %v", name, dists)
		}
	}
}

func TestWrongCalls(t *testing.T) {
	for says, c := range map[string]struct {
		name   string
		config amortizer.Config
	}{
		`unknown amortizer "zz", expected one of ` +
			strings.Join(amortizer.Names(), ", "): {"zz", amortizer.Config{Points: 1}},
		`amortizer "la": expected points >= 1, found 0`:       {"la", amortizer.Config{}},
		"expected dk >= 1, found -1":                          {"la", amortizer.Config{Points: 4, DK: -1}},
		"expected variant Released (0) or Paper (1), found 2": {"la", amortizer.Config{Points: 4, Variant: 2}},
	} {
		if _, err := amortizer.New(c.name, c.config); err == nil || !strings.Contains(err.Error(), says) {
			t.Errorf("error %v, expected one that says %q", err, says)
		}
	}
}

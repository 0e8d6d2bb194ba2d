package vmfviz

import (
	"go/ast"
	"go/parser"
	"go/token"
	"math"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"unicode/utf8"
)

// TestFont: the font has every letter that the package itself writes, small ones as
// they are set; all strings of the sources, so that a new label is checked too.
func TestFont(t *testing.T) {
	files, err := filepath.Glob("*.go")
	if err != nil {
		t.Fatal(err)
	}
	found := 0
	for _, f := range files {
		if strings.HasSuffix(f, "_test.go") {
			continue
		}
		file, err := parser.ParseFile(token.NewFileSet(), f, nil, 0)
		if err != nil {
			t.Fatal(err)
		}
		ast.Inspect(file, func(n ast.Node) bool {
			lit, ok := n.(*ast.BasicLit)
			if !ok || lit.Kind != token.STRING {
				return true
			}
			txt, err := strconv.Unquote(lit.Value)
			if err != nil {
				t.Fatal(err)
			}
			if utf8.RuneCountInString(txt) == len(txt) { // the font has ASCII
				return true
			}
			found++
			for _, p := range pieces(strings.ReplaceAll(txt, "\n", "")) {
				if missing := missingRunes(p.text); len(missing) > 0 {
					t.Errorf("%s: the font lacks %q of %q", f, missing, txt)
				}
			}
			return true
		})
	}
	if found < 20 {
		t.Errorf("only %d labels found in the sources", found)
	}
	if m := missingRunes("θκεψφγ ₀₁₂₃ ¹²³ √ ± − – · × ≤ ≥ ≈ ∞ ∑ ∫ ∂ … → ° "); len(m) > 0 {
		t.Errorf("the font lacks %q", m)
	}
	if m := missingRunes("aℝbℝ∇"); string(m) != "ℝ∇" {
		t.Errorf("missingRunes found %q", m)
	}
}

// TestFit: text that is too long ends inside its room, with an ellipsis.
func TestFit(t *testing.T) {
	for _, room := range []float64{30, 100, 180} {
		l, runs := fit(textStyle{size: 14, maxLen: room}, []span{plain("a caption that is "), it("too long"), plain(" by far for its cell")})
		if w := textWidth(l, runs...); w > room {
			t.Errorf("%g pixels in a room of %g", w, room)
		}
		if s := plainText(runs); !strings.HasSuffix(s, "…") {
			t.Errorf("%q does not end with an ellipsis", s)
		}
	}
	if _, runs := fit(textStyle{size: 14, maxLen: 100}, []span{plain("short")}); plainText(runs) != "short" {
		t.Error("a short text was changed")
	}
}

// TestTicks: round, inside the range, few, increasing, and labels that say what
// they stand for.
func TestTicks(t *testing.T) {
	r := testRand(11)
	for range 2000 {
		lo := r.NormFloat64() * math.Pow(10, float64(r.IntN(16)-8))
		hi := lo + math.Abs(r.NormFloat64())*math.Pow(10, float64(r.IntN(16)-8))
		ticks := linearTicks(lo, hi, 5)
		if len(ticks) == 0 || len(ticks) > 7 {
			t.Fatalf("%d ticks in [%g, %g]", len(ticks), lo, hi)
		}
		for i, k := range ticks {
			if k.at < lo-1e-6*(hi-lo) || k.at > hi+1e-6*(hi-lo) || (i > 0 && k.at <= ticks[i-1].at) {
				t.Fatalf("tick %g of [%g, %g]", k.at, lo, hi)
			}
		}
		a := math.Pow(10, 8*r.Float64()-4)
		b := a * math.Pow(10, 0.6+9*r.Float64())
		n := len(logTicks(a, b))
		if n == 0 || n > 8 {
			t.Fatalf("%d ticks in [%g, %g]", n, a, b)
		}
	}
	for _, c := range []struct {
		x    float64
		want string
	}{{0, "0"}, {-1.5, "−1.5"}, {0.0143, "0.0143"}, {123456, "1.235·10^5"}, {2e-7, "2·10^−7"}, {99999, "99999"}, {1000, "1000"}} {
		if got := plainText(number(c.x)); got != c.want {
			t.Errorf("number(%g) = %q, expected %q", c.x, got, c.want)
		}
	}
	for _, c := range []struct {
		v, e float64
		want string
	}{{0.03924, 0.00171, "0.0392 ± 0.0017"}, {-12.34, 0.5, "−12.34 ± 0.50"}, {1234, 56, "1234 ± 56"}, {3, 0, "3"}} {
		if got := withError(c.v, c.e); got != c.want {
			t.Errorf("withError(%g, %g) = %q, expected %q", c.v, c.e, got, c.want)
		}
	}
}

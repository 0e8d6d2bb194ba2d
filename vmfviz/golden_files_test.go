package vmfviz

import (
	"math"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/janpfeifer/must"

	"github.com/sliced-wasserstein/lab/internal/canvas/canvastest"
)

// TestGoldenPage: the script of SphereHTML draws what it drew when it was looked
// at: samples with a slider of κ, then a function with a path.
func TestGoldenPage(t *testing.T) {
	h := heatOf("F(θ)", 12, func(t [3]float64) float64 { return 0.2 + 0.5*t[0]*t[0] + 0.3*t[1]*t[2] })
	page := must.M1(SphereHTML(SphereOptions{Title: "Samples and costs"},
		SpherePanel{Caption: "κ = 20", VMF: &VMF{Kappa: 20, Noise: testNoise(4, 20)}, Location: unit32([3]float64{0.6, 0.7, 0.2})},
		SpherePanel{Caption: "cost", Heat: h, Points: vmf(3, 12, [3]float64{1, 0, 1}, 20), Location: unit32([3]float64{-1, 0.2, 0.3}), LocationLabel: "θ",
			Path: append(unit32([3]float64{0.2, 0.9, 0.2}), unit32([3]float64{1, 0.1, -0.2})...)}))
	compareGolden(t, "sphere.html.txt", canvastest.Drawings(t, page, "input 0 1"))
}

var decimal = regexp.MustCompile(`-?\d+(?:\.\d+)?(?:e[-+]?\d+)?`)

// compareGolden compares texts word by word, their numbers to 0.02.
func compareGolden(t *testing.T, name, got string) {
	t.Helper()
	path := filepath.Join("testdata", name)
	if *update {
		must.M(os.WriteFile(path, []byte(got), 0o644))
	}
	a, b := strings.Split(got, "\n"), strings.Split(string(must.M1(os.ReadFile(path))), "\n")
	for i := range min(len(a), len(b)) {
		same := decimal.ReplaceAllString(a[i], "0") == decimal.ReplaceAllString(b[i], "0")
		x, y := decimal.FindAllString(a[i], -1), decimal.FindAllString(b[i], -1)
		for k := range min(len(x), len(y)) {
			u, _ := strconv.ParseFloat(x[k], 64)
			v, _ := strconv.ParseFloat(y[k], 64)
			same = same && (x[k] == y[k] || math.Abs(u-v) <= 0.021)
		}
		if !same {
			t.Fatalf("%s, line %d is\n%s\nexpected\n%s\nIf it should change, look at the picture and run with -update", name, i+1, a[i], b[i])
		}
	}
	if len(a) != len(b) {
		t.Fatalf("%s: %d lines, expected %d", name, len(a), len(b))
	}
}

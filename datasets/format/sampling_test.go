package format

import (
	"fmt"
	"testing"

	"gonum.org/v1/gonum/stat/distuv"

	"github.com/janpfeifer/must"
	"github.com/sliced-wasserstein/lab/datasets/internal/rng"
)

// TestMeshSamplingIsUniformByArea samples triangles whose areas span eight powers of two, each cut
// into four equal parts by its edge midpoints, and compares the counts with the areas by
// chi-square.
func TestMeshSamplingIsUniformByArea(t *testing.T) {
	const triangles, n = 9, 200000
	text, total := fmt.Sprintf("OFF\n%d %d 0\n", 3*triangles, triangles), 0.0
	// In a row, i-th of height 2^i and side 1; its corners in turn, so that none is special.
	for i := range triangles {
		a, b, c := fmt.Sprintf("%d 0 0\n", 10*i), fmt.Sprintf("%d 0 0\n", 10*i+1), fmt.Sprintf("%d %d 0\n", 10*i, 1<<i)
		text += []string{a + b + c, b + c + a, c + a + b}[i%3]
		total += float64(int(1) << i)
	}
	for i := range triangles {
		text += fmt.Sprintf("3 %d %d %d\n", 3*i, 3*i+1, 3*i+2)
	}
	m := parse(t, ".off", []byte(text))
	points := must.M1(m.Sample(n, rng.New(11)))
	var counts [triangles][4]float64
	for p := 0; p < len(points); p += 3 {
		i := int(points[p]+5) / 10
		x, y := float64(points[p])-float64(10*i), float64(points[p+1])/float64(int(1)<<i)
		switch {
		case points[p+2] != 0 || x < -1e-5 || y < -1e-5 || x+y > 1+1e-5:
			t.Fatalf("point %d lies outside triangle %d", p/3, i)
		case x > 0.5:
			counts[i][0]++
		case y > 0.5:
			counts[i][1]++
		case x+y < 0.5:
			counts[i][2]++
		default:
			counts[i][3]++
		}
	}
	chi := 0.0
	for i := range counts {
		for _, c := range counts[i] {
			want := n * float64(int(1)<<i) / total / 4
			chi += (c - want) * (c - want) / want
		}
	}
	dist := distuv.ChiSquared{K: 4*triangles - 1}
	if p := dist.Survival(chi); p < 0.001 {
		t.Errorf("chi-square %.1f of %v degrees of freedom, p = %.2g; counts %v", chi, dist.K, p, counts)
	}
	again, _ := m.Sample(n, rng.New(11))
	if fmt.Sprint(points[:30]) != fmt.Sprint(again[:30]) {
		t.Error("the same seed gave other points")
	}
}

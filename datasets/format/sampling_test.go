package format

import (
	"fmt"
	"math"
	"testing"

	"gonum.org/v1/gonum/stat/distuv"

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
	points, err := m.Sample(n, rng.New(11))
	if err != nil {
		t.Fatal(err)
	}
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

// sphereMesh is a sphere of 2 n (n-1) triangles.
func sphereMesh(n int) *Mesh {
	m := &Mesh{}
	for i := range n + 1 {
		sinTheta, cosTheta := math.Sincos(math.Pi * float64(i) / float64(n))
		for j := range n {
			sin, cos := math.Sincos(2 * math.Pi * float64(j) / float64(n))
			m.vertices = append(m.vertices, vec{X: sinTheta * cos, Y: cosTheta, Z: sinTheta * sin})
		}
	}
	for i := range n {
		for j := range n {
			a, b := i*n+j, i*n+(j+1)%n
			if i > 0 {
				m.addTriangle(a, b, a+n)
			}
			if i < n-1 {
				m.addTriangle(b, b+n, a+n)
			}
		}
	}
	return m
}

// BenchmarkSample draws 2,048 points from a loaded mesh of 100,000 triangles.
func BenchmarkSample(b *testing.B) {
	m := sphereMesh(224)
	if n := len(m.triangles); n < 99000 || n > 101000 {
		b.Fatal(n)
	}
	for b.Loop() {
		if _, err := m.Sample(2048, rng.New(1)); err != nil {
			b.Fatal(err)
		}
	}
}

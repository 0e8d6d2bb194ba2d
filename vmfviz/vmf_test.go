package vmfviz

import (
	"encoding/base64"
	"encoding/json"
	"fmt"
	"math"
	"os/exec"
	"regexp"
	"strings"
	"testing"

	"github.com/janpfeifer/must"
)

// testNoise returns n rows of noise.
func testNoise(seed uint64, n int) []float32 {
	r := testRand(seed)
	v := make([]float32, 2*n)
	for i := range v {
		v[i] = r.Float32()
	}
	return v
}

// TestVMFCosine: the cosine inverts the distribution function, and its moments
// are those of the closed forms A = coth κ − 1/κ and 1 − 2A/κ.
func TestVMFCosine(t *testing.T) {
	for _, kappa := range []float64{0.01, 0.3, 1, 10, 100} {
		const n = 100000
		var m1, m2 float64
		for i := range n {
			u := (float64(i) + 0.5) / n
			w := vmfCosine(u, kappa)
			cdf := math.Expm1(kappa*(w+1)) / math.Expm1(2*kappa)
			if kappa == 100 {
				cdf = math.Exp(kappa * (w - 1))
			}
			if math.Abs(cdf-u) > 1e-9 {
				t.Fatalf("κ = %g: F(%g) = %g, expected %g", kappa, w, cdf, u)
			}
			m1 += w / n
			m2 += w * w / n
		}
		a := 1/math.Tanh(kappa) - 1/kappa
		if math.Abs(m1-a) > 1e-5 || math.Abs(m2-(1-2*a/kappa)) > 1e-5 {
			t.Errorf("κ = %g: moments %g and %g, expected %g and %g", kappa, m1, m2, a, 1-2*a/kappa)
		}
	}
	for u := 0.0; u <= 1; u += 0.125 {
		if a, b := vmfCosine(u, 0), vmfCosine(u, 1e-5); a != 2*u-1 || math.Abs(a-b) > 1e-5 {
			t.Errorf("u = %g: ω = %g for κ = 0 and %g for κ = 1e-5", u, a, b)
		}
		if w := vmfCosine(u, maxKappa); math.IsNaN(w) || w < -1 || w > 1 {
			t.Errorf("u = %g: ω = %g for the largest κ", u, w)
		}
	}
}

// TestVMFSamples: unit vectors at the angle that the noise says, round every
// location alike; a larger κ moves each sample towards the location.
func TestVMFSamples(t *testing.T) {
	noise := testNoise(1, 300)
	for _, eps := range []vec3{{0, 0, 1}, {0, 0, -1}, {1, 0, 0}, vec3{0.3, -0.8, 0.5}.unit(), vec3{1e-5, 0, 1}.unit()} {
		last := make([]float64, 300)
		for i := range last {
			last[i] = -2
		}
		for _, kappa := range []float64{0, 0.5, 5, 50, 500} {
			p := (&VMF{Kappa: kappa, Noise: noise}).samples(eps)
			for i := range last {
				q := row3(p, i)
				w := dot(q, eps)
				if want := vmfCosine(float64(noise[2*i]), kappa); math.Abs(w-want) > 1e-6 || math.Abs(dot(q, q)-1) > 1e-6 {
					t.Fatalf("location %v, κ = %g, row %d: cosine %g of %v, expected %g", eps, kappa, i, w, q, want)
				}
				if w < last[i]-1e-6 {
					t.Fatalf("location %v, row %d: cosine %g for κ = %g, %g before", eps, i, w, kappa, last[i])
				}
				last[i] = w
			}
		}
	}
}

// TestVMFScript: the page's own code draws the samples that Go draws.
func TestVMFScript(t *testing.T) {
	node, err := exec.LookPath("node")
	if err != nil {
		t.Skip("there is no node to run the script of the page")
	}
	v := &VMF{Kappa: 12, Noise: testNoise(3, 200)}
	page, d := readPage(t, SphereOptions{}, SpherePanel{VMF: v, Location: unit32([3]float64{-1, 2, 0.5})})
	code := regexp.MustCompile(`(?s)  // Shared by the pages.*?  function start\(`).FindString(page)
	code = strings.TrimSuffix(code, "  function start(")
	for _, kappa := range []float64{0, 0.1, 12, 1000} {
		script := fmt.Sprintf("%s\nconsole.log(JSON.stringify(samples(noise(%q), directions(%q)[0], %g)))", code, base64.StdEncoding.EncodeToString(d.Frames[0].Noise), d.Frames[0].Location, kappa)
		out := must.M1(exec.Command(node, "-e", script).Output())
		var got []vec3
		must.M(json.Unmarshal(out, &got))
		want := (&VMF{Kappa: kappa, Noise: v.Noise}).samples(vec3{-1, 2, 0.5}.unit())
		for i, q := range got {
			if e := q.sub(row3(want, i)); len(got) != 200 || math.Sqrt(dot(e, e)) > 2e-3 {
				t.Fatalf("κ = %g: sample %d of %d is %v, expected %v", kappa, i, len(got), q, row3(want, i))
			}
		}
	}
}

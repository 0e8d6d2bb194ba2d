package vmfviz

import (
	"math"
	"math/rand/v2"
)

// Clouds and samples for tests and examples, deterministic.

func testRand(seed uint64) *rand.Rand { return rand.New(rand.NewPCG(seed, 7)) }

// torus returns m points on a torus that lies in the horizontal plane.
func torus(seed uint64, m int, noise float64) []float32 {
	r := testRand(seed)
	p := make([]float32, 0, 3*m)
	for len(p) < 3*m {
		u, v := 2*math.Pi*r.Float64(), 2*math.Pi*r.Float64()
		const R, q = 0.68, 0.3
		if r.Float64() > (R+q*math.Cos(v))/(R+q) {
			continue
		}
		n := func() float64 { return noise * r.NormFloat64() }
		p = append(p, float32((R+q*math.Cos(v))*math.Cos(u)+n()), float32(q*math.Sin(v)+n()), float32((R+q*math.Cos(v))*math.Sin(u)+n()))
	}
	return p
}

// boxes returns m points on a wide box with a tall box on it.
func boxes(seed uint64, m int, noise float64) []float32 {
	r := testRand(seed)
	p := make([]float32, 0, 3*m)
	for range m {
		c, h := [3]float64{0, -0.35, 0}, [3]float64{0.7, 0.18, 0.5}
		if r.Float64() < 0.45 {
			c, h = [3]float64{-0.3, 0.3, 0}, [3]float64{0.2, 0.45, 0.3}
		}
		areas := [3]float64{h[1] * h[2], h[0] * h[2], h[0] * h[1]}
		t, k := r.Float64()*(areas[0]+areas[1]+areas[2]), 0
		for t > areas[k] {
			t -= areas[k]
			k++
		}
		var q [3]float64
		for j := range 3 {
			q[j] = h[j] * (2*r.Float64() - 1)
		}
		q[k] = math.Copysign(h[k], q[k])
		for j := range 3 {
			p = append(p, float32(c[j]+q[j]+noise*r.NormFloat64()))
		}
	}
	return p
}

// vmf returns n samples of the von Mises-Fisher distribution in three
// dimensions around eps, by inverting the distribution of the cosine.
func vmf(seed uint64, n int, eps [3]float64, kappa float64) []float32 {
	r := testRand(seed)
	e := vec3(eps).unit()
	a := cross(e, vec3{0, 0, 1})
	if dot(a, a) < 1e-6 {
		a = vec3{1, 0, 0}
	}
	a = a.unit()
	b := cross(e, a)
	p := make([]float32, 0, 3*n)
	for range n {
		u := r.Float64()
		w := 2*u - 1
		if kappa > 0 {
			w = 1 + math.Log(u+(1-u)*math.Exp(-2*kappa))/kappa
		}
		s := math.Sqrt(math.Max(0, 1-w*w))
		sin, cos := math.Sincos(2 * math.Pi * r.Float64())
		q := e.scale(w).add(a.scale(s * cos)).add(b.scale(s * sin)).unit()
		p = append(p, float32(q[0]), float32(q[1]), float32(q[2]))
	}
	return p
}

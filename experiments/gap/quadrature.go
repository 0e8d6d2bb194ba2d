package gap

import (
	"context"
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	"math"
	"path/filepath"

	"github.com/janpfeifer/must"

	"github.com/sliced-wasserstein/lab/internal/durable"
	"github.com/sliced-wasserstein/lab/swlab/ot1d"
	"github.com/sliced-wasserstein/lab/swlab/vmf"
)

// Expansion is F of one pair in spherical harmonics, with what is needed to bound its errors.
type Expansion struct {
	F      Harmonics `json:"f"`      // by the fine rule
	Coarse Harmonics `json:"coarse"` // by the rule of half the resolution, for the error
	Square float64   `json:"square"` // integral of F^2, fine rule
}

// rule is a quadrature over the sphere for even functions: n Gauss-Legendre nodes in z, those above
// 0 with double weight, times 2n equal steps in the angle around the axis. It is exact for
// polynomials of degree below 2n.
type rule struct {
	points  [][3]float64
	weights []float64 // sum 4 pi
}

func newRule(n int) rule {
	var r rule
	z, w := gaussLegendre(n)
	for j := range z {
		if z[j] < 0 {
			continue
		}
		radius := math.Sqrt((1 - z[j]) * (1 + z[j]))
		for k := range 2 * n {
			sin, cos := math.Sincos(math.Pi * (float64(k) + 0.5) / float64(n))
			r.points = append(r.points, [3]float64{radius * cos, radius * sin, z[j]})
			r.weights = append(r.weights, 2*w[j]*math.Pi/float64(n))
		}
	}
	return r
}

// gaussLegendre returns the nodes and weights of the rule with n points on [-1, 1], n even, by
// Newton's method on P_n.
func gaussLegendre(n int) (z, w []float64) {
	for i := range n {
		x := math.Cos(math.Pi * (float64(i) + 0.75) / (float64(n) + 0.5))
		slope := 0.0
		for range 10 {
			before, p := 1.0, x
			for l := 2; l <= n; l++ {
				before, p = p, (float64(2*l-1)*x*p-float64(l-1)*before)/float64(l)
			}
			slope = float64(n) * (x*p - before) / (x*x - 1)
			x -= p / slope
		}
		z, w = append(z, x), append(w, 2/((1-x*x)*slope*slope))
	}
	return z, w
}

// directions returns the points in the layout of ot1d.
func (r rule) directions() []float32 {
	var out []float32
	for _, p := range r.points {
		out = append(out, float32(p[0]), float32(p[1]), float32(p[2]))
	}
	return out
}

// project expands functions with the given values at the points.
func (r rule) project(values [][]float64, degree int) []Harmonics {
	out := make([]Harmonics, len(values))
	for i := range out {
		out[i] = Harmonics{Degree: degree, Coef: make([]float64, coefficients(degree))}
	}
	basis := make([]float64, coefficients(degree))
	for q, p := range r.points {
		walk(p, degree, false, func(at int, y float64, _ [3]float64) { basis[at] = y })
		for i, v := range values {
			f := v[q] * r.weights[q]
			for k, y := range basis {
				out[i].Coef[k] += f * y
			}
		}
	}
	return out
}

// maxDegree is the largest degree of an expansion.
const maxDegree = 128

// kernelTail bounds the truncation of the kernel: the degrees beyond have sum a_l^2 (2l+1) below
// its square.
const kernelTail = 1e-8

// degreeFor returns the even degree beyond which the distribution's multipliers are negligible.
func degreeFor(kappa float64) (int, error) {
	a := vmf.FunkHecke(3, kappa, 2*maxDegree)
	tail := 0.0
	for l := 2 * maxDegree; l >= 0; l -= 2 {
		tail += a[l] * a[l] * float64(2*l+1)
		if !(tail < kernelTail*kernelTail) {
			if l >= maxDegree {
				return 0, fmt.Errorf("gap: kappa: the exact value at kappa = %g needs harmonics beyond degree %d; expected a smaller kappa", kappa, maxDegree)
			}
			return max(l, 2), nil
		}
	}
	return 2, nil
}

// resolution returns the n of the fine rule for a degree. Half of it still has more than degree
// nodes.
func resolution(degree int) int { return max(64, (degree+5)/2*4) }

// expand evaluates F of all pairs on both rules, with about resolution^2 directions per pair.
func expand(ctx context.Context, p pairs, degree int, progress func(done, total int)) ([]Expansion, error) {
	n := resolution(degree)
	fine, coarse := newRule(n), newRule(n/2)
	directions := append(fine.directions(), coarse.directions()...)
	total := len(directions) / 3
	block := max(1, (1<<20)/total)
	var out []Expansion
	for from := 0; from < p.n; from += block {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		part := p.part(from, min(from+block, p.n))
		costs, err := ot1d.HostCosts(part.x(), part.y(), directions, total, ot1d.Config{})
		if err != nil {
			return nil, err
		}
		var onFine, onCoarse [][]float64
		for b := range part.n {
			row := costs[b*total : (b+1)*total]
			onFine, onCoarse = append(onFine, row[:len(fine.points)]), append(onCoarse, row[len(fine.points):])
		}
		f, c := fine.project(onFine, degree), coarse.project(onCoarse, degree)
		for b := range part.n {
			e := Expansion{F: f[b], Coarse: c[b]}
			for q, v := range onFine[b] {
				e.Square += fine.weights[q] * v * v
			}
			out = append(out, e)
		}
		progress(from+part.n, p.n)
	}
	return out, nil
}

// errors bounds the error of the smoothed F of an expansion over the whole sphere: that of the
// quadrature, taken as the change from half the resolution, and that of the degrees left out
// (Cauchy-Schwarz, with the norm of the rest of F by Parseval).
func (e Expansion) errors(kappa float64) (quadrature, tail float64) {
	a := vmf.FunkHecke(3, kappa, 2*maxDegree)
	quadrature = farthest(e.F.Smooth(a), e.Coarse.Smooth(a))
	kernel := 0.0
	for l := e.F.Degree + 2; l <= 2*maxDegree; l += 2 {
		kernel += a[l] * a[l] * float64(2*l+1) / (4 * math.Pi)
	}
	return quadrature, math.Sqrt(kernel * math.Max(0, e.Square-e.F.power()))
}

// expansionVersion must change with any change to the numbers of expand.
const expansionVersion = 1

// expansions is the content of a file of the cache.
type expansions struct {
	Pairs []Expansion `json:"pairs"`
}

// expanded is expand with a cache of files in folder; "" means no cache. The file's name is the
// digest of all that the coefficients depend on: the clouds, the degree and the rules. The method
// does not matter, and kappa only through the degree.
func expanded(p pairs, degree int, folder string, expand func() ([]Expansion, error)) ([]Expansion, error) {
	if folder == "" {
		return expand()
	}
	h := sha256.New()
	fmt.Fprintln(h, expansionVersion, p.n, p.m, degree, resolution(degree))
	for _, v := range [][]float32{p.first, p.second} {
		must.M(binary.Write(h, binary.LittleEndian, v))
	}
	path := filepath.Join(folder, fmt.Sprintf("harmonics-%x.json", h.Sum(nil)[:12]))
	kept, err := durable.Keep(path, nil, func() (v expansions, err error) {
		v.Pairs, err = expand()
		return v, err
	})
	return kept.Pairs, err
}

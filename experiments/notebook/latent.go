package notebook

import (
	"fmt"
	"math"
)

// Arc returns n >= 2 unit vectors [n, d] on the great circle from a to b [d], a and b included, at equal angles:
//
//	z(t) = sin((1-t) w)/sin(w) a + sin(t w)/sin(w) b,   cos(w) = a'b,   t = 0, 1/(n-1), ..., 1
//
// Codes of the autoencoder are unit vectors: the straight line between two of them leaves the sphere, the great circle stays on it. Opposite
// vectors have no such circle, which is an error.
func Arc(a, b []float32, n int) ([]float32, error) {
	if n < 2 {
		return nil, fmt.Errorf("n: expected at least 2 codes, the ends, found %d", n)
	}
	if len(a) == 0 || len(a) != len(b) {
		return nil, fmt.Errorf("expected two codes of one length, found %d and %d numbers", len(a), len(b))
	}
	dot, aa, bb := 0.0, 0.0, 0.0
	for i := range a {
		x, y := float64(a[i]), float64(b[i])
		dot, aa, bb = dot+x*y, aa+x*x, bb+y*y
	}
	if !(math.Abs(aa-1) < 1e-3) || !(math.Abs(bb-1) < 1e-3) {
		return nil, fmt.Errorf("expected unit vectors, found the lengths %.4g and %.4g", math.Sqrt(aa), math.Sqrt(bb))
	}
	w := math.Acos(math.Max(-1, math.Min(1, dot/math.Sqrt(aa*bb))))
	if w > math.Pi-1e-3 {
		return nil, fmt.Errorf("expected codes that are not opposite, found an angle of %.4g", w)
	}
	out := make([]float32, 0, n*len(a))
	for k := range n {
		t := float64(k) / float64(n-1)
		p, q := 1-t, t
		if w > 1e-6 {
			p, q = math.Sin((1-t)*w)/math.Sin(w), math.Sin(t*w)/math.Sin(w)
		}
		for i := range a {
			out = append(out, float32(p*float64(a[i])+q*float64(b[i])))
		}
	}
	return out, nil
}

// Nearest returns for every code of z [n, d] the row of the code in set [m, d] with the largest cosine, and that cosine.
func Nearest(z, set []float32, d int) (rows []int, cosines []float64, err error) {
	if d < 1 || len(z)%d != 0 || len(set)%d != 0 || len(set) == 0 {
		return nil, nil, fmt.Errorf("expected codes of %d numbers, found %d and %d numbers", d, len(z), len(set))
	}
	cosine := func(a, b []float32) float64 {
		dot, aa, bb := 0.0, 0.0, 0.0
		for i := range a {
			x, y := float64(a[i]), float64(b[i])
			dot, aa, bb = dot+x*y, aa+x*x, bb+y*y
		}
		return dot / math.Sqrt(math.Max(aa*bb, 1e-300))
	}
	for i := range len(z) / d {
		best, at := math.Inf(-1), 0
		for j := range len(set) / d {
			if c := cosine(z[i*d:(i+1)*d], set[j*d:(j+1)*d]); c > best {
				best, at = c, j
			}
		}
		rows, cosines = append(rows, at), append(cosines, best)
	}
	return rows, cosines, nil
}

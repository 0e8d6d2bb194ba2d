package notebook

import (
	"fmt"
	"math"
	"math/rand/v2"

	"github.com/sliced-wasserstein/lab/datasets"
	"github.com/sliced-wasserstein/lab/swlab"
)

// RotationTurns measures, for every pair of x and y in R^3, by how many degrees a map's direction misses turning with the clouds: the angle
// between a(RX, RY) and R a(X, Y), R a random rotation per pair, drawn with seed. It is 0 for a map that is equivariant.
func RotationTurns(name string, x, y *datasets.Set, o swlab.DirectionOptions, seed uint64) ([]float64, error) {
	for _, s := range []*datasets.Set{x, y} {
		if err := s.Validate(); err != nil {
			return nil, fmt.Errorf("rotation turns: %w", err)
		}
	}
	if x.D != 3 || y.D != 3 {
		return nil, fmt.Errorf("rotation turns: expected points in R^3, found %d and %d coordinates", x.D, y.D)
	}
	before, err := swlab.Direction(name, x, y, o)
	if err != nil {
		return nil, err
	}
	all := make([]int, x.N)
	for b := range all {
		all[b] = b
	}
	rx, ry, expected := x.Select(all), y.Select(all), before.Directions
	r := rand.New(rand.NewPCG(seed, 0x726f_7461_7465)) // second word: "rotate"
	for b := range all {
		q := [4]float64{r.NormFloat64(), r.NormFloat64(), r.NormFloat64(), r.NormFloat64()} // a uniform quaternion, not normalised
		for _, v := range [][]float32{rx.Cloud(b), ry.Cloud(b), expected[3*b : 3*b+3]} {
			rotate(q, v)
		}
	}
	after, err := swlab.Direction(name, rx, ry, o)
	if err != nil {
		return nil, err
	}
	turns := make([]float64, x.N)
	for b := range turns {
		chord := 0.0
		for i := range 3 {
			chord = math.Hypot(chord, float64(after.Directions[3*b+i]-expected[3*b+i]))
		}
		turns[b] = 2 * math.Asin(math.Min(1, chord/2)) * 180 / math.Pi
	}
	return turns, nil
}

// rotate turns points [n, 3] in place by the rotation of the quaternion q.
func rotate(q [4]float64, points []float32) {
	w, x, y, z := q[0], q[1], q[2], q[3]
	n := w*w + x*x + y*y + z*z
	m := [3][3]float64{
		{w*w + x*x - y*y - z*z, 2 * (x*y - w*z), 2 * (x*z + w*y)},
		{2 * (x*y + w*z), w*w - x*x + y*y - z*z, 2 * (y*z - w*x)},
		{2 * (x*z - w*y), 2 * (y*z + w*x), w*w - x*x - y*y + z*z},
	}
	for i := 0; i < len(points); i += 3 {
		a, b, c := float64(points[i]), float64(points[i+1]), float64(points[i+2])
		for k, row := range m {
			points[i+k] = float32((row[0]*a + row[1]*b + row[2]*c) / n)
		}
	}
}

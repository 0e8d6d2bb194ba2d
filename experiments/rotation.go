package experiments

import (
	"fmt"
	"math/rand/v2"

	"gonum.org/v1/gonum/num/quat"
	"gonum.org/v1/gonum/spatial/r3"

	"github.com/sliced-wasserstein/lab/datasets"
	"github.com/sliced-wasserstein/lab/swlab"
)

// RotationAngles measures, for every pair of x and y in R^3, how far an amortizer's direction is
// from rotating with the clouds. It returns the angle in degrees between a(RX, RY) and R a(X, Y),
// with a uniform random rotation R per pair, drawn with seed. The angle is 0 for an equivariant
// amortizer.
func RotationAngles(name string, x, y *datasets.Set, o swlab.DirectionConfig, seed uint64) ([]float64, error) {
	for _, s := range []*datasets.Set{x, y} {
		if err := s.Validate(); err != nil {
			return nil, fmt.Errorf("rotation: %w", err)
		}
	}
	if x.Dim != 3 || y.Dim != 3 {
		return nil, fmt.Errorf("rotation: expected points in R^3, found %d and %d coordinates", x.Dim, y.Dim)
	}
	before, err := swlab.Direction(name, x, y, o)
	if err != nil {
		return nil, err
	}
	all := make([]int, x.Clouds)
	for b := range all {
		all[b] = b
	}
	rx, ry, expected := x.Select(all), y.Select(all), before.Directions
	r := rand.New(rand.NewPCG(seed, 0x726f_7461_7465)) // second word: "rotate"
	for b := range all {
		q := quat.Number{Real: r.NormFloat64(), Imag: r.NormFloat64(), Jmag: r.NormFloat64(), Kmag: r.NormFloat64()}
		rotation := r3.Rotation(quat.Scale(1/quat.Abs(q), q))
		for _, v := range [][]float32{rx.Cloud(b), ry.Cloud(b), expected[3*b : 3*b+3]} {
			for i := 0; i < len(v); i += 3 {
				p := rotation.Rotate(r3.Vec{X: float64(v[i]), Y: float64(v[i+1]), Z: float64(v[i+2])})
				v[i], v[i+1], v[i+2] = float32(p.X), float32(p.Y), float32(p.Z)
			}
		}
	}
	after, err := swlab.Direction(name, rx, ry, o)
	if err != nil {
		return nil, err
	}
	angles := make([]float64, x.Clouds)
	for b := range angles {
		angles[b] = Angle(after.Directions[3*b:3*b+3], expected[3*b:3*b+3])
	}
	return angles, nil
}

package experiments

import (
	"math"

	"gonum.org/v1/gonum/floats"
)

// Angle returns the angle between two vectors of equal length, in degrees from 0 to 180. It is
// accurate for small angles too. Without a direction, or with unequal lengths, it is NaN.
func Angle[T float32 | float64](a, b []T) float64 {
	u, v := unit(a), unit(b)
	if len(u) != len(v) || len(u) == 0 {
		return math.NaN()
	}
	chord := floats.Distance(u, v, 2)
	return 2 * math.Asin(math.Min(1, chord/2)) * 180 / math.Pi
}

// unit divides by the norm, in float64.
func unit[T float32 | float64](a []T) []float64 {
	u := make([]float64, len(a))
	for i, x := range a {
		u[i] = float64(x)
	}
	floats.Scale(1/floats.Norm(u, 2), u)
	return u
}

package conformance

import (
	"fmt"
	"math"

	"gonum.org/v1/gonum/integrate/quad"

	"github.com/sliced-wasserstein/lab/swlab/ot1d"
)

// Nodes are directions with weights that sum to 1: sums over them are means over the sphere.
type Nodes struct {
	Directions []float32 // [n, Dim]
	Weights    []float64 // [n]
	Dim        int
}

// Sphere returns a quadrature of half of the circle or sphere, for even functions: on the circle
// 2n^2 even angles; on the sphere n Gauss-Legendre heights and 2n even azimuths, exact for
// polynomials of degree below 2n.
func Sphere(dim, n int) (Nodes, error) {
	q := Nodes{Dim: dim}
	switch dim {
	case 2:
		for i := range 2 * n * n {
			angle := math.Pi * (float64(i) + 0.5) / float64(2*n*n)
			q.Directions = append(q.Directions, float32(math.Cos(angle)), float32(math.Sin(angle)))
			q.Weights = append(q.Weights, 1/float64(2*n*n))
		}
	case 3:
		z, w := make([]float64, n), make([]float64, n)
		quad.Legendre{}.FixedLocations(z, w, 0, 1)
		for i := range z {
			across := math.Sqrt(1 - z[i]*z[i])
			for k := range 2 * n {
				angle := math.Pi * (float64(k) + 0.5) / float64(n)
				q.Directions = append(q.Directions, float32(across*math.Cos(angle)), float32(across*math.Sin(angle)), float32(z[i]))
				q.Weights = append(q.Weights, w[i]/float64(2*n))
			}
		}
	default:
		return q, fmt.Errorf("quadrature of the sphere: expected dimension 2 or 3, found %d", dim)
	}
	return q, nil
}

// SW is the mean over the sphere of the costs of ot1d.HostCosts: SW_p^p, or the sum over points.
func (q Nodes) SW(x, y ot1d.Clouds, o ot1d.Config) ([]float64, error) {
	costs, err := ot1d.HostCosts(x, y, q.Directions, len(q.Weights), o)
	if err != nil {
		return nil, err
	}
	out := make([]float64, x.Batch)
	for i, c := range costs {
		out[i/len(q.Weights)] += c * q.Weights[i%len(q.Weights)]
	}
	return out, nil
}

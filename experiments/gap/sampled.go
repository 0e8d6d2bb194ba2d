package gap

import (
	"math/rand/v2"

	"github.com/sliced-wasserstein/lab/experiments"
	"github.com/sliced-wasserstein/lab/swlab/ot1d"
	"github.com/sliced-wasserstein/lab/swlab/vmf"
)

// sampler draws J's slices and evaluates them.
type sampler struct {
	kappa      float64
	slices     int
	reflection vmf.Reflection
}

// noise determines the slices around any location: u [n, slices], normals [n, slices, 2].
type noise struct{ u, normals []float64 }

func (s sampler) noise(r *rand.Rand, n int) noise {
	z := noise{make([]float64, n*s.slices), make([]float64, n*s.slices*2)}
	for i := range z.u {
		z.u[i] = r.Float64()
	}
	for i := range z.normals {
		z.normals[i] = r.NormFloat64()
	}
	return z
}

// randomLocations draws n uniform unit vectors.
func randomLocations(r *rand.Rand, n int) [][3]float64 {
	out := make([][3]float64, n)
	for i := range out {
		out[i] = [3]float64(vmf.Uniform(r, 3, 1))
	}
	return out
}

// place returns the components along the locations eps and the slices.
func (s sampler) place(eps [][3]float64, z noise) (omega []float64, theta []float32) {
	omega = make([]float64, len(z.u))
	for i, u := range z.u {
		omega[i] = vmf.OmegaFromUniform(s.kappa, u)
	}
	for b, e := range eps {
		from, to := b*s.slices, (b+1)*s.slices
		for _, v := range vmf.Place(e[:], omega[from:to], z.normals[2*from:2*to], s.reflection) {
			theta = append(theta, float32(v))
		}
	}
	return omega, theta
}

// values returns the means of F over the slices, one per pair, and their squared standard errors, 0
// for a single slice.
func (s sampler) values(p pairs, eps [][3]float64, z noise) (means, squares []float64, err error) {
	_, theta := s.place(eps, z)
	costs, err := ot1d.HostCosts(p.x(), p.y(), theta, s.slices, ot1d.Config{})
	if err != nil {
		return nil, nil, err
	}
	for b := range eps {
		m := experiments.NewScore(costs[b*s.slices : (b+1)*s.slices])
		means, squares = append(means, m.Mean), append(squares, m.StdErr*m.StdErr)
	}
	return means, squares, nil
}

// slope returns the gradient of values with respect to the locations as free vectors, through the
// reflection only.
func (s sampler) slope(p pairs, eps [][3]float64, z noise) ([][3]float64, error) {
	omega, theta := s.place(eps, z)
	upstream := make([]float64, len(omega))
	for i := range upstream {
		upstream[i] = 1 / float64(s.slices)
	}
	_, grad, err := ot1d.HostGradients(p.x(), p.y(), theta, s.slices, upstream, ot1d.Directions, ot1d.Config{})
	if err != nil {
		return nil, err
	}
	g := grad.Directions
	out := make([][3]float64, p.n)
	for b, e := range eps {
		from, to := b*s.slices, (b+1)*s.slices
		normals := z.normals[2*from : 2*to]
		out[b] = [3]float64(vmf.PlaceGradient(e[:], omega[from:to], normals, s.reflection, g[3*from:3*to]))
	}
	return out, nil
}

// ascend takes steps of plain gradient ascent on the mean of values over batch pairs, with the
// samples of next at every step, and normalises each location after it: the released script's
// v-DSW. Part of a batch takes the same steps as it would within the batch.
func (s sampler) ascend(p pairs, eps [][3]float64, steps int, rate float64, batch int, next func() noise) error {
	for range steps {
		g, err := s.slope(p, eps, next())
		if err != nil {
			return err
		}
		for b := range eps {
			for i := range eps[b] {
				eps[b][i] += rate / float64(batch) * g[b][i]
			}
			eps[b] = normalised(eps[b])
		}
	}
	return nil
}

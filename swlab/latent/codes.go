// Package latent follows Nguyen et al. 2023 with the codes of a trained autoencoder: it trains a
// classifier on them ([Classify], the transfer task) and a generator of codes ([TrainGenerator]).
//
// All randomness is a function of a seed and the number of the step, so equal calls give equal
// results on one backend.
package latent

import (
	"fmt"
	"math/rand/v2"

	"github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/core/tensors"

	"github.com/sliced-wasserstein/lab/swlab/internal/vec"
	"github.com/sliced-wasserstein/lab/swlab/pointnet"
	"github.com/sliced-wasserstein/lab/swlab/weights"
)

// What inputs and outputs of a program are made of, in its graph and outside.
type (
	node   = *graph.Node
	tensor = *tensors.Tensor
)

// Codes are the codes of N clouds.
type Codes struct {
	Name    string    // their origin, for errors
	Vectors []float32 // [N, 256]
	Labels  []int32   // [N] class of each cloud; nil if unknown
	N       int
}

// check rejects codes that are fewer than least, of wrong length or not finite.
func (c Codes) check(least int) error {
	if c.N < least {
		return fmt.Errorf("%s: expected at least %d codes, found %d", c.Name, least, c.N)
	}
	if want := c.N * pointnet.LatentSize; len(c.Vectors) != want {
		return fmt.Errorf("%s: %d codes have %d numbers, found %d", c.Name, c.N, want, len(c.Vectors))
	}
	if i := vec.NotFinite(c.Vectors); i >= 0 {
		return fmt.Errorf("%s: number %d of code %d: expected a finite number, found %v",
			c.Name, i%pointnet.LatentSize, i/pointnet.LatentSize, c.Vectors[i])
	}
	return nil
}

// checkLabels requires a label in [0, classes) for every code.
func (c Codes) checkLabels(classes int) error {
	if len(c.Labels) != c.N {
		return fmt.Errorf("%s: expected a label for each of %d codes, found %d", c.Name, c.N, len(c.Labels))
	}
	for i, l := range c.Labels {
		if l < 0 || int(l) >= classes {
			return fmt.Errorf("%s: label of code %d: expected 0 to %d, found %d", c.Name, i, classes-1, l)
		}
	}
	return nil
}

// Streams of random numbers of a seed; the initial weights have their own.
const (
	dropoutStream = iota + 1
	noiseStream
	sampleStream
)

// source is the generator of random numbers for a purpose and a step.
func source(seed uint64, purpose, step int) *rand.Rand {
	return rand.New(rand.NewPCG(seed, uint64(purpose)<<48+uint64(step)))
}

// uniform are n numbers of U[0, 1), of 24 bits each.
func uniform(r *rand.Rand, n int) []float32 {
	v := make([]float32, n)
	for i := 0; i < n; i += 2 {
		bits := r.Uint64()
		v[i] = float32(bits>>40) / (1 << 24)
		if i+1 < n {
			v[i+1] = float32(bits&(1<<24-1)) / (1 << 24)
		}
	}
	return v
}

// zeros are tensors of zeros in the shapes of specs, by name.
func zeros(specs []weights.Spec) map[string]*tensors.Tensor {
	out := map[string]*tensors.Tensor{}
	for _, s := range specs {
		out[s.Name] = tensors.FromFlatDataAndDimensions(make([]float32, s.Size()), s.Shape...)
	}
	return out
}

// trained are the specs of what an optimizer trains.
func trained(specs []weights.Spec) []weights.Spec {
	var out []weights.Spec
	for _, s := range specs {
		if !s.Buffer {
			out = append(out, s)
		}
	}
	return out
}

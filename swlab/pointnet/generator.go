package pointnet

import (
	"fmt"

	"github.com/gomlx/gomlx/core/graph"

	"github.com/sliced-wasserstein/lab/swlab/weights"
)

// NoiseSize is the length of the latent generator's input.
const NoiseSize = 64

const leak = 0.2 // slope of LeakyReLU below 0

// generatorWidths are the sizes of the generator's layers.
var generatorWidths = []int{NoiseSize, 128, 128, 128, LatentSize}

// Generator makes codes from noise, for the generation study of Nguyen et al. 2023:
//
//	64-128-128-128, each linear -> LeakyReLU(0.2);  linear 128-256;  tanh
//
// No norm layers. Unlike the encoder's, its codes are not divided by their norm. It has 74,368
// parameters.
type Generator struct{}

// Specs lists the tensors: weights and biases start with PyTorch's default distribution,
// U(+-1/sqrt(in)).
func (Generator) Specs() []weights.Spec {
	var s []weights.Spec
	for i, in := range generatorWidths[:len(generatorWidths)-1] {
		name, out := generatorLayer(i), generatorWidths[i+1]
		s = append(s,
			weights.Spec{Name: name + ".weight", Shape: []int{out, in}, Init: weights.FanIn(in)},
			weights.Spec{Name: name + ".bias", Shape: []int{out}, Init: weights.FanIn(in)})
	}
	return s
}

func generatorLayer(i int) string { return fmt.Sprintf("fc%d", i+1) }

// Forward builds the network on noise [batch, 64] of N(0, I): codes [batch, 256] inside (-1, 1).
func (Generator) Forward(w weights.Nodes, noise *graph.Node) *graph.Node {
	if s := noise.Shape(); s.Rank() != 2 || s.Dimensions[1] != NoiseSize {
		panic(fmt.Errorf("generator: expected noise [batch, %d], found %s", NoiseSize, s))
	}
	l := layers{w: w}
	last := len(generatorWidths) - 2
	h := noise
	for i := range last {
		h = l.linear(h, generatorLayer(i))
		h = graph.Max(h, graph.MulScalar(h, leak))
	}
	return graph.Tanh(l.linear(h, generatorLayer(last)))
}

package pointnet

import (
	"fmt"

	"github.com/gomlx/gomlx/core/graph"

	"github.com/sliced-wasserstein/lab/swlab/weights"
)

// Widths of the classifier's hidden layers.
const (
	classifierWidth1 = 512
	classifierWidth2 = 256
)

// Classifier predicts classes from codes, the transfer task of Nguyen et al. 2023:
//
//	256-512-256, each linear -> batch norm -> dropout -> ReLU;  linear 256-Classes
//
// Dropout sits BETWEEN batch norm and ReLU, as in the released code. With 40 classes it has 274,728
// trained parameters.
type Classifier struct {
	Classes int     // of ModelNet40: 40
	Dropout float64 // probability of a zero, in [0, 1); 0.5 in the paper
}

// Hidden are the widths of the hidden layers, each followed by dropout.
func (*Classifier) Hidden() []int { return []int{classifierWidth1, classifierWidth2} }

// Specs lists the tensors: linear layers Xavier uniform with bias 0.01, batch norms as in the
// autoencoder.
func (c *Classifier) Specs() []weights.Spec {
	s := linearSpecs("fc1", LatentSize, classifierWidth1)
	s = append(s, normSpecs("bn1", classifierWidth1)...)
	s = append(s, linearSpecs("fc2", classifierWidth1, classifierWidth2)...)
	s = append(s, normSpecs("bn2", classifierWidth2)...)
	return append(s, linearSpecs("fc3", classifierWidth2, c.Classes)...)
}

// Forward builds the network on codes z [batch, 256]: the logits [batch, Classes] and, in mode
// Train, the new running statistics by name. uniform draws numbers of U[0, 1), [batch, width] for
// each of Hidden. A channel is dropped if its number is below Dropout, and the others are divided
// by 1 - Dropout. uniform is not called in mode Eval or if Dropout is 0.
func (c *Classifier) Forward(w weights.Nodes, z *graph.Node, mode Mode,
	uniform func(shape ...int) *graph.Node) (logits *graph.Node, buffers weights.Nodes) {
	if s := z.Shape(); s.Rank() != 2 || s.Dimensions[1] != LatentSize {
		panic(fmt.Errorf("classifier: expected codes [batch, %d], found %s", LatentSize, s))
	}
	l := layers{w: w, mode: mode, buffers: weights.Nodes{}}
	h := relu(c.drop(l.norm(l.linear(z, "fc1"), "bn1"), mode, uniform))
	h = relu(c.drop(l.norm(l.linear(h, "fc2"), "bn2"), mode, uniform))
	return l.linear(h, "fc3"), l.buffers
}

// drop zeroes elements of h and scales the others, which keeps the mean.
func (c *Classifier) drop(h *graph.Node, mode Mode, uniform func(shape ...int) *graph.Node) *graph.Node {
	if mode == Eval || c.Dropout == 0 {
		return h
	}
	dropped := graph.LessThan(uniform(h.Shape().Dimensions...), graph.Scalar(h.Graph(), h.DType(), c.Dropout))
	return graph.Where(dropped, graph.ZerosLike(h), graph.MulScalar(h, 1/(1-c.Dropout)))
}

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

// Package pointnet is the point-cloud autoencoder of Nguyen et al. 2023: a PointNet encoder without
// input and feature transforms (Qi et al. 2017) whose code is a unit vector, and a decoder of three
// dense layers.
//
//	encoder  per point 3-64-64-64-128-1024, each layer linear -> batch norm -> ReLU; maximum over the points;
//	         linear 1024-256; z / max(||z||, 1e-12)
//	decoder  256-1024-1024, each linear -> batch norm -> ReLU; linear 1024-3m; tanh; reshaped to [m, 3]
//
// With m = 2048 it has 8,028,544 trained parameters.
package pointnet

import (
	"fmt"

	"github.com/gomlx/gomlx/core/graph"

	"github.com/sliced-wasserstein/lab/swlab/weights"
)

const (
	// LatentSize is the length of a code.
	LatentSize = 256
	// Dim is the dimension of the points.
	Dim = 3

	featureSize = 1024 // channels before the maximum over points
	hiddenSize  = 1024 // width of the decoder
)

// convolution is one layer that acts on every point: its PyTorch name, its batch norm's and its
// channels.
type convolution struct {
	name, norm string
	in, out    int
}

var convolutions = []convolution{
	{"encoder.mlp1.0", "encoder.mlp1.1", Dim, 64},
	{"encoder.mlp1.3", "encoder.mlp1.4", 64, 64},
	{"encoder.mlp2.0", "encoder.mlp2.1", 64, 64},
	{"encoder.mlp2.3", "encoder.mlp2.4", 64, 128},
	{"encoder.mlp2.6", "encoder.mlp2.7", 128, featureSize},
}

func lastConvolution() convolution { return convolutions[len(convolutions)-1] }

// Autoencoder is the network for clouds of Points points.
type Autoencoder struct {
	Points int
}

// New returns the autoencoder for clouds of m >= 1 points.
func New(m int) (*Autoencoder, error) {
	if m < 1 {
		return nil, fmt.Errorf("autoencoder: expected at least 1 point per cloud, found %d", m)
	}
	return &Autoencoder{Points: m}, nil
}

// Specs lists the tensors with their PyTorch names, shapes and initial distributions. Convolutions
// keep PyTorch's default U(+-1/sqrt(in)) for weight and bias, linear layers are Xavier uniform with
// bias 0.01, and batch norms start at gamma 1, beta 0, running mean 0 and variance 1.
func (a *Autoencoder) Specs() []weights.Spec {
	var s []weights.Spec
	for _, c := range convolutions {
		s = append(s,
			weights.Spec{Name: c.name + ".weight", Shape: []int{c.out, c.in, 1}, Init: weights.FanIn(c.in)},
			weights.Spec{Name: c.name + ".bias", Shape: []int{c.out}, Init: weights.FanIn(c.in)})
		s = append(s, normSpecs(c.norm, c.out)...)
	}
	s = append(s, linearSpecs("encoder.fc_mu", featureSize, LatentSize)...)
	s = append(s, linearSpecs("decoder.fc1", LatentSize, hiddenSize)...)
	s = append(s, normSpecs("decoder.bn1", hiddenSize)...)
	s = append(s, linearSpecs("decoder.fc2", hiddenSize, hiddenSize)...)
	s = append(s, normSpecs("decoder.bn2", hiddenSize)...)
	return append(s, linearSpecs("decoder.fc3", hiddenSize, Dim*a.Points)...)
}

// linearSpecs are a dense layer's tensors: Xavier uniform, bias 0.01.
func linearSpecs(name string, in, out int) []weights.Spec {
	return []weights.Spec{
		{Name: name + ".weight", Shape: []int{out, in}, Init: weights.XavierUniform(in, out)},
		{Name: name + ".bias", Shape: []int{out}, Init: weights.Constant(0.01)},
	}
}

// Parameters is the number of trained parameters.
func (a *Autoencoder) Parameters() int { return trainedSize(a.Specs()) }

// trainedSize is the number of elements that an optimizer trains.
func trainedSize(specs []weights.Spec) int {
	n := 0
	for _, s := range specs {
		if !s.Buffer {
			n += s.Size()
		}
	}
	return n
}

// Mode says which statistics the batch norms use.
type Mode int

const (
	Eval       Mode = iota // running statistics
	Train                  // the batch's statistics; Output.Buffers holds the updated running ones
	BatchStats             // the batch's statistics; the running ones stay unchanged
)

// Output of a forward pass.
type Output struct {
	Latent  *graph.Node   // [batch, 256], unit vectors
	Cloud   *graph.Node   // [batch, m, 3], inside (-1, 1)^3
	Buffers weights.Nodes // Train: the new running statistics by name, without gradient
	Kept    []*graph.Node // of Features, then of FromFeatures: what Backward needs, in its order
}

// Forward builds the network on x [batch, m, 3]. w holds every tensor of Specs. As usual in GoMLX,
// it panics with the shapes if x does not fit.
func (a *Autoencoder) Forward(w weights.Nodes, x *graph.Node, mode Mode) Output {
	return a.forward(layers{w: w, mode: mode, buffers: weights.Nodes{}}, x)
}

func (a *Autoencoder) forward(l layers, x *graph.Node) Output {
	return a.fromFeatures(l, l.features(x, a.Points))
}

func (a *Autoencoder) fromFeatures(l layers, h *graph.Node) Output {
	z := l.code(h, a.Points)
	return Output{Latent: z, Cloud: l.decode(z, a.Points), Buffers: l.buffers}
}

// Encode builds only the encoder: the codes [batch, 256] of x [batch, m, 3].
func (a *Autoencoder) Encode(w weights.Nodes, x *graph.Node, mode Mode) *graph.Node {
	l := layers{w: w, mode: mode, buffers: weights.Nodes{}}
	return l.code(l.features(x, a.Points), a.Points)
}

// Decode builds only the decoder: the clouds [batch, m, 3] of codes z [batch, 256].
func (a *Autoencoder) Decode(w weights.Nodes, z *graph.Node, mode Mode) *graph.Node {
	return layers{w: w, mode: mode, buffers: weights.Nodes{}}.decode(z, a.Points)
}

// layers builds the network's pieces from its tensors.
type layers struct {
	w       weights.Nodes
	mode    Mode
	buffers weights.Nodes
	tape    *tape       // nil: GoMLX's gradient
	at      *graph.Node // [batch, 1024], where the last convolution is largest; nil: to be found
}

// features are the first four convolutions of x [batch, points, 3]: [batch * points, 128].
func (l layers) features(x *graph.Node, points int) *graph.Node {
	s := x.Shape()
	if s.Rank() != 3 || s.Dimensions[1] != points || s.Dimensions[2] != Dim {
		panic(fmt.Errorf("autoencoder for %d points: expected clouds [batch, %d, %d], found %s", points, points, Dim, s))
	}
	h := graph.Reshape(x, s.Dimensions[0]*points, Dim)
	for _, c := range convolutions[:len(convolutions)-1] {
		h = l.activated(h, c.name, c.norm)
	}
	return h
}

// code is the rest of the encoder: [batch, 256].
func (l layers) code(h *graph.Node, points int) *graph.Node {
	batch, c := h.Shape().Dimensions[0]/points, lastConvolution()
	return l.latent(l.tape.apply(l.maximum(graph.Reshape(h, batch, points, c.in), c), relu))
}

// latent is the code of the maxima h [batch, 1024].
func (l layers) latent(h *graph.Node) *graph.Node {
	return l.tape.apply(l.linear(h, "encoder.fc_mu"), func(z *graph.Node) *graph.Node {
		// z / max(||z||, 1e-12), with the floor on the square, so that the gradient stays finite at 0.
		square := graph.ReduceAndKeep(graph.Mul(z, z), graph.ReduceSum, -1)
		return graph.Div(z, graph.Sqrt(graph.MaxScalar(square, 1e-24)))
	})
}

func (l layers) decode(z *graph.Node, points int) *graph.Node {
	s := z.Shape()
	if s.Rank() != 2 || s.Dimensions[1] != LatentSize {
		panic(fmt.Errorf("decoder: expected codes [batch, %d], found %s", LatentSize, s))
	}
	h := l.activated(z, "decoder.fc1", "decoder.bn1")
	h = l.activated(h, "decoder.fc2", "decoder.bn2")
	return l.tape.apply(l.linear(h, "decoder.fc3"), func(h *graph.Node) *graph.Node {
		return graph.Reshape(graph.Tanh(h), s.Dimensions[0], points, Dim)
	})
}

// activated is a layer with its batch norm and ReLU.
func (l layers) activated(h *graph.Node, name, norm string) *graph.Node {
	if l.tape != nil {
		return l.tapedActivated(h, name, norm)
	}
	return relu(l.norm(l.linear(h, name), norm))
}

// matrix is a layer's weight as [out, in], without the last axis of a convolution.
func (l layers) matrix(name string) *graph.Node {
	m := l.w.Get(name + ".weight")
	if m.Rank() == 3 {
		m = graph.Reshape(m, m.Shape().Dimensions[0], m.Shape().Dimensions[1])
	}
	return m
}

// linear is h W' + b for rows h [n, in].
func (l layers) linear(h *graph.Node, name string) *graph.Node {
	if l.tape != nil {
		return l.tapedLinear(h, name)
	}
	return graph.Add(l.product(h, name), row(l.w.Get(name+".bias")))
}

// product is h W' for rows h [n, in].
func (l layers) product(h *graph.Node, name string) *graph.Node {
	return graph.EinsumAxes(h, l.matrix(name), [][2]int{{1, 1}}, nil)
}

// row makes a vector [n] a [1, n], because GoMLX does not broadcast ranks.
func row(v *graph.Node) *graph.Node { return graph.InsertAxes(v, 0) }

func relu(x *graph.Node) *graph.Node { return graph.Max(x, graph.ZerosLike(x)) }

const (
	normEpsilon = 1e-5
	normKeep    = 0.9 // running = 0.9 running + 0.1 batch
)

func normSpecs(name string, channels int) []weights.Spec {
	shape := []int{channels}
	return []weights.Spec{
		{Name: name + ".weight", Shape: shape, Init: weights.Constant(1)},
		{Name: name + ".bias", Shape: shape, Init: weights.Constant(0)},
		{Name: name + ".running_mean", Shape: shape, Init: weights.Constant(0), Buffer: true},
		{Name: name + ".running_var", Shape: shape, Init: weights.Constant(1), Buffer: true},
	}
}

// norm is batch normalisation over the rows of h [n, channels], as in PyTorch:
//
//	gamma (h - mean) / sqrt(var + 1e-5) + beta
//
// with the batch's mean and BIASED variance while training, and running averages of the mean and
// the UNBIASED variance kept for evaluation.
func (l layers) norm(h *graph.Node, name string) *graph.Node {
	if l.mode == Eval {
		return l.affine(h, name, l.w.Get(name+".running_mean"), l.w.Get(name+".running_var"))
	}
	mean := graph.ReduceMean(h, 0)
	centred := graph.Sub(h, row(mean))
	variance := graph.ReduceMean(graph.Mul(centred, centred), 0)
	l.track(name, mean, variance, h.Shape().Dimensions[0])
	scale := graph.Div(l.w.Get(name+".weight"), graph.Sqrt(graph.AddScalar(variance, normEpsilon)))
	return graph.Add(graph.Mul(centred, row(scale)), row(l.w.Get(name+".bias")))
}

// affine applies the normalisation with given statistics.
func (l layers) affine(h *graph.Node, name string, mean, variance *graph.Node) *graph.Node {
	scale := graph.Div(l.w.Get(name+".weight"), graph.Sqrt(graph.AddScalar(variance, normEpsilon)))
	return graph.Add(graph.Mul(graph.Sub(h, row(mean)), row(scale)), row(l.w.Get(name+".bias")))
}

// track records the running statistics after a batch of n rows.
func (l layers) track(name string, mean, variance *graph.Node, n int) {
	if l.mode != Train {
		return
	}
	unbiased := float64(n) / float64(max(n-1, 1))
	l.average(name+".running_mean", mean)
	l.average(name+".running_var", graph.MulScalar(variance, unbiased))
}

// average moves a running statistic towards the batch's.
func (l layers) average(name string, now *graph.Node) {
	l.buffers[name] = graph.StopGradient(
		graph.Add(graph.MulScalar(l.w.Get(name), normKeep), graph.MulScalar(now, 1-normKeep)))
}

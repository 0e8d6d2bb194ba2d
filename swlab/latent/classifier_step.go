package latent

import (
	"github.com/gomlx/compute/dtypes"
	"github.com/gomlx/gomlx/core/graph"

	"github.com/sliced-wasserstein/lab/swlab/optim"
	"github.com/sliced-wasserstein/lab/swlab/pointnet"
	"github.com/sliced-wasserstein/lab/swlab/weights"
)

// classifierModel is what a step of the classifier trains, and how.
type classifierModel struct {
	net *pointnet.Classifier
	sgd optim.SGD
}

// step builds one training step on codes x [batch, 256] of the classes labels [batch] int32. It
// returns the mean cross-entropy over the batch before the step, and the new state. A state is the
// network's tensors in the order of its specs, then the momentum of the trained ones.
func (m classifierModel) step(x, labels *graph.Node, state []*graph.Node, uniform func(shape ...int) *graph.Node) (loss *graph.Node, next []*graph.Node) {
	specs := m.net.Specs()
	w := weights.Bind(specs, state[:len(specs)])
	momentum := weights.Bind(trained(specs), state[len(specs):])
	logits, buffers := m.net.Forward(w, x, pointnet.Train, uniform)
	loss = crossEntropy(logits, labels)
	var nodes []*graph.Node
	for _, s := range trained(specs) {
		nodes = append(nodes, w.Get(s.Name))
	}
	after := weights.Nodes{}
	var moved []*graph.Node
	for i, g := range graph.Gradient(loss, nodes...) {
		name := trained(specs)[i].Name
		v, buf := m.sgd.Step(nodes[i], g, momentum.Get(name))
		after[name], moved = v, append(moved, buf)
	}
	for name, v := range buffers {
		after[name] = v
	}
	for _, s := range specs {
		next = append(next, after.Get(s.Name))
	}
	return loss, append(next, moved...)
}

// crossEntropy is the mean over the batch of -log softmax(logits)[label].
func crossEntropy(logits, labels *graph.Node) *graph.Node {
	right := graph.OneHot(labels, logits.Shape().Dimensions[1], dtypes.Float32)
	return graph.Neg(graph.ReduceAllMean(graph.ReduceSum(graph.Mul(right, graph.LogSoftmax(logits, -1)), -1)))
}

// predict builds the class of the largest logit of each code x [n, 256], [n] int32, with running
// statistics.
func (m classifierModel) predict(x *graph.Node, net []*graph.Node) *graph.Node {
	logits, _ := m.net.Forward(weights.Bind(m.net.Specs(), net), x, pointnet.Eval, nil)
	return graph.ArgMax(logits, -1, dtypes.Int32)
}

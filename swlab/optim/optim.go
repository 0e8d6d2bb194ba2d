// Package optim holds the paper's optimizers as updates of graph nodes, in PyTorch's form.
package optim

import (
	"fmt"

	"github.com/gomlx/compute/dtypes"
	"github.com/gomlx/gomlx/core/graph"
)

// SGD is stochastic gradient descent with momentum (no dampening, no Nesterov) and weight decay
// coupled into the gradient:
//
//	g <- g + WeightDecay w;  buf <- Momentum buf + g  (buf starts at 0);  w <- w - LearningRate buf
type SGD struct {
	LearningRate float64 `json:"rate"`
	Momentum     float64 `json:"momentum"`
	WeightDecay  float64 `json:"decay"`
}

// Step returns the new value and momentum buffer of one parameter.
func (o SGD) Step(w, grad, buf *graph.Node) (w1, buf1 *graph.Node) {
	g := grad
	if o.WeightDecay != 0 {
		g = graph.Add(grad, graph.MulScalar(w, o.WeightDecay))
	}
	if o.Momentum != 0 {
		g = graph.Add(graph.MulScalar(buf, o.Momentum), g)
	}
	return graph.Sub(w, graph.MulScalar(g, o.LearningRate)), g
}

// Adam is Kingma and Ba's optimizer with bias correction and no weight decay:
//
//	m <- b1 m + (1-b1) g;  v <- b2 v + (1-b2) g^2
//	w <- w - LearningRate/(1-b1^t) m / (sqrt(v)/sqrt(1-b2^t) + Eps)
type Adam struct {
	LearningRate float64 `json:"rate"`
	Beta1        float64 `json:"beta1"`
	Beta2        float64 `json:"beta2"`
	Eps          float64 `json:"eps"`
}

// Step returns the new value and moments of one parameter. t is the number of this step, a float64
// scalar >= 1.
func (o Adam) Step(w, grad, m, v, t *graph.Node) (w1, m1, v1 *graph.Node) {
	m1 = grad
	if o.Beta1 != 0 {
		m1 = graph.Add(graph.MulScalar(m, o.Beta1), graph.MulScalar(grad, 1-o.Beta1))
	}
	v1 = graph.Add(graph.MulScalar(v, o.Beta2), graph.MulScalar(graph.Mul(grad, grad), 1-o.Beta2))
	denominator := graph.AddScalar(graph.Div(graph.Sqrt(v1), graph.Sqrt(correction(o.Beta2, t))), o.Eps)
	step := graph.Div(m1, denominator)
	if o.Beta1 != 0 {
		step = graph.Div(step, correction(o.Beta1, t))
	}
	return graph.Sub(w, graph.MulScalar(step, o.LearningRate)), m1, v1
}

// correction is 1 - beta^t, computed in float64.
func correction(beta float64, t *graph.Node) *graph.Node {
	if t.DType() != dtypes.Float64 || !t.Shape().IsScalar() {
		panic(fmt.Errorf("optim: expected the step number as a float64 scalar, found %s", t.Shape()))
	}
	power := graph.Pow(graph.Scalar(t.Graph(), dtypes.Float64, beta), t)
	return graph.ConvertDType(graph.OneMinus(power), dtypes.Float32)
}

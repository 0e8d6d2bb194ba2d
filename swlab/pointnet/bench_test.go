package pointnet

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/core/tensors"
	"github.com/janpfeifer/must"

	"github.com/sliced-wasserstein/lab/swlab/internal/graphtest"
	"github.com/sliced-wasserstein/lab/swlab/optim"
	"github.com/sliced-wasserstein/lab/swlab/weights"
)

// part is a piece of a training step that is timed by itself.
type part struct {
	name  string
	shape []int                                                              // of its input
	flops float64                                                            // of its matrix products
	bytes float64                                                            // that it cannot but read and write
	build func(l layers, x *graph.Node, trained []*graph.Node) []*graph.Node // results
}

// BenchmarkParts times the parts of the autoencoder's step for 128 clouds of 2048 points and for 32 clouds of 512, forward and
// backward, and what the machine gives at best: a large matrix product alone, and reading and writing an array of the last
// layer's size, which at the larger size fits no cache.
func BenchmarkParts(b *testing.B) {
	for _, size := range [][2]int{{128, 2048}, {32, 512}} {
		b.Run(fmt.Sprintf("%dx%d", size[0], size[1]), func(b *testing.B) { timeParts(b, size[0], size[1]) })
	}
}

func timeParts(b *testing.B, batch, points int) {
	rows := batch * points
	a := &Autoencoder{Points: points}
	last := convolutions[len(convolutions)-1]
	backward := func(forward func(l layers, x *graph.Node) *graph.Node) func(layers, *graph.Node,
		[]*graph.Node) []*graph.Node {
		return func(l layers, x *graph.Node, trained []*graph.Node) []*graph.Node {
			y := forward(l, x)
			if x.Shape().Dimensions[x.Rank()-1] != Dim { // the clouds need no gradient
				trained = append([]*graph.Node{x}, trained...)
			}
			// A cotangent that differs from place to place, and costs nothing.
			j := graph.ReduceAllSum(graph.Mul(y, graph.StopGradient(y)))
			return graph.Gradient(j, trained...)
		}
	}
	var parts []part
	for i, c := range convolutions[:len(convolutions)-1] {
		products := 6.0 // forward, gradient in the weights, gradient in the input
		if i == 0 {
			products = 4
		}
		parts = append(parts, part{name: fmt.Sprintf("layer%d", i+1), shape: []int{rows, c.in},
			flops: products * float64(rows*c.in*c.out),
			build: backward(func(l layers, x *graph.Node) *graph.Node { return relu(l.norm(l.linear(x, c.name), c.norm)) })})
	}
	parts = append(parts,
		part{name: "layer5", shape: []int{batch, points, last.in},
			flops: float64(rows*last.in) * float64(2*last.out+4*last.in),
			build: backward(func(l layers, x *graph.Node) *graph.Node { return relu(l.maximum(x, last)) })},
		part{name: "layer5/maximum", shape: []int{batch, points, last.in}, flops: 2 * float64(rows*last.in*last.out),
			build: func(l layers, x *graph.Node, _ []*graph.Node) []*graph.Node {
				return []*graph.Node{firstMaximum(x, l.matrix(last.name))}
			}},
		part{name: "layer5/moment", shape: []int{rows, last.in}, flops: 2 * float64(rows*last.in*last.in),
			build: func(_ layers, x *graph.Node, _ []*graph.Node) []*graph.Node { return []*graph.Node{products(x)} }},
		part{name: "encoder", shape: []int{batch, points, Dim},
			build: backward(func(l layers, x *graph.Node) *graph.Node { return l.code(l.features(x, points), points) })},
		part{name: "decoder", shape: []int{batch, LatentSize},
			flops: 6 * float64(batch*(LatentSize*hiddenSize+hiddenSize*hiddenSize+hiddenSize*Dim*points)),
			build: backward(func(l layers, x *graph.Node) *graph.Node { return l.decode(x, points) })},
		part{name: "optimizer", shape: []int{1}, bytes: 5 * 4 * float64(a.Parameters()),
			build: func(_ layers, _ *graph.Node, trained []*graph.Node) (out []*graph.Node) {
				for _, w := range trained {
					w1, v1 := optim.SGD{LearningRate: 1e-3, Momentum: 0.9, WeightDecay: 5e-4}.Step(w, graph.Sin(w), w)
					out = append(out, w1, v1)
				}
				return out
			}},
		part{name: "limit/product", shape: []int{2048, 2048}, flops: 2 << 33,
			build: func(_ layers, x *graph.Node, _ []*graph.Node) []*graph.Node { return []*graph.Node{graph.MatMul(x, x)} }},
		part{name: "limit/read", shape: []int{rows, last.in}, bytes: 4 * float64(rows*last.in),
			build: func(_ layers, x *graph.Node, _ []*graph.Node) []*graph.Node {
				return []*graph.Node{graph.ReduceSum(x, 0)}
			}},
		part{name: "limit/write", shape: []int{rows, last.in}, bytes: 8 * float64(rows*last.in),
			build: func(_ layers, x *graph.Node, _ []*graph.Node) []*graph.Node { return []*graph.Node{graph.Neg(x)} }})
	for _, p := range parts {
		b.Run(p.name, func(b *testing.B) { p.time(b, a.Specs()) })
	}
}

func (p part) time(b *testing.B, specs []weights.Spec) {
	e := must.M1(graph.NewExec(graphtest.Engine(b).Backend, func(in []*graph.Node) []*graph.Node {
		l := layers{w: weights.Bind(specs, in[1:]), mode: Train, buffers: weights.Nodes{}}
		var trained []*graph.Node
		for _, s := range specs {
			if !s.Buffer {
				trained = append(trained, l.w.Get(s.Name))
			}
		}
		out := p.build(l, in[0], trained)
		return append(out, graph.Slice(graph.Reshape(out[0], -1), graph.AxisRange(0, 1))) // small: it can be waited for
	}))
	defer e.Finalize()
	n := 1
	for _, d := range p.shape {
		n *= d
	}
	data, r := make([]float32, n), rand.New(rand.NewPCG(1, 2))
	for i := range data {
		data[i] = float32(r.NormFloat64())
	}
	args := []any{tensors.FromFlatDataAndDimensions(data, p.shape...)}
	set := weights.Init(specs, 1)
	for _, s := range specs {
		t, _ := set.Get(s.Name)
		args = append(args, tensors.FromFlatDataAndDimensions(t.Data, s.Shape...))
	}
	once := func() {
		out := must.M1(e.Call(args...))
		_ = out[len(out)-1].Value() // waits for the results
		for _, o := range out {
			o.FinalizeAll()
		}
	}
	once() // compiles
	fastest := 0.0
	for b.Loop() {
		before := b.Elapsed()
		once()
		if s := (b.Elapsed() - before).Seconds(); fastest == 0 || s < fastest {
			fastest = s
		}
	}
	b.ReportMetric(fastest*1e3, "ms")
	if p.flops > 0 {
		b.ReportMetric(p.flops/fastest/1e9, "GFLOP/s")
	}
	if p.bytes > 0 {
		b.ReportMetric(p.bytes/fastest/1e9, "GB/s")
	}
}

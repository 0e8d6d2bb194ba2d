package pointnet

import (
	"fmt"
	"math/rand/v2"
	"syscall"
	"testing"

	"github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/core/tensors"

	"github.com/sliced-wasserstein/lab/swlab/internal/graphtest"
	"github.com/sliced-wasserstein/lab/swlab/weights"
)

// BenchmarkParts times forward and backward pass of the autoencoder's parts by themselves at a batch of 128 clouds of 2048 points, and
// reports the floating-point operations of their matrix products per second and the CPU time of both passes.
func BenchmarkParts(b *testing.B) {
	const batch, points = 128, 2048
	const rows = batch * points
	a := &Autoencoder{Points: points}
	type part struct {
		name  string
		shape []int
		flops float64
		build func(l layers, x *graph.Node) *graph.Node
	}
	var parts []part
	for i, c := range convolutions[:len(convolutions)-1] {
		products := 6.0 // forward, gradient in the weights, gradient in the input
		if i == 0 {
			products = 4
		}
		parts = append(parts, part{fmt.Sprintf("conv%d", i+1), []int{rows, c.in}, products * rows * float64(c.in*c.out),
			func(l layers, x *graph.Node) *graph.Node { return relu(l.norm(l.linear(x, c.name), c.norm)) }})
	}
	c := convolutions[len(convolutions)-1]
	parts = append(parts,
		part{"last", []int{batch, points, c.in}, rows * float64(c.in) * (2*float64(c.out) + 4*float64(c.in)),
			func(l layers, x *graph.Node) *graph.Node { return relu(l.maximum(x, c)) }},
		part{"encoder", []int{batch, points, Dim}, 0, func(l layers, x *graph.Node) *graph.Node { return l.encode(x, points, false) }},
		part{"decoder", []int{batch, LatentSize}, 6 * batch * (LatentSize*hiddenSize + hiddenSize*hiddenSize + hiddenSize*Dim*points),
			func(l layers, x *graph.Node) *graph.Node { return l.decode(x, points) }})
	for _, p := range parts {
		b.Run(p.name, func(b *testing.B) {
			specs := a.Specs()
			e, err := graph.NewExec(graphtest.Engine(b).Backend, func(in []*graph.Node) []*graph.Node {
				w := weights.Bind(specs, in[1:])
				l := layers{w: w, mode: Train, buffers: weights.Nodes{}}
				x := in[0]
				loss := graph.ReduceAllMean(graph.Sin(p.build(l, x)))
				var wrt []*graph.Node
				if x.Shape().Dimensions[x.Rank()-1] != Dim {
					wrt = append(wrt, x)
				}
				for _, s := range specs {
					if !s.Buffer {
						wrt = append(wrt, w.Get(s.Name))
					}
				}
				out := []*graph.Node{loss}
				for _, d := range graph.Gradient(loss, wrt...) {
					out = append(out, graph.ReduceAllSum(d))
				}
				return out
			})
			if err != nil {
				b.Fatal(err)
			}
			defer e.Finalize()
			r := rand.New(rand.NewPCG(1, 2))
			n := 1
			for _, d := range p.shape {
				n *= d
			}
			data := make([]float32, n)
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
				out, err := e.Call(args...)
				if err != nil {
					b.Fatal(err)
				}
				_ = out[0].Value()
				for _, o := range out {
					o.FinalizeAll()
				}
			}
			once() // compiles
			before := cpu()
			for b.Loop() {
				once()
			}
			b.ReportMetric((cpu()-before)/float64(b.N)*1e3, "cpu-ms/op")
			if p.flops > 0 {
				b.ReportMetric(p.flops*float64(b.N)/b.Elapsed().Seconds()/1e9, "GFLOP/s")
			}
		})
	}
}

// cpu is the process's CPU time in seconds.
func cpu() float64 {
	var u syscall.Rusage
	_ = syscall.Getrusage(syscall.RUSAGE_SELF, &u)
	return float64(u.Utime.Sec+u.Stime.Sec) + float64(u.Utime.Usec+u.Stime.Usec)*1e-6
}

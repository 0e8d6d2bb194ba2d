package pointnet

import (
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/gomlx/compute/dtypes"
	"github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/core/tensors"
	"github.com/janpfeifer/must"

	"github.com/sliced-wasserstein/lab/swlab/engine"
	"github.com/sliced-wasserstein/lab/swlab/internal/graphtest"
	"github.com/sliced-wasserstein/lab/swlab/internal/maxima"
	"github.com/sliced-wasserstein/lab/swlab/optim"
	"github.com/sliced-wasserstein/lab/swlab/ot1d"
	"github.com/sliced-wasserstein/lab/swlab/weights"
)

func flat(t *tensors.Tensor) []float32 { return tensors.MustCopyFlatData[float32](t) }

// clouds are points in the unit ball.
func clouds(seed uint64, batch, m int) *tensors.Tensor {
	r := rand.New(rand.NewPCG(seed, 1))
	v := make([]float32, batch*m*Dim)
	for i := range v {
		v[i] = float32(2*r.Float64()-1) / math.Sqrt2
	}
	return tensors.FromFlatDataAndDimensions(v, batch, m, Dim)
}

// values are the initial tensors in the order of the specs, with gammas and betas moved off their start so that every
// path matters: some gammas are negative.
func values(a *Autoencoder) []any {
	set := weights.Init(a.Specs(), 3)
	r := rand.New(rand.NewPCG(9, 9))
	var out []any
	for _, s := range a.Specs() {
		t, _ := set.Get(s.Name)
		if len(s.Shape) == 1 && !s.Buffer {
			for i := range t.Data {
				t.Data[i] += float32(r.NormFloat64())
			}
		}
		out = append(out, tensors.FromFlatDataAndDimensions(t.Data, t.Shape...))
	}
	return out
}

func TestNames(t *testing.T) { // ExampleNew has the number of parameters
	names := map[string]bool{}
	for _, s := range must.M1(New(2048)).Specs() {
		if names[s.Name] {
			t.Errorf("%s twice", s.Name)
		}
		names[s.Name] = true
	}
	if _, err := New(0); err == nil {
		t.Error("no error for 0 points")
	}
}

// TestBackward proves the gradients built from the values of a forward pass in another program equal to GoMLX's.
func TestBackward(t *testing.T) {
	const batch, m = 4, 33
	x := clouds(2, batch, m)
	a := &Autoencoder{Points: m}
	specs := a.Specs()
	trained := func(w weights.Nodes) (out []*graph.Node) {
		for _, s := range trainedSpecs(specs) {
			out = append(out, w[s.Name])
		}
		return out
	}
	upstream := func(y *graph.Node) *graph.Node {
		return graph.Sin(graph.MulScalar(graph.IotaFull(y.Graph(), y.Shape()), 0.7))
	}
	kept := 0
	want := graphtest.Call(t, func(in []*graph.Node) []*graph.Node {
		w := weights.Bind(specs, in[1:])
		o := a.Forward(w, in[0], Train)
		h, weight, first := a.Features(w, in[0])
		at := a.FirstMaximum(h, weight)
		all := append(first.Kept, a.FromFeatures(w, h, at).Kept...)
		kept = len(all)
		return append(all, graph.Gradient(graph.ReduceAllSum(graph.Mul(upstream(o.Cloud), o.Cloud)), trained(w)...)...)
	}, append([]any{x}, values(a)...)...)
	args := append([]any{x}, values(a)...)
	for _, v := range want[:kept] {
		args = append(args, v)
	}
	got := graphtest.Call(t, func(in []*graph.Node) []*graph.Node {
		w := weights.Bind(specs, in[1:1+len(specs)])
		return trained(a.Backward(w, in[0], in[1+len(specs):], upstream(in[0])))
	}, args...)
	top := 0.0 // of a layer: its bias follows its weight, and in front of a batch norm has gradient 0 in exact arithmetic
	for i, s := range trainedSpecs(specs) {
		p, q := flat(want[kept+i]), flat(got[i])
		if strings.HasSuffix(s.Name, ".weight") {
			top = 0
		}
		worst := 0.0
		for j := range p {
			top, worst = math.Max(top, math.Abs(float64(p[j]))), math.Max(worst, math.Abs(float64(p[j]-q[j])))
		}
		if worst > 5e-4*top || len(p) != s.Size() {
			t.Errorf("%s: differs by %.3g of %.3g", s.Name, worst, top)
		}
	}
}

// TestFirstMaximum: plain Go finds the points that the graph finds, or others with the same value up to rounding.
func TestFirstMaximum(t *testing.T) {
	if !maxima.Available() {
		t.Skip("for a processor with AVX2")
	}
	const batch, m = 4, 2048
	a := &Autoencoder{Points: m}
	out := graphtest.Call(t, func(in []*graph.Node) []*graph.Node {
		h, weight, _ := a.Features(weights.Bind(a.Specs(), in[1:]), in[0])
		return []*graph.Node{h, weight, a.FirstMaximum(h, weight)}
	}, append([]any{clouds(2, batch, m)}, values(a)...)...)
	h, w, want := flat(out[0]), flat(out[1]), tensors.MustCopyFlatData[int32](out[2])
	at := make([]int32, len(want))
	maxima.New(w).First(h, m, at)
	other := 0
	for i := range at {
		pair, c := i/featureSize, i%featureSize
		value := func(point int32) (sum float64) {
			for k := range maxima.Features {
				sum += float64(h[(pair*m+int(point))*maxima.Features+k]) * float64(w[c*maxima.Features+k])
			}
			return sum
		}
		if at[i] != want[i] {
			if other++; math.Abs(value(at[i])-value(want[i])) > 1e-6 {
				t.Fatalf("cloud %d, channel %d: point %d with %v, the graph has point %d with %v", pair, c, at[i], value(at[i]),
					want[i], value(want[i]))
			}
		}
	}
	// None, where a backend adds in the order of the features, as XLA does on an AMD EPYC: a training
	// then has the same bits either way.
	t.Logf("%d of %d points are others than those of the graph", other, len(at))
	if other > len(at)/1000 {
		t.Fail()
	}
}

func trainedSpecs(specs []weights.Spec) (out []weights.Spec) {
	for _, s := range specs {
		if !s.Buffer {
			out = append(out, s)
		}
	}
	return out
}

// storedForward is Forward with the activations of the last convolution stored at all points.
func storedForward(a *Autoencoder, w weights.Nodes, x *graph.Node, mode Mode) Output {
	l, c := layers{w: w, mode: mode, buffers: weights.Nodes{}}, lastConvolution()
	h := l.activated(l.features(x, a.Points), c.name, c.norm)
	h = graph.Reshape(h, -1, a.Points, c.out)
	// By index, so that of equal values only the first has a gradient.
	at := graph.InsertAxes(graph.ArgMax(graph.StopGradient(h), 1, dtypes.Int32), -1) // [batch, out, 1]
	pair, channel := graph.Iota(h.Graph(), at.Shape(), 0), graph.Iota(h.Graph(), at.Shape(), 1)
	z := l.latent(graph.Gather(h, graph.Concatenate([]*graph.Node{pair, at, channel}, -1)))
	return Output{Latent: z, Cloud: l.decode(z, a.Points), Buffers: l.buffers}
}

// TestMaximumEqualsPlain proves the arg-max form of the last encoder layer equal to the plain one:
// value, every gradient, and running statistics, also with negative gammas and duplicated points.
func TestMaximumEqualsPlain(t *testing.T) {
	const batch, m = 4, 33
	x := clouds(2, batch, m)
	tensors.MustMutableFlatData(x, func(v []float32) { copy(v[3:6], v[0:3]) }) // a duplicated point: a tie
	for _, mode := range []Mode{Train, Eval} {
		t.Run(fmt.Sprint("mode ", mode), func(t *testing.T) {
			var results [2][]*tensors.Tensor
			for k, forward := range []func(a *Autoencoder, w weights.Nodes, x *graph.Node, mode Mode) Output{storedForward,
				(*Autoencoder).Forward} {
				a := &Autoencoder{Points: m}
				specs := a.Specs()
				results[k] = graphtest.Call(t, func(in []*graph.Node) []*graph.Node {
					w := weights.Bind(specs, in[1:])
					o := forward(a, w, in[0], mode)
					// A loss that gives every output element a weight of its own.
					mix := graph.Sin(graph.MulScalar(graph.IotaFull(in[0].Graph(), o.Cloud.Shape()), 0.7))
					loss := graph.ReduceAllSum(graph.Mul(mix, o.Cloud))
					out := append([]*graph.Node{o.Latent, o.Cloud}, graph.Gradient(loss, in...)...)
					for _, s := range specs {
						if v := o.Buffers[s.Name]; v != nil {
							out = append(out, v)
						}
					}
					return out
				}, append([]any{x}, values(a)...)...)
			}
			if len(results[0]) != len(results[1]) {
				t.Fatal("different outputs")
			}
			for i := range results[0] {
				p, q := flat(results[0][i]), flat(results[1][i])
				top, worst := 1e-3, 0.0
				if mode == Train {
					top = 0.5 // biases in front of a batch norm have gradient 0 in exact arithmetic
				}
				for j := range p {
					top, worst = math.Max(top, math.Abs(float64(p[j]))), math.Max(worst, math.Abs(float64(p[j]-q[j])))
				}
				if worst > 2e-4*top {
					t.Errorf("output %d (%s): differs by %.3g of %.3g", i, results[0][i].Shape(), worst, top)
				}
			}
		})
	}
}

// TestGradient compares directional derivatives with central differences.
func TestGradient(t *testing.T) {
	const batch, m = 3, 20
	a := &Autoencoder{Points: m}
	specs := a.Specs()
	in := append([]any{clouds(5, batch, m)}, values(a)...)
	objective := func(in []*graph.Node) *graph.Node {
		o := a.Forward(weights.Bind(specs, in[1:]), in[0], BatchStats)
		mix := graph.Sin(graph.MulScalar(graph.IotaFull(in[0].Graph(), o.Cloud.Shape()), 0.7))
		return graph.ReduceAllSum(graph.Mul(mix, o.Cloud))
	}
	grads := graphtest.Call(t, func(n []*graph.Node) []*graph.Node { return graph.Gradient(objective(n), n...) }, in...)
	e := must.M1(engine.Open(""))
	value := must.M1(graph.NewExec(e.Backend, func(n []*graph.Node) *graph.Node { return objective(n) }))
	r := rand.New(rand.NewPCG(6, 1))
	for k, s := range append([]weights.Spec{{Name: "x"}}, specs...) {
		if s.Buffer {
			continue
		}
		g, old := flat(grads[k]), flat(in[k].(*tensors.Tensor))
		norm := 0.0
		for _, v := range g {
			norm += float64(v) * float64(v)
		}
		norm = math.Sqrt(norm)
		if norm < 1e-3 {
			continue // a bias in front of a batch norm: zero in exact arithmetic
		}
		// Along the gradient plus noise, a step small enough not to change many arg-maxima.
		dir := make([]float64, len(g))
		want := 0.0
		for i := range g {
			dir[i] = float64(g[i])/norm + 0.1*r.NormFloat64()/math.Sqrt(float64(len(g)))
			want += dir[i] * float64(g[i])
		}
		at := func(h float64) float64 {
			moved := make([]float32, len(old))
			for i := range old {
				moved[i] = old[i] + float32(h*dir[i])
			}
			args := append([]any{}, in...)
			args[k] = tensors.FromFlatDataAndDimensions(moved, in[k].(*tensors.Tensor).Shape().Dimensions...)
			out := must.M1(value.Call(args...))
			return float64(out[0].Value().(float32))
		}
		h := math.Min(2e-3, 0.1/norm) // large enough for float32, small enough to meet few kinks
		if got := (at(h) - at(-h)) / (2 * h); math.Abs(got-want) > 0.05*math.Abs(want) {
			t.Errorf("%s: derivative %v, central difference %v", s.Name, want, got)
		}
	}
}

// TestReference follows two SGD steps on sliced W (mean over pairs and slices of F) against float64
// PyTorch: the numbers in testdata, and the project's golden set (2048 points) where it is at hand.
func TestReference(t *testing.T) {
	graphtest.References(t, "testdata/autoencoder.npz", "autoencoder.npz", reference)
}

func reference(t *testing.T, z map[string]*tensors.Tensor) {
	a, _ := New(z["x"].Shape().Dimensions[1])
	specs := a.Specs()
	seed := tensors.MustCopyFlatData[int64](z["init_seed"])[0]
	var state []any
	for _, v := range graphtest.Network(specs, uint64(seed)) {
		state = append(state, v)
	}
	n := len(specs)
	var momentum []any
	for _, s := range specs {
		momentum = append(momentum, tensors.FromFlatDataAndDimensions(make([]float32, s.Size()), s.Shape...))
	}
	eval := func() (latent, cloud []float32) {
		o := graphtest.Call(t, func(in []*graph.Node) []*graph.Node {
			o := a.Forward(weights.Bind(specs, in[1:]), in[0], Eval)
			return []*graph.Node{o.Latent, o.Cloud}
		}, append([]any{z["x"]}, state...)...)
		return flat(o[0]), flat(o[1])
	}
	// outputs: loss, latent, cloud, slice means, gradients (zero for buffers), new state, new momentum
	step := func() []*tensors.Tensor {
		return graphtest.Call(t, func(in []*graph.Node) []*graph.Node {
			x, theta := in[0], in[1]
			w, m := in[2:2+n], in[2+n:]
			o := a.Forward(weights.Bind(specs, w), x, Train)
			f := graph.ReduceMean(ot1d.Costs(x, o.Cloud, theta, ot1d.Config{}, ot1d.Y), 1)
			loss := graph.ReduceAllMean(f)
			grads := graph.Gradient(loss, w...)
			out := []*graph.Node{loss, o.Latent, o.Cloud, f}
			out = append(out, grads...)
			var news, moms []*graph.Node
			for i, s := range specs {
				if s.Buffer {
					news, moms = append(news, o.Buffers[s.Name]), append(moms, m[i])
					continue
				}
				nw, nm := optim.SGD{LearningRate: 1e-3, Momentum: 0.9, WeightDecay: 5e-4}.Step(w[i], grads[i], m[i])
				news, moms = append(news, nw), append(moms, nm)
			}
			return append(append(out, news...), moms...)
		}, append(append([]any{z["x"], z["theta"]}, state...), momentum...)...)
	}
	advance := func(o []*tensors.Tensor) {
		for i := range n {
			state[i], momentum[i] = o[4+n+i], o[4+2*n+i]
		}
	}
	sums := func(o []*tensors.Tensor) [][10]float64 {
		var rows [][10]float64
		for i, s := range specs {
			if s.Buffer {
				continue
			}
			var r [10]float64
			for j, v := range flat(o[i]) {
				r[0] += float64(v)
				r[1] += float64(v) * float64(v)
				if j < 8 {
					r[2+j] = float64(v)
				}
			}
			rows = append(rows, r)
		}
		return rows
	}
	asTensors := func(s []any) (o []*tensors.Tensor) {
		for _, v := range s {
			o = append(o, v.(*tensors.Tensor))
		}
		return o
	}
	want := func(key string) []float64 { return tensors.MustCopyFlatData[float64](z[key]) }
	// checksums compares the sums of squares per tensor; biases in front of a batch norm have none worth comparing.
	checksums := func(key string, got [][10]float64, tol float64) {
		ref := want(key)
		for i, r := range got {
			if w := ref[10*i+1]; math.Abs(r[1]-w) > tol*w && w > 1e-6 {
				t.Errorf("%s row %d: sum of squares %v, want %v", key, i, r[1], w)
			}
		}
	}
	checksums("ck_w0", sums(asTensors(state)), 1e-6)
	latent, cloud := eval()
	graphtest.Close(t, "latent_eval0", latent, want("latent_eval0"), 5e-6)
	graphtest.Close(t, "recon_eval0", cloud, want("recon_eval0"), 5e-6)

	// The pure-Go backend adds in another order. Where two points have nearly the same feature, it may
	// then pass the gradient of their maximum to the other one.
	rounding, routing := 1.0, 1.0
	if !graphtest.Engine(t).IsXLA() {
		rounding, routing = 2, 10
	}
	o := step()
	var losses []float32
	losses = append(losses, flat(o[0])...)
	graphtest.Close(t, "latent_train", flat(o[1]), want("latent_train"), rounding*5e-6)
	graphtest.Close(t, "recon_train", flat(o[2]), want("recon_train"), rounding*5e-5)
	graphtest.Close(t, "F_mean_slices0", flat(o[3]), want("F_mean_slices0"), rounding*5e-6)
	buffers := func(prefix string, o []*tensors.Tensor, tol float64) {
		names := map[string]string{"decoder.bn1": "dbn1", "decoder.bn2": "dbn2"}
		for i, c := range convolutions {
			names[c.norm] = fmt.Sprintf("bn%d", i+1)
		}
		for i, s := range specs {
			for norm, short := range names {
				switch s.Name {
				case norm + ".running_mean":
					graphtest.Close(t, prefix+short+"_mean", flat(o[4+n+i]), want(prefix+short+"_mean"), tol)
				case norm + ".running_var":
					graphtest.Close(t, prefix+short+"_var", flat(o[4+n+i]), want(prefix+short+"_var"), tol)
				}
			}
		}
	}
	buffers("bn0_", o, 1e-5)
	for i, s := range specs {
		switch s.Name {
		case "encoder.mlp1.0.weight":
			graphtest.Close(t, "grad_conv1_w", flat(o[4+i]), want("grad_conv1_w"), routing*1e-3)
		case "decoder.fc3.bias":
			graphtest.Close(t, "grad_fc3_b", flat(o[4+i]), want("grad_fc3_b"), 2e-2)
		}
	}
	checksums("ck_grad0", sums(o[4:4+n]), routing*1e-3)
	advance(o)
	checksums("ck_w1", sums(asTensors(state)), routing*5e-6)
	o = step()
	losses = append(losses, flat(o[0])...)
	checksums("ck_grad1", sums(o[4:4+n]), 1e-1)
	advance(o)
	checksums("ck_w2", sums(asTensors(state)), 1e-3)
	o = step()
	losses = append(losses, flat(o[0])...)
	buffers("bn2_", o, 5e-2)
	for i := range n { // the third forward changes the buffers only
		if specs[i].Buffer {
			state[i] = o[4+n+i]
		}
	}
	for i, tol := range []float64{2e-6, 2e-4, 1e-2} {
		if w := want("loss")[i]; math.Abs(float64(losses[i])-w) > tol*w {
			t.Errorf("loss %d: %v, want %v", i, losses[i], w)
		}
	}
	latent, cloud = eval()
	graphtest.Close(t, "latent_eval2", latent, want("latent_eval2"), 5e-3)
	graphtest.Close(t, "recon_eval2", cloud, want("recon_eval2"), 2e-2)
}

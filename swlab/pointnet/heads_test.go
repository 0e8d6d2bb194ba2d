package pointnet

import (
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/core/tensors"
	"github.com/janpfeifer/must"

	"github.com/sliced-wasserstein/lab/swlab/internal/graphtest"
	"github.com/sliced-wasserstein/lab/swlab/slicing"
	"github.com/sliced-wasserstein/lab/swlab/weights"
)

func TestHeadCounts(t *testing.T) {
	if n := trainedSize((&Classifier{Classes: 40, Dropout: 0.5}).Specs()); n != 274728 {
		t.Errorf("classifier: %d parameters, the paper's has 274,728", n)
	}
	if n := trainedSize(Generator{}.Specs()); n != 74368 {
		t.Errorf("generator: %d parameters, the paper's has 74,368", n)
	}
	set := weights.Init((&Classifier{Classes: 3}).Specs(), 1)
	bias, _ := set.Get("fc3.bias")
	if bias.Data[0] != 0.01 || len(bias.Data) != 3 {
		t.Errorf("initial biases %v, expected 0.01 for each of 3 classes", bias.Data)
	}
	set = weights.Init(Generator{}.Specs(), 1)
	bias, _ = set.Get("fc1.bias")
	worst := 0.0
	for _, v := range bias.Data {
		worst = math.Max(worst, math.Abs(float64(v)))
	}
	if !(worst > 0.1 && worst <= 0.125) {
		t.Errorf("largest initial bias of 64 inputs is %v, the distribution is U(+-1/8)", worst)
	}
}

// TestClassifierReference compares logits with float64 numbers, with running and with the batch's
// statistics, dropout off.
func TestClassifierReference(t *testing.T) {
	z := graphtest.Golden(t, "heads.npz")
	c := &Classifier{Classes: 40}
	in := []any{z["clf_x"]}
	seed := uint64(tensors.MustCopyFlatData[int64](z["init_seed_clf"])[0])
	for _, v := range graphtest.Classifier(c.Specs(), seed) {
		in = append(in, v)
	}
	out := graphtest.Floats(t, func(in []*graph.Node) []*graph.Node {
		w := weights.Bind(c.Specs(), in[1:])
		eval, none := c.Forward(w, in[0], Eval, nil)
		train, buffers := c.Forward(w, in[0], Train, nil)
		if len(none) != 0 || len(buffers) != 4 {
			t.Errorf("%d and %d new statistics, expected 0 and 4", len(none), len(buffers))
		}
		return []*graph.Node{eval, train}
	}, in...)
	graphtest.Close(t, "eval", out[0], graphtest.Values(z["clf_logits_eval0"]), 5e-6)
	graphtest.Close(t, "train", out[1], graphtest.Values(z["clf_logits_train"]), 5e-6)
}

// TestGeneratorReference compares codes and gradients with float64 numbers.
func TestGeneratorReference(t *testing.T) {
	z := graphtest.Golden(t, "heads.npz")
	specs := Generator{}.Specs()
	in := []any{z["gen_z"], z["gen_W"]}
	seed := uint64(tensors.MustCopyFlatData[int64](z["init_seed_gen"])[0])
	for i, s := range specs {
		in = append(in, graphtest.Hashed(s, seed, uint64(60+i), 1/math.Sqrt(float64(generatorWidths[i/2])), 0))
	}
	names := []string{"fc1.weight", "fc2.bias", "fc4.bias"}
	out := graphtest.Floats(t, func(in []*graph.Node) []*graph.Node {
		w := weights.Bind(specs, in[2:])
		y := Generator{}.Forward(w, in[0])
		var wrt []*graph.Node
		for _, n := range names {
			wrt = append(wrt, w.Get(n))
		}
		return append([]*graph.Node{y}, graph.Gradient(graph.ReduceAllSum(graph.Mul(y, in[1])), wrt...)...)
	}, in...)
	for i, key := range []string{"gen_out", "gen_d_g1_w", "gen_d_g2_b", "gen_d_g4_b"} {
		graphtest.Close(t, key, out[i], graphtest.Values(z[key]), 5e-6)
	}
}

// TestDropout: with all weights chosen so that the first batch norm gives +-1, what reaches the
// output shows that elements are dropped with the given probability, scaled by 1/(1 - rate), after
// the batch norm (whose statistics see no zeros) and before the ReLU (negative ones are 0 either
// way).
func TestDropout(t *testing.T) {
	const batch, rate = 400, 0.3
	c := &Classifier{Classes: 2, Dropout: rate}
	r := weights.Init(c.Specs(), 1)
	var in []any
	x := make([]float32, batch*LatentSize)
	for i := range x {
		x[i] = float32(1 - 2*(i/LatentSize%2)) // half of the codes are 1, half -1
	}
	in = append(in, tensors.FromFlatDataAndDimensions(x, batch, LatentSize))
	for _, s := range c.Specs() {
		v, _ := r.Get(s.Name)
		if len(s.Shape) == 2 {
			for i := range v.Data {
				v.Data[i] = 1.0 / 64
			}
		}
		in = append(in, tensors.FromFlatDataAndDimensions(v.Data, s.Shape...))
	}
	in = append(in, must.M1(graph.RNGStateFromSeed(5)))
	n := len(c.Specs())
	out := graphtest.Floats(t, func(in []*graph.Node) []*graph.Node {
		l := layers{w: weights.Bind(c.Specs(), in[1:1+n]), mode: Train, buffers: weights.Nodes{}}
		src := slicing.Seeded(in[1+n])
		norm := l.norm(l.linear(in[0], "fc1"), "bn1")
		first := relu(c.drop(norm, Train, src.Uniform))
		full, _ := c.Forward(l.w, in[0], Train, slicing.Seeded(in[1+n]).Uniform)
		// The same by hand, in the order of the paper's program.
		h := relu(c.drop(l.norm(l.linear(first, "fc2"), "bn2"), Train, src.Uniform))
		return []*graph.Node{norm, first, full, l.linear(h, "fc3")}
	}, in...)
	kept, positive := 0, 0
	for i, v := range out[0] {
		got := float64(out[1][i])
		switch {
		case v < 0 && got != 0:
			t.Fatalf("a negative element became %v", got)
		case v > 0:
			positive++
			if got != 0 {
				kept++
				if math.Abs(got-float64(v)/(1-rate)) > 1e-5 {
					t.Fatalf("a kept element %v became %v", v, got)
				}
			}
		}
	}
	if positive != batch/2*classifierWidth1 {
		t.Fatalf("%d positive elements", positive)
	}
	share, sd := float64(kept)/float64(positive), math.Sqrt(rate*(1-rate)/float64(positive))
	if math.Abs(share-(1-rate)) > 5*sd {
		t.Errorf("%v of the elements are kept, expected %v +- %v", share, 1-rate, sd)
	}
	for i, v := range out[2] {
		if math.Abs(float64(v-out[3][i])) > 1e-4 {
			t.Fatalf("logit %d is %v, by hand %v", i, v, out[3][i])
		}
	}
}

func TestHeadsRefuse(t *testing.T) {
	for says, build := range map[string]func(x *graph.Node){
		"expected codes [batch, 256], found (Float32)[2, 64]": func(x *graph.Node) {
			(&Classifier{Classes: 2}).Forward(nil, x, Eval, nil)
		},
		"expected noise [batch, 64], found (Float32)[2, 256]": func(x *graph.Node) {
			Generator{}.Forward(nil, graph.Concatenate([]*graph.Node{x, x, x, x}, 1))
		},
	} {
		x := must.M1(graph.NewExec(graphtest.Engine(t).Backend, func(x *graph.Node) *graph.Node { build(x); return x }))
		if _, err := x.Call(tensors.FromFlatDataAndDimensions(make([]float32, 128), 2, 64)); err == nil ||
			!strings.Contains(fmt.Sprint(err), says) {
			t.Errorf("error %v, want one that says %q", err, says)
		}
		x.Finalize()
	}
}

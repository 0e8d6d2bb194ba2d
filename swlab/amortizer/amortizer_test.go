package amortizer

import (
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/core/tensors"
	"github.com/gomlx/gomlx/core/tensors/numpy"

	"github.com/sliced-wasserstein/lab/swlab/internal/graphtest"
	"github.com/sliced-wasserstein/lab/swlab/weights"
)

func flat(t *tensors.Tensor) []float32 { return tensors.MustCopyFlatData[float32](t) }

// cloud is batch clouds in a centred ball, permuted along the points by perm unless that is nil.
func cloud(seed uint64, batch, m int, perm []int) *tensors.Tensor {
	r := rand.New(rand.NewPCG(seed, 1))
	v := make([]float32, batch*m*3)
	for i := range v {
		v[i] = float32(r.NormFloat64() * 0.3)
	}
	out := v
	if perm != nil {
		out = make([]float32, len(v))
		for i := range v {
			b, p, c := i/(3*m), i/3%m, i%3
			out[(b*m+perm[p])*3+c] = v[i]
		}
	}
	return tensors.FromFlatDataAndDimensions(out, batch, m, 3)
}

// initial are the initial weights in the order of the specs.
func initial(a Amortizer) []any {
	set := weights.Init(a.Specs(), 4)
	var out []any
	for _, s := range a.Specs() {
		t, _ := set.Get(s.Name)
		out = append(out, tensors.FromFlatDataAndDimensions(t.Data, t.Shape...))
	}
	return out
}

// TestSuite is what every registered map must satisfy: unit vectors, the declared symmetries (and their absence), a
// gradient in every weight, and clear errors.
func TestSuite(t *testing.T) {
	const batch, m = 4, 64
	for name, want := range map[string]struct{ symmetric, invariant bool }{"l": {false, false}, "la": {true, false}} {
		t.Run(name, func(t *testing.T) {
			a, err := New(name, Config{Points: m, DK: 8, K: 8})
			if err != nil {
				t.Fatal(err)
			}
			perm := rand.New(rand.NewPCG(8, 1)).Perm(m)
			in := append([]any{cloud(1, batch, m, nil), cloud(2, batch, m, nil), cloud(1, batch, m, perm)}, initial(a)...)
			out := graphtest.Call(t, func(n []*graph.Node) []*graph.Node {
				w := weights.Bind(a.Specs(), n[3:])
				d := a.Direction(w, n[0], n[1])
				mix := graph.Sin(graph.IotaFull(n[0].Graph(), d.Shape()))
				grads := graph.Gradient(graph.ReduceAllSum(graph.Mul(mix, d)), n[3:]...)
				return append([]*graph.Node{d, a.Direction(w, n[1], n[0]), a.Direction(w, n[2], n[1]), a.Direction(w, graph.ZerosLike(n[0]), graph.ZerosLike(n[0]))}, grads...)
			}, in...)
			angle := func(p, q []float32) float64 { // largest over the batch, degrees, from the chord
				worst := 0.0
				for b := range batch {
					s := 0.0
					for c := range 3 {
						d := float64(p[3*b+c] - q[3*b+c])
						s += d * d
					}
					worst = math.Max(worst, 2*math.Asin(math.Min(1, math.Sqrt(s)/2))*180/math.Pi)
				}
				return worst
			}
			d := flat(out[0])
			for b := range batch {
				if n := math.Hypot(math.Hypot(float64(d[3*b]), float64(d[3*b+1])), float64(d[3*b+2])); math.Abs(n-1) > 1e-5 {
					t.Errorf("pair %d: norm %v", b, n)
				}
			}
			if swap := angle(d, flat(out[1])); (swap < 1e-2) != want.symmetric {
				t.Errorf("exchanging X and Y turns the direction by %v degrees; symmetric: %v", swap, want.symmetric)
			}
			if mixed := angle(d, flat(out[2])); (mixed < 1e-2) != want.invariant {
				t.Errorf("permuting X turns the direction by %v degrees; invariant: %v", mixed, want.invariant)
			}
			for _, v := range flat(out[3]) {
				if math.IsNaN(float64(v)) || math.Abs(float64(v)) > 1.0001 {
					t.Errorf("direction %v for clouds of zeros", v)
				}
			}
			for i, s := range a.Specs() {
				sum := 0.0
				for _, v := range flat(out[4+i]) {
					sum += math.Abs(float64(v))
				}
				if !(sum > 0) || math.IsInf(sum, 0) {
					t.Errorf("|gradient| in %s is %v", s.Name, sum)
				}
			}
			if err := a.Fits(m + 1); err == nil || !strings.Contains(err.Error(), fmt.Sprintf("%d points, found %d", m, m+1)) {
				t.Errorf("another number of points: %v", err)
			}
			if err := a.Fits(m); err != nil {
				t.Error(err)
			}
		})
	}
	for _, name := range Names() {
		if _, err := New(name, Config{Points: 4}); err != nil {
			t.Error(err)
		}
	}
}

// TestParameterCounts are the published ones at m = 2048.
func TestParameterCounts(t *testing.T) {
	for _, c := range []struct {
		name  string
		dk, k int
		want  int
	}{{"l", 0, 0, 4097}, {"la", 16, 64, 262412}, {"la", 64, 64, 262796}, {"la", 128, 128, 525580}} {
		a, err := New(c.name, Config{Points: 2048, DK: c.dk, K: c.k})
		if err != nil {
			t.Fatal(err)
		}
		if got := Parameters(a); got != c.want {
			t.Errorf("%s d_k=%d k=%d: %d parameters, want %d", c.name, c.dk, c.k, got, c.want)
		}
	}
}

// TestInitialLaws: PyTorch's U(+-1/sqrt(in)), and N(0, 2/(m+k)) for LA's two projections; variances to 6 %.
func TestInitialLaws(t *testing.T) {
	const m, k, dk = 2048, 32, 4096
	for name, laws := range map[string]map[string]struct{ variance, bound float64 }{ // variance 0: too few values to tell
		"l": {"f.0.weight": {1. / 3 / (2 * m), 1 / math.Sqrt(2*m)}, "f.0.bias": {0, 1 / math.Sqrt(2*m)}},
		"la": {
			"attn.toqueries.weight": {1. / 9, 1 / math.Sqrt(3)}, "attn.toqueries.bias": {1. / 9, 1 / math.Sqrt(3)},
			"attn.tokeys.weight": {1. / 9, 1 / math.Sqrt(3)}, "attn.tovalues.weight": {0, 1 / math.Sqrt(3)},
			"attn.Kproj.weight": {2. / (m + k), 1}, "attn.Vproj.weight": {2. / (m + k), 1}, "attn.Kproj.bias": {0, 1 / math.Sqrt(m)},
		},
	} {
		a, err := New(name, Config{Points: m, DK: dk, K: k})
		if err != nil {
			t.Fatal(err)
		}
		set := weights.Init(a.Specs(), 1)
		for tensor, law := range laws {
			v, ok := set.Get(tensor)
			if !ok {
				t.Fatalf("%s has no %s", name, tensor)
			}
			variance, top := 0.0, 0.0
			for _, x := range v.Data {
				variance += float64(x) * float64(x) / float64(len(v.Data))
				top = math.Max(top, math.Abs(float64(x)))
			}
			if law.variance > 0 && math.Abs(variance/law.variance-1) > 0.06 || top > law.bound || top == 0 {
				t.Errorf("%s %s: variance %v up to %v, expected %v up to %v", name, tensor, variance, top, law.variance, law.bound)
			}
		}
	}
}

func TestWrongCalls(t *testing.T) {
	for says, f := range map[string]func() error{
		`unknown amortizer "zz", expected one of l, la`: func() error { _, err := New("zz", Config{Points: 1}); return err },
		"expected points >= 1":                          func() error { _, err := New("la", Config{}); return err },
		"expected dk >= 1":                              func() error { _, err := New("la", Config{Points: 4, DK: -1}); return err },
	} {
		if err := f(); err == nil || !strings.Contains(err.Error(), says) {
			t.Errorf("error %v, expected one that says %q", err, says)
		}
	}
}

// TestReference compares outputs and weight gradients with the project's golden set (the authors' modules in float64, m = 256,
// d_k = 16, k = 32), where it is at hand; its clouds may not be copied into the repository.
func TestReference(t *testing.T) {
	path := filepath.Join("..", "..", "..", "shared", "golden", "amortizers.npz")
	if _, err := os.Stat(path); err != nil {
		t.Skipf("the golden set is not here: %v", err)
	}
	z, err := numpy.FromNpzFile(path)
	if err != nil {
		t.Fatal(err)
	}
	for name, c := range map[string]struct {
		prefix string
		keys   []string
		tol    float64
	}{
		"l":  {"L_", []string{"lin_w", "lin_b"}, 5e-6},
		"la": {"LA_", []string{"q_w", "q_b", "k_w", "k_b", "v_w", "v_b", "pk_w", "pk_b", "pv_w", "pv_b"}, 5e-5},
	} {
		a, err := New(name, Config{Points: 256, DK: 16, K: 32})
		if err != nil {
			t.Fatal(err)
		}
		in := []any{z["x"], z["y"], z["W"]}
		for i, s := range a.Specs() {
			v := z[c.prefix+c.keys[i]]
			in = append(in, tensors.FromFlatDataAndDimensions(flat(v), s.Shape...))
		}
		out := graphtest.Call(t, func(n []*graph.Node) []*graph.Node {
			d := a.Direction(weights.Bind(a.Specs(), n[3:]), n[0], n[1])
			return append([]*graph.Node{d}, graph.Gradient(graph.ReduceAllSum(graph.Mul(d, n[2])), n[3:]...)...)
		}, in...)
		keys := append([]string{"out"}, c.keys...)
		for i, key := range keys {
			if i > 0 {
				key = "d_" + key
			}
			want := tensors.MustCopyFlatData[float64](z[c.prefix+key])
			graphtest.Close(t, c.prefix+key, flat(out[i]), want, c.tol)
		}
	}
}

package amortizertest

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/core/tensors"

	"github.com/sliced-wasserstein/lab/swlab/amortizer"
	"github.com/sliced-wasserstein/lab/swlab/internal/graphtest"
	"github.com/sliced-wasserstein/lab/swlab/weights"
)

// subject is a map under test: its graphs, two batches of clouds, and weights. For a map of one
// size, only exec is compiled, once.
type subject struct {
	a    amortizer.Amortizer
	exec *graph.Exec // direction and gradients
	only *graph.Exec // the direction
	x, y cloud
	w    [][]float32 // in the order of the specs
	mix  [][]float64 // factors that turn the directions into a number
}

// result of a call: the directions, and the gradients of sum(mix * direction) in the weights.
type result struct {
	direction directions
	gradients [][]float64
}

type directions [][]float64 // [batch][dim]

func newSubject(t *testing.T, a amortizer.Amortizer, dim int) *subject {
	t.Helper()
	s := &subject{a: a, x: gaussian(1, dim, m), y: gaussian(2, dim, m)}
	set := weights.Init(a.Specs(), 4)
	for _, spec := range a.Specs() {
		v, _ := set.Get(spec.Name)
		s.w = append(s.w, v.Data)
	}
	var flat []float32
	for b := range batch {
		s.mix = append(s.mix, nil)
		for c := range dim {
			v := float32(math.Sin(float64(b*dim + c + 1)))
			flat, s.mix[b] = append(flat, v), append(s.mix[b], float64(v))
		}
	}
	direction := func(n []*graph.Node) *graph.Node { return a.Direction(weights.Bind(a.Specs(), n[2:]), n[0], n[1]) }
	var err error
	if s.only, err = graph.NewExec(graphtest.Engine(t).Backend, direction); err != nil {
		t.Fatal(err)
	}
	s.exec, err = graph.NewExec(graphtest.Engine(t).Backend, func(n []*graph.Node) []*graph.Node {
		d := direction(n)
		mix := graph.Const(d.Graph(), tensors.FromFlatDataAndDimensions(flat, batch, dim))
		return append([]*graph.Node{d}, graph.Gradient(graph.ReduceAllSum(graph.Mul(mix, d)), n[2:]...)...)
	})
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func (s *subject) close() {
	s.exec.Finalize()
	s.only.Finalize()
}

func (s *subject) call(t *testing.T, x, y cloud, w [][]float32) result {
	t.Helper()
	r, err := s.try(s.exec, x, y, w)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func (s *subject) try(exec *graph.Exec, x, y cloud, w [][]float32) (result, error) {
	in := []any{x.tensor(), y.tensor()}
	for i, spec := range s.a.Specs() {
		in = append(in, tensors.FromFlatDataAndDimensions(w[i], spec.Shape...))
	}
	out, err := exec.Call(in...)
	if err != nil {
		return result{}, err
	}
	var all [][]float64
	for _, o := range out {
		var v []float64
		for _, f := range tensors.MustCopyFlatData[float32](o) {
			v = append(v, float64(f))
		}
		all = append(all, v)
		o.FinalizeAll()
	}
	r := result{gradients: all[1:]}
	for b := range batch {
		r.direction = append(r.direction, all[0][b*x.dim:(b+1)*x.dim])
	}
	return r, nil
}

// slope is the derivative of sum(mix * direction) as weight number i moves along v, by differences
// of fourth order over steps of at most that length, with a bound on its rounding error.
func (s *subject) slope(t *testing.T, i int, v []float64, longest float64) (slope, noise float64) {
	t.Helper()
	h := min(0.02*max(0.1, norm(wide(s.w[i])))/norm(v), longest)
	for _, term := range []struct{ at, factor float64 }{{-2, 1}, {-1, -8}, {1, 8}, {2, -1}} {
		w := append([][]float32{}, s.w...)
		w[i] = append([]float32{}, s.w[i]...)
		for k := range v {
			w[i][k] += float32(term.at * h * v[k])
		}
		value := 0.0
		for b, d := range s.call(t, s.x, s.y, w).direction {
			for c := range d {
				value += s.mix[b][c] * d[c]
			}
		}
		slope += term.factor * value / (12 * h)
	}
	return slope, 5e-7 / h
}

// cloud is a batch of clouds [batch, points, dim].
type cloud struct {
	v           []float32
	points, dim int
}

func newCloud(dim int) cloud { return cloud{make([]float32, batch*m*dim), m, dim} }

// gaussian clouds are not centred at the origin.
func gaussian(seed uint64, dim, points int) cloud {
	r := rand.New(rand.NewPCG(seed, 1))
	c := cloud{make([]float32, batch*points*dim), points, dim}
	for i := range c.v {
		c.v[i] = float32(r.NormFloat64()*0.6 + 0.2)
	}
	return c
}

func (c cloud) tensor() *tensors.Tensor {
	return tensors.FromFlatDataAndDimensions(c.v, batch, c.points, c.dim)
}

// permuted moves point p of every cloud to order[p].
func (c cloud) permuted(order []int) cloud {
	out := newCloud(c.dim)
	for b := range batch {
		for p, to := range order {
			copy(out.v[(b*m+to)*c.dim:(b*m+to+1)*c.dim], c.v[(b*m+p)*c.dim:])
		}
	}
	return out
}

// exchanged swaps the first two clouds of the batch.
func (c cloud) exchanged() cloud {
	size := c.points * c.dim
	out := append([]float32{}, c.v...)
	copy(out, c.v[size:2*size])
	copy(out[size:], c.v[:size])
	return cloud{out, c.points, c.dim}
}

// angle is the largest angle over the pairs, in degrees, from the chord: arccos would lose half the
// digits.
func (d directions) angle(other directions) float64 {
	worst := 0.0
	for b := range d {
		chord := 0.0
		for c := range d[b] {
			chord = math.Hypot(chord, d[b][c]-other[b][c])
		}
		turn := 2 * math.Asin(math.Min(1, chord/2)) * 180 / math.Pi
		if !(turn <= worst) { // NaN stays
			worst = turn
		}
	}
	return worst
}

func norm(v []float64) float64 {
	n := 0.0
	for _, x := range v {
		n = math.Hypot(n, x)
	}
	return n
}

func wide(v []float32) []float64 {
	var out []float64
	for _, x := range v {
		out = append(out, float64(x))
	}
	return out
}

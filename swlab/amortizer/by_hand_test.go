package amortizer_test

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/core/tensors"
	"github.com/janpfeifer/must"

	"github.com/sliced-wasserstein/lab/swlab/amortizer"
	"github.com/sliced-wasserstein/lab/swlab/internal/graphtest"
	"github.com/sliced-wasserstein/lab/swlab/weights"
)

// matrix is a small float64 matrix by rows.
type matrix [][]float64

// times is a b'.
func (a matrix) times(b matrix) matrix {
	out := make(matrix, len(a))
	for i := range a {
		for j := range b {
			s := 0.0
			for k := range a[i] {
				s += a[i][k] * b[j][k]
			}
			out[i] = append(out[i], s)
		}
	}
	return out
}

func (a matrix) transposed() matrix {
	out := make(matrix, len(a[0]))
	for j := range out {
		for i := range a {
			out[j] = append(out[j], a[i][j])
		}
	}
	return out
}

func (a matrix) each(f func(row, column int, v float64) float64) matrix {
	out := make(matrix, len(a))
	for i := range a {
		for j, v := range a[i] {
			out[i] = append(out[i], f(i, j, v))
		}
	}
	return out
}

// softmax of every row.
func (a matrix) softmax() matrix {
	e := a.each(func(_, _ int, v float64) float64 { return math.Exp(v) })
	return e.each(func(i, _ int, v float64) float64 {
		s := 0.0
		for _, x := range e[i] {
			s += x
		}
		return v / s
	})
}

// hand evaluates a map by the formulas of its doc comment, step by step and with every matrix stored.
type hand struct {
	w       map[string]matrix // a bias is one row
	written bool
	dk      float64
}

// linear is a W' + 1 b'.
func (h hand) linear(a matrix, name string) matrix {
	out := a.times(h.w[name+".weight"])
	if b, ok := h.w[name+".bias"]; ok {
		out = out.each(func(_, j int, v float64) float64 { return v + b[0][j] })
	}
	return out
}

func (h hand) network(a matrix, name string) matrix {
	return h.linear(h.linear(a, name+".0").each(func(_, _ int, v float64) float64 { return 1 / (1 + math.Exp(-v)) }),
		name+".2")
}

func (h hand) form(x, y matrix) matrix {
	a := h.w["f.0.weight"].times(append(append(matrix{}, x...), y...).transposed())
	b := h.w["f.0.bias"]
	return a.each(func(_, j int, v float64) float64 {
		switch {
		case b == nil:
			return v
		case len(b[0]) == 1:
			return v + b[0][0]
		}
		return v + b[0][j]
	})
}

func (h hand) attention(name string, p matrix) matrix {
	q, k, v := h.linear(p, "attn.toqueries"), h.linear(p, "attn.tokeys"), h.linear(p, "attn.tovalues")
	scaled := func(_, _ int, v float64) float64 { return v / math.Sqrt(h.dk) }
	project := func(a matrix, name string) matrix { return h.linear(a.transposed(), name).transposed() }
	var o matrix
	switch name {
	case "a":
		o = q.times(k).each(scaled).softmax().times(v.transposed())
	case "ea":
		o = q.softmax().times(k.transposed().softmax().times(v.transposed()).transposed())
	case "la":
		o = q.times(project(k, "attn.Kproj")).each(scaled).softmax().times(project(v, "attn.Vproj").transposed())
	}
	sum := make([]float64, len(p[0]))
	for _, row := range o {
		for c := range row {
			if h.written {
				sum[c] += row[c]
			} else {
				sum[c] += row[c] / float64(len(p)) / 2
			}
		}
	}
	return matrix{sum}
}

func (h hand) direction(name string, x, y matrix) []float64 {
	var a matrix
	switch name {
	case "l":
		a = h.form(x, y)
	case "g":
		a = h.form(h.network(x, "g"), h.network(y, "g"))
	case "n":
		a = h.network(h.form(x, y), "h")
	default:
		py := h.attention(name, y)
		a = h.attention(name, x).each(func(_, j int, v float64) float64 { return v + py[0][j] })
	}
	n := 0.0
	for _, v := range a[0] {
		n = math.Hypot(n, v)
	}
	return a.each(func(_, _ int, v float64) float64 { return v / n })[0]
}

// TestByHand compares the six maps, in both variants, with their formulas in float64.
func TestByHand(t *testing.T) {
	const batch, m, dk, k = 2, 9, 4, 5
	for _, form := range []amortizer.Variant{amortizer.Released, amortizer.Paper} {
		dim := 3 + int(form)
		r := rand.New(rand.NewPCG(3, 1))
		clouds := func() ([]matrix, *tensors.Tensor) {
			var flat []float32
			var out []matrix
			for range batch {
				var p matrix
				for range m {
					var point []float64
					for range dim {
						v := float32(r.NormFloat64() + 0.3)
						flat, point = append(flat, v), append(point, float64(v))
					}
					p = append(p, point)
				}
				out = append(out, p)
			}
			return out, tensors.FromFlatDataAndDimensions(flat, batch, m, dim)
		}
		x, tx := clouds()
		y, ty := clouds()
		// One graph for all six.
		names := []string{"l", "g", "n", "a", "ea", "la"}
		in := []any{tx, ty}
		var maps []amortizer.Amortizer
		var want [][]float64
		for _, name := range names {
			a := must.M1(amortizer.New(name, amortizer.Config{Points: m, Dim: dim, DK: dk, K: k, Variant: form}))
			maps = append(maps, a)
			set := weights.Init(a.Specs(), 6)
			h := hand{w: map[string]matrix{}, written: form == amortizer.Paper, dk: dk}
			for _, s := range a.Specs() {
				v, _ := set.Get(s.Name)
				in = append(in, tensors.FromFlatDataAndDimensions(v.Data, s.Shape...))
				width := s.Shape[len(s.Shape)-1]
				var rows matrix
				for i, value := range v.Data {
					if i%width == 0 {
						rows = append(rows, nil)
					}
					rows[i/width] = append(rows[i/width], float64(value))
				}
				h.w[s.Name] = rows
			}
			var d []float64
			for b := range batch {
				d = append(d, h.direction(name, x[b], y[b])...)
			}
			want = append(want, d)
		}
		out := graphtest.Floats(t, func(n []*graph.Node) []*graph.Node {
			var out []*graph.Node
			rest := n[2:]
			for _, a := range maps {
				specs := a.Specs()
				out = append(out, a.Direction(weights.Bind(specs, rest[:len(specs)]), n[0], n[1]))
				rest = rest[len(specs):]
			}
			return out
		}, in...)
		for i, name := range names {
			graphtest.Close(t, form.String()+" "+name, out[i], want[i], 5e-6)
		}
	}
}

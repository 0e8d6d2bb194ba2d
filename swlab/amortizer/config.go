package amortizer

import (
	"cmp"
	"fmt"

	"github.com/gomlx/gomlx/core/graph"

	"github.com/sliced-wasserstein/lab/swlab/internal/names"
	"github.com/sliced-wasserstein/lab/swlab/weights"
)

// Config holds what the maps may depend on.
type Config struct {
	Points  int     // m, points per cloud
	Dim     int     // d, dimension of the points; 0 means 3
	DK      int     // width d_k of queries and keys; 0 means 64
	K       int     // number k of projected keys and values of LA; 0 means 64
	Variant Variant // released maps, or those of the paper
}

// Variant chooses between the released code and the paper, which differ in the maps' biases and in
// the pooling of points.
type Variant int

const (
	// Released is the released code: every layer has a bias, L adds ONE number to all coordinates,
	// points are pooled by their mean, and pool(X), pool(Y) are averaged.
	Released Variant = iota
	// Paper is as in the paper: L has a free offset in R^d, the linear parts of G and N have none;
	// the inner layers of G and N have no bias; attention is of pure matrices, without the bias per
	// projected row in LA; points are pooled by sums. The paper divides G and N by the SQUARED
	// norm, which gives no direction; here they are divided by the norm.
	Paper
)

var variants = []string{"released", "paper"}

func (f Variant) String() string { return names.Of(f, variants) }

// MarshalText writes the name: released or paper.
func (f Variant) MarshalText() ([]byte, error) { return []byte(f.String()), nil }

// UnmarshalText reads what MarshalText wrote.
func (f *Variant) UnmarshalText(text []byte) error { return names.Read(f, text, variants) }

func (c Config) withDefaults() Config {
	c.Dim, c.DK, c.K = cmp.Or(c.Dim, 3), cmp.Or(c.DK, 64), cmp.Or(c.K, 64)
	return c
}

func (c Config) check() error {
	for _, p := range []struct {
		what  string
		value int
	}{{"points", c.Points}, {"dim", c.Dim}, {"dk", c.DK}, {"k", c.K}} {
		if p.value < 1 {
			return fmt.Errorf("expected %s >= 1, found %d", p.what, p.value)
		}
	}
	if c.Variant != Released && c.Variant != Paper {
		return fmt.Errorf("expected variant Released (%d) or Paper (%d), found %d", Released, Paper, int(c.Variant))
	}
	return nil
}

// dense lists the weights of a linear layer, "name.weight" [out, in] and, if biased, "name.bias"
// [out], both U(+-1/sqrt(in)).
func dense(name string, in, out int, biased bool) []weights.Spec {
	s := []weights.Spec{{Name: name + ".weight", Shape: []int{out, in}, Init: weights.FanIn(in)}}
	if biased {
		s = append(s, weights.Spec{Name: name + ".bias", Shape: []int{out}, Init: weights.FanIn(in)})
	}
	return s
}

// affine is W x + b along the last axis of x [batch, points, in], or W x for a layer without bias.
func affine(w weights.Nodes, name string, x *graph.Node) *graph.Node {
	x = graph.Einsum("bmi,oi->bmo", x, w.Get(name+".weight"))
	if bias, ok := w[name+".bias"]; ok {
		x = graph.Add(x, graph.InsertAxes(bias, 0, 0))
	}
	return x
}

// SizesOf finds m, d_k and k of a map from its weights; 0 where none tells.
func SizesOf(w *weights.Set) (c Config) {
	length := func(name string, axis int) int {
		if t, ok := w.Get(name); ok && len(t.Shape) == 2 {
			return t.Shape[axis]
		}
		return 0
	}
	c.DK, c.K = length("attn.toqueries.weight", 0), length("attn.Kproj.weight", 0)
	c.Points = max(length("attn.Kproj.weight", 1), length("f.0.weight", 1)/2)
	return c
}

package amortizer

import "github.com/sliced-wasserstein/lab/swlab/weights"

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

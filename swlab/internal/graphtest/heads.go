package graphtest

import (
	"math"
	"strings"

	"github.com/gomlx/gomlx/core/tensors"

	"github.com/sliced-wasserstein/lab/swlab/weights"
)

// Classifier are the hashed tensors 60..69 of the classifier of codes, in the order of its specs,
// with fresh running statistics: linear weights by Xavier's bound with biases of amplitude 0.05,
// batch norms near 1 and 0.
func Classifier(specs []weights.Spec, seed uint64) []*tensors.Tensor {
	var out []*tensors.Tensor
	t := uint64(60)
	for _, s := range specs {
		amp, offset := 0.1, 0.0 // beta
		switch {
		case s.Buffer:
			v := make([]float32, s.Size())
			s.Init(nil, v)
			out = append(out, tensors.FromFlatDataAndDimensions(v, s.Shape...))
			continue
		case len(s.Shape) == 2:
			amp = math.Sqrt(6 / float64(s.Shape[0]+s.Shape[1]))
		case strings.HasPrefix(s.Name, "fc"):
			amp = 0.05
		case strings.HasSuffix(s.Name, ".weight"):
			offset = 1 // gamma
		}
		out = append(out, Hashed(s, seed, t, amp, offset))
		t++
	}
	return out
}

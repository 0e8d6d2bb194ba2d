package train

import (
	"context"
	"math"
	"path/filepath"
	"slices"
	"testing"

	"github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/core/tensors"
	"github.com/janpfeifer/must"

	"github.com/sliced-wasserstein/lab/swlab/loss"
	"github.com/sliced-wasserstein/lab/swlab/pointnet"
	"github.com/sliced-wasserstein/lab/swlab/weights"
)

// TestValidation: the best epoch has the lowest loss on the held-out clouds. That loss is the
// network's in evaluation mode, and computing it changes nothing, even if the run was interrupted.
func TestValidation(t *testing.T) {
	held := boxes(7, 32)
	for _, c := range []Config{config("chamfer", ""), config("v-dsw", "la"), config("v-dsw", "")} {
		t.Run(c.Loss+c.Amortizer, func(t *testing.T) {
			t.Parallel()
			c.Epochs, c.Batch = 2, 4
			_, plain := finished(t, backend(t), c, Options{})
			r, dir := finished(t, backend(t), c, Options{Validation: held})
			sameRuns(t, dir, plain, weightsFile) // validation changes nothing
			if len(r.Validation) != 2 || r.BestLoss != slices.Min(r.Validation) || r.Validation[r.BestEpoch] != r.BestLoss {
				t.Errorf("best epoch %d of loss %v among %v", r.BestEpoch, r.BestLoss, r.Validation)
			}
			if c.Loss == "chamfer" {
				if want := chamferOf(t, filepath.Join(dir, bestFile), 32); math.Abs(r.BestLoss/want-1) > 1e-5 {
					t.Errorf("validation loss %v, the saved network has %v", r.BestLoss, want)
				}
			}
			cut := filepath.Join(t.TempDir(), "run")
			cutOff(t, backend(t), boxes(12, 32), c, 4, Options{Out: cut, Validation: held})
			if again, _ := finished(t, backend(t), c,
				Options{Out: cut, Resume: true, Validation: held}); !slices.Equal(again.Validation, r.Validation) {
				t.Errorf("cut off and resumed: %v, at once: %v", again.Validation, r.Validation)
			}
			refused(t, "validation")(
				Run(context.Background(), backend(t), boxes(12, 32), c, Options{Out: dir, Resume: true}))
		})
	}
	refused(t, "found 7 of 16 points")(
		Run(context.Background(), backend(t), boxes(12, 32), config("sw", ""),
			Options{Out: t.TempDir(), Validation: boxes(7, 16)}))
}

// chamferOf is the mean Chamfer distance between seven boxes and what the network in the file makes of them.
func chamferOf(t *testing.T, path string, m int) float64 {
	t.Helper()
	set := must.M1(weights.ReadSafetensors(path))
	net := &pointnet.Autoencoder{Points: m}
	args := []any{tensors.FromFlatDataAndDimensions(boxes(7, m).Coords, 7, m, 3)}
	for _, s := range net.Specs() {
		v, _ := set.Get(s.Name)
		args = append(args, tensors.FromFlatDataAndDimensions(v.Data, v.Shape...))
	}
	out := must.M1(graph.CallOnce(backend(t).Backend, func(in []*graph.Node) *graph.Node {
		y := net.Forward(weights.Bind(net.Specs(), in[1:]), in[0], pointnet.Eval).Cloud
		return graph.ReduceAllMean(loss.Chamfer{}.Build(loss.BuildArgs{}, in[0], y).Pairs)
	}, args...))
	return float64(out.Value().(float32))
}

package train

import (
	"context"
	"errors"
	"math"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/core/tensors"

	"github.com/sliced-wasserstein/lab/swlab/internal/graphtest"
	"github.com/sliced-wasserstein/lab/swlab/loss"
	"github.com/sliced-wasserstein/lab/swlab/pointnet"
	"github.com/sliced-wasserstein/lab/swlab/weights"
)

// TestValidation: the best epoch is the one of lowest loss on the clouds held out, that loss is the one of the network in evaluation
// mode, and looking at them changes nothing; also when the run was cut off.
func TestValidation(t *testing.T) {
	if testing.Short() {
		t.Skip("compiles several programs")
	}
	held := boxes(7, 32)
	for _, c := range []Config{config("chamfer", ""), config("v-dsw", "la"), config("v-dsw", "")} {
		t.Run(c.Loss+c.Amortizer, func(t *testing.T) {
			t.Parallel()
			c.Epochs, c.Batch = 4, 6
			var shared Programs
			defer shared.Close()
			_, plain := finished(t, c, Options{Programs: &shared})
			r, dir := finished(t, c, Options{Validation: held, Programs: &shared})
			if !sameLog(values(t, plain), values(t, dir)) || !sameFile(t, filepath.Join(plain, weightsFile), filepath.Join(dir, weightsFile)) {
				t.Error("validation changed the training")
			}
			if len(r.Validation) != 4 || r.BestLoss != slices.Min(r.Validation) || r.Validation[r.BestEpoch] != r.BestLoss {
				t.Errorf("best epoch %d of loss %v among %v", r.BestEpoch, r.BestLoss, r.Validation)
			}
			if c.Loss == "chamfer" {
				if want := chamferOf(t, filepath.Join(dir, bestFile), 32); math.Abs(r.BestLoss/want-1) > 1e-5 {
					t.Errorf("validation loss %v, the saved network has %v", r.BestLoss, want)
				}
			}
			cut := filepath.Join(t.TempDir(), "run")
			ctx, cancel := context.WithCancel(context.Background())
			_, err := Run(ctx, graphtest.Engine(t), boxes(12, 32), c, Options{Out: cut, Validation: held, Programs: &shared, Progress: func(r Record, _ int) {
				if r.Step == 5 {
					cancel()
				}
			}})
			if !errors.Is(err, context.Canceled) {
				t.Fatal(err)
			}
			if again, _ := finished(t, c, Options{Out: cut, Resume: true, Validation: held, Programs: &shared}); !slices.Equal(again.Validation, r.Validation) {
				t.Errorf("cut off and resumed: %v, at once: %v", again.Validation, r.Validation)
			}
			if _, err := Run(context.Background(), graphtest.Engine(t), boxes(12, 32), c, Options{Out: dir, Resume: true}); err == nil || !strings.Contains(err.Error(), "validation") {
				t.Errorf("resumed without the clouds held out: %v", err)
			}
		})
	}
	if _, err := Run(context.Background(), graphtest.Engine(t), boxes(12, 32), config("sw", ""), Options{Out: t.TempDir(), Validation: boxes(7, 16)}); err == nil ||
		!strings.Contains(err.Error(), "found 7 of 16 points") {
		t.Errorf("validation clouds of another size: %v", err)
	}
}

// chamferOf is the mean Chamfer distance between seven boxes and what the network in the file makes of them.
func chamferOf(t *testing.T, path string, m int) float64 {
	t.Helper()
	set, err := weights.ReadSafetensors(path)
	if err != nil {
		t.Fatal(err)
	}
	net := &pointnet.Autoencoder{Points: m}
	args := []any{tensors.FromFlatDataAndDimensions(boxes(7, m).Points, 7, m, 3)}
	for _, s := range net.Specs() {
		v, _ := set.Get(s.Name)
		args = append(args, tensors.FromFlatDataAndDimensions(v.Data, v.Shape...))
	}
	out := graphtest.Call(t, func(in []*graph.Node) []*graph.Node {
		y := net.Forward(weights.Bind(net.Specs(), in[1:]), in[0], pointnet.Eval).Cloud
		return []*graph.Node{graph.ReduceAllMean(loss.Chamfer{}.Build(loss.Call{}, in[0], y).Pairs)}
	}, args...)
	return float64(out[0].Value().(float32))
}

// TestPrograms: runs that share compiled steps are those that compile their own: another seed, another number of ascent steps, another
// loss in between.
func TestPrograms(t *testing.T) {
	if testing.Short() {
		t.Skip("compiles several programs")
	}
	var shared Programs
	defer shared.Close()
	dsw := func(steps int, seed uint64) Config {
		c := config("v-dsw", "")
		c.AscentSteps, c.Seed, c.Epochs, c.Batch = steps, seed, 1, 6
		return c
	}
	sw := config("sw", "")
	sw.Epochs, sw.Batch = 1, 6
	_, first := finished(t, dsw(5, 2), Options{})
	_, second := finished(t, sw, Options{})
	finished(t, dsw(0, 1), Options{Programs: &shared})
	for _, run := range []struct {
		config Config
		alone  string
	}{{dsw(5, 2), first}, {sw, second}, {dsw(5, 2), first}} {
		if _, together := finished(t, run.config, Options{Programs: &shared}); !sameLog(values(t, run.alone), values(t, together)) {
			t.Errorf("%s: another log with shared programs", run.config.Loss)
		}
	}
}

package train

import (
	"fmt"
	"path/filepath"

	"github.com/sliced-wasserstein/lab/datasets"
	"github.com/sliced-wasserstein/lab/datasets/format"
	"github.com/sliced-wasserstein/lab/swlab/engine"
	"github.com/sliced-wasserstein/lab/swlab/internal/vec"
)

// nonfinite says what is not finite after a step; "" if all is. A gradient that is not makes a
// weight that is not.
func (t *trainer) nonfinite(r Record) (what string, err error) {
	if !vec.Finite(r.Loss) {
		return fmt.Sprintf("the loss is %v", r.Loss), nil
	}
	for _, x := range []*float64{r.Objective, r.AscentAngle} {
		if x != nil && !vec.Finite(*x) {
			return fmt.Sprintf("the objective of the ascent or its angle is %v", *x), nil
		}
	}
	if !vec.Finite(r.Direction...) {
		return "the direction is not finite", nil
	}
	for _, weights := range []map[string]tensor{t.state.Net, t.state.Amortizer.Weights} {
		if len(weights) == 0 {
			continue
		}
		out, err := t.finite.Call(weights)
		if err != nil {
			return "", err
		}
		sum := take(out.Zero)
		engine.Free(out)
		if !vec.Finite(sum) {
			return "a weight is not finite after the update, so the gradient was not", nil
		}
	}
	return "", nil
}

// beforeStep is the state to which a skipped step returns; empty if no step is skipped.
func (r *run) beforeStep() (checkpoint, error) {
	if r.options.OnNonfinite != "skip" {
		return checkpoint{}, nil
	}
	return r.trainer.model.download(r.trainer.state, r.progress)
}

// skip saves the batch of a step that is not finite. Then it undoes the step or, unless that is
// what the options say, returns the error that stops the run.
func (r *run) skip(rec Record, rows []int32, before checkpoint) error {
	path := filepath.Join(r.options.Out, fmt.Sprintf("nonfinite-step-%09d.npz", rec.Step))
	found, err := saveBatch(path, r.set, rows)
	if err != nil {
		return fmt.Errorf("step %d of %s: %s, and the batch was not saved: %w", rec.Step, r.options.Out, rec.Skipped, err)
	}
	what := fmt.Sprintf("step %d of %s: %s%s; its batch is in %s", rec.Step, r.options.Out, rec.Skipped, found, filepath.Base(path))
	if before.tensors == nil {
		return fmt.Errorf("%s; the run is stopped, %s, and --on-nonfinite skip leaves the step out", what, r.resumeHint())
	}
	r.trainer.close()
	r.trainer.state = r.trainer.model.upload(before)
	r.Skipped++
	r.EpochSkipped++
	r.options.note(what + "; the step is skipped")
	return nil
}

// saveBatch writes the clouds of a batch and their rows, and says which cloud is not finite.
func saveBatch(path string, set *datasets.Set, rows []int32) (found string, err error) {
	size := set.Points * set.Dim
	clouds := make([]float32, len(rows)*size)
	if err := set.Read(clouds, rows); err != nil {
		return "", err
	}
	if i := vec.NotFinite(clouds); i >= 0 {
		found = fmt.Sprintf(" (cloud %d of %s has the coordinate %v)", rows[i/size], set.Name, clouds[i])
	}
	return found, format.WriteNPZ(path, clouds, []int{len(rows), set.Points, set.Dim}, map[string][]int32{"rows": rows})
}

// savedStep is the step of the newest checkpoint in a run folder; 0 if there is none.
func savedStep(dir string) int {
	n, _ := stepsDone(dir) // a folder without checkpoints has saved none
	return n
}

package train

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"sort"
	"strings"

	"github.com/sliced-wasserstein/lab/internal/durable"
	"github.com/sliced-wasserstein/lab/swlab/weights"
)

// progress says how far a run is. The order of the data is a function of (seed, epoch) and the
// random state one of (seed, step), so these numbers restore both.
type progress struct {
	Step      int     `json:"step"`       // steps done
	EpochSum  float64 `json:"epoch_sum"`  // sum of the losses of the current epoch
	BestEpoch int     `json:"best_epoch"` // -1 before the end of the first epoch
	BestLoss  float64 `json:"best_loss"`
	LastLoss  float64 `json:"last_loss"`

	Skipped      int `json:"skipped,omitempty"`       // steps left out because something was not finite
	EpochSkipped int `json:"epoch_skipped,omitempty"` // of them, in the current epoch

	Validation []float64 `json:"validation,omitempty"` // loss on the held-out clouds, by epoch
	AdamSteps  float64   `json:"adam_steps"`           // of the amortizer

	// LogSHA256 is of the lines of log.jsonl until Step; "" before it was recorded.
	LogSHA256 string `json:"log_sha256,omitempty"`
}

// checkpoint is a run's whole state on the host. Tensors are named "net/..", "momentum/..",
// "psi/..", "second/..", "first/..".
type checkpoint struct {
	progress
	tensors *weights.Set
	log     []byte // the lines of its steps, if it was loaded
}

const (
	checkpointPrefix = "step-"
	tensorsFile      = "tensors.safetensors"
	stateFile        = "state.json"
	checkpointsKept  = 2
)

// saveCheckpoint writes the checkpoint, whole or not at all, and removes all but the newest two.
func saveCheckpoint(run string, c checkpoint) error {
	dir := filepath.Join(run, checkpointDir)
	name := filepath.Join(dir, fmt.Sprintf("%s%09d", checkpointPrefix, c.Step))
	if _, err := os.Stat(name); err == nil {
		return nil // saved before
	}
	err := durable.WriteDir(name, func(tmp string) error {
		if err := weights.WriteSafetensors(filepath.Join(tmp, tensorsFile), c.tensors); err != nil {
			return err
		}
		return durable.WriteJSON(filepath.Join(tmp, stateFile), c.progress)
	})
	if err != nil {
		return err
	}
	all, err := listCheckpoints(run)
	if err != nil {
		return err
	}
	for _, old := range all[min(checkpointsKept, len(all)):] {
		if err := os.RemoveAll(old); err != nil {
			return err
		}
	}
	return nil
}

// listCheckpoints returns the folders of the checkpoints, newest first.
func listCheckpoints(run string) ([]string, error) {
	entries, err := os.ReadDir(filepath.Join(run, checkpointDir))
	if err != nil {
		return nil, err
	}
	var out []string
	for _, e := range entries {
		if strings.HasPrefix(e.Name(), checkpointPrefix) {
			out = append(out, filepath.Join(run, checkpointDir, e.Name()))
		}
	}
	sort.Sort(sort.Reverse(sort.StringSlice(out)))
	return out, nil
}

// removeHalfCheckpoints removes what a process killed while saving has left.
func removeHalfCheckpoints(run string) error {
	dir := filepath.Join(run, checkpointDir)
	entries, err := os.ReadDir(dir)
	if err != nil && !errors.Is(err, os.ErrNotExist) {
		return err
	}
	for _, e := range entries {
		if strings.HasPrefix(e.Name(), ".") {
			if err := os.RemoveAll(filepath.Join(dir, e.Name())); err != nil {
				return err
			}
		}
	}
	return nil
}

// errNoCheckpoint says that a run has not saved one yet.
var errNoCheckpoint = errors.New("no checkpoint")

// loadCheckpoint reads the newest checkpoint that is whole and fits specs, and whose steps are
// unchanged in the log. It removes newer ones, whose steps will be repeated, and calls note with
// what is wrong with them. If all are broken, the error says why; if there are none, it is
// errNoCheckpoint.
func loadCheckpoint(run string, specs []weights.Spec, note func(string)) (checkpoint, error) {
	dirs, err := listCheckpoints(run)
	if err != nil {
		return checkpoint{}, err
	}
	if len(dirs) == 0 {
		return checkpoint{}, errNoCheckpoint
	}
	problems := []error{fmt.Errorf("%s holds no checkpoint to resume from", run)}
	for i, dir := range dirs {
		c, err := readCheckpoint(dir, specs)
		if err == nil {
			c.log, err = linesUntil(run, c.progress)
		}
		if err != nil {
			problems = append(problems, err)
			continue
		}
		for k, broken := range dirs[:i] {
			problem := strings.TrimSuffix(problems[k+1].Error(), "; "+logRemedy)
			note(fmt.Sprintf("%s; the run continues from the checkpoint before it, %s", problem, filepath.Base(dir)))
			if err := os.RemoveAll(broken); err != nil {
				return checkpoint{}, err
			}
		}
		return c, nil
	}
	return checkpoint{}, errors.Join(problems...)
}

func readCheckpoint(dir string, specs []weights.Spec) (checkpoint, error) {
	var c checkpoint
	if _, err := durable.ReadJSON(filepath.Join(dir, stateFile), &c.progress); err != nil {
		return checkpoint{}, err
	}
	path := filepath.Join(dir, tensorsFile)
	set, err := weights.ReadSafetensors(path)
	if err != nil {
		return checkpoint{}, err
	}
	set, err = set.Match(specs)
	if err != nil {
		return checkpoint{}, fmt.Errorf("%s: %w", path, err)
	}
	c.tensors = set
	return c, nil
}

// savedStep is the step of the newest checkpoint in a run folder; 0 if there is none.
func savedStep(dir string) int {
	n, _ := stepsDone(dir) // a folder without checkpoints has saved none
	return n
}

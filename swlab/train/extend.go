package train

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/sliced-wasserstein/lab/internal/durable"
)

// withLength is c as long as another run.
func (c Config) withLength(other Config) Config {
	c.Epochs, c.Steps = other.Epochs, other.Steps
	return c
}

// continues returns why the run in dir, of the configuration old, cannot go on as c.
func (c Config) continues(old Config, dir string) error {
	if diff := c.withLength(old).Differences(old); len(diff) > 0 {
		return fmt.Errorf("%s holds another run: %s", dir, strings.Join(diff, "; "))
	}
	changes := c.Differences(old)
	if len(changes) == 0 {
		return nil
	}
	change := strings.Join(changes, "; ")
	done, err := stepsDone(dir)
	switch total := c.totalSteps(); {
	case err != nil:
		return err
	case total < done:
		return fmt.Errorf("%s has done %d steps and can only be made longer, found a length of %d steps (%s)", dir, done, total, change)
	case total == old.totalSteps():
		return fmt.Errorf("%s ends after %d steps all the same (%s): a run ends at the first of epochs (%d) and steps (%d; -1: no bound)",
			dir, total, change, c.Epochs, c.Steps)
	}
	return nil
}

// stepsDone is the number of steps that a run has kept. A finished run without its checkpoints, as tables and sweeps keep
// theirs, is an error: it cannot go on.
func stepsDone(dir string) (int, error) {
	all, err := listCheckpoints(dir)
	if err != nil && !errors.Is(err, os.ErrNotExist) {
		return 0, err
	}
	if len(all) == 0 {
		if _, err := ReadResult(dir); err == nil {
			return 0, fmt.Errorf("%s is finished and its checkpoints have been removed, so it cannot be extended; train the longer run in another folder", dir)
		}
		return 0, nil
	}
	return strconv.Atoi(strings.TrimPrefix(filepath.Base(all[0]), checkpointPrefix))
}

// writeConfig writes the configuration of a new run, or the new length of one that is resumed, which is no longer finished then.
func writeConfig(c Config, o Options) error {
	path := filepath.Join(o.Out, configFile)
	if !o.Resume {
		return durable.WriteJSON(path, c)
	}
	old, err := ReadConfig(o.Out)
	if err != nil || old == old.withLength(c) {
		return err
	}
	if err := os.Remove(filepath.Join(o.Out, resultFile)); err != nil && !errors.Is(err, os.ErrNotExist) {
		return err
	}
	return durable.WriteJSON(path, old.withLength(c))
}

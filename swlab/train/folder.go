package train

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"hash"
	"io"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/sliced-wasserstein/lab/internal/durable"
)

// Names of the files of a run folder.
const (
	configFile  = "config.json"
	logFile     = "log.jsonl"
	resultFile  = "result.json"
	weightsFile = "weights.safetensors" // the last state of the autoencoder
	// The autoencoder after the epoch of lowest mean training loss.
	bestFile      = "best.safetensors"
	amortizerFile = "amortizer.safetensors" // the last state of the amortizer
	checkpointDir = "checkpoints"
)

// CheckOut returns a UsageError if o.Out cannot take the run of c. To resume, it must hold that
// run, or one that differs only in Epochs and Steps and has not done more than c asks for; else it
// must be empty or not exist.
func CheckOut(c Config, o Options) error {
	if o.Out == "" {
		return UsageError{errors.New("out: expected a folder for the run")}
	}
	if o.Resume {
		old, err := ReadConfig(o.Out)
		if err != nil {
			return UsageError{err}
		}
		if c.Backend == "" {
			c.Backend = old.Backend // not opened yet
		}
		if err := c.continues(old, o.Out); err != nil {
			return UsageError{err}
		}
		return nil
	}
	entries, err := os.ReadDir(o.Out)
	switch {
	case errors.Is(err, os.ErrNotExist):
		return nil
	case err != nil:
		return UsageError{fmt.Errorf("out: %w", err)}
	}
	for _, e := range entries {
		if e.Name() == configFile {
			return UsageError{fmt.Errorf("out: %s holds a run already; continue it with --resume or choose another folder", o.Out)}
		}
	}
	// A run killed while it wrote its configuration leaves a temporary file, which is no run.
	if len(entries) > 1 || len(entries) == 1 && !strings.HasPrefix(entries[0].Name(), "."+configFile+".") {
		return UsageError{fmt.Errorf("out: %s is not empty and holds no run; choose another folder", o.Out)}
	}
	return nil
}

// openFolder makes the run folder, or reads the one to resume, and returns the state to start from.
// It locks the folder for this process until unlock.
func openFolder(m Model, c Config, o Options) (start checkpoint, unlock func(), err error) {
	if err := CheckOut(c, o); err != nil {
		return start, nil, err
	}
	if err := os.MkdirAll(o.Out, 0o755); err != nil {
		return start, nil, fmt.Errorf("out: %w", err)
	}
	unlock, err = durable.Lock(o.Out)
	if errors.Is(err, durable.ErrLocked) {
		return start, nil, UsageError{fmt.Errorf("out: %s is %w", o.Out, err)}
	}
	if err != nil {
		return start, nil, fmt.Errorf("out: %w", err)
	}
	if start, err = begin(m, c, o); err != nil {
		unlock()
	}
	return start, unlock, err
}

// begin is openFolder with the lock held. It writes the configuration first: from then on the run
// can be resumed, from step 0 before its first checkpoint.
func begin(m Model, c Config, o Options) (checkpoint, error) {
	if err := CheckOut(c, o); err != nil { // again: another process may have been faster
		return checkpoint{}, err
	}
	if err := removeLeftovers(o.Out); err != nil {
		return checkpoint{}, err
	}
	if err := writeConfig(c, o); err != nil {
		return checkpoint{}, fmt.Errorf("out: %w", err)
	}
	if err := os.MkdirAll(filepath.Join(o.Out, checkpointDir), 0o755); err != nil {
		return checkpoint{}, fmt.Errorf("out: %w", err)
	}
	start, err := loadCheckpoint(o.Out, m.stateSpecs(), o.note)
	if errors.Is(err, errNoCheckpoint) {
		start, err = m.initial(c.Seed), nil
	}
	if err == nil && start.Step < c.totalSteps() {
		err = removeResult(o.Out) // of steps that will be repeated
	}
	return start, err
}

// removeResult makes a finished run an unfinished one.
func removeResult(run string) error {
	if err := os.Remove(filepath.Join(run, resultFile)); err != nil && !errors.Is(err, os.ErrNotExist) {
		return err
	}
	return nil
}

// removeLeftovers removes the files that a killed process was writing.
func removeLeftovers(run string) error {
	for _, name := range []string{configFile, logFile, resultFile, weightsFile, bestFile, amortizerFile} {
		if err := durable.RemoveTemporary(filepath.Join(run, name)); err != nil {
			return err
		}
	}
	return removeHalfCheckpoints(run)
}

// withLength is c with the length of another run.
func (c Config) withLength(other Config) Config {
	c.Epochs, c.Steps = other.Epochs, other.Steps
	return c
}

// continues returns why the run in dir, with the configuration old, cannot continue as c.
func (c Config) continues(old Config, dir string) error {
	if diff := c.withLength(old).Differences(old); len(diff) > 0 {
		if err := c.CheckSource(); err != nil {
			diff = append(diff, err.Error())
		}
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

// stepsDone is the number of steps that a run has saved. A finished run without checkpoints, as
// tables and sweeps keep theirs, is an error: it cannot continue.
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

// writeConfig writes the configuration of a new run, or the new length of a resumed one, which is
// then no longer finished.
func writeConfig(c Config, o Options) error {
	path := filepath.Join(o.Out, configFile)
	if !o.Resume {
		return durable.WriteJSON(path, c)
	}
	old, err := ReadConfig(o.Out)
	if err != nil || old == old.withLength(c) {
		return err
	}
	if err := removeResult(o.Out); err != nil {
		return err
	}
	return durable.WriteJSON(path, old.withLength(c))
}

// ReadConfig reads the configuration of the run in dir.
func ReadConfig(dir string) (Config, error) {
	var c Config
	_, err := durable.ReadJSON(filepath.Join(dir, configFile), &c)
	if errors.Is(err, os.ErrNotExist) {
		err = fmt.Errorf("%s holds no run: no %s in it", dir, configFile)
	}
	return c, err
}

// WeightsFile returns the autoencoder's weights in a run folder. state is "last", or "best", which
// is the last if no epoch was finished.
func WeightsFile(dir, state string) (string, error) {
	best, last := filepath.Join(dir, bestFile), filepath.Join(dir, weightsFile)
	switch state {
	case "best":
		if _, err := os.Stat(best); err == nil {
			return best, nil
		}
	case "last":
	default:
		return "", fmt.Errorf("expected best or last, found %q", state)
	}
	if _, err := os.Stat(last); err != nil {
		return "", fmt.Errorf("%s holds no trained weights: no %s in it", dir, weightsFile)
	}
	return last, nil
}

// storedResult is the content of result.json.
type storedResult struct {
	Result
	LogSHA256 string `json:"log_sha256,omitempty"` // of log.jsonl; "" before it was recorded
}

// ReadResult reads the result of the finished run in dir.
func ReadResult(dir string) (Result, error) {
	var r Result
	_, err := durable.ReadJSON(filepath.Join(dir, resultFile), &r)
	r.Run = dir // not where it was when written
	return r, err
}

// ReadLog reads the log of the run in dir. It leaves out a cut-off last line. The log of a finished
// run must have the SHA-256 that the result holds; before that was recorded, and while a run is not
// finished, a line is only checked to be JSON.
func ReadLog(dir string) ([]Record, error) {
	var before string
	for again := false; ; again = true {
		var result storedResult
		if _, err := durable.ReadJSON(filepath.Join(dir, resultFile), &result); err != nil && !errors.Is(err, os.ErrNotExist) {
			return nil, err
		}
		records, _, err := readLog(dir, math.MaxInt, result.LogSHA256)
		if err == nil || again && result.LogSHA256 == before {
			return records, err
		}
		before = result.LogSHA256 // another process may have changed both in between
	}
}

// logRemedy says what to do about a damaged log.
const logRemedy = "restore the file from a copy, or train the run again in another folder"

// readLog reads at most most lines, which must have that SHA-256 unless it is ""; what follows may
// be invalid. lines are their bytes.
func readLog(dir string, most int, sum string) (records []Record, lines []byte, err error) {
	path := filepath.Join(dir, logFile)
	raw, err := os.ReadFile(path)
	if errors.Is(err, os.ErrNotExist) {
		return nil, nil, fmt.Errorf("%s holds no log: no %s in it", dir, logFile)
	}
	if err != nil {
		return nil, nil, err
	}
	end, number := 0, 0 // of the lines read
	for line := range bytes.Lines(raw) {
		if len(records) == most {
			break
		}
		if number++; len(bytes.TrimSpace(line)) > 0 {
			var r Record
			if err := json.Unmarshal(line, &r); err != nil {
				if !bytes.HasSuffix(line, []byte("\n")) { // cut off
					break
				}
				return nil, nil, fmt.Errorf("%s line %d: %w; %s", path, number, err, logRemedy)
			}
			if r.Skipped != "" {
				r.Loss = math.NaN()
			}
			records = append(records, r)
		}
		end += len(line)
	}
	if lines = raw[:end]; sum != "" && sumOf(lines) != sum {
		return nil, nil, fmt.Errorf("%s: its first %d lines do not have the SHA-256 that the run has recorded: the file is damaged or was edited; %s", path, number, logRemedy)
	}
	return records, lines, nil
}

func sumOf(lines []byte) string {
	sum := sha256.Sum256(lines)
	return hex.EncodeToString(sum[:])
}

// linesUntil returns the lines of the log for the steps until a checkpoint, which had made them
// durable.
func linesUntil(dir string, p progress) ([]byte, error) {
	records, lines, err := readLog(dir, p.Step, p.LogSHA256)
	if err != nil {
		return nil, err
	}
	if len(records) != p.Step || p.Step > 0 && records[p.Step-1].Step != p.Step {
		return nil, fmt.Errorf("%s: expected a line for each of the %d steps before the checkpoint, found %d; %s",
			filepath.Join(dir, logFile), p.Step, len(records), logRemedy)
	}
	if len(lines) > 0 && !bytes.HasSuffix(lines, []byte("\n")) { // cut off by one byte, in a log without a sum
		lines = append(bytes.Clone(lines), '\n')
	}
	return lines, nil
}

// stepLog is a log open for appending, and the SHA-256 of all its lines.
type stepLog struct {
	durable.File
	hash hash.Hash
}

// openLog keeps the lines of the steps that a checkpoint has made durable, and opens the log for
// appending. Later steps will be written again, whatever a crash made of them.
func openLog(dir string, keep []byte) (stepLog, error) {
	path := filepath.Join(dir, logFile)
	if err := durable.Write(path, func(w io.Writer) error { _, err := w.Write(keep); return err }); err != nil {
		return stepLog{}, err
	}
	file, err := durable.Append(path, false)
	l := stepLog{file, sha256.New()}
	l.hash.Write(keep)
	return l, err
}

// Write appends p.
func (l stepLog) Write(p []byte) (int, error) {
	n, err := l.File.Write(p)
	l.hash.Write(p[:n])
	return n, err
}

func (l stepLog) sum() string { return hex.EncodeToString(l.hash.Sum(nil)) }

// times returns the sum and the median of the seconds of the steps.
func times(records []Record) (sum, median float64) {
	if len(records) == 0 {
		return 0, 0
	}
	s := make([]float64, len(records))
	for i, r := range records {
		s[i] = r.Seconds
		sum += r.Seconds
	}
	slices.Sort(s)
	return sum, (s[(len(s)-1)/2] + s[len(s)/2]) / 2
}

package train

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"
	"slices"

	"github.com/sliced-wasserstein/lab/internal/durable"
)

// Record is one line of log.jsonl.
type Record struct {
	Step    int      `json:"step"`             // 1 is the first
	Epoch   int      `json:"epoch"`            // 0 is the first
	Loss    float64  `json:"loss"`             // the descended loss, mean over the batch
	Ascent  *float64 `json:"ascent,omitempty"` // the ascended objective before its update; amortized losses only
	Turn    *float64 `json:"turn,omitempty"`   // degrees by which the ascent turned the predicted directions, mean; amortized losses only
	Seconds float64  `json:"seconds"`          // of this step
}

// ReadLog reads the log of the run in dir. A last line that was cut off is left out.
func ReadLog(dir string) ([]Record, error) { return readLog(dir, math.MaxInt) }

// readLog reads at most that many lines; what follows them may be anything.
func readLog(dir string, most int) ([]Record, error) {
	path := filepath.Join(dir, logFile)
	raw, err := os.ReadFile(path)
	if errors.Is(err, os.ErrNotExist) {
		return nil, fmt.Errorf("%s holds no log: no %s in it", dir, logFile)
	}
	if err != nil {
		return nil, err
	}
	var out []Record
	lines := bytes.SplitAfter(raw, []byte("\n"))
	for i, line := range lines {
		if len(out) == most {
			break
		}
		if len(bytes.TrimSpace(line)) == 0 {
			continue
		}
		var r Record
		if err := json.Unmarshal(line, &r); err != nil {
			if i == len(lines)-1 { // no newline at its end: cut off
				break
			}
			return nil, fmt.Errorf("%s line %d: %w", path, i+1, err)
		}
		out = append(out, r)
	}
	return out, nil
}

// openLog keeps the lines of the first steps, which a checkpoint has made durable, and opens the log for appending. Later ones
// will be written again, whatever a crash has made of them.
func openLog(dir string, step int) (*os.File, error) {
	path := filepath.Join(dir, logFile)
	var keep []Record
	if step > 0 {
		var err error
		if keep, err = readLog(dir, step); err != nil {
			return nil, err
		}
		if len(keep) != step || keep[step-1].Step != step {
			return nil, fmt.Errorf("%s: expected a line for each of the %d steps before the checkpoint, found %d", path, step, len(keep))
		}
	}
	err := durable.Write(path, func(w io.Writer) error {
		for _, r := range keep {
			if err := json.NewEncoder(w).Encode(r); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	return os.OpenFile(path, os.O_APPEND|os.O_WRONLY, 0o644)
}

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

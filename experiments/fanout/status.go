package fanout

import (
	"encoding/json"
	"os"
	"time"

	"github.com/sliced-wasserstein/lab/internal/durable"
)

// State is what became of a job.
type State string

const (
	Waiting     State = ""            // not begun, or its status file is damaged
	Running     State = "running"     // by a process that lives
	Done        State = "done"        // exit code 0
	Failed      State = "failed"      // ended by itself with another code, or could not be started
	Interrupted State = "interrupted" // killed, or told to stop; begun again by the next call
)

// Status is the status file of a job.
type Status struct {
	State   State     `json:"state"`
	Code    int       `json:"code"`            // exit code; 128 + n if signal n ended it
	Host    string    `json:"host"`            // where it runs or ran
	PID     int       `json:"pid"`             // its process there
	Born    string    `json:"born"`            // when that process began, in the host's own count: tells it from a later one of equal number
	Slurm   string    `json:"slurm,omitempty"` // ARRAY_INDEX, if Slurm runs it
	Started time.Time `json:"started"`
	Ended   time.Time `json:"ended,omitzero"`
	Error   string    `json:"error,omitempty"` // the last line it wrote, if it did not end well
}

// beat is how often a worker touches the status file while its job runs: the sign of life for other hosts, which believe it gone
// after silent.
var beat = 15 * time.Second

const silent = 90 * time.Second

// readStatus reads the status of job i as it was written; one that is missing or damaged is that of a job not begun.
func readStatus(dir string, i int) Status {
	var s Status
	raw, err := os.ReadFile(statusPath(dir, i))
	if err != nil || json.Unmarshal(raw, &s) != nil {
		return Status{}
	}
	switch s.State {
	case Running, Done, Failed, Interrupted:
		return s
	}
	return Status{}
}

// status is readStatus, where running is believed only of a process that lives.
func status(dir string, i int) Status {
	s := readStatus(dir, i)
	if s.State == Running && !s.lives(dir, i) {
		s.State, s.Error = Interrupted, "its process is gone"
	}
	return s
}

// lives reports whether the process of a running status is there: on this host by its number and birth, on another by the age of
// the file.
func (s Status) lives(dir string, i int) bool {
	if host, err := os.Hostname(); err == nil && host == s.Host {
		return alive(s.PID, s.Born)
	}
	info, err := os.Stat(statusPath(dir, i))
	return err == nil && time.Since(info.ModTime()) < silent
}

func (s Status) write(dir string, i int) error { return durable.WriteJSON(statusPath(dir, i), s) }

// Forget makes job i one that was not begun: for a job that was done and whose results are gone. One that runs is an error.
func Forget(dir string, i int) error {
	if s := status(dir, i); s.State == Running {
		return busyError{i, s}
	}
	if err := os.Remove(statusPath(dir, i)); err != nil && !os.IsNotExist(err) {
		return err
	}
	return nil
}

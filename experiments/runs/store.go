// Package runs holds pieces of work as values: a training, its scores, a row of a study. A value
// and the clouds it works on have a hash, the hash has a folder, and what is in the folder is never
// computed again: tables and sweeps that ask for the same run share it.
//
//	DIR/runs/<kind>-<name>-<hash>/run.json      the value
//	                              result.json   what came of it; written last, whole
//	                              ...           whatever the run keeps to go on where it was cut off
//
// A folder is one process's at a time: a second one waits until the first has finished or died, and
// then finds its result, or goes on.
package runs

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/sliced-wasserstein/lab/datasets"
	"github.com/sliced-wasserstein/lab/internal/durable"
	"github.com/sliced-wasserstein/lab/internal/settings"
	"github.com/sliced-wasserstein/lab/swlab/engine"
	"github.com/sliced-wasserstein/lab/swlab/latent"
	"github.com/sliced-wasserstein/lab/swlab/metric"
)

// Task is a piece of work as a value: its JSON and its kind decide its result.
type Task interface {
	Kind() string   // one word
	Name() string   // of the folder, for people: a few words of letters, digits, dots and hyphens
	Needs() []Task  // what must be done before
	Clouds() []Data // what it works on
	// do works in dir, where an earlier attempt may have left something, and returns what goes to
	// result.json.
	do(ctx context.Context, l *Store, dir string) (any, error)
}

// Store does runs and keeps what they have in common: the backend, clouds in memory, compiled
// programs. Not for use from several goroutines at once. Close it.
type Store struct {
	Dir     string // of the store
	Backend string // as engine.Open takes it
	// Progress hears what is done now, and how far it is; nil: nobody.
	Progress func(what string, done, total int)

	engine     *engine.Engine
	sets       map[string]datasets.Clouds
	classifier *latent.Classifier
	classifies latent.ClassifierConfig
	generator  *latent.GeneratorTrainer
	generates  latent.GeneratorConfig // but its seed
	metrics    metric.Compiled
}

// Close frees what the backend holds.
func (l *Store) Close() {
	if l == nil {
		return
	}
	if l.classifier != nil {
		l.classifier.Close()
	}
	if l.generator != nil {
		l.generator.Close()
	}
	l.metrics.Close()
}

// Engine opens the backend, once.
func (l *Store) Engine() (*engine.Engine, error) {
	if l == nil {
		return nil, errNoLab
	}
	if l.engine == nil {
		e, err := engine.Open(l.Backend)
		if err != nil {
			return nil, err
		}
		l.engine = e
	}
	return l.engine, nil
}

const (
	valueFile  = "run.json"
	resultFile = "result.json"
)

var errNoLab = errors.New("expected a store of runs, found nil")

// check refuses a store and a run that are not there.
func (l *Store) check(r Task) error {
	if l == nil {
		return errNoLab
	}
	if r == nil {
		return errors.New("expected a run, found nil")
	}
	return nil
}

// Folder is where the run's work lies; "" without a store or a run.
func (l *Store) Folder(r Task) string {
	if l.check(r) != nil {
		return ""
	}
	path := func(hash string) string { return filepath.Join(l.Dir, "runs", r.Kind()+"-"+r.Name()+"-"+hash[:12]) }
	dir := path(Hash(r))
	if !exists(dir) {
		if former := path(hash(r, settings.Former)); former != dir && exists(former) {
			return former // of the first version
		}
	}
	return dir
}

func exists(path string) bool { _, err := os.Stat(path); return err == nil }

// Hash is the SHA-256 of the run's kind and JSON, in hexadecimal; "" without a run. A run with a
// NaN in it has no JSON, and cannot be done: its hash is that of how Go prints it.
func Hash(r Task) string {
	if r == nil {
		return ""
	}
	return hash(r, func(raw []byte) []byte { return raw })
}

func hash(r Task, as func(raw []byte) []byte) string {
	raw, err := json.Marshal(r)
	if err != nil {
		raw = fmt.Appendf(nil, "%+v", r)
	}
	sum := sha256.Sum256(append([]byte(r.Kind()+"\n"), as(raw)...))
	return hex.EncodeToString(sum[:])
}

// Done says whether the run's result is there.
func (l *Store) Done(r Task) bool {
	var any json.RawMessage
	return l.Result(r, &any) == nil
}

// Result reads what came of a run.
func (l *Store) Result(r Task, into any) error {
	if err := l.check(r); err != nil {
		return err
	}
	path := filepath.Join(l.Folder(r), resultFile)
	raw, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	if err := json.Unmarshal(raw, into); err != nil {
		return fmt.Errorf("%s: %w", path, err)
	}
	return nil
}

// Do does the run, and before it what it needs, unless the result is there. What was cut off goes
// on where it was.
func (l *Store) Do(ctx context.Context, r Task) error {
	if err := l.check(r); err != nil {
		return err
	}
	if ctx == nil {
		ctx = context.Background()
	}
	if l.Done(r) {
		return nil
	}
	for _, n := range r.Needs() {
		if err := l.Do(ctx, n); err != nil {
			return err
		}
	}
	dir := l.Folder(r)
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return err
	}
	unlock, err := l.lock(ctx, dir)
	if err != nil {
		return err
	}
	defer unlock()
	if l.Done(r) { // by the process that was waited for
		return nil
	}
	if err := removeTemporary(dir); err != nil {
		return err
	}
	if err := durable.WriteJSON(filepath.Join(dir, valueFile), note{r.Kind(), r, paths(r)}); err != nil {
		return err
	}
	result, err := r.do(ctx, l, dir)
	if err != nil {
		return fmt.Errorf("%s %s: %w", r.Kind(), r.Name(), err)
	}
	if err := durable.WriteJSON(filepath.Join(dir, resultFile), result); err != nil {
		return fmt.Errorf("%s %s: %w", r.Kind(), r.Name(), err)
	}
	return nil
}

// removeTemporary removes what killed processes were writing in a run's folder, which is locked:
// files whose names begin with a dot.
func removeTemporary(dir string) error {
	return filepath.WalkDir(dir, func(path string, e fs.DirEntry, err error) error {
		if err != nil || e.IsDir() || !strings.HasPrefix(e.Name(), ".") {
			return err
		}
		return os.Remove(path)
	})
}

// Write writes a file of the store that belongs to no run, whole: one process at a time, and
// nothing is left of one that was killed.
func (l *Store) Write(name string, write func(io.Writer) error) error {
	if l == nil {
		return errNoLab
	}
	if write == nil {
		return fmt.Errorf("%s: expected a function that writes the file, found nil", name)
	}
	path := filepath.Join(l.Dir, name)
	dir := filepath.Dir(path)
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return err
	}
	unlock, err := l.lock(context.Background(), dir)
	if err != nil {
		return err
	}
	defer unlock()
	if err := durable.RemoveTemporary(path); err != nil {
		return err
	}
	return durable.Write(path, write)
}

// note is run.json.
type note struct {
	Kind  string   `json:"kind"`
	Value Task     `json:"value"`
	Paths []string `json:"paths"` // of the clouds, as they were given
}

func paths(r Task) []string {
	var out []string
	for _, d := range r.Clouds() {
		out = append(out, d.Path)
	}
	return out
}

// lock takes the folder, and waits where another process has it.
func (l *Store) lock(ctx context.Context, dir string) (unlock func(), err error) {
	for waited := 0; ; waited++ {
		unlock, err := durable.Lock(dir)
		if !errors.Is(err, durable.ErrLocked) {
			return unlock, err
		}
		if waited == 0 {
			l.say(fmt.Sprintf("waiting for another process, which works on %s", filepath.Base(dir)), 0, 0)
		}
		select {
		case <-ctx.Done():
			return nil, ctx.Err()
		case <-time.After(300 * time.Millisecond):
		}
	}
}

func (l *Store) say(what string, done, total int) {
	if l.Progress != nil {
		l.Progress(what, done, total)
	}
}

// saying is a progress callback for one piece of work.
func (l *Store) saying(what string) func(done, total int) {
	return func(done, total int) { l.say(what, done, total) }
}

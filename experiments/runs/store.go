// Package runs describes tasks as values: a training, its scores, a row of a study. A task and the
// clouds it works on have a hash, and the hash has a folder. What is in the folder is never
// computed again, so tables and sweeps that need the same run share it.
//
//	DIR/runs/<kind>-<name>-<hash>/run.json      the value
//	                              result.json   its result; written last, atomically
//	                              ...           what the run needs to resume
//
// One process at a time owns a folder. A second one waits until the first has finished or died.
// Then it finds the result, or resumes.
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
	"github.com/sliced-wasserstein/lab/swlab/engine"
)

// Task is a piece of work as a value. Its kind and its JSON decide its result.
type Task interface {
	Kind() string   // one word
	Name() string   // part of the folder's name: letters, digits, dots and hyphens
	Needs() []Task  // what must be done first
	Clouds() []Data // what it works on
	// do works in dir, where an earlier attempt may have left files, and returns the contents of
	// result.json.
	do(ctx context.Context, l *Store, dir string) (any, error)
}

// Store runs tasks and keeps what they share: the backend and clouds in memory. It
// is not safe for concurrent use.
type Store struct {
	Dir     string // of the store
	Backend string // as engine.Open takes it
	// Progress, if not nil, is called as work advances.
	Progress func(what string, done, total int)

	engine *engine.Engine
	sets   map[string]*datasets.Set
	named  map[string]string // folders of the store, read once, by kind and hash
}

// Engine opens the backend once.
func (l *Store) Engine() (*engine.Engine, error) {
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

// Folder returns the folder of the task: the one of its hash, whatever name an earlier version gave it.
func (l *Store) Folder(r Task) string {
	hash := Hash(r)[:12]
	folder := filepath.Join(l.Dir, "runs", r.Kind()+"-"+r.Name()+"-"+hash)
	if _, err := os.Lstat(folder); err == nil {
		return folder
	}
	if l.named == nil {
		l.named = map[string]string{}
		there, _ := os.ReadDir(filepath.Dir(folder)) // an unreadable folder is found when the task is done
		for _, f := range there {
			kind, name, _ := strings.Cut(f.Name(), "-")
			l.named[kind+name[strings.LastIndex(name, "-")+1:]] = f.Name()
		}
	}
	if name, ok := l.named[r.Kind()+hash]; ok {
		return filepath.Join(filepath.Dir(folder), name)
	}
	return folder
}

// Hash returns the SHA-256 of the task's kind and JSON, in hexadecimal. The code of
// what is registered and not this module's is part of it ([train.Config.Source]). A task
// with a NaN has no JSON and cannot be run: its hash is that of how Go prints it.
func Hash(r Task) string {
	raw, err := json.Marshal(r)
	if err != nil {
		raw = fmt.Appendf(nil, "%+v", r)
	}
	raw = append([]byte(r.Kind()+"\n"), raw...)
	if g, ok := r.(Gap); ok {
		raw = append(raw, g.source()...)
	}
	sum := sha256.Sum256(raw)
	return hex.EncodeToString(sum[:])
}

// Done reports whether the task's result exists.
func (l *Store) Done(r Task) bool {
	var any json.RawMessage
	return l.Result(r, &any) == nil
}

// Result reads the result of a task.
func (l *Store) Result(r Task, into any) error {
	_, err := durable.ReadJSON(filepath.Join(l.Folder(r), resultFile), into)
	return err
}

// Do runs the task, and first what it needs, unless the result exists. Interrupted work resumes.
func (l *Store) Do(ctx context.Context, r Task) error {
	var result json.RawMessage
	switch err := l.Result(r, &result); {
	case err == nil:
		return nil
	case !errors.Is(err, fs.ErrNotExist):
		l.say(fmt.Sprintf("%v; it is computed again", err), 0, 0)
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
	if l.Done(r) { // by the process that held the lock
		return nil
	}
	if err := removeTemporary(dir); err != nil {
		return err
	}
	if err := durable.WriteJSON(filepath.Join(dir, valueFile), note{r.Kind(), r, paths(r)}); err != nil {
		return err
	}
	done, err := r.do(ctx, l, dir)
	if err != nil {
		return fmt.Errorf("%s %s: %w", r.Kind(), r.Name(), err)
	}
	if err := durable.WriteJSON(filepath.Join(dir, resultFile), done); err != nil {
		return fmt.Errorf("%s %s: %w", r.Kind(), r.Name(), err)
	}
	return nil
}

// removeTemporary removes what killed processes were writing in a task's locked folder: files whose
// names begin with a dot.
func removeTemporary(dir string) error {
	return filepath.WalkDir(dir, func(path string, e fs.DirEntry, err error) error {
		if err != nil || e.IsDir() || !strings.HasPrefix(e.Name(), ".") {
			return err
		}
		return os.Remove(path)
	})
}

// Write atomically writes a file of the store that belongs to no task. One process writes at a
// time, and a killed one leaves nothing.
func (l *Store) Write(name string, write func(io.Writer) error) error {
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

// note is the content of run.json.
type note struct {
	Kind  string   `json:"kind"`
	Value Task     `json:"value"`
	Paths []string `json:"paths"` // of the clouds, as given
}

func paths(r Task) []string {
	var out []string
	for _, d := range r.Clouds() {
		out = append(out, d.Path)
	}
	return out
}

// lock locks the folder. It waits while another process holds it.
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

package durable

import (
	"errors"
	"io"
	"math"
	"os"
	"path/filepath"
	"runtime"
	"sync"
	"testing"

	"github.com/janpfeifer/must"
)

// TestWholeOrOld: a failing write leaves the old content and no temporary file; a good one replaces
// it.
func TestWholeOrOld(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "f")
	content := func() string { b, _ := os.ReadFile(path); return string(b) }
	text := func(s string, err error) func(io.Writer) error {
		return func(w io.Writer) error { _, e := io.WriteString(w, s); return errors.Join(e, err) }
	}
	if err := Write(path, text("old", nil)); err != nil || content() != "old" {
		t.Fatalf("%q, %v", content(), err)
	}
	broken := errors.New("broken")
	if err := Write(path, text("half", broken)); !errors.Is(err, broken) || content() != "old" {
		t.Errorf("%q, %v", content(), err)
	}
	if err := WriteJSON(path, math.NaN()); err == nil || content() != "old" {
		t.Errorf("%q, %v", content(), err)
	}
	if err := Write(path, text("new", nil)); err != nil || content() != "new" {
		t.Errorf("%q, %v", content(), err)
	}
	if err := Write(filepath.Join(dir, "no", "f"), text("x", nil)); err == nil {
		t.Error("no error for a missing folder")
	}
	if entries, _ := os.ReadDir(dir); len(entries) != 1 {
		t.Errorf("left behind: %v", entries)
	}
}

// TestRemoveTemporary: what a killed writer leaves is removed; the file itself and others are not.
func TestRemoveTemporary(t *testing.T) {
	dir := t.TempDir()
	for _, name := range []string{"f", ".f.123", ".f2.123", "f.123"} {
		must.M(os.WriteFile(filepath.Join(dir, name), nil, 0o644))
	}
	must.M(RemoveTemporary(filepath.Join(dir, "f")))
	if left, _ := os.ReadDir(dir); len(left) != 3 || left[0].Name() != ".f2.123" {
		t.Errorf("left: %v", left)
	}
	if err := RemoveTemporary(filepath.Join(dir, "no", "f")); err == nil {
		t.Error("no error for a missing folder")
	}
}

func TestLock(t *testing.T) {
	if runtime.GOOS == "js" {
		t.Skip("js has no locks")
	}
	dir := t.TempDir()
	unlock := must.M1(Lock(dir))
	if _, err := Lock(dir); !errors.Is(err, ErrLocked) {
		t.Errorf("a second lock: %v", err)
	}
	unlock()
	unlock, err := Lock(dir)
	if err != nil {
		t.Errorf("after the first was given back: %v", err)
	}
	unlock()
	if _, err := Lock(filepath.Join(dir, "no")); err == nil {
		t.Error("no error for a missing folder")
	}
	if left, _ := os.ReadDir(dir); len(left) != 0 {
		t.Errorf("written: %v", left)
	}
}

// TestKeep: a value is computed once. What a kill has left goes, and processes that compute it at
// once all end well.
func TestKeep(t *testing.T) {
	path := filepath.Join(t.TempDir(), "kept", "x.json")
	computed := 0
	keep := func() map[string]int {
		return must.M1(Keep(path, nil, func() (map[string]int, error) {
			computed++
			return map[string]int{"x": 7}, nil
		}))
	}
	must.M(os.MkdirAll(filepath.Dir(path), 0o755))
	must.M(os.WriteFile(filepath.Join(filepath.Dir(path), ".x.json.123"), []byte("{"), 0o644))
	for range 2 {
		if keep()["x"] != 7 || computed != 1 {
			t.Errorf("computed %d times", computed)
		}
	}
	must.M(os.WriteFile(path, []byte("{}"), 0o644)) // without a checksum
	if keep()["x"] != 7 || computed != 2 {
		t.Errorf("computed %d times", computed)
	}
	must.M(os.Remove(path))
	var all sync.WaitGroup
	start := make(chan struct{})
	for range 8 {
		all.Go(func() {
			_, err := Keep(path, nil, func() (map[string]int, error) {
				<-start
				return map[string]int{"x": 7}, nil
			})
			if err != nil {
				t.Error(err)
			}
		})
	}
	close(start)
	all.Wait()
	if files := must.M1(os.ReadDir(filepath.Dir(path))); len(files) != 1 {
		t.Errorf("left: %v", files)
	}
}

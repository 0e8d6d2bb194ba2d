package notebook

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"testing"

	"github.com/sliced-wasserstein/lab/internal/durable/durabletest"
	"github.com/sliced-wasserstein/lab/swlab/loss"
)

// TestKept: computed once per key; an error or a truncated file is not kept.
func TestKept(t *testing.T) {
	b := &Session{Out: t.TempDir()}
	computed := 0
	get := func(key int, fail error) (int, error) {
		return Cached(b, "x", key, func() (int, error) { computed++; return 10 * key, fail })
	}
	broken := errors.New("broken")
	if _, err := get(1, broken); err != broken {
		t.Errorf("%v", err)
	}
	for _, key := range []int{1, 1, 2, 1} {
		if v, err := get(key, nil); err != nil || v != 10*key {
			t.Errorf("key %d: %d, %v", key, v, err)
		}
	}
	if computed != 3 {
		t.Errorf("computed %d times", computed)
	}
	files, err := filepath.Glob(filepath.Join(b.Out, "x-*.json"))
	if err != nil || len(files) != 2 {
		t.Fatalf("%v, %v", files, err)
	}
	for _, f := range files {
		if err := os.WriteFile(f, []byte("{"), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if v, err := get(2, nil); err != nil || v != 20 || computed != 4 {
		t.Errorf("after a file was cut off: %d, %v, computed %d times", v, err, computed)
	}
	if _, err := Cached(b, "x", func() {}, func() (int, error) { return 0, nil }); err == nil {
		t.Error("no error for a key without JSON")
	}
}

// TestCachedSource: what was computed before the code of what is registered changed is computed again.
func TestCachedSource(t *testing.T) {
	b := &Session{Out: t.TempDir()}
	computed := 0
	get := func(want int) {
		t.Helper()
		if _, err := Cached(b, "x", 1, func() (int, error) { computed++; return 1, nil }); err != nil || computed != want {
			t.Errorf("computed %d times, want %d, %v", computed, want, err)
		}
	}
	get(1)
	get(1)
	loss.Register("own", loss.Entry{New: func(c loss.Config) (loss.Loss, error) { return loss.New("sw", c) }}, "1")
	get(2)
	get(2)
}

// TestCachedFaults: whichever file operation of a cached result fails, the cell has its value and an
// error that says what to do; nothing half-written is left, and the next call computes it again.
// A result with a changed byte, or cut short, is computed again or read as it was.
func TestCachedFaults(t *testing.T) {
	b := &Session{}
	computed := 0
	get := func() (int, error) { return Cached(b, "x", 1, func() (int, error) { computed++; return 17, nil }) }
	work := func() error {
		b.Out = t.TempDir()
		v, err := get()
		if v != 17 {
			t.Errorf("%d, %v", v, err)
		}
		return err
	}
	durabletest.Every(t, work, func(fault string, err error) {
		if !durabletest.Explained(err) {
			t.Errorf("%s: %v", fault, err)
		}
		if left, _ := filepath.Glob(filepath.Join(b.Out, ".*")); len(left) > 0 {
			t.Errorf("%s left %v", fault, left)
		}
		if v, err := get(); err != nil || v != 17 {
			t.Errorf("%s, then again: %d, %v", fault, v, err)
		}
	})

	if err := work(); err != nil {
		t.Fatal(err)
	}
	files, err := filepath.Glob(filepath.Join(b.Out, "x-*.json"))
	if err != nil || len(files) != 1 {
		t.Fatal(files, err)
	}
	raw, err := os.ReadFile(files[0])
	if err != nil {
		t.Fatal(err)
	}
	tried, before := 0, computed
	for at := range raw {
		changed := bytes.Clone(raw)
		changed[at] ^= 1 << (at % 8)
		for _, content := range [][]byte{changed, raw[:at]} {
			if err := os.WriteFile(files[0], content, 0o644); err != nil {
				t.Fatal(err)
			}
			tried++
			if v, err := get(); err != nil || v != 17 {
				t.Fatalf("%q: %d, %v", content, v, err)
			}
		}
	}
	t.Logf("%d damages, %d computed again", tried, computed-before)
	if computed-before != tried {
		t.Errorf("%d of %d damages were found", computed-before, tried)
	}
}

package notebook

import (
	"errors"
	"os"
	"path/filepath"
	"testing"

	"github.com/janpfeifer/must"

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
		must.M(os.WriteFile(f, []byte("{"), 0o644))
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

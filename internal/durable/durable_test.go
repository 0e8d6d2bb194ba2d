package durable

import (
	"errors"
	"io"
	"math"
	"os"
	"path/filepath"
	"testing"
)

// TestWholeOrOld: a failing write leaves the old content and no temporary file; a good one replaces it.
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

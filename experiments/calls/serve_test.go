//go:build unix

package calls

import (
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/janpfeifer/must"
)

// TestNoteSource: a process counts as built from the source only while no file of a package is changed, added or
// removed, and never if one was changed after the build had begun. Files of the user's do not count.
func TestNoteSource(t *testing.T) {
	root := t.TempDir()
	at := func(name string) string { return filepath.Join(root, filepath.FromSlash(name)) }
	write := func(name, text string) {
		must.M(os.MkdirAll(filepath.Dir(at(name)), 0o700))
		must.M(os.WriteFile(at(name), []byte(text), 0o600))
	}
	hour := time.Now().Add(-time.Hour)
	for _, name := range []string{"lab.go", "go.mod", "swlab/a.go", "datasets/b.s", "experiments/table/c.tmpl"} {
		write(name, "one")
		must.M(os.Chtimes(at(name), hour, hour))
	}
	write("began", "")
	note := at("noted")
	must.M(NoteSource(root, note, at("began")))
	for _, name := range []string{"swlab/a_test.go", "swlab/testdata/x.json", "swlab/notes.md", "mine/own.go", "mine.ipynb", "notebooks/a.go"} {
		write(name, "the user's")
		if !IsSource(root, note) {
			t.Fatalf("%s counts as source", name)
		}
	}
	for what, change := range map[string]func(){
		"another content":         func() { write("experiments/table/c.tmpl", "two2") },
		"another time":            func() { must.M(os.Chtimes(at("swlab/a.go"), hour.Add(1), hour.Add(1))) },
		"a new file":              func() { write("swlab/new/new.go", "") },
		"a file that is gone":     func() { must.M(os.Remove(at("datasets/b.s"))) },
		"a module's version":      func() { write("go.mod", "three") },
		"a file of package lab":   func() { write("own.go", "") },
		"a file beside the tests": func() { write("internal/x.go", "") },
	} {
		must.M(os.Chtimes(at("began"), time.Now().Add(time.Hour), time.Now().Add(time.Hour)))
		must.M(NoteSource(root, note, at("began")))
		if change(); IsSource(root, note) {
			t.Errorf("%s is not noticed", what)
		}
	}
	must.M(os.Chtimes(at("began"), hour, hour))
	must.M(os.Remove(note))
	if err := NoteSource(root, note, at("began")); err == nil || IsSource(root, note) {
		t.Errorf("noted, though a file is newer than the beginning of the build: %v", err)
	}
}

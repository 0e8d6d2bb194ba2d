package xlaenv

import (
	"os"
	"path/filepath"
	"slices"
	"testing"
)

// TestFolders: the variable decides alone; else the nearest parent with a .plugins folder comes first; one that everyone may write to is
// passed over.
func TestFolders(t *testing.T) {
	top, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	below := filepath.Join(top, "a", "b")
	for _, dir := range []string{below, filepath.Join(top, folder)} {
		if err := os.MkdirAll(dir, 0o755); err != nil {
			t.Fatal(err)
		}
	}
	t.Chdir(below)
	t.Setenv(Variable, "/one"+string(filepath.ListSeparator)+"/two")
	if got := Folders(); !slices.Equal(got, []string{"/one", "/two"}) {
		t.Errorf("with %s: %v", Variable, got)
	}
	t.Setenv(Variable, "")
	if got, want := Folders()[:2], []string{filepath.Join(top, folder, "cuda"), filepath.Join(top, folder, "cpu")}; !slices.Equal(got, want) {
		t.Errorf("without: %v first, want %v", got, want)
	}
	if err := os.Chmod(top, 0o777); err != nil {
		t.Fatal(err)
	}
	if slices.Contains(Folders(), filepath.Join(top, folder, "cpu")) {
		t.Error("a folder that everyone may write to is searched for plugins")
	}
}

// TestRoot: the nearest parent whose go.mod is this module's, not another's.
func TestRoot(t *testing.T) {
	top, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	other := filepath.Join(top, "other")
	if err := os.MkdirAll(other, 0o755); err != nil {
		t.Fatal(err)
	}
	for dir, text := range map[string]string{top: "// lab\n" + module + "\n\ngo 1.26\n", other: module + "oratory\n"} {
		if err := os.WriteFile(filepath.Join(dir, "go.mod"), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	t.Chdir(other)
	if got := Root(); got != top {
		t.Errorf("found %q, want %q", got, top)
	}
}

package xlaenv

import (
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/janpfeifer/must"
)

// TestFolders: the variable decides alone; else the nearest parent with a .plugins folder comes first; one that everyone may write to is
// passed over.
func TestFolders(t *testing.T) {
	top := must.M1(filepath.EvalSymlinks(t.TempDir()))
	below := filepath.Join(top, "a", "b")
	for _, dir := range []string{below, filepath.Join(top, folder)} {
		must.M(os.MkdirAll(dir, 0o755))
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
	must.M(os.Chmod(top, 0o777))
	if slices.Contains(Folders(), filepath.Join(top, folder, "cpu")) {
		t.Error("a folder that everyone may write to is searched for plugins")
	}
}

// TestRoot: the nearest parent whose go.mod is this module's, not another's.
func TestRoot(t *testing.T) {
	top := must.M1(filepath.EvalSymlinks(t.TempDir()))
	other := filepath.Join(top, "other")
	must.M(os.MkdirAll(other, 0o755))
	for dir, text := range map[string]string{top: "// lab\n" + module + "\n\ngo 1.26\n", other: module + "oratory\n"} {
		must.M(os.WriteFile(filepath.Join(dir, "go.mod"), []byte(text), 0o644))
	}
	t.Chdir(other)
	if got := Root(); got != top {
		t.Errorf("found %q, want %q", got, top)
	}
}

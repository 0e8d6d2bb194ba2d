package engine

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/gomlx/go-xla/compute/xla"
	"github.com/sliced-wasserstein/lab/swlab/engine/internal/pluginpath"
)

func find(t *testing.T, checks []Check, name string) Check {
	t.Helper()
	for _, c := range checks {
		if c.Name == name {
			if c.Found == "" || !c.OK && c.Fix == "" {
				t.Errorf("%+v says nothing", c)
			}
			return c
		}
	}
	t.Fatalf("no check %q in %+v", name, checks)
	return Check{}
}

func TestDoctorOnAnEmptyRepository(t *testing.T) {
	root := t.TempDir()
	checks := Doctor(root)
	for _, name := range []string{".venv", "Jupyter", "gonb", "goimports"} {
		if c := find(t, checks, name); c.OK || c.Fix != "make setup" {
			t.Errorf("%+v", c)
		}
	}
	if c := find(t, checks, "Jupyter kernel"); c.OK {
		t.Errorf("%+v", c)
	}
	for _, name := range []string{"repository", "temporary folder", "backend", "huge pages"} {
		if c := find(t, checks, name); !c.OK {
			t.Errorf("%+v", c)
		}
	}
	if left, _ := os.ReadDir(root); len(left) > 0 {
		t.Errorf("the doctor left %v behind", left)
	}
}

func TestDoctorOnThisRepository(t *testing.T) {
	cpuPlugin(t)
	root := pluginpath.Root()
	if _, err := os.Stat(filepath.Join(root, ".venv", ".done")); err != nil {
		t.Skip("not set up: make setup")
	}
	for _, c := range Doctor("") {
		find(t, []Check{c}, c.Name)
		if !c.OK || strings.Contains(c.Found+c.Fix, root) {
			t.Errorf("%+v", c)
		}
	}
}

func TestDoctorOutsideAndWithABadChoice(t *testing.T) {
	out, _ := surroundings{env: []string{pair(pluginpath.Variable, t.TempDir()), pair(Variable, "abacus")}}.run(t, "doctor")
	var checks []Check
	if err := json.Unmarshal(out, &checks); err != nil {
		t.Fatal(err)
	}
	if c := find(t, checks, "repository"); c.OK {
		t.Errorf("%+v", c)
	}
	if c := find(t, checks, "backend"); c.OK || c.Fix != "unset "+Variable || !strings.Contains(c.Found, "abacus") {
		t.Errorf("%+v", c)
	}
	if c := find(t, checks, "XLA CPU plugin"); c.OK || c.Fix != "make setup" {
		t.Errorf("%+v", c)
	}
}

// The doctor looks and downloads nothing, whatever the environment allows.
func TestDoctorDoesNotDownload(t *testing.T) {
	t.Setenv(Variable, "")
	t.Setenv(xla.NoAutoInstallEnv, "")
	os.Unsetenv(xla.NoAutoInstallEnv)
	root := repository(t, "")
	t.Chdir(root)
	find(t, Doctor(root), "backend")
	if exists(filepath.Join(root, ".plugins")) {
		t.Error("the doctor made .plugins")
	}
}

func TestAtLeast(t *testing.T) {
	for _, c := range []struct {
		text, oldest string
		want         bool
	}{
		{"go1.26.5", "1.26.5", true}, {"go1.26.8", "1.26.5", true}, {"go1.27", "1.26.5", true}, {"go1.26", "1.26.5", false},
		{"go1.9.9", "1.26.5", false}, {"Python 3.9.18", "3.10", false}, {"Python 3.10.0", "3.10", true}, {"Python 4.0", "3.10", true},
		{"", "3.10", false}, {"devel", "1.26.5", false},
	} {
		if got := atLeast(c.text, c.oldest); got != c.want {
			t.Errorf("%q at least %s: got %v", c.text, c.oldest, got)
		}
	}
}

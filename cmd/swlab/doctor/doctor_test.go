package doctor

import (
	"os"
	"strings"
	"testing"

	"github.com/sliced-wasserstein/lab/swlab/engine"
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

func TestEmptyRepository(t *testing.T) {
	root := t.TempDir()
	checks := Examine(root)
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

// TestBadChoice: a backend that does not exist, chosen by the environment.
func TestBadChoice(t *testing.T) {
	t.Setenv(engine.Variable, "abacus")
	if c := checkBackend(); c.OK || c.Fix != "unset "+engine.Variable || !strings.Contains(c.Found, "abacus") {
		t.Errorf("%+v", c)
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

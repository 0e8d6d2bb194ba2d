//go:build cgo && !noxla && (linux || darwin)

package engine

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/sliced-wasserstein/lab/swlab/engine/internal/pluginpath"
)

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

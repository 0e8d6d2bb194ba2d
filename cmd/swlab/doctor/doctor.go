// Package doctor checks what the notebooks and the command line need on this machine.
package doctor

import (
	"os"
	"strings"

	"github.com/gomlx/compute"

	"github.com/sliced-wasserstein/lab/internal/xlaenv"
	"github.com/sliced-wasserstein/lab/swlab/engine"
)

// Check is one finding of Examine.
type Check struct {
	// Name says what was checked.
	Name string `json:"name"`
	// OK is false if something needed is missing or broken. A missing optional thing is OK, with a
	// note in Found.
	OK bool `json:"ok"`
	// Found says what was found.
	Found string `json:"found"`
	// Fix is the command that repairs it or installs the optional thing; "" if nothing is to be
	// done.
	Fix string `json:"fix,omitempty"`
}

const fixSetup = "make setup"

// Examine checks everything that the notebooks and the command line need, and says how to repair
// what is missing. root is the repository's folder; with "" Examine searches for it upward from the
// working directory and the executable. It downloads and changes nothing, and does not stop at the
// first problem.
func Examine(root string) []Check {
	if root == "" {
		root = xlaenv.Root()
	}
	checks := []Check{checkGo(root), checkCompiler(), checkPython(), checkVenvModule(root)}
	if root == "" {
		checks = append(checks, Check{Name: "repository", Found: "not found from the working directory upward, so nothing inside it was checked", Fix: "cd into the repository"})
	} else {
		checks = append(checks,
			checkWritable("repository", root, "chmod -R u+w . (in the repository), or clone it where you may write"),
			checkVenv(root), checkJupyter(root), checkTool(root, "gonb"), checkTool(root, "goimports"), checkKernel(root))
	}
	checks = append(checks, checkWritable("temporary folder", os.TempDir(), "export TMPDIR=a folder you may write to"))
	checks = append(checks, checkXLA()...)
	return append(checks, checkHugePages(), checkBackend())
}

func checkWritable(name, dir, fix string) Check {
	file, err := os.CreateTemp(dir, ".swlab-doctor-*")
	if err != nil {
		return Check{Name: name, Found: "not writable", Fix: fix}
	}
	file.Close()
	if err := os.Remove(file.Name()); err != nil {
		return Check{Name: name, Found: "files can be made but not removed", Fix: fix}
	}
	return Check{Name: name, OK: true, Found: "writable"}
}

// checkBackend opens what engine.Open("auto") would.
func checkBackend() Check {
	c := Check{Name: "backend"}
	chosen := ""
	for _, name := range []string{engine.Variable, compute.ConfigEnvVar} {
		if v := strings.TrimSpace(os.Getenv(name)); chosen == "" && v != "" && v != "auto" {
			chosen = name
		}
	}
	e, err := engine.Which("")
	if err != nil {
		c.Found, c.Fix = err.Error(), fixSetup
		if chosen != "" {
			c.Fix = "unset " + chosen
		}
		return c
	}
	c.OK, c.Found = true, e.Name+": "+e.Why
	if len(e.Warnings) > 0 {
		c.Found += " (" + strings.Join(e.Warnings, "; ") + ")"
	}
	if !e.IsXLA() && chosen == "" && engine.HasXLA {
		c.Fix = fixSetup
	}
	return c
}

package engine

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/gomlx/go-xla/installer"
	"github.com/sliced-wasserstein/lab/swlab/engine/internal/pluginpath"
)

// Check is one finding of Doctor.
type Check struct {
	// Name says what was looked at.
	Name string `json:"name"`
	// OK is false if something needed is missing or broken. A missing thing that is optional is OK, with a note in Found.
	OK bool `json:"ok"`
	// Found says what was found.
	Found string `json:"found"`
	// Fix is the command that mends it, or that adds the optional thing; "" if there is nothing to do.
	Fix string `json:"fix,omitempty"`
}

const fixSetup = "make setup"

// Doctor looks at everything that the notebooks and the command line need, and says what mends what is missing. root is
// the repository's folder; with "" it is looked for from the working directory and the executable upward. Doctor
// downloads nothing and changes nothing, and it does not stop at the first trouble.
func Doctor(root string) []Check {
	if root == "" {
		root = pluginpath.Root()
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
	checks = append(checks, checkCPUPlugin())
	checks = append(checks, checkCUDA()...)
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

func checkCPUPlugin() Check {
	c := Check{Name: "XLA CPU plugin", Found: "none on the search path", Fix: fixSetup}
	mu.Lock()
	defer mu.Unlock()
	var failed []string
	for _, p := range findPlugins() {
		if !p.isCPU() {
			continue
		}
		e, err := openPlugin(p, "")
		if err != nil {
			failed = append(failed, err.Error())
			continue
		}
		defer e.closeLocked()
		c.OK, c.Found, c.Fix = true, p.where()+" loads", ""
		if len(failed) > 0 {
			c.Found += "; passed over: " + strings.Join(failed, "; ")
		}
		return c
	}
	if len(failed) > 0 {
		c.Found = strings.Join(failed, "; ")
	}
	return c
}

// checkCUDA looks at the device, the plugin and NVIDIA's libraries. Without a device all of them are optional.
func checkCUDA() []Check {
	const fix = "make setup-cuda"
	if !installer.HasNvidiaGPU() {
		return []Check{{Name: "CUDA device", OK: true, Found: "none (optional: everything runs on the CPU)"}}
	}
	checks := []Check{{Name: "CUDA device", OK: true, Found: "an NVIDIA device"}}
	plug := Check{Name: "CUDA plugin", OK: true, Found: "none (optional: it lets XLA use the NVIDIA device)", Fix: fix}
	libs := Check{Name: "NVIDIA libraries", OK: true, Found: "not needed without the plugin"}
	for _, p := range findPlugins() {
		if !p.isCUDA() {
			continue
		}
		plug = Check{Name: plug.Name, OK: true, Found: p.where()}
		if err := p.check(); err != nil {
			plug = Check{Name: plug.Name, Found: p.where() + ": " + err.Error(), Fix: fix}
		}
		libs = Check{Name: libs.Name, Found: "none beside the plugin", Fix: fix}
		if dirs, _ := filepath.Glob(filepath.Join(filepath.Dir(filepath.Dir(p.path)), "nvidia", "*", "lib")); len(dirs) > 0 {
			libs = Check{Name: libs.Name, OK: true, Found: fmt.Sprintf("%d folders beside the plugin", len(dirs))}
		}
		break
	}
	return append(checks, plug, libs)
}

// checkBackend opens what Open("auto") would, without downloading anything.
func checkBackend() Check {
	c := Check{Name: "backend"}
	r, err := resolve("")
	if err != nil {
		c.Found, c.Fix = err.Error(), "unset "+r.env
		return c
	}
	mu.Lock()
	defer mu.Unlock()
	e, err := open(r, false)
	if err != nil {
		c.Found = err.Error()
		switch {
		case r.env != "":
			c.Fix = "unset " + r.env
		default:
			c.Fix = fixSetup
		}
		return c
	}
	defer e.closeLocked()
	c.OK, c.Found = true, e.Name+": "+e.Why
	if len(e.Warnings) > 0 {
		c.Found += " (" + strings.Join(e.Warnings, "; ") + ")"
	}
	if e.Name == kindGo && r.kind == kindAuto {
		c.Fix = fixSetup
	}
	return c
}

package doctor

import (
	"fmt"
	"strings"

	"github.com/sliced-wasserstein/lab/internal/xlaenv"
	"github.com/sliced-wasserstein/lab/swlab/engine"
)

// checkXLA checks XLA's plugins and the devices for them. A program without XLA needs none.
func checkXLA() []Check {
	if !engine.HasXLA {
		return []Check{{Name: "XLA", OK: true, Found: "this program was built without XLA (optional: everything runs on the pure-Go backend, about ten times slower)", Fix: engine.InstallHint()}}
	}
	return append([]Check{checkCPUPlugin()}, checkCUDA()...)
}

func checkCPUPlugin() Check {
	e, err := engine.Which("xla:cpu")
	if err != nil {
		return Check{Name: "XLA CPU plugin", Found: err.Error(), Fix: fixSetup}
	}
	return Check{Name: "XLA CPU plugin", OK: true, Found: strings.Join(append([]string{e.Why}, e.Warnings...), "; ")}
}

// checkCUDA checks the device, the plugin, NVIDIA's libraries, and the compiler's files of the CUDA
// toolkit. Without a device all are optional.
func checkCUDA() []Check {
	const fix = "make setup-cuda"
	if !xlaenv.Nvidia() {
		return []Check{{Name: "CUDA device", OK: true, Found: "none (optional: everything runs on the CPU)"}}
	}
	checks := []Check{{Name: "CUDA device", OK: true, Found: "an NVIDIA device"}}
	plug := Check{Name: "CUDA plugin", OK: true, Found: "none (optional: it lets XLA use the NVIDIA device)", Fix: fix}
	libs := Check{Name: "NVIDIA libraries", OK: true, Found: "not needed without the plugin"}
	kit := Check{Name: "CUDA toolkit", OK: true, Found: libs.Found}
	for _, p := range xlaenv.Plugins() {
		if !p.IsCUDA() {
			continue
		}
		plug = Check{Name: plug.Name, OK: true, Found: p.Where()}
		if err := p.Check(); err != nil {
			plug = Check{Name: plug.Name, Found: p.Where() + ": " + err.Error(), Fix: fix}
		}
		libs = Check{Name: libs.Name, Found: "none beside the plugin", Fix: fix}
		if dirs := p.Libraries(); len(dirs) > 0 {
			libs = Check{Name: libs.Name, OK: true, Found: fmt.Sprintf("%d folders beside the plugin", len(dirs))}
		}
		if t, err := p.FindToolkit(); err != nil {
			kit = Check{Name: kit.Name, Found: err.Error(), Fix: fix}
		} else {
			kit.Found = "ptxas and libdevice " + t.Place
		}
		break
	}
	return append(checks, plug, libs, kit)
}

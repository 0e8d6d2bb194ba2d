//go:build cgo && !noxla && (linux || darwin)

package engine

import (
	"fmt"
	"strings"
)

// checkXLA checks XLA's plugins and the devices for them.
func checkXLA() []Check { return append([]Check{checkCPUPlugin()}, checkCUDA()...) }

func checkCPUPlugin() Check {
	c := Check{Name: "XLA CPU plugin", Found: "none on the search path", Fix: fixSetup}
	var failed []string
	for _, p := range findPlugins() {
		if !p.isCPU() {
			continue
		}
		mu.Lock()
		e, err := openPlugin(p, "")
		mu.Unlock()
		if err != nil {
			failed = append(failed, err.Error())
			continue
		}
		defer e.Close()
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

// checkCUDA checks the device, the plugin, NVIDIA's libraries, and the compiler's files of the CUDA
// toolkit. Without a device all are optional.
func checkCUDA() []Check {
	const fix = "make setup-cuda"
	if !hasNvidia() {
		return []Check{{Name: "CUDA device", OK: true, Found: "none (optional: everything runs on the CPU)"}}
	}
	checks := []Check{{Name: "CUDA device", OK: true, Found: "an NVIDIA device"}}
	plug := Check{Name: "CUDA plugin", OK: true, Found: "none (optional: it lets XLA use the NVIDIA device)", Fix: fix}
	libs := Check{Name: "NVIDIA libraries", OK: true, Found: "not needed without the plugin"}
	kit := Check{Name: "CUDA toolkit", OK: true, Found: libs.Found}
	for _, p := range findPlugins() {
		if !p.isCUDA() {
			continue
		}
		plug = Check{Name: plug.Name, OK: true, Found: p.where()}
		if err := p.check(); err != nil {
			plug = Check{Name: plug.Name, Found: p.where() + ": " + err.Error(), Fix: fix}
		}
		libs = Check{Name: libs.Name, Found: "none beside the plugin", Fix: fix}
		if dirs := p.libraries(); len(dirs) > 0 {
			libs = Check{Name: libs.Name, OK: true, Found: fmt.Sprintf("%d folders beside the plugin", len(dirs))}
		}
		if t, err := p.findToolkit(); err != nil {
			kit = Check{Name: kit.Name, Found: err.Error(), Fix: fix}
		} else {
			kit.Found = "ptxas and libdevice " + t.place
		}
		break
	}
	return append(checks, plug, libs, kit)
}

//go:build cgo && !noxla && (linux || darwin)

package engine

import (
	"errors"
	"fmt"
	"strings"

	"github.com/gomlx/compute"
	"github.com/gomlx/go-xla/compute/xla"

	"github.com/sliced-wasserstein/lab/internal/xlaenv"
)

// HasXLA reports whether this program was built with XLA: with cgo, without the tag noxla, for
// Linux or macOS.
const HasXLA = true

// noXLA says why XLA does not run, for the pure-Go backend.
const noXLA = "no XLA plugin works here"

// InstallHint says how to make XLA run; "" on systems that go-xla does not support.
func InstallHint() string {
	return "`make setup` installs XLA's CPU plugin, and PJRT_PLUGIN_LIBRARY_PATH names a folder with a plugin of your own; `swlab doctor` says what was found"
}

// Nvidia reports whether this machine has an NVIDIA device that the program can use, given a
// plugin. It opens nothing.
func Nvidia() bool { return xlaenv.Nvidia() }

// openXLA opens the best XLA plugin that the request allows. If none works, failed gives a reason
// each and the engine is nil; that is an error unless the request leaves the choice open.
func openXLA(r request) (e *Engine, failed []string, err error) {
	xla.EnableAutoInstall(false) // Else go-xla downloads first, even if there is a usable plugin.
	if r.kind == kindFile {
		e, err = openFile(r)
		return e, nil, err
	}
	found := xlaenv.Plugins()
	if r.kind != kindCPU {
		e, failed = openFirst(found, xlaenv.Plugin.IsCUDA, r, xlaenv.Nvidia())
		if e != nil {
			e.Why = r.because("an NVIDIA device and XLA's CUDA plugin (" + e.Why + ") were found")
			return e, nil, nil
		}
		if r.kind == kindCUDA {
			return nil, nil, cudaError(r, failed)
		}
	}
	e, onCPU := openFirst(found, xlaenv.Plugin.IsCPU, r, true)
	failed = append(failed, onCPU...)
	if e != nil {
		e.Why = "XLA's CPU plugin (" + e.Why + ") was found"
		if r.kind != kindCPU {
			e.Why += cudaAbsence(found)
		}
		e.Why, e.Warnings = r.because(e.Why), failed
		return e, nil, nil
	}
	if r.kind != kindAuto {
		reason := "no XLA CPU plugin was found"
		if len(failed) > 0 {
			reason = strings.Join(failed, "; ")
		}
		return nil, nil, fmt.Errorf("%s: %s; %s", r.asked, reason, InstallHint())
	}
	return nil, failed, nil
}

// openFirst opens the first plugin of one kind that works, and gives a line for each earlier one
// that does not. The engine's Why is the plugin's place. possible is false if the hardware is
// absent.
func openFirst(found []xlaenv.Plugin, kind func(xlaenv.Plugin) bool, r request, possible bool) (*Engine, []string) {
	if !possible {
		return nil, nil
	}
	var failed []string
	for _, p := range found {
		if !kind(p) {
			continue
		}
		e, err := openPlugin(p, r.options)
		if err == nil {
			return e, failed
		}
		failed = append(failed, "XLA plugin passed over: "+err.Error())
	}
	return nil, failed
}

func openPlugin(p xlaenv.Plugin, options string) (*Engine, error) {
	name := kindCPU
	if p.IsCUDA() {
		name = kindCUDA
	}
	return share(p.Path+","+options, name, p.Where(), func() (compute.Backend, error) { return openBackend(p, options) })
}

func openFile(r request) (*Engine, error) {
	p, _, ok := xlaenv.NewPlugin(r.file)
	if !ok {
		return nil, fmt.Errorf("%s: expected a file named pjrt_c_api_NAME_plugin.so or xla_NAME_plugin.so", r.asked)
	}
	if !p.IsCUDA() && !p.IsCPU() {
		return nil, fmt.Errorf("%s: expected a CPU or CUDA plugin, found %q", r.asked, p.Name)
	}
	e, err := openPlugin(p, r.options)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", r.asked, err)
	}
	e.Why = r.because("the plugin file " + p.Where() + " was asked for")
	return e, nil
}

func cudaError(r request, failed []string) error {
	switch {
	case !xlaenv.Nvidia():
		return fmt.Errorf("%s: no NVIDIA device was found on this machine (no /dev/nvidia*, no working nvidia-smi); use xla:cpu or auto",
			r.asked)
	case len(failed) == 0:
		return fmt.Errorf("%s: an NVIDIA device was found, but no CUDA plugin; `make setup-cuda` installs it", r.asked)
	}
	return errors.New(r.asked + ": " + strings.Join(failed, "; "))
}

// cudaAbsence says why the GPU is not used, for users who might expect it.
func cudaAbsence(found []xlaenv.Plugin) string {
	if !xlaenv.Nvidia() {
		return "; no NVIDIA device on this machine"
	}
	for _, p := range found {
		if p.IsCUDA() {
			return "; the CUDA plugin does not work here"
		}
	}
	return "; there is an NVIDIA device, and `make setup-cuda` installs the plugin for it"
}

// Package engine chooses what the computations run on, and says why: an NVIDIA GPU through XLA's CUDA plugin if there is
// one, else the CPU through XLA's CPU plugin, else the pure-Go backend of GoMLX, which works everywhere but is about ten
// times slower. It is the one door to a backend, and it never panics.
package engine

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"

	"github.com/gomlx/compute"
	"github.com/gomlx/compute/gobackend"
	"github.com/gomlx/go-xla/compute/xla"
	"github.com/gomlx/go-xla/installer"
)

// Engine is an opened compute backend and why it was chosen.
type Engine struct {
	// Backend is what GoMLX's graphs are compiled with. Engines opened for the same plugin share it.
	Backend compute.Backend
	// Name is "xla:cuda", "xla:cpu" or "go".
	Name string
	// Why is one sentence for the reader of a log or a notebook. It holds no absolute path.
	Why string
	// Warnings holds a line for each choice that fell through. Open has printed them to the standard error already.
	Warnings []string

	shared *shared
	closed bool // Guarded by mu.
}

// shared is a backend in use by one or more engines. mu guards it and the two maps.
type shared struct {
	key     string
	backend compute.Backend
	users   int
}

var (
	mu       sync.Mutex
	backends = map[string]*shared{} // By plugin path and options, or "go".
	said     = map[string]bool{}    // Warnings already printed.
)

// Open opens a backend. want is one of
//
//	"" or "auto"  the best that works: CUDA if there is an NVIDIA device and its plugin loads, else XLA on the CPU
//	              (downloaded by go-xla if no plugin is found and GOMLX_NO_AUTO_INSTALL is not set), else pure Go;
//	              the environment variables SWLAB_BACKEND and, after it, GOMLX_BACKEND choose instead if set
//	"xla:cuda"    XLA on an NVIDIA GPU
//	"xla:cpu"     XLA on the CPU
//	"go"          GoMLX's backend in pure Go
//
// Also understood, mostly for GOMLX_BACKEND: "xla" (the best XLA plugin that works), "xla:/absolute/plugin.so", and
// go-xla's options after a comma ("xla:cuda,tf32=true"; TF32 is off unless asked for).
//
// A choice that was made, by the caller or by the environment, is obeyed or is an error; it is never replaced. Where
// plugins are looked for: PJRT_PLUGIN_LIBRARY_PATH if set, else the .plugins folder that `make setup` fills, found from
// the working directory or the executable upward, else where go-xla's installer puts them. A plugin that does not load is
// passed over with a warning.
//
// Opening again is cheap: the backend is shared within the process.
func Open(want string) (*Engine, error) {
	r, err := resolve(want)
	if err != nil {
		return nil, err
	}
	mu.Lock()
	defer mu.Unlock()
	e, err := open(r, installAllowed())
	if err != nil {
		return nil, err
	}
	for _, w := range e.Warnings {
		if !said[w] {
			said[w] = true
			fmt.Fprintln(os.Stderr, "swlab: WARNING: "+w)
		}
	}
	return e, nil
}

// Which says what Open would choose, for programs that report on the machine: it opens the backend to be sure, closes it
// again, downloads nothing and prints nothing. Where Open would download a plugin, Which answers "go".
func Which(want string) (name, why string, err error) {
	r, err := resolve(want)
	if err != nil {
		return "", "", err
	}
	mu.Lock()
	defer mu.Unlock()
	e, err := open(r, false)
	if err != nil {
		return "", "", err
	}
	defer e.closeLocked()
	return e.Name, e.Why, nil
}

// open does Open's work with mu held, and prints nothing.
func open(r request, mayInstall bool) (*Engine, error) {
	xla.EnableAutoInstall(false) // Else go-xla downloads first, even where a usable plugin is found.
	if r.kind == kindGo {
		e, err := openGo()
		if err != nil {
			return nil, err
		}
		e.Why = r.because("the pure-Go backend was asked for")
		return e, nil
	}
	if r.kind == kindFile {
		return openFile(r)
	}

	found := findPlugins()
	var warnings []string
	if r.kind != kindCPU {
		e, failed := openFirst(found, plugin.isCUDA, r, installer.HasNvidiaGPU())
		if e != nil {
			e.Why = r.because("an NVIDIA device and XLA's CUDA plugin (" + e.Why + ") were found")
			return e, nil
		}
		if r.kind == kindCUDA {
			return nil, cudaError(r, failed)
		}
		warnings = append(warnings, failed...)
	}

	e, failed := openFirst(found, plugin.isCPU, r, true)
	if e == nil && mayInstall {
		installed, err := install()
		if err != nil {
			failed = append(failed, "downloading XLA's CPU plugin failed: "+firstLine(err))
		}
		var more []string
		e, more = openFirst(installed, plugin.isCPU, r, true)
		failed = append(failed, more...)
	}
	warnings = append(warnings, failed...)
	if e != nil {
		e.Why = "XLA's CPU plugin (" + e.Why + ") was found"
		if r.kind != kindCPU {
			e.Why += cudaAbsence(found)
		}
		e.Why, e.Warnings = r.because(e.Why), warnings
		return e, nil
	}
	if r.kind != kindAuto {
		reason := "no XLA CPU plugin was found"
		if len(failed) > 0 {
			reason = strings.Join(failed, "; ")
		}
		return nil, fmt.Errorf("%s: %s; `make setup` installs the plugin", r.asked, reason)
	}

	e, err := openGo()
	if err != nil {
		return nil, err
	}
	e.Why = "no XLA plugin works here, so GoMLX's pure-Go backend runs instead"
	slow := "running on the pure-Go backend, about ten times slower than XLA: `make setup` installs XLA's CPU plugin"
	if len(warnings) > 0 {
		slow += " (" + strings.Join(warnings, "; ") + ")"
	}
	e.Warnings = []string{slow}
	return e, nil
}

// openFirst opens the first plugin of one kind that works, and says in a line each why the earlier ones do not.
// The engine's Why is the plugin's place. possible is false where the kind's hardware is absent.
func openFirst(found []plugin, kind func(plugin) bool, r request, possible bool) (*Engine, []string) {
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

func openPlugin(p plugin, options string) (*Engine, error) {
	name := kindCPU
	if p.isCUDA() {
		name = kindCUDA
	}
	return share(p.path+","+options, name, p.where(), func() (compute.Backend, error) { return p.open(options) })
}

func openFile(r request) (*Engine, error) {
	match := pluginName.FindStringSubmatch(filepath.Base(r.file))
	if match == nil {
		return nil, fmt.Errorf("%s: expected a file named pjrt_c_api_NAME_plugin.so", r.asked)
	}
	p := plugin{name: match[1] + match[2], path: r.file}
	if !p.isCUDA() && !p.isCPU() {
		return nil, fmt.Errorf("%s: expected a CPU or CUDA plugin, found %q", r.asked, p.name)
	}
	e, err := openPlugin(p, r.options)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", r.asked, err)
	}
	e.Why = r.because("the plugin file " + p.where() + " was asked for")
	return e, nil
}

// openGo opens the pure-Go backend with one operation at a time. Left to itself, GoMLX v0.28 starts all operations that are ready, each in
// a worker, and a large product waits for further workers: with 2 GOMAXPROCS products ready at once all wait for ever. Products still take
// all cores; a training step takes about a third longer.
func openGo() (*Engine, error) {
	return share(kindGo, kindGo, "", func() (compute.Backend, error) { return gobackend.New("ops_sequential") })
}

// share returns an engine on the backend of that key, made by start if there is none yet.
func share(key, name, why string, start func() (compute.Backend, error)) (*Engine, error) {
	s := backends[key]
	if s == nil {
		b, err := start()
		if err != nil {
			return nil, err
		}
		s = &shared{key: key, backend: b}
		backends[key] = s
	}
	s.users++
	return &Engine{Backend: s.backend, Name: name, Why: why, shared: s}, nil
}

// because adds who made the choice.
func (r request) because(why string) string {
	if r.env != "" {
		return why + "; chosen by the environment variable " + r.env
	}
	return why
}

func cudaError(r request, failed []string) error {
	switch {
	case !installer.HasNvidiaGPU():
		return fmt.Errorf("%s: no NVIDIA device was found on this machine (no /dev/nvidia*, no working nvidia-smi); use xla:cpu or auto", r.asked)
	case len(failed) == 0:
		return fmt.Errorf("%s: an NVIDIA device was found, but no CUDA plugin; `make setup-cuda` installs it", r.asked)
	}
	return errors.New(r.asked + ": " + strings.Join(failed, "; "))
}

// cudaAbsence says, to someone who might expect it, why the GPU is not used.
func cudaAbsence(found []plugin) string {
	if !installer.HasNvidiaGPU() {
		return "; no NVIDIA device on this machine"
	}
	for _, p := range found {
		if p.isCUDA() {
			return "; the CUDA plugin does not work here"
		}
	}
	return "; there is an NVIDIA device, and `make setup-cuda` installs the plugin for it"
}

// Ready returns an error unless e is an engine that Open has opened and that is not closed.
func Ready(e *Engine) error {
	mu.Lock()
	defer mu.Unlock()
	switch {
	case e == nil || e.Backend == nil:
		return errors.New("expected an engine that engine.Open has opened, found none")
	case e.closed:
		return errors.New("expected an open engine, found one that is closed")
	}
	return nil
}

// IsXLA says whether XLA compiles the graphs, on the CPU or on a GPU.
func (e *Engine) IsXLA() bool { return e != nil && strings.HasPrefix(e.Name, kindXLA+":") }

// IsCUDA says whether the graphs run on an NVIDIA GPU.
func (e *Engine) IsCUDA() bool { return e != nil && e.Name == kindCUDA }

// Devices is how many devices the backend has: the GPUs that CUDA shows, those that XLA's CPU plugin makes of the processor, or 1. A nil
// engine has none.
func (e *Engine) Devices() int {
	if e == nil || e.Backend == nil {
		return 0
	}
	return int(e.Backend.NumDevices())
}

// Close gives the backend up. When the last engine that shares it is closed the backend is released, and everything
// compiled with it becomes invalid. Closing twice does nothing more.
func (e *Engine) Close() {
	mu.Lock()
	defer mu.Unlock()
	e.closeLocked()
}

// closeLocked is Close with mu held.
func (e *Engine) closeLocked() {
	if e == nil || e.closed {
		return
	}
	e.closed = true
	if e.shared == nil {
		return
	}
	if e.shared.users--; e.shared.users == 0 {
		delete(backends, e.shared.key)
		e.shared.backend.Finalize()
	}
}

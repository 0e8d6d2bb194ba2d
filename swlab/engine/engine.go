// Package engine chooses what the computations run on, and says why: an NVIDIA GPU through XLA's
// CUDA plugin if there is one, else the CPU through XLA's CPU plugin, else the pure-Go backend of
// GoMLX, which works everywhere but is about ten times slower. All backends are opened here. The
// package never panics.
package engine

import (
	"cmp"
	"errors"
	"fmt"
	"os"
	"strings"
	"sync"

	"github.com/gomlx/compute"
	"github.com/gomlx/compute/gobackend"

	"github.com/sliced-wasserstein/lab/internal/memory"
)

// Engine is an opened compute backend and why it was chosen.
type Engine struct {
	// Backend is what GoMLX's graphs are compiled with. Engines opened for the same plugin share it.
	Backend compute.Backend
	// Name is "xla:cuda", "xla:cpu" or "go".
	Name string
	// Why is one sentence for a log or a notebook. It holds no absolute path.
	Why string
	// Warnings holds a line per choice that failed. Open has already printed them to standard
	// error.
	Warnings []string

	shared *shared
	closed bool // Guarded by mu.
}

// shared is a backend in use by one or more engines. mu guards it and the three maps.
type shared struct {
	key     string
	backend compute.Backend
	users   int
	cache   cache
}

var (
	mu       sync.Mutex
	backends = map[string]*shared{} // By plugin path and options, or "go".
	broken   = map[string]error{}   // Why a key's backend did not open. It is not tried again.
	warned   = map[string]bool{}    // Warnings already printed.
)

// Open opens a backend. want is one of
//
//	"" or "auto"  the best that works: CUDA if there is an NVIDIA device and its plugin loads, else XLA on the CPU,
//	              else pure Go; the environment variables SWLAB_BACKEND and, after it, GOMLX_BACKEND choose instead if set
//	"xla:cuda"    XLA on an NVIDIA GPU
//	"xla:cpu"     XLA on the CPU
//	"go"          GoMLX's backend in pure Go
//
// Also understood, mostly for GOMLX_BACKEND: "xla" (the best XLA plugin that works),
// "xla:/absolute/plugin.so", and go-xla's options after a comma ("xla:cuda,tf32=true"; TF32 is off
// unless asked for).
//
// A choice made by the caller or the environment is obeyed or is an error; it is never replaced.
// Plugins are searched for in PJRT_PLUGIN_LIBRARY_PATH if set, else in the .plugins folder that
// `make setup` fills, found upward from the working directory or the executable, else where
// go-xla's installer puts them. A plugin that does not load is skipped with a warning, and is not
// tried again in this process. Open never downloads; the warning says how to install a plugin.
//
// A program built with the tag noxla, without cgo, or for a system other than Linux and macOS has
// only the pure-Go backend (HasXLA): "auto" selects it, and asking for XLA is an error.
//
// Opening again is cheap: the process shares the backend.
func Open(want string) (*Engine, error) {
	r, err := resolve(want)
	if err != nil {
		return nil, err
	}
	mu.Lock()
	defer mu.Unlock()
	e, err := open(r)
	if err != nil {
		return nil, err
	}
	for _, w := range e.Warnings {
		if !warned[w] {
			warned[w] = true
			fmt.Fprintln(os.Stderr, "swlab: WARNING: "+w)
		}
	}
	return e, nil
}

// Which returns what Open would choose, for programs that report on the machine: an engine that it
// has opened, to be sure, and closed again. It prints nothing.
func Which(want string) (*Engine, error) {
	r, err := resolve(want)
	if err != nil {
		return nil, err
	}
	mu.Lock()
	e, err := open(r)
	mu.Unlock()
	if err != nil {
		return nil, err
	}
	e.Close()
	return e, nil
}

// open does Open's work with mu held, and prints nothing.
func open(r request) (*Engine, error) {
	if r.kind == kindGo {
		e, err := openGo()
		if err != nil {
			return nil, err
		}
		e.Why = r.because("the pure-Go backend was asked for")
		return e, nil
	}
	e, failed, err := openXLA(r)
	if e != nil || err != nil {
		return e, err
	}
	if e, err = openGo(); err != nil {
		return nil, err
	}
	e.Why = noXLA + ", so GoMLX's pure-Go backend runs instead"
	if hint := InstallHint(); hint != "" {
		slow := "running on the pure-Go backend, about ten times slower than XLA: " + hint
		if len(failed) > 0 {
			slow += " (" + strings.Join(failed, "; ") + ")"
		}
		e.Warnings = []string{slow}
	}
	return e, nil
}

// openGo opens the pure-Go backend with one operation at a time. By default, GoMLX v0.28 starts all
// operations that are ready, each in a worker, and a large product waits for further workers: with
// 2 GOMAXPROCS products ready at once, all wait for ever. Products still use all cores; a training
// step takes about a third longer.
func openGo() (*Engine, error) {
	return share(kindGo, kindGo, "", func() (compute.Backend, error) { return gobackend.New("ops_sequential") })
}

// share returns an engine on the backend of that key, which start makes if there is none yet.
func share(key, name, why string, start func() (compute.Backend, error)) (*Engine, error) {
	s := backends[key]
	if s == nil {
		if err := broken[key]; err != nil {
			return nil, err
		}
		b, err := start()
		if err != nil {
			broken[key] = err
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

// Ready returns an error unless e was opened by Open and is not closed.
func Ready(e *Engine) error {
	mu.Lock()
	defer mu.Unlock()
	switch {
	case e == nil || e.shared == nil:
		return errors.New("expected an engine that engine.Open has opened, found none")
	case e.closed:
		return errClosed
	}
	return nil
}

// Chosen reports whether the environment chooses the backend for "auto" (SWLAB_BACKEND,
// GOMLX_BACKEND).
func Chosen() bool {
	r, err := resolve("")
	return err != nil || r.kind != kindAuto
}

// IsXLA reports whether XLA compiles the graphs, on the CPU or on a GPU.
func (e *Engine) IsXLA() bool { return e != nil && strings.HasPrefix(e.Name, kindXLA+":") }

// IsCUDA reports whether the graphs run on an NVIDIA GPU.
func (e *Engine) IsCUDA() bool { return e != nil && e.Name == kindCUDA }

// unknownDevice is the memory that a device has whose own is not known.
const unknownDevice = 8 << 30

// DeviceMemory is the memory of the smallest NVIDIA device in bytes, in use or not; 0 where graphs use the host's.
func (e *Engine) DeviceMemory() int64 {
	if !e.IsCUDA() {
		return 0
	}
	return cmp.Or(memory.Device(), unknownDevice)
}

// Close releases the engine. Closing the last engine that shares a backend waits for programs in
// use, then releases the backend with its programs, and everything compiled with it becomes invalid.
// Closing twice is safe.
func (e *Engine) Close() {
	if last := e.leave(); last != nil { // without mu: programs in use may open engines
		last.cache.close()
		last.backend.Finalize()
	}
}

// leave marks e as closed. It returns the backend that nobody uses any more, or nil.
func (e *Engine) leave() *shared {
	mu.Lock()
	defer mu.Unlock()
	if e == nil || e.closed || e.shared == nil {
		return nil
	}
	e.closed = true
	if e.shared.users--; e.shared.users > 0 {
		return nil
	}
	delete(backends, e.shared.key)
	return e.shared
}

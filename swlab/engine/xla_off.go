//go:build !cgo || noxla || !(linux || darwin)

package engine

import (
	"fmt"
	"runtime"
)

// HasXLA reports whether this program was built with XLA: with cgo, without the tag noxla, for
// Linux or macOS.
const HasXLA = false

// noXLA says why XLA does not run, for the pure-Go backend.
const noXLA = "this program was built without XLA"

// InstallHint says how to make XLA run; "" on systems that go-xla does not support.
func InstallHint() string {
	if runtime.GOOS != "linux" && runtime.GOOS != "darwin" {
		return ""
	}
	return "build with a C compiler, CGO_ENABLED=1 and without the tag noxla, and install XLA's CPU plugin by `make setup`"
}

// Nvidia reports whether this machine has an NVIDIA device that the program can use: never without
// XLA.
func Nvidia() bool { return false }

// openXLA rejects a request for XLA. If the choice is open it returns nothing, and the pure-Go
// backend runs.
func openXLA(r request) (e *Engine, failed []string, err error) {
	if r.kind == kindAuto {
		return nil, nil, nil
	}
	hint := InstallHint()
	if hint == "" {
		hint = "XLA runs on Linux and macOS only, found " + runtime.GOOS
	}
	return nil, nil, fmt.Errorf("%s: %s; %s, or use go or auto", r.asked, noXLA, hint)
}

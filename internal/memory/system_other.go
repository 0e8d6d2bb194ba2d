//go:build !linux

package memory

import (
	"runtime"

	"github.com/pbnjay/memory"
)

// system returns what is free on Windows, the machine's memory elsewhere (macOS compresses and
// swaps, and reports no reliable number of free bytes), and WebAssembly's address space.
func system() []bound {
	var out []bound
	if free := memory.FreeMemory(); runtime.GOOS == "windows" && free > 0 {
		out = append(out, bound{int64(free), "what is free on this machine"})
	}
	if total := memory.TotalMemory(); total > 0 {
		out = append(out, bound{int64(total), "this machine's memory"})
	}
	if runtime.GOARCH == "wasm" {
		var s runtime.MemStats
		runtime.ReadMemStats(&s)
		out = append(out, bound{4<<30 - int64(s.Sys-s.HeapIdle), "WebAssembly's address space"})
	}
	return out
}

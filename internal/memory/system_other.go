//go:build !linux && !darwin && !windows

package memory

import "runtime"

// system knows only WebAssembly's address space.
func system() []bound {
	if runtime.GOARCH != "wasm" {
		return nil
	}
	var s runtime.MemStats
	runtime.ReadMemStats(&s)
	return []bound{{4<<30 - int64(s.Sys-s.HeapIdle), "WebAssembly's address space"}}
}

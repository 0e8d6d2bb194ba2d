//go:build unix

package durable

import (
	"path/filepath"
	"syscall"
	"testing"
)

// special makes a pipe and, if permitted, a device node in dir, and returns their kinds.
func special(t *testing.T, dir string) map[string]string {
	t.Helper()
	pipe, null := filepath.Join(dir, "pipe"), filepath.Join(dir, "null")
	out := map[string]string{}
	if err := syscall.Mkfifo(pipe, 0o644); err == nil {
		out[pipe] = "a pipe"
	}
	if err := syscall.Mknod(null, syscall.S_IFCHR|0o666, 1<<8|3); err == nil { // 1, 3: null
		out[null] = "a device"
	}
	return out
}

//go:build unix

package main

import (
	"path/filepath"
	"syscall"
)

// canFill says that fill has an effect.
const canFill = true

// fill lets no file of this process grow, as on a full disk: files can be created but not written.
func fill() error { return syscall.Setrlimit(syscall.RLIMIT_FSIZE, &syscall.Rlimit{}) }

// special makes a pipe and, if permitted, a device in dir, and returns their kinds.
func special(dir string) map[string]string {
	out := map[string]string{}
	if err := syscall.Mkfifo(filepath.Join(dir, "pipe.npy"), 0o644); err == nil {
		out["pipe.npy"] = "a pipe"
	}
	// 1, 3: null
	if err := syscall.Mknod(filepath.Join(dir, "null.npy"), syscall.S_IFCHR|0o666, 1<<8|3); err == nil {
		out["null.npy"] = "a device"
	}
	return out
}

//go:build !unix

package fanout

import (
	"os"
	"syscall"
)

// attributes leaves a job in the caller's process group: Ctrl-C reaches it too.
func attributes() *syscall.SysProcAttr { return nil }

// born is known on Linux only.
func born(int) string { return "" }

// alive reports whether there is a process of that number.
func alive(pid int, _ string) bool {
	p, err := os.FindProcess(pid)
	if pid <= 0 || err != nil {
		return false
	}
	p.Release()
	return true
}

// stop ends a job at once: there is no signal that asks for it.
func stop(pid int) { kill(pid) }

// kill ends a job.
func kill(pid int) {
	if p, err := os.FindProcess(pid); err == nil {
		p.Kill()
	}
}

//go:build unix

package fanout

import (
	"bytes"
	"fmt"
	"os"
	"syscall"
)

// born says when a process began, in clock ticks since the boot of this host: field 22 of /proc/PID/stat. It is empty where there
// is no such file, and for a process that has ended and only waits to be reaped.
func born(pid int) string {
	raw, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		return ""
	}
	f := bytes.Fields(raw[bytes.LastIndexByte(raw, ')')+1:]) // the name before may hold anything; f[0] is field 3
	if len(f) < 20 || f[0][0] == 'Z' || f[0][0] == 'X' {
		return ""
	}
	return string(f[19])
}

// alive reports whether the process of that number and birth is there. Without /proc the number has to do.
func alive(pid int, birth string) bool {
	if pid <= 0 {
		return false
	}
	if birth != "" {
		return born(pid) == birth
	}
	err := syscall.Kill(pid, 0)
	return err == nil || err == syscall.EPERM
}

// stop asks a job to end.
func stop(pid int) { syscall.Kill(pid, syscall.SIGTERM) }

// kill ends a job and what it has started.
func kill(pid int) { syscall.Kill(-pid, syscall.SIGKILL) }

//go:build unix && !linux

package fanout

import "syscall"

// attributes puts a job into a process group of its own, so that Ctrl-C reaches the caller alone, who then stops the jobs.
func attributes() *syscall.SysProcAttr { return &syscall.SysProcAttr{Setpgid: true} }

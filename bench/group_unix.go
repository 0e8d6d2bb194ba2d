//go:build unix

package main

import (
	"os/exec"
	"syscall"
)

// endGroup makes the end of a command's context end everything the command has started.
func endGroup(c *exec.Cmd) {
	c.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	c.Cancel = func() error { return syscall.Kill(-c.Process.Pid, syscall.SIGKILL) }
}

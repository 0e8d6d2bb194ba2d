//go:build !linux

package jobs

import (
	"os"
	"os/exec"
	"syscall"
)

// detach does nothing: Ctrl-C reaches the jobs too.
func detach(*exec.Cmd) {}

// terminate asks a job to end; where signals cannot be sent, it ends it.
func terminate(p *os.Process) error {
	if p.Signal(syscall.SIGTERM) == nil {
		return nil
	}
	return p.Kill()
}

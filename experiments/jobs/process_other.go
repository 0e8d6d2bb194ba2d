//go:build !linux

package jobs

import (
	"os"
	"os/exec"
	"syscall"
)

// detach does nothing: Ctrl-C also reaches the jobs.
func detach(*exec.Cmd) {}

// terminate kills a job, where signals cannot be sent.
func terminate(p *os.Process) error {
	if p.Signal(syscall.SIGTERM) == nil {
		return nil
	}
	return p.Kill()
}

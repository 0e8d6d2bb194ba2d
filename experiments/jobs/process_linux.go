package jobs

import (
	"os"
	"os/exec"
	"syscall"
)

// detach puts a job into its own process group, so that Ctrl-C reaches only the caller, which then
// stops the jobs. A job is told to stop when its caller is killed.
func detach(cmd *exec.Cmd) {
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true, Pdeathsig: syscall.SIGTERM}
}

// terminate asks a job to end.
func terminate(p *os.Process) error { return p.Signal(syscall.SIGTERM) }

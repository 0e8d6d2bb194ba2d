package jobs

import (
	"os"
	"os/exec"
	"syscall"
)

// detach puts a job into a process group of its own, so that Ctrl-C reaches the caller alone, who
// then stops the jobs. A job whose caller was killed is told to stop.
func detach(cmd *exec.Cmd) {
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true, Pdeathsig: syscall.SIGTERM}
}

// terminate asks a job to end.
func terminate(p *os.Process) error { return p.Signal(syscall.SIGTERM) }

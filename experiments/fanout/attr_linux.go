package fanout

import "syscall"

// attributes puts a job into a process group of its own, so that Ctrl-C reaches the caller alone, who then stops the jobs. A job
// whose worker was killed is told to stop.
func attributes() *syscall.SysProcAttr {
	return &syscall.SysProcAttr{Setpgid: true, Pdeathsig: syscall.SIGTERM}
}

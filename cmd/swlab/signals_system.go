//go:build unix || windows

package main

import (
	"os"
	"syscall"
)

var (
	stopSignals = []os.Signal{os.Interrupt, syscall.SIGTERM}
	hangUp      = []os.Signal{syscall.SIGHUP}
	brokenPipe  = []os.Signal{syscall.SIGPIPE}
)

//go:build unix

// Process is the process behind package lab in a notebook. The kernel starts it:
//
//	process SOCKET [PID]           answer calls, and end with the process of that number, the kernel
//	process -note FILE BEGAN       note the source in FILE, if nothing in it is newer than the file BEGAN
//	process -built FILE            succeed if the source is as noted
package main

import (
	"context"
	"fmt"
	"os"
	"os/signal"
	"path/filepath"
	"strconv"
	"syscall"
	"time"

	"github.com/sliced-wasserstein/lab/experiments/calls"
	_ "github.com/sliced-wasserstein/lab/experiments/calls/all" // pictures, trainings, tables
	"github.com/sliced-wasserstein/lab/internal/xlaenv"
)

// idle is how long the process stays without a call.
const idle = 12 * time.Hour

func main() {
	if len(os.Args) < 2 || os.Args[1] == "-note" && len(os.Args) != 4 || os.Args[1] == "-built" && len(os.Args) != 3 {
		fmt.Fprintln(os.Stderr, "usage: process SOCKET [PID]")
		os.Exit(2)
	}
	root := os.Getenv("SWLAB_ROOT")
	switch os.Args[1] {
	case "-note":
		if err := calls.NoteSource(root, os.Args[2], os.Args[3]); err != nil {
			fmt.Fprintln(os.Stderr, "process:", err)
			os.Exit(1)
		}
		return
	case "-built":
		if !calls.IsSource(root, os.Args[2]) {
			os.Exit(1)
		}
		return
	}
	xlaenv.HugePages()
	p := calls.Process{Socket: os.Args[1], Idle: idle, Root: root}
	if len(os.Args) > 2 {
		pid, err := strconv.Atoi(os.Args[2])
		if err != nil {
			fmt.Fprintln(os.Stderr, "process:", err)
			os.Exit(2)
		}
		p.Alive = func() bool { return syscall.Kill(pid, 0) == nil }
	}
	signal.Ignore(os.Interrupt) // Jupyter's stop button ends a call, not the process
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGTERM)
	defer stop()
	err := p.Serve(ctx)
	if p.Alive != nil && !p.Alive() {
		_ = os.RemoveAll(filepath.Dir(p.Socket)) // nobody asks any more
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "process:", err)
		os.Exit(1)
	}
}

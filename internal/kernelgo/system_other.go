//go:build !linux

package main

import (
	"io/fs"
	"os"
	"os/exec"
	"time"
)

func identity(fs.FileInfo) (number uint64, changed time.Time, ok bool) { return 0, time.Time{}, false }

func lower() {}

// become runs the program at path in place of this one.
func become(path string) { os.Exit(run(exec.Command(path, os.Args[1:]...))) }

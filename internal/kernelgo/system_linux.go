package main

import (
	"fmt"
	"io/fs"
	"os"
	"syscall"
	"time"
)

// identity returns the number of a file and when it, or what is known about it, was changed. Nobody can
// set that time.
func identity(info fs.FileInfo) (number uint64, changed time.Time, ok bool) {
	s, ok := info.Sys().(*syscall.Stat_t)
	if !ok {
		return 0, time.Time{}, false
	}
	return s.Ino, time.Unix(s.Ctim.Unix()), true
}

// lower gives this process, and the program that it becomes, what others leave of the processor.
func lower() { _ = syscall.Setpriority(syscall.PRIO_PROCESS, 0, 10) }

// become replaces this process by the program at path.
func become(path string) {
	err := syscall.Exec(path, append([]string{path}, os.Args[1:]...), os.Environ())
	fmt.Fprintln(os.Stderr, path+":", err)
	os.Exit(1)
}

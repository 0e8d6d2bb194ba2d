//go:build unix && !solaris && !illumos && !aix

package durable

import (
	"errors"
	"os"
	"syscall"
)

func openLock(dir string) (*os.File, error) { return os.Open(dir) }

func closeLock(f *os.File) { f.Close() }

func tryLock(f *os.File) bool {
	return !errors.Is(syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB), syscall.EWOULDBLOCK)
}

package durable

import (
	"errors"
	"os"
	"syscall"
)

// ErrLocked says that the lock is held already.
var ErrLocked = errors.New("in use by another process")

// Lock takes the lock of a folder without writing anything. It ends with unlock or with the process, however that ends. On a
// file system without locks (some network mounts) it succeeds and protects nothing. The error is ErrLocked or that of opening
// the folder.
func Lock(dir string) (unlock func(), err error) {
	d, err := os.Open(dir)
	if err != nil {
		return nil, err
	}
	if err := syscall.Flock(int(d.Fd()), syscall.LOCK_EX|syscall.LOCK_NB); errors.Is(err, syscall.EWOULDBLOCK) {
		d.Close()
		return nil, ErrLocked
	}
	return func() { d.Close() }, nil
}

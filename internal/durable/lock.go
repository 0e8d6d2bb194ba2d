package durable

import (
	"errors"
	"os"
)

// ErrLocked says that another process holds the lock.
var ErrLocked = errors.New("in use by another process")

// Lock takes the lock of a folder. It ends with unlock or with the process, however that ends. On
// Unix nothing is written. Windows cannot lock a folder, so a file ".lock" in it is locked, and
// removed by unlock. On a file system without locks (some network mounts) and on systems without
// them (js) it succeeds and protects nothing. The error is ErrLocked or that of opening the folder.
func Lock(dir string) (unlock func(), err error) {
	f, err := openLock(dir)
	if err != nil {
		return nil, err
	}
	if !TryLock(f) {
		f.Close()
		return nil, ErrLocked
	}
	return func() { closeLock(f) }, nil
}

// TryLock tries to lock an open file and reports whether it could. The lock is held as long as some
// process has the file open, so on Unix a child that inherits the file holds it too. Without locks
// it succeeds and protects nothing.
func TryLock(f *os.File) bool { return tryLock(f) }

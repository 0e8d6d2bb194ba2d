package durable

import (
	"errors"
	"os"
)

// ErrLocked says that the lock is held already.
var ErrLocked = errors.New("in use by another process")

// Lock takes the lock of a folder. It ends with unlock or with the process, however that ends. On
// Unix nothing is written; on Windows, where a folder cannot be locked, a file ".lock" in it is,
// and is removed with unlock. On a file system without locks (some network mounts) and on systems
// without them (js) it succeeds and protects nothing. The error is ErrLocked or that of opening the
// folder.
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

// TryLock takes the lock of an open file, and says whether it could. The lock is held as long as
// some process has the file open, so on Unix a child that inherits the file holds it too. Where
// there are no locks it succeeds and protects nothing.
func TryLock(f *os.File) bool { return tryLock(f) }

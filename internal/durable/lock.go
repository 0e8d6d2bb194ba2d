package durable

import (
	"errors"
	"os"
	"path/filepath"
	"runtime"

	"github.com/gofrs/flock"
)

// ErrLocked says that another process holds the lock.
var ErrLocked = errors.New("in use by another process")

// Lock takes the lock of a folder. It ends with unlock or with the process, however that ends. On
// Unix nothing is written. Windows cannot lock a folder, so a file ".lock" in it is locked, and
// removed by unlock. On a file system without locks (some network mounts) and on systems without
// them (js) it succeeds and protects nothing. The error is ErrLocked or that of reading the folder.
func Lock(dir string) (unlock func(), err error) {
	if _, err := os.Stat(dir); err != nil {
		return nil, err
	}
	lock := flock.New(dir, flock.SetFlag(os.O_RDONLY))
	if runtime.GOOS == "windows" {
		lock = flock.New(filepath.Join(dir, ".lock"))
	}
	locked, err := lock.TryLock()
	switch {
	case errors.Is(err, os.ErrPermission):
		return nil, err
	case err == nil && !locked:
		return nil, ErrLocked
	}
	return func() {
		lock.Close()
		if runtime.GOOS == "windows" {
			os.Remove(lock.Path()) // refused while another process has it open
		}
	}, nil
}

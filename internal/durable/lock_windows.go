package durable

import (
	"errors"
	"os"
	"path/filepath"

	"golang.org/x/sys/windows"
)

func openLock(dir string) (*os.File, error) {
	return os.OpenFile(filepath.Join(dir, ".lock"), os.O_CREATE|os.O_RDWR, 0o644)
}

// closeLock removes the file unless another process has it open, when Windows refuses.
func closeLock(f *os.File) {
	f.Close()
	os.Remove(f.Name())
}

// tryLock locks one byte beyond the end of any file: on Windows nobody else can read or write
// locked bytes.
func tryLock(f *os.File) bool {
	at := &windows.Overlapped{OffsetHigh: 1 << 30}
	err := windows.LockFileEx(windows.Handle(f.Fd()), windows.LOCKFILE_EXCLUSIVE_LOCK|windows.LOCKFILE_FAIL_IMMEDIATELY, 0, 1, 0, at)
	return !errors.Is(err, windows.ERROR_LOCK_VIOLATION)
}

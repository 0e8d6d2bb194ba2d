package durable

import (
	"errors"
	"io/fs"
	"os"

	"github.com/sliced-wasserstein/lab/internal/durable/internal/hook"
)

// File is a file open for writing. Its errors are [Error]s.
type File struct {
	file *os.File
	path string // in errors
}

// Append opens the file at path for appending; create makes it if there is none. A crash may leave
// a part of the last write, so readers must tell a torn end.
func Append(path string, create bool) (f File, err error) {
	how := os.O_APPEND | os.O_WRONLY
	if create {
		how |= os.O_CREATE
	}
	err = do("open", path, path, func() error {
		f.file, err = os.OpenFile(path, how, newMode)
		return err
	})
	f.path = path
	return f, err
}

func (f File) do(operation string, run func() error) error {
	return do(operation, f.file.Name(), f.path, run)
}

// Write writes p. If a test makes it fail, half of p is written.
func (f File) Write(p []byte) (n int, err error) {
	failing := hook.Check("write", f.file.Name())
	if failing != nil {
		p = p[:len(p)/2]
	}
	n, err = f.file.Write(p)
	return n, failed(f.path, errors.Join(failing, err))
}

// Sync waits until all that was written is on the disk. The file must still have its name: the
// folder of a run may have been removed meanwhile.
func (f File) Sync() error {
	return f.do("sync", func() error {
		if err := f.file.Sync(); err != nil {
			return err
		}
		_, err := os.Stat(f.file.Name())
		return err
	})
}

// Truncate cuts the file to that many bytes.
func (f File) Truncate(size int64) error {
	return f.do("truncate", func() error { return f.file.Truncate(size) })
}

// Close closes the file, also if a test makes that fail. It may be called again.
func (f File) Close() error {
	err := f.file.Close()
	if errors.Is(err, fs.ErrClosed) {
		return nil
	}
	return f.do("close", func() error { return err })
}

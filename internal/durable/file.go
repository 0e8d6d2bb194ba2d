package durable

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/sliced-wasserstein/lab/internal/durable/internal/hook"
)

// Append opens the file at path for appending; create makes it if there is none. A crash may leave
// a part of the last write, so readers must tell a torn end. Its errors, and those of its Write and
// Sync, say what the user can do ([Error]).
func Append(path string, create bool) (Appender, error) {
	how := os.O_APPEND | os.O_WRONLY
	if create {
		how |= os.O_CREATE
	}
	if err := hook.Check("open", path); err != nil {
		return Appender{}, failed(path, err)
	}
	f, err := os.OpenFile(path, how, newMode)
	if err != nil {
		return Appender{}, failed(path, err)
	}
	return Appender{file{f}}, nil
}

// Appender is a file open for appending.
type Appender struct{ file file }

// Write appends p.
func (a Appender) Write(p []byte) (int, error) {
	n, err := a.file.Write(p)
	return n, a.failed(err)
}

// Sync waits until all that was written is on the disk. The file must still have its name: the
// folder of a run may have been removed meanwhile.
func (a Appender) Sync() error {
	if err := a.file.Sync(); err != nil {
		return a.failed(err)
	}
	_, err := os.Stat(a.file.Name())
	return a.failed(err)
}

// Truncate cuts the file to that many bytes.
func (a Appender) Truncate(size int64) error { return a.failed(a.file.Truncate(size)) }

// Close closes the file. It may be called again.
func (a Appender) Close() error {
	if err := a.file.Close(); !errors.Is(err, fs.ErrClosed) {
		return a.failed(err)
	}
	return nil
}

func (a Appender) failed(err error) error {
	if err == nil {
		return nil
	}
	return failed(a.file.Name(), err)
}

// file is an os.File whose operations tests can make fail.
type file struct{ *os.File }

// create makes a temporary file beside path.
func create(path string) (file, error) {
	if err := hook.Check("create", path); err != nil {
		return file{}, err
	}
	f, err := os.CreateTemp(filepath.Dir(path), temporaryPrefix(path)+"*")
	return file{f}, err
}

// do runs an operation, unless a test injects its error, as the operating system would report it.
func (f file) do(operation string, run func() error) error {
	if err := hook.Check(operation, f.Name()); err != nil {
		return &fs.PathError{Op: operation, Path: f.Name(), Err: err}
	}
	return run()
}

func (f file) Write(p []byte) (n int, err error) {
	injected := f.do("write", func() error { n, err = f.File.Write(p); return nil })
	if injected != nil {
		n, _ = f.File.Write(p[:len(p)/2]) // the injected error is reported
		return n, injected
	}
	return n, err
}

func (f file) Chmod(mode fs.FileMode) error {
	return f.do("chmod", func() error { return f.File.Chmod(mode) })
}

func (f file) Sync() error { return f.do("sync", f.File.Sync) }

func (f file) Truncate(size int64) error {
	return f.do("truncate", func() error { return f.File.Truncate(size) })
}

func (f file) Close() error {
	err := f.File.Close()
	return f.do("close", func() error { return err })
}

func rename(from, to string) error {
	if err := hook.Check("rename", to); err != nil {
		return &os.LinkError{Op: "rename", Old: from, New: to, Err: err}
	}
	return os.Rename(from, to)
}

// Package durable writes files atomically: after a crash or an error a path holds its old content
// or the new one, never half of it. Only regular files are replaced.
package durable

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"

	"github.com/sliced-wasserstein/lab/internal/durable/internal/hook"
)

// newMode is the mode of files that Write creates.
const newMode fs.FileMode = 0o644

// Error says that the file at Path cannot be written, as opposed to an error in producing its
// content.
type Error struct {
	Path string // as given to Write
	Err  error  // without a path
}

func (e *Error) Error() string { return e.Path + ": " + e.Err.Error() + remedy(e.Err) }

// remedy says what the user can do about an error of the file system.
func remedy(err error) string {
	switch {
	case errors.Is(err, syscall.ENOSPC), errors.Is(err, syscall.EDQUOT):
		return ": free some space, or choose a folder on another disk"
	case errors.Is(err, syscall.EROFS), errors.Is(err, fs.ErrPermission):
		return ": choose a folder that you may write to"
	case errors.Is(err, fs.ErrNotExist):
		return ": its folder is not there, or was removed meanwhile"
	}
	return ""
}

func (e *Error) Unwrap() error { return e.Err }

// failed wraps err as an Error about path, also if the operating system names a temporary file.
func failed(path string, err error) error {
	var onPath *fs.PathError
	var onLink *os.LinkError
	switch {
	case err == nil:
		return nil
	case errors.As(err, &onPath):
		err = onPath.Err
	case errors.As(err, &onLink):
		err = onLink.Err
	}
	return &Error{path, err}
}

// do runs an operation that changes the file at name, unless a test makes it fail. Its errors are about
// path.
func do(operation, name, path string, run func() error) error {
	err := hook.Check(operation, name)
	if err == nil {
		err = run()
	}
	return failed(path, err)
}

// Write replaces the file at path by what write produces: a temporary file in the same folder,
// fsync, rename, fsync of the folder. A symbolic link is followed and stays, and an existing file
// keeps its permissions ([Target]). The error is that of write, or an [Error].
func Write(path string, write func(io.Writer) error) (err error) {
	target, info, err := Target(path)
	if err != nil {
		return err
	}
	f := File{path: path}
	if err := do("create", target, path, func() error {
		f.file, err = os.CreateTemp(filepath.Dir(target), temporaryPrefix(target)+"*")
		return err
	}); err != nil {
		return err
	}
	temporary := f.file.Name()
	defer func() {
		if err != nil {
			f.file.Close()
			os.Remove(temporary)
		}
	}()
	if err = write(f); err != nil {
		return err
	}
	mode := newMode
	if info != nil {
		mode = info.Mode().Perm()
	}
	for _, step := range []func() error{
		func() error { return f.do("chmod", func() error { return f.file.Chmod(mode) }) },
		func() error { return f.do("sync", f.file.Sync) },
		f.Close,
		func() error {
			return do("rename", target, path, func() error { return os.Rename(temporary, target) })
		},
		func() error { return syncDir(filepath.Dir(target), path) },
	} {
		if err = step(); err != nil {
			return err
		}
	}
	return nil
}

// WriteDir makes the folder at path, which must be new or empty, out of what fill writes into a
// temporary folder beside it. fill's files must be durable themselves. The error is that of fill,
// or an [Error].
func WriteDir(path string, fill func(dir string) error) (err error) {
	parent := filepath.Dir(path)
	dir := ""
	if err := do("mkdir", path, path, func() error {
		dir, err = os.MkdirTemp(parent, temporaryPrefix(path)+"*")
		return err
	}); err != nil {
		return err
	}
	defer func() {
		if err != nil {
			os.RemoveAll(dir)
		}
	}()
	if err = os.Chmod(dir, newMode|0o111); err != nil {
		return failed(path, err)
	}
	if err = fill(dir); err != nil {
		if on := (*Error)(nil); errors.As(err, &on) && strings.HasPrefix(on.Path, dir) {
			on.Path = path + strings.TrimPrefix(on.Path, dir)
		}
		return err
	}
	if err = os.Remove(path); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return failed(path, err)
	}
	if err = do("rename", path, path, func() error { return os.Rename(dir, path) }); err != nil {
		return err
	}
	if err = syncDir(parent, path); err != nil {
		os.RemoveAll(path) // not durable: the state before
	}
	return err
}

// Target returns the file that Write(path) replaces: path itself or, if that is a symbolic link,
// its target. info is nil if there is no such file yet. Only regular files may be replaced: for a
// folder, a device, a pipe or a socket the error is an [Error].
func Target(path string) (target string, info fs.FileInfo, err error) {
	info, err = os.Stat(path)
	switch {
	case err == nil && !info.Mode().IsRegular():
		return "", nil, &Error{path, fmt.Errorf("expected a regular file, found %s", Kind(info.Mode()))}
	case err != nil && !errors.Is(err, fs.ErrNotExist):
		return "", nil, failed(path, err)
	case err != nil:
		info = nil
	}
	for target = path; ; {
		to, err := os.Readlink(target)
		if err != nil { // no link; Stat has refused circles
			return target, info, nil
		}
		if !filepath.IsAbs(to) { // relative to the link's real folder
			dir, err := filepath.EvalSymlinks(filepath.Dir(target))
			if err != nil {
				return "", nil, failed(path, err)
			}
			to = filepath.Join(dir, to)
		}
		target = to
	}
}

// Kind names the kind of a path that is not a regular file.
func Kind(m fs.FileMode) string {
	switch {
	case m.IsDir():
		return "a folder"
	case m&fs.ModeNamedPipe != 0:
		return "a pipe"
	case m&fs.ModeDevice != 0:
		return "a device"
	case m&fs.ModeSocket != 0:
		return "a socket"
	default:
		return "a special file (" + m.String() + ")"
	}
}

// RemoveTemporary removes what a process killed inside Write or WriteDir has left of path.
func RemoveTemporary(path string) error {
	dir, prefix := filepath.Dir(path), temporaryPrefix(path)
	entries, err := os.ReadDir(dir)
	if err != nil {
		return err
	}
	for _, e := range entries {
		if strings.HasPrefix(e.Name(), prefix) {
			if err := os.RemoveAll(filepath.Join(dir, e.Name())); err != nil {
				return err
			}
		}
	}
	return nil
}

// temporaryPrefix is the prefix of temporary files and folders.
func temporaryPrefix(path string) string { return "." + filepath.Base(path) + "." }

// SyncDir makes renames and removals in dir durable; the error is an [Error]. On Windows it does
// nothing, because the system does it.
func SyncDir(dir string) error { return syncDir(dir, dir) }

// syncDir is SyncDir with errors about path.
func syncDir(dir, path string) error {
	if runtime.GOOS == "windows" {
		return nil // a folder opened for reading cannot be synced there
	}
	return do("sync", dir, path, func() error {
		d, err := os.Open(dir)
		if err != nil {
			return err
		}
		defer d.Close()
		return d.Sync()
	})
}

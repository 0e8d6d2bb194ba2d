// Package durable writes files that are whole: after a crash or an error a path holds its old content or the new one, never
// half of it.
package durable

import (
	"encoding/json"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"strings"
)

// Write replaces the file at path by what write produces: a temporary file in the same folder, fsync, rename, fsync of the folder.
func Write(path string, write func(io.Writer) error) (err error) {
	dir := filepath.Dir(path)
	f, err := os.CreateTemp(dir, temporaryPrefix(path)+"*")
	if err != nil {
		return err
	}
	defer func() {
		if err != nil {
			f.Close()
			os.Remove(f.Name())
		}
	}()
	if err = write(f); err != nil {
		return err
	}
	if err = f.Chmod(0o644); err != nil {
		return err
	}
	if err = f.Sync(); err != nil {
		return err
	}
	if err = f.Close(); err != nil {
		return err
	}
	if err = os.Rename(f.Name(), path); err != nil {
		return err
	}
	return SyncDir(dir)
}

// RemoveTemporary removes what a process that was killed inside Write has left of the file at path.
func RemoveTemporary(path string) error {
	dir, prefix := filepath.Dir(path), temporaryPrefix(path)
	entries, err := os.ReadDir(dir)
	if err != nil {
		return err
	}
	for _, e := range entries {
		if strings.HasPrefix(e.Name(), prefix) {
			if err := os.Remove(filepath.Join(dir, e.Name())); err != nil {
				return err
			}
		}
	}
	return nil
}

// temporaryPrefix begins the names of Write's temporary files.
func temporaryPrefix(path string) string { return "." + filepath.Base(path) + "." }

// WriteJSON writes v as indented JSON.
func WriteJSON(path string, v any) error {
	return Write(path, func(w io.Writer) error {
		e := json.NewEncoder(w)
		e.SetIndent("", "  ")
		return e.Encode(v)
	})
}

// SyncDir makes renames and removals in dir durable. On Windows, which does so by itself, it does nothing.
func SyncDir(dir string) error {
	if runtime.GOOS == "windows" {
		return nil // a folder opened to be read cannot be synced there
	}
	d, err := os.Open(dir)
	if err != nil {
		return err
	}
	defer d.Close()
	return d.Sync()
}

//go:build !linux

package fetch

import (
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
)

// syncTree makes every file below a folder durable.
func syncTree(dir string) error {
	return filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		how := os.O_RDONLY
		if runtime.GOOS == "windows" { // can sync only files opened for writing, and no folder
			if how = os.O_RDWR; d.IsDir() {
				return nil
			}
		}
		f, err := os.OpenFile(path, how, 0)
		if err != nil {
			return err
		}
		defer f.Close()
		return f.Sync()
	})
}

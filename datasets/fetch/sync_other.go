//go:build !linux

package fetch

import (
	"io/fs"
	"os"
	"path/filepath"
)

// syncTree makes every file below a folder durable.
func syncTree(dir string) error {
	return filepath.WalkDir(dir, func(path string, _ fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		f, err := os.Open(path)
		if err != nil {
			return err
		}
		defer f.Close()
		return f.Sync()
	})
}

package fetch

import (
	"os"

	"golang.org/x/sys/unix"
)

// syncTree makes everything below a folder durable, in one call for its file system.
func syncTree(dir string) error {
	f, err := os.Open(dir)
	if err != nil {
		return err
	}
	defer f.Close()
	return unix.Syncfs(int(f.Fd()))
}

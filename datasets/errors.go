package datasets

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
)

// fileError prefixes an error of the operating system with the path the user gave, once.
func fileError(path string, err error) error {
	var onPath *fs.PathError
	var onLink *os.LinkError
	switch {
	case errors.As(err, &onPath):
		err = onPath.Err
	case errors.As(err, &onLink):
		err = onLink.Err
	}
	return fmt.Errorf("%s: %w", path, err)
}

// describeMode says what kind of file a path is, for errors about files that are not regular.
func describeMode(m fs.FileMode) string {
	switch {
	case m.IsDir():
		return "a folder"
	case m&fs.ModeNamedPipe != 0:
		return "a pipe"
	case m&fs.ModeDevice != 0:
		return "a device"
	default:
		return "a special file (" + m.String() + ")"
	}
}

package format

import (
	"errors"
	"fmt"
	"io/fs"
	"os"

	"github.com/sliced-wasserstein/lab/internal/durable"
)

// FileError prefixes an error of the operating system with the path the user gave, once.
func FileError(path string, err error) error {
	var onPath *fs.PathError
	var onLink *os.LinkError
	switch {
	case errors.As(err, new(*durable.Error)):
		return err // names the path
	case errors.As(err, &onPath):
		err = onPath.Err
	case errors.As(err, &onLink):
		err = onLink.Err
	}
	return fmt.Errorf("%s: %w", path, err)
}

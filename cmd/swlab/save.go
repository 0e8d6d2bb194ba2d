package main

import (
	"encoding/json"
	"fmt"

	"github.com/sliced-wasserstein/lab/datasets/format"
)

// saved is a file that a call writes at the end of its work. A failure must not lose the numbers:
// the call prints them and then returns err, which names the flag.
type saved struct {
	path string
	err  error
}

// save writes the file of a flag.
func save(flag, path string, write func(path string) error) saved {
	if err := write(path); err != nil {
		return saved{path, fmt.Errorf("--%s: %w", flag, err)}
	}
	return saved{path: path}
}

// saveNPY saves an array.
func saveNPY(flag, path string, values []float32, shape ...int) saved {
	return save(flag, path, func(path string) error { return format.WriteNPY(path, values, shape...) })
}

// row describes the file in text output.
func (s saved) row(what string) [2]string {
	if s.err != nil {
		return [2]string{"not written", what + ", " + s.path}
	}
	return [2]string{"written", what + " in " + s.path}
}

// MarshalJSON writes the path, or null if the file could not be written.
func (s saved) MarshalJSON() ([]byte, error) {
	if s.err != nil {
		return []byte("null"), nil
	}
	return json.Marshal(s.path)
}

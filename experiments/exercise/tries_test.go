package exercise

import (
	"path/filepath"
	"testing"
)

// TestTries: the hint comes with the second wrong answer.
func TestTries(t *testing.T) {
	t.Setenv("SWLAB_LAB", filepath.Join(t.TempDir(), "socket"))
	if a, b, other := tries("02.1"), tries("02.1"), tries("02.2"); a != 1 || b != 2 || other != 1 {
		t.Errorf("counted %d, %d and %d, expected 1, 2 and 1", a, b, other)
	}
}

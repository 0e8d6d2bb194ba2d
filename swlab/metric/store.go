package metric

import (
	"crypto/sha256"
	"fmt"
	"os"
	"path/filepath"

	"github.com/sliced-wasserstein/lab/internal/durable"
)

// store keeps the blocks of one matrix in a folder named by a digest of all that decides its
// numbers. The zero value keeps nothing.
type store struct{ dir string }

// newStore makes the folder of a matrix below dir.
func newStore(dir string, d distance, backend string, unit bool, first, second side) (store, error) {
	if dir == "" {
		return store{}, nil
	}
	h := sha256.New()
	fmt.Fprintf(h, "swlab distances 1, blocks of %d\n%q %q %q\n", blockSize, d.name, d.loss.Convention(), backend)
	if unit {
		fmt.Fprintln(h, "of normalised pairs")
	}
	for _, s := range []side{first, second} {
		fmt.Fprintf(h, "%d %d %d %s\n", s.Clouds, s.Points, s.Dim, s.digest)
	}
	s := store{filepath.Join(dir, fmt.Sprintf("%s-%x", d.name, h.Sum(nil)[:16]))}
	if err := os.MkdirAll(s.dir, 0o755); err != nil {
		return store{}, fmt.Errorf("store: %w", err)
	}
	return s, nil
}

// block returns a block that is stored, or computes it.
func (s store) block(b block, compute func() (compared, error)) (compared, error) {
	if s.dir == "" {
		return compute()
	}
	return durable.Keep(filepath.Join(s.dir, fmt.Sprintf("%06d-%06d.json", b.row, b.column)), nil, compute)
}

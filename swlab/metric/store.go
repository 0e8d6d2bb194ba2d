package metric

import (
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"

	"github.com/sliced-wasserstein/lab/internal/durable"
)

// store keeps the blocks of one matrix in a folder named by a digest of all that decides its
// numbers. A file is a SHA-256 of its own name and the rest, then the distances and the matched
// mass as little-endian float64. The zero value keeps nothing.
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

func (s store) path(b block) string {
	return filepath.Join(s.dir, fmt.Sprintf("%06d-%06d", b.row, b.column))
}

// read returns a block if it is stored and whole.
func (s store) read(b block) (compared, bool) {
	if s.dir == "" {
		return compared{}, false
	}
	raw, err := os.ReadFile(s.path(b))
	n := len(b.pairs())
	if err != nil || len(raw) != sha256.Size+8*(n+1) || [sha256.Size]byte(raw) != s.sum(b, raw[sha256.Size:]) {
		return compared{}, false // computed again
	}
	v := make([]float64, n+1)
	for i := range v {
		v[i] = math.Float64frombits(binary.LittleEndian.Uint64(raw[sha256.Size+8*i:]))
	}
	return compared{v[:n], v[n]}, true
}

// write stores a block. The file is whole or absent; of two processes that write the same block,
// either may win.
func (s store) write(b block, c compared) error {
	if s.dir == "" {
		return nil
	}
	var raw []byte
	for _, v := range append(c.values[:len(c.values):len(c.values)], c.assigned) {
		raw = binary.LittleEndian.AppendUint64(raw, math.Float64bits(v))
	}
	sum := s.sum(b, raw)
	err := durable.Write(s.path(b), func(w io.Writer) error {
		_, err := w.Write(append(sum[:], raw...))
		return err
	})
	if err != nil {
		return fmt.Errorf("store: %w", err)
	}
	return nil
}

// sum also covers the matrix and the block's place in it: a file under another name is not whole.
func (s store) sum(b block, raw []byte) [sha256.Size]byte {
	return sha256.Sum256(append([]byte(filepath.Base(s.dir)+"/"+filepath.Base(s.path(b))+"\n"), raw...))
}

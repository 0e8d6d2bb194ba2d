package metric

import (
	"bytes"
	"os"
	"testing"
)

// FuzzStore: of all files in a block's place, only the one that was written is read.
func FuzzStore(f *testing.F) {
	s, b := store{f.TempDir()}, block{1, 2, 2, 3, false}
	if err := s.write(b, compared{make([]float64, len(b.pairs())), 0.5}); err != nil {
		f.Fatal(err)
	}
	good, err := os.ReadFile(s.path(b))
	if err != nil {
		f.Fatal(err)
	}
	f.Add(good)
	f.Add(good[:len(good)-1])
	f.Fuzz(func(t *testing.T, raw []byte) {
		if err := os.WriteFile(s.path(b), raw, 0o600); err != nil {
			t.Fatal(err)
		}
		if _, ok := s.read(b); ok != bytes.Equal(raw, good) {
			t.Errorf("read: %t, for the file written: %t", ok, bytes.Equal(raw, good))
		}
	})
}

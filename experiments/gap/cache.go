package gap

import (
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	"os"
	"path/filepath"

	"github.com/sliced-wasserstein/lab/internal/durable"
)

// expansionVersion must change with any change to the numbers of expand.
const expansionVersion = 1

// expansions is the content of a file of the cache.
type expansions struct {
	Pairs []Expansion `json:"pairs"`
}

// expanded is expand with a cache of files in folder; "" means no cache. The file's name is the
// digest of all that the coefficients depend on: the clouds, the degree and the rules. The method
// does not matter, and kappa only through the degree.
func expanded(p pairs, degree int, folder string, expand func() ([]Expansion, error)) ([]Expansion, error) {
	if folder == "" {
		return expand()
	}
	h := sha256.New()
	fmt.Fprintln(h, expansionVersion, p.n, p.m, degree, resolution(degree))
	for _, v := range [][]float32{p.first, p.second} {
		if err := binary.Write(h, binary.LittleEndian, v); err != nil {
			return nil, err
		}
	}
	if err := os.MkdirAll(folder, 0o755); err != nil {
		return nil, err
	}
	path := filepath.Join(folder, fmt.Sprintf("harmonics-%x.json", h.Sum(nil)[:12]))
	kept, err := durable.Keep(path, nil, func() (v expansions, err error) {
		v.Pairs, err = expand()
		return v, err
	})
	return kept.Pairs, err
}

package gap

import (
	"context"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/sliced-wasserstein/lab/internal/durable"
)

// expansionVersion must change with any change to the numbers of expand.
const expansionVersion = 1

// expanded is expand with a cache of files in folder; "" means no cache. The file's name is the
// digest of all that the coefficients depend on: the clouds, the degree and the rules. The method
// does not matter, and kappa only through the degree.
func expanded(ctx context.Context, p pairs, degree int, folder string, progress func(done, total int)) ([]Expansion, error) {
	if folder == "" {
		return expand(ctx, p, degree, progress)
	}
	h := sha256.New()
	fmt.Fprintln(h, expansionVersion, p.n, p.m, degree, resolution(degree))
	for _, v := range [][]float32{p.first, p.second} {
		if err := binary.Write(h, binary.LittleEndian, v); err != nil {
			return nil, err
		}
	}
	path := filepath.Join(folder, "harmonics-"+hex.EncodeToString(h.Sum(nil))[:24]+".json")
	var cached expansions
	_, err := durable.ReadJSON(path, &cached)
	switch {
	case err == nil && len(cached.Pairs) == p.n:
		return cached.Pairs, nil
	case err == nil:
		return nil, fmt.Errorf("%s: expected harmonics of %d pairs, found %d; remove the file to compute it again", path, p.n, len(cached.Pairs))
	case !errors.Is(err, fs.ErrNotExist):
		return nil, fmt.Errorf("expected harmonics of %d pairs: %w; remove the file to compute it again", p.n, err)
	}
	e, err := expand(ctx, p, degree, progress)
	if err != nil {
		return nil, err
	}
	if err := os.MkdirAll(folder, 0o755); err != nil {
		return nil, err
	}
	return e, durable.WriteJSON(path, expansions{e})
}

// expansions is the content of a file of the cache: an object, which has a checksum.
type expansions struct {
	Pairs []Expansion `json:"pairs"`
}

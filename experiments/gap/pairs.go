package gap

import (
	"errors"
	"fmt"

	"github.com/sliced-wasserstein/lab/datasets"
	"github.com/sliced-wasserstein/lab/internal/memory"
	"github.com/sliced-wasserstein/lab/swlab/ot1d"
)

// pairs holds n pairs of clouds of m points in R^3.
type pairs struct {
	n, m          int
	first, second []float32 // [n, m, 3]
}

// draw shuffles the clouds and pairs them in order: the training pairs in the order of their
// batches, then those held out. No cloud is in two pairs. The clouds are not normalised.
func draw(set *datasets.Set, c Config) (training, heldOut pairs, err error) {
	if set.Dim != 3 {
		return pairs{}, pairs{}, fmt.Errorf("gap: %s: expected clouds of dimension 3, found %d", set.Name, set.Dim)
	}
	if err := c.Suffices(set); err != nil {
		return pairs{}, pairs{}, fmt.Errorf("gap: %w", err)
	}
	var rows [2][]int32 // of the first and the second clouds
	for i, row := range datasets.EpochOrder(set.Clouds, c.PairSeed, 0)[:c.Clouds()] {
		rows[i%2] = append(rows[i%2], row)
	}
	all := pairs{n: len(rows[0]), m: set.Points}
	if err := memory.Check(fmt.Sprintf("gap: %d pairs of clouds of %d points", all.n, all.m), memory.Bytes(8, all.n, all.m, 3)); err != nil {
		return pairs{}, pairs{}, err
	}
	size := all.n * all.m * 3
	all.first, all.second = make([]float32, size), make([]float32, size)
	if err := errors.Join(set.Read(all.first, rows[0]), set.Read(all.second, rows[1])); err != nil {
		return pairs{}, pairs{}, fmt.Errorf("gap: %w", err)
	}
	split := c.Batches * c.Pairs
	return all.part(0, split), all.part(split, all.n), nil
}

// part returns the pairs from, ..., to-1.
func (p pairs) part(from, to int) pairs {
	size := p.m * 3
	return pairs{n: to - from, m: p.m, first: p.first[from*size : to*size], second: p.second[from*size : to*size]}
}

// batches splits the pairs into parts of size, the last one perhaps smaller, and calls f with each.
func (p pairs) batches(size int, f func(from int, part pairs) error) error {
	for from := 0; from < p.n; from += size {
		if err := f(from, p.part(from, min(from+size, p.n))); err != nil {
			return err
		}
	}
	return nil
}

func (p pairs) x() ot1d.Clouds { return ot1d.Clouds{Coords: p.first, Batch: p.n, Points: p.m, Dim: 3} }
func (p pairs) y() ot1d.Clouds { return ot1d.Clouds{Coords: p.second, Batch: p.n, Points: p.m, Dim: 3} }

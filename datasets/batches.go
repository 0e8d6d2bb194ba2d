package datasets

import (
	"fmt"
	"slices"

	"github.com/sliced-wasserstein/lab/datasets/internal/rng"
)

// Subset returns a copy with m points per cloud, drawn without replacement. Which points of cloud i
// are taken, and in which order, depends only on (seed, i, Points). The subset of m points is a
// prefix of a larger one. m = Points keeps every point in stored order. m > Points and m < 1 are
// errors.
func (s *Set) Subset(m int, seed uint64) (*Set, error) {
	if m < 1 {
		return nil, fmt.Errorf("%s: cannot take %d points per cloud: expected at least 1", s.Name, m)
	}
	if m > s.Points {
		return nil, fmt.Errorf("%s: cannot take %d points per cloud: it has %d", s.Name, m, s.Points)
	}
	out := *s
	out.cut(m, func(i int) *rng.Stream { return rng.New(seed, uint64(i), rng.Hash("subset")) })
	return &out, nil
}

// cut replaces the clouds by copies with m points, drawn without replacement by random; all m = Points
// in stored order.
func (s *Set) cut(m int, random func(cloud int) *rng.Stream) {
	if m == s.Points {
		s.Coords = slices.Clone(s.Coords)
		return
	}
	var points, rests []float32
	for i := range s.Clouds {
		order, cloud, rest := identity(s.Points), s.Cloud(i), s.rest(i)
		random(i).Shuffle(order, m)
		for _, j := range order[:m] {
			from, to := int(j)*s.Dim, (int(j)+1)*s.Dim
			points = append(points, cloud[from:to]...)
			if rest != nil {
				rests = append(rests, rest[from:to]...)
			}
		}
	}
	s.Coords, s.Rest, s.Points = points, rests, m
}

// EpochOrder returns the order in which epoch visits n clouds: a uniform random permutation of 0,
// ..., n-1 that depends only on (n, seed, epoch), so that a resumed run sees the same order.
func EpochOrder(n int, seed uint64, epoch int) []int32 {
	order := identity(n)
	rng.New(seed, uint64(epoch), rng.Hash("epoch")).Shuffle(order, n)
	return order
}

// EpochBatches returns the batches of an epoch, in its [EpochOrder]. A single remaining cloud joins
// the batch before it, because a batch norm needs two (PyTorch rejects one).
func EpochBatches(n, size int, seed uint64, epoch int) [][]int32 {
	order := EpochOrder(n, seed, epoch)
	all := Batches(order, size)
	if k := len(all); k > 1 && len(all[k-1]) == 1 {
		all = append(all[:k-2], order[(k-2)*size:])
	}
	return all
}

// Batches splits an order into batches of size rows. The last one is smaller if size does not
// divide len(order): no cloud is dropped. The batches are views of order. A size below 1 gives one
// batch of everything.
func Batches(order []int32, size int) [][]int32 {
	if size < 1 {
		size = max(1, len(order))
	}
	var out [][]int32
	for len(order) > 0 {
		k := min(size, len(order))
		out = append(out, order[:k:k])
		order = order[k:]
	}
	return out
}

package sets

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"github.com/sliced-wasserstein/lab/internal/memory"
	"github.com/sliced-wasserstein/lab/swlab/internal/parallel"
)

// Neighbours returns the k nearest other clouds of every cloud, [Clouds, k], nearest first and by number
// where equally near, and their distances, [Clouds, k].
//
// It compares all pairs, in blocks, and leaves a pair as soon as the numbers seen make it too far: those
// that vary most come first. Beside the results it needs the memory of the vectors once more.
func (e *Embedding) Neighbours(k int) (rows []int32, distances []float64, err error) {
	n := e.Clouds
	if k < 1 || k > n-1 {
		return nil, nil, fmt.Errorf("k: expected 1 to %d, one less than there are clouds, found %d", n-1, k)
	}
	if err := memory.Check(fmt.Sprintf("k: %d neighbours of %d clouds", k, n),
		memory.Sum(memory.Bytes(12, n, k), memory.Bytes(8, n, e.Size))); err != nil {
		return nil, nil, err
	}
	v := e.sharpest()
	rows, distances = make([]int32, n*k), make([]float64, n*k)
	const queries = 32 // compared with a block of clouds while that is in a core's cache
	parallel.Each((n+queries-1)/queries, parallel.Alone(func(task int) {
		first, last := task*queries, min((task+1)*queries, n)
		for i := first * k; i < last*k; i++ {
			distances[i] = math.Inf(1)
		}
		for from := 0; from < n; from += queries {
			for i := first; i < last; i++ {
				near, at := distances[i*k:(i+1)*k], rows[i*k:(i+1)*k]
				for j := from; j < min(from+queries, n); j++ {
					if j == i {
						continue
					}
					if d := within(v.Vector(i), v.Vector(j), near[k-1]); d < near[k-1] {
						insert(near, at, d, int32(j))
					}
				}
			}
		}
		for i := first * k; i < last*k; i++ {
			distances[i] = math.Sqrt(distances[i])
		}
	}))
	return rows, distances, nil
}

// within is the squared distance, or something of at least limit if the distance is.
func within(a, b []float64, limit float64) (sum float64) {
	const step = 16
	for len(a) > step && sum < limit {
		sum += square(a[:step], b[:step])
		a, b = a[step:], b[step:]
	}
	if sum >= limit {
		return sum
	}
	return sum + square(a, b)
}

// insert puts a nearer cloud into a list of nearest ones.
func insert(near []float64, at []int32, d float64, row int32) {
	i := len(near) - 1
	for ; i > 0 && near[i-1] > d; i-- {
		near[i], at[i] = near[i-1], at[i-1]
	}
	near[i], at[i] = d, row
}

// sharpest is the embedding with the numbers that vary most first.
func (e *Embedding) sharpest() *Embedding {
	mean, square := make([]float64, e.Size), make([]float64, e.Size)
	order := make([]int, e.Size)
	for j := range order {
		order[j] = j
	}
	for i := range e.Clouds {
		for j, v := range e.Vector(i) { // Welford
			d := v - mean[j]
			mean[j] += d / float64(i+1)
			square[j] += d * (v - mean[j])
		}
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(square[b], square[a]) })
	out := *e
	out.Vectors = make([]float64, len(e.Vectors))
	parallel.Each(e.Clouds, parallel.Alone(func(i int) {
		from, to := e.Vector(i), out.Vector(i)
		for j, at := range order {
			to[j] = from[at]
		}
	}))
	return &out
}

package datasets

import (
	"context"
	"errors"
	"slices"
	"testing"
)

// TestEachBatch: the clouds come in order, the last batch is filled up with its last cloud, and a
// context that ends during a batch, or a set with too few clouds, ends the work.
func TestEachBatch(t *testing.T) {
	x := &Set{Name: "x", Clouds: 5, Points: 1, Dim: 1, Coords: []float32{1, 2, 3, 4, 5}}
	y := &Set{Name: "y", Clouds: 5, Points: 1, Dim: 2, Coords: []float32{1, 1, 2, 2, 3, 3, 4, 4, 5, 5}}
	var got []float32
	err := EachBatch(t.Context(), 2, func(first, n int, batch []*Set) error {
		if batch[1].Coords[2*(n-1)] != float32(first+n) {
			t.Errorf("%d clouds from %d: y %v", n, first, batch[1].Coords)
		}
		got = append(got, batch[0].Coords...)
		return nil
	}, x, y)
	if want := []float32{1, 2, 3, 4, 5, 5}; err != nil || !slices.Equal(got, want) {
		t.Errorf("%v, %v; expected %v", got, err, want)
	}
	ctx, stop := context.WithCancel(t.Context())
	calls := 0
	count := func(int, int, []*Set) error { calls++; stop(); return nil }
	if err := EachBatch(ctx, 2, count, x); !errors.Is(err, context.Canceled) || calls != 1 {
		t.Errorf("%d batches, error %v", calls, err)
	}
	if err := EachBatch(t.Context(), 5, count, y, &Set{Name: "few", Clouds: 4, Points: 1, Dim: 1, Coords: make([]float32, 4)}); err == nil {
		t.Error("four clouds beside five are no error")
	}
}

// TestEpochBatches: every cloud once, and a single remaining one joins the batch before it.
func TestEpochBatches(t *testing.T) {
	for n, want := range map[int][]int{3: {3}, 4: {4}, 5: {5}, 6: {4, 2}, 9: {4, 5}, 11: {4, 4, 3}} {
		var sizes []int
		seen := make([]bool, n)
		for _, rows := range EpochBatches(n, 4, 1, 2) {
			sizes = append(sizes, len(rows))
			for _, r := range rows {
				seen[r] = true
			}
		}
		if !slices.Equal(sizes, want) || slices.Contains(seen, false) {
			t.Errorf("%d clouds: batches of %v, expected %v; seen %v", n, sizes, want, seen)
		}
	}
}

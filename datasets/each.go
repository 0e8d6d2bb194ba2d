package datasets

import "context"

// EachBatch reads the clouds of sets in batches of size clouds, from every set the same, and passes
// them to take: clouds first, ..., first+n-1. A last batch of fewer clouds is filled up with its
// last cloud, so that one compiled graph serves all. EachBatch stops between batches when ctx is
// done, with ctx's error; a nil ctx never is.
func EachBatch(ctx context.Context, size int, take func(first, n int, batch []*Set) error, sets ...*Set) error {
	total := sets[0].Clouds
	for first := 0; first < total; first += size {
		if ctx != nil && ctx.Err() != nil {
			return ctx.Err()
		}
		n := min(size, total-first)
		rows := make([]int32, size)
		for i := range rows {
			rows[i] = int32(first + min(i, n-1))
		}
		var batch []*Set
		for _, s := range sets {
			b := &Set{Name: s.Name, Coords: make([]float32, size*s.Points*s.Dim), Clouds: size, Points: s.Points, Dim: s.Dim}
			if err := s.Read(b.Coords, rows); err != nil {
				return err
			}
			batch = append(batch, b)
		}
		if err := take(first, n, batch); err != nil {
			return err
		}
	}
	return nil
}

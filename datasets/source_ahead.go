package datasets

import (
	"iter"
)

// Ahead reads batches of clouds in order, one batch ahead of the caller. It yields their
// coordinates, row-major [len(batch), Points, Dim], which belong to the caller until the next
// batch. It holds two batches in memory. An error of [Clouds.Read] is the last value yielded. When
// the loop over it ends, no read is in progress.
func Ahead(s Clouds, batches iter.Seq[[]int32]) iter.Seq2[[]float32, error] {
	type result struct {
		clouds []float32
		err    error
	}
	return func(yield func([]float32, error) bool) {
		if s == nil || batches == nil {
			yield(nil, errNoSet)
			return
		}
		h := s.Header()
		if h.Points < 0 || h.Dim < 0 {
			yield(nil, h.checkRead(nil, nil))
			return
		}
		free, read, stop := make(chan []float32, 2), make(chan result), make(chan struct{})
		free <- nil
		free <- nil
		go func() {
			defer close(read)
			for rows := range batches {
				var buffer []float32
				select {
				case buffer = <-free:
				case <-stop:
					return
				}
				size := len(rows) * h.Points * h.Dim
				if cap(buffer) < size {
					buffer = make([]float32, size)
				}
				r := result{clouds: buffer[:size]}
				r.err = s.Read(r.clouds, rows)
				select {
				case read <- r:
				case <-stop:
					return
				}
				if r.err != nil {
					return
				}
			}
		}()
		defer func() {
			close(stop)
			for range read { // until the goroutine has ended
			}
		}()
		for r := range read {
			if r.err != nil {
				yield(nil, r.err)
				return
			}
			if !yield(r.clouds, nil) {
				return
			}
			free <- r.clouds
		}
	}
}

// InOrder yields the rows of all clouds in batches of about a million coordinates, for passes over
// a whole [Clouds].
func (h Header) InOrder() iter.Seq[[]int32] {
	return func(yield func([]int32) bool) {
		for _, rows := range Batches(identity(h.Clouds), max(1, (1<<20)/max(1, h.Points*h.Dim))) {
			if !yield(rows) {
				return
			}
		}
	}
}

package parallel

import (
	"sync/atomic"
	"testing"
)

// TestEach: every task is done once, and every worker ends once, for fewer tasks than cores and for none.
func TestEach(t *testing.T) {
	for _, n := range []int{0, 1, 2, 7, 1000} {
		calls := make([]atomic.Int32, n)
		var begun, ended atomic.Int32
		Each(n, func() (func(i int), func()) {
			begun.Add(1)
			return func(i int) { calls[i].Add(1) }, func() { ended.Add(1) }
		})
		Each(n, Alone(func(i int) { calls[i].Add(1) }))
		for i := range calls {
			if c := calls[i].Load(); c != 2 {
				t.Errorf("%d tasks: task %d was called %d times by two calls of Each", n, i, c)
			}
		}
		if b := begun.Load(); b != ended.Load() || int(b) > n || n > 0 && b == 0 {
			t.Errorf("%d tasks: %d workers began, %d ended", n, b, ended.Load())
		}
	}
}

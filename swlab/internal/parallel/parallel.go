// Package parallel divides independent tasks among the cores.
package parallel

import (
	"runtime"
	"sync"
	"sync/atomic"
)

// Each calls task(i) for i = 0..n-1 on up to GOMAXPROCS goroutines. Each has a task of its own, with its
// scratch, and calls done at the end.
func Each(n int, worker func() (task func(i int), done func())) {
	var next atomic.Int64
	var wait sync.WaitGroup
	for range min(n, runtime.GOMAXPROCS(0)) {
		wait.Go(func() {
			task, done := worker()
			defer done()
			for i := int(next.Add(1)) - 1; i < n; i = int(next.Add(1)) - 1 {
				task(i)
			}
		})
	}
	wait.Wait()
}

// Alone is a worker of Each without scratch.
func Alone(task func(i int)) func() (func(i int), func()) {
	return func() (func(i int), func()) { return task, func() {} }
}

// Pieces calls f for consecutive pieces of [0, n) on all cores, or for the whole if there is little
// to do: pieces have at least that many elements.
func Pieces(n, least int, f func(from, to int)) {
	workers := min(runtime.GOMAXPROCS(0), n/least)
	if workers < 2 {
		f(0, n)
		return
	}
	Each(workers, Alone(func(w int) { f(w*n/workers, (w+1)*n/workers) }))
}

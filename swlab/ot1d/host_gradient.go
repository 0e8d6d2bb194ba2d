package ot1d

import (
	"fmt"
	"runtime"
)

// HostGradient returns the costs of Host and the gradient of a loss in X [Batch, N, Dim], Y and Directions
// [Batch, slices, Dim], nil for those that wrt does not name. upstream [Batch, slices] is the loss's derivative in every cost.
//
// The couplings are held fixed and the weights are constants, as in Costs; the derivative at a difference of 0 is 0.
// Directions that the pairs share have the sum of gd over the pairs as their gradient.
func HostGradient(x, y Clouds, directions []float32, slices int, upstream []float64, wrt Wrt, o HostOptions) (costs []float64, gx, gy, gd []float64, err error) {
	if o.SIMD {
		return nil, nil, nil, nil, fmt.Errorf("ot1d: SIMD has no gradient")
	}
	h, err := newHost(x, y, directions, slices, o)
	if err != nil {
		return nil, nil, nil, nil, err
	}
	tasks := x.Batch * slices
	if len(upstream) != tasks {
		return nil, nil, nil, nil, fmt.Errorf("ot1d: expected an upstream gradient [%d, %d], found %d numbers", x.Batch, slices, len(upstream))
	}
	costs = make([]float64, tasks)
	if wrt&X != 0 {
		gx = make([]float64, len(x.Points))
	}
	if wrt&Y != 0 {
		gy = make([]float64, len(y.Points))
	}
	if wrt&Directions != 0 {
		gd = make([]float64, tasks*x.Dim)
	}
	var slopesX, slopesY [][]float64 // of the block's tasks, in the projections of x and y
	block := max(2*runtime.GOMAXPROCS(0), (4<<20)/(x.N+y.N))
	block = min(block, tasks)
	slope := func(n int) [][]float64 {
		all := make([][]float64, block)
		for i := range all {
			all[i] = make([]float64, n)
		}
		return all
	}
	if wrt&(X|Directions) != 0 {
		slopesX = slope(x.N)
	}
	if wrt&(Y|Directions) != 0 {
		slopesY = slope(y.N)
	}
	for first := 0; first < tasks; first += block {
		n := min(block, tasks-first)
		parallel(n, h.newSorter, func(s *hostSorter, k int) {
			task := first + k
			var dx, dy []float64
			if slopesX != nil {
				dx = slopesX[k]
				clear(dx)
			}
			if slopesY != nil {
				dy = slopesY[k]
				clear(dy)
			}
			costs[task] = h.cost(s, task, dx, dy)
			scale(dx, upstream[task])
			scale(dy, upstream[task])
			if gd != nil {
				g := gd[task*x.Dim : (task+1)*x.Dim]
				addMoments(g, dx, x.cloud(task/slices))
				addMoments(g, dy, y.cloud(task/slices))
			}
		})
		if gx != nil {
			h.spread(gx, x, slopesX[:n], first)
		}
		if gy != nil {
			h.spread(gy, y, slopesY[:n], first)
		}
	}
	return costs, gx, gy, gd, nil
}

func scale(v []float64, by float64) {
	for i := range v {
		v[i] *= by
	}
}

// addMoments adds sum_i slopes_i point_i to g.
func addMoments(g, slopes []float64, points []float32) {
	for i, s := range slopes {
		for j, c := range points[i*len(g) : (i+1)*len(g)] {
			g[j] += s * float64(c)
		}
	}
}

// spread adds slope times direction to the gradient g of every point of c, task by task in order, whatever the number of goroutines.
func (h *host) spread(g []float64, c Clouds, slopes [][]float64, first int) {
	const run = 512 // points of one piece of work
	pieces := (c.N + run - 1) / run
	pair := first / h.slices
	pairs := (first+len(slopes)-1)/h.slices - pair + 1
	parallel(pairs*pieces, func() any { return nil }, func(_ any, k int) {
		b, from := pair+k/pieces, k%pieces*run
		to := min(from+run, c.N)
		out := g[(b*c.N+from)*c.Dim : (b*c.N+to)*c.Dim]
		for task := max(first, b*h.slices); task < min(first+len(slopes), (b+1)*h.slices); task++ {
			theta := h.direction(b, task%h.slices)
			for i, s := range slopes[task-first][from:to] {
				at := out[i*len(theta) : (i+1)*len(theta)]
				for j, t := range theta {
					at[j] += s * t
				}
			}
		}
	})
}

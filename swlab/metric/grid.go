package metric

import (
	"fmt"
	"math"

	"github.com/sliced-wasserstein/lab/datasets"
)

const (
	steps  = 28 // grid points per axis, from -1/2 to 1/2
	radius = steps - 1
)

// grid holds the kept points of the grid: k = ((i 28) + j) 28 + l, with coordinates (2i - 27,
// 2j - 27, 2l - 27) / 54, is kept if its norm is at most 1/2. In integers: the squares of the odd
// numbers sum to at most 27^2; none is on the sphere.
type grid struct {
	number [steps * steps * steps]int16 // of a grid point among the kept ones, -1 for the others
	// of the column (i, j): l is kept from 14 - reach to 13 + reach; 0: none
	reach [steps][steps]int
	cells int
}

// ball is the grid in the ball of radius 1/2.
var ball = newGrid()

func newGrid() *grid {
	g := &grid{}
	odd := func(i int) int { return 2*i - radius }
	for i := range steps {
		for j := range steps {
			for l := range steps {
				k := (i*steps+j)*steps + l
				g.number[k] = -1
				if odd(i)*odd(i)+odd(j)*odd(j)+odd(l)*odd(l) <= radius*radius {
					g.number[k] = int16(g.cells)
					g.cells++
					g.reach[i][j] = max(g.reach[i][j], l-steps/2+1)
				}
			}
		}
	}
	return g
}

// nearest is the number of the kept point nearest to (x, y, z), the first of equally near ones.
func (g *grid) nearest(x, y, z float64) int {
	p := [3]float64{(x + 0.5) * radius, (y + 0.5) * radius, (z + 0.5) * radius} // in steps of the grid
	var at [3]int
	for c, v := range p {
		at[c] = closest(v, 0, radius)
	}
	// If the nearest of all grid points is kept, it is the nearest kept one.
	if k := g.number[(at[0]*steps+at[1])*steps+at[2]]; k >= 0 {
		return int(k)
	}
	return g.search(p)
}

// closest is the integer in [low, high] nearest to v, the lower of two.
func closest(v float64, low, high int) int {
	return int(math.Ceil(min(max(v, float64(low)), float64(high)) - 0.5))
}

// search visits the columns that can hold something nearer than the best so far. It starts with a
// point near the sphere on the way to the centre.
func (g *grid) search(p [3]float64) int {
	const middle = radius / 2.
	norm := math.Sqrt(square(p[0]-middle) + square(p[1]-middle) + square(p[2]-middle))
	inside := (middle - 1) / norm // the grid point nearest to that point has norm middle at most
	best, found := math.Inf(1), -1
	column := func(i, j int, across float64) {
		h := g.reach[i][j]
		if h == 0 {
			return
		}
		l := closest(p[2], steps/2-h, steps/2-1+h)
		d, k := across+square(p[2]-float64(l)), (i*steps+j)*steps+l
		if d < best || d == best && k < found {
			best, found = d, k
		}
	}
	i, j := closest(middle+(p[0]-middle)*inside, 0, radius), closest(middle+(p[1]-middle)*inside, 0, radius)
	column(i, j, square(p[0]-float64(i))+square(p[1]-float64(j)))
	for i := range steps {
		dx := square(p[0] - float64(i))
		if dx > best {
			continue
		}
		for j := range steps {
			if d := dx + square(p[1]-float64(j)); d <= best {
				column(i, j, d)
			}
		}
	}
	return int(g.number[found])
}

func square(v float64) float64 { return v * v }

// Cells counts the points of all clouds, times scale, by the cell of [JSD] that holds them:
// [10144], numbered as the kept grid points, the first coordinate slowest. Clouds have dimension 3.
func Cells(clouds *datasets.Set, scale float64) ([]int, error) {
	if clouds.Dim != 3 {
		return nil, fmt.Errorf("%s: JSD: expected clouds of dimension 3, found %d", clouds.Name, clouds.Dim)
	}
	if !(scale > 0) || math.IsInf(scale, 1) {
		return nil, fmt.Errorf("JSD: expected a scale above 0, found %v", scale)
	}
	counts := make([]int, ball.cells)
	cloud := make([]float32, clouds.Points*clouds.Dim)
	for i := range clouds.Clouds {
		if err := clouds.Read(cloud, []int32{int32(i)}); err != nil {
			return nil, err
		}
		for k := 0; k < len(cloud); k += 3 {
			x, y, z := scale*float64(cloud[k]), scale*float64(cloud[k+1]), scale*float64(cloud[k+2])
			if sum := x + y + z; sum-sum != 0 {
				return nil, fmt.Errorf("%s: cloud %d, point %d: expected finite coordinates, found %v",
					clouds.Name, i, k/3, cloud[k:k+3])
			}
			counts[ball.nearest(x, y, z)]++
		}
	}
	return counts, nil
}

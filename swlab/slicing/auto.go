package slicing

import (
	"math/rand/v2"

	"github.com/gomlx/gomlx/core/graph"

	"github.com/sliced-wasserstein/lab/swlab/internal/vec"
)

// Auto chooses by the dimension: quasi-Monte-Carlo sets up to dimension 20, Orthogonal frames above.
// Every direction is uniform by itself, so the mean over slices keeps its expectation.
//
//	d = 2        the angles of QMC, in one set
//	d = 3        lines that repel each other, above 128 slices the spiral of QMC in one set
//	4 <= d <= 20 lines that repel each other
//
// The lines minimise sum_{i<j} 1/(1 - (theta_i'theta_j)^2), the Riesz energy of lines (theta and -theta
// cost the same), as the Coulomb sets of Nguyen, Bariletto and Ho 2024 do that of points, and are turned
// by one random rotation. More than 128 lines are sets of equal size with a rotation each. In
// dimensions 2 to 5 fewer than 3, 6, 10 and 10 lines are a part of that many: what F has beyond
// quadratic functions of theta counts there, and orthogonal directions would average it worse than
// independent ones.
//
// One randomised set has no independent replicates. The standard error of Auto is that of the spread
// of the slices as if they were independent, which is an upper bound (docs/theory.md).
type Auto struct{}

const (
	mostQMCDim = 20
	mostLines  = 128 // of a set
)

// fewest is the number of lines in low dimensions, of which fewer slices are a part.
var fewest = map[int]int{2: 3, 3: 6, 4: 10, 5: 10}

func (Auto) Name() string        { return "auto" }
func (Auto) HasLocation() bool   { return false }
func (Auto) Check(dim int) error { return atLeastTwo("auto", dim) }

// Choice is the name of what Auto takes in that dimension.
func (Auto) Choice(dim int) string {
	if dim > mostQMCDim {
		return "orthogonal"
	}
	return "qmc"
}

func (a Auto) Draw(r Request) *graph.Node {
	dim, slices := r.Dim(), r.Slices
	r.Slices = max(slices, fewest[dim])
	var all *graph.Node
	switch {
	case dim > mostQMCDim:
		all = Orthogonal{}.Draw(r)
	case dim == 2, dim == 3 && r.Slices > mostLines:
		all = QMC{Replicates: 1}.Draw(r)
	default:
		all = repelling(r)
	}
	return graph.Slice(all, graph.AxisRange(), graph.AxisRange(0, slices))
}

// repelling draws at least r.Slices directions.
func repelling(r Request) *graph.Node {
	batch, dim := r.Batch(), r.Dim()
	sets := (r.Slices + mostLines - 1) / mostLines
	n := (r.Slices + sets - 1) / sets
	r.Slices = sets * dim
	rotations := graph.Reshape(Orthogonal{}.Draw(r), batch, sets, dim, dim)
	lines := graph.Const(rotations.Graph(), repellingLines(n, dim))
	return graph.Reshape(graph.Einsum("nc,bscd->bsnd", lines, rotations), batch, sets*n, dim)
}

// repellingLines descends from random lines to a minimum of their energy. A step that climbs is taken
// back and halved.
func repellingLines(n, dim int) [][]float32 {
	const steps = 300
	rng := rand.New(rand.NewPCG(1, uint64(dim)))
	at := make([][]float64, n)
	for i := range at {
		at[i] = make([]float64, dim)
		for j := range at[i] {
			at[i][j] = rng.NormFloat64()
		}
		vec.Unit(at[i])
	}
	energy, slope := lineEnergy(at)
	step := 0.0
	for _, s := range slope {
		step = max(step, vec.Norm(s))
	}
	step = 0.3 / max(step, 1e-9)
	for range steps {
		next := make([][]float64, n)
		for i, v := range at {
			next[i] = make([]float64, dim)
			for j := range v {
				next[i][j] = v[j] - float64(step*slope[i][j])
			}
			vec.Unit(next[i])
		}
		if e, s := lineEnergy(next); e <= energy {
			at, energy, slope = next, e, s
			step *= 1.2
		} else {
			step /= 2
		}
	}
	out := make([][]float32, n)
	for i, v := range at {
		out[i] = vec.To[float32](v)
	}
	return out
}

// lineEnergy is sum_{i<j} 1/(1 - t^2) with t the products of unit vectors, and its gradient along the
// sphere. The floor keeps equal lines apart.
func lineEnergy(at [][]float64) (energy float64, slope [][]float64) {
	const floor = 1e-4
	slope = make([][]float64, len(at))
	for i, v := range at {
		slope[i] = make([]float64, len(v))
		for k, w := range at[:i] {
			t := 0.0
			for j := range v {
				t += float64(v[j] * w[j])
			}
			each := 1 / (1 + floor - float64(t*t))
			energy += each
			pull := 2 * t * each * each
			for j := range v {
				slope[i][j] += float64(pull * w[j])
				slope[k][j] += float64(pull * v[j])
			}
		}
	}
	for i, v := range at {
		along := 0.0
		for j := range v {
			along += float64(v[j] * slope[i][j])
		}
		for j := range v {
			slope[i][j] -= float64(along * v[j])
		}
	}
	return energy, slope
}

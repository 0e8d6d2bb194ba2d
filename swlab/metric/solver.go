package metric

import (
	"context"
	"errors"
	"runtime"
	"slices"

	"github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/core/tensors"

	"github.com/sliced-wasserstein/lab/datasets"
	"github.com/sliced-wasserstein/lab/swlab/engine"
	"github.com/sliced-wasserstein/lab/swlab/internal/parallel"
	"github.com/sliced-wasserstein/lab/swlab/loss"
	"github.com/sliced-wasserstein/lab/swlab/ot1d"
)

// solver computes the distances of pairs of clouds: a graph loss by one program for a fixed number
// of pairs, a host loss with a goroutine per processor.
type solver struct {
	engine  *engine.Engine
	program engine.Program[pairs[*tensors.Tensor], matched[*tensors.Tensor]]
	host    loss.Host // nil for a graph loss
}

// pairs are clouds to compare, [pairs, points, 3] each.
type pairs[T any] struct{ X, Y T }

// matched are the distances of pairs and the fraction of their mass that was matched, if the loss
// says so.
type matched[T any] struct{ Distances, Mass T }

func newSolver(e *engine.Engine, d distance) (*solver, error) {
	if host, ok := d.loss.(loss.Host); ok {
		return &solver{host: host}, nil
	}
	if err := engine.Ready(e); err != nil {
		return nil, err
	}
	l := d.loss.(loss.Graph)
	program := engine.NewProgram[pairs[*tensors.Tensor], matched[*tensors.Tensor]](e, d.name,
		func(in pairs[*graph.Node]) matched[*graph.Node] {
			r := l.Build(loss.BuildArgs{Wrt: ot1d.None}, in.X, in.Y)
			return matched[*graph.Node]{r.Pairs, r.MatchedMass}
		})
	return &solver{engine: e, program: program}, nil
}

// backend names what rounds the numbers.
func (s *solver) backend() string {
	if s.host != nil {
		return "host"
	}
	return s.engine.Name
}

// perCall is how many pairs of clouds of m and n points one call takes. Calls are not interrupted,
// so it is half a second of the approximate EMD at 2048 points on two processors; on the pure-Go
// backend, which stores the tables of all pairs at once, it is what fits. A GPU is given more work,
// tables of at most 1 GB. Other numbers of pairs may change the last bits of a distance.
func (s *solver) perCall(m, n int) int {
	switch {
	case s.host != nil:
		return runtime.GOMAXPROCS(0)
	case s.engine.Name == "go":
		return max(1, min(16, (1<<22)/(m*n)))
	case s.engine.Name == "xla:cuda":
		return max(1, min(blockSize*blockSize, (1<<28)/(m*n)))
	}
	return max(1, min(16, (1<<26)/(m*n)))
}

// block compares the clouds of a block; unit: after each pair was centred and scaled together.
func (s *solver) block(ctx context.Context, b block, unit bool, first, second side) (compared, error) {
	x, err := first.read(b.row, b.rows)
	if err != nil {
		return compared{}, err
	}
	y, err := second.read(b.column, b.columns)
	if err != nil {
		return compared{}, err
	}
	out := compared{Assigned: 1}
	for some := range slices.Chunk(b.pairs(), s.perCall(first.Points, second.Points)) {
		if err := ctx.Err(); err != nil {
			return compared{}, err
		}
		if s.host != nil {
			err = s.onHost(&out, some, x, y)
		} else {
			err = s.inGraph(&out, some, unit, x, y)
		}
		if err != nil {
			return compared{}, err
		}
	}
	return out, nil
}

// read returns n clouds, starting at from.
func (s side) read(from, n int) (ot1d.Clouds, error) {
	rows := make([]int32, n)
	for i := range rows {
		rows[i] = int32(from + i)
	}
	points := make([]float32, n*s.Points*s.Dim)
	return ot1d.Clouds{Coords: points, Batch: n, Points: s.Points, Dim: s.Dim}, s.Read(points, rows)
}

// inGraph appends the distances of some pairs, at most those of one call. It pads the call with the
// last pair.
func (s *solver) inGraph(out *compared, list [][2]int, unit bool, x, y ot1d.Clouds) error {
	per := s.perCall(x.Points, y.Points)
	var gathered [2][]float32
	scales := make([]float64, per)
	for k := range per {
		p := list[min(k, len(list)-1)]
		u, v := slices.Clone(cloudAt(x, p[0]).Coords), slices.Clone(cloudAt(y, p[1]).Coords)
		scales[k] = 1
		if unit {
			if f, err := datasets.FrameOf(slices.Concat(u, v), x.Dim); err == nil { // else all points are equal
				f.Apply(u)
				f.Apply(v)
				scales[k] = f.Scale
			}
		}
		gathered[0], gathered[1] = append(gathered[0], u...), append(gathered[1], v...)
	}
	in := pairs[*tensors.Tensor]{
		X: tensors.FromFlatDataAndDimensions(gathered[0], per, x.Points, x.Dim),
		Y: tensors.FromFlatDataAndDimensions(gathered[1], per, y.Points, y.Dim),
	}
	defer engine.Free(in)
	found, err := s.program.Call(in)
	if err != nil {
		return err
	}
	defer engine.Free(found)
	values, err := tensors.CopyFlatData[float32](found.Distances)
	if err != nil {
		return err
	}
	for i, v := range values[:len(list)] {
		out.Values = append(out.Values, scales[i]*float64(v))
	}
	if found.Mass == nil {
		return nil
	}
	mass, err := tensors.CopyFlatData[float32](found.Mass)
	if err != nil {
		return err
	}
	out.Assigned = min(out.Assigned, float64(slices.Min(mass[:len(list)])))
	return nil
}

// onHost appends the distances of some pairs, each computed by a goroutine.
func (s *solver) onHost(out *compared, list [][2]int, x, y ot1d.Clouds) error {
	values, errs := make([]float64, len(list)), make([]error, len(list))
	parallel.Each(len(list), parallel.Alone(func(k int) {
		r, err := s.host.Compare(cloudAt(x, list[k][0]), cloudAt(y, list[k][1]), false)
		if errs[k] = err; err == nil {
			values[k] = r.Pairs[0]
		}
	}))
	out.Values = append(out.Values, values...)
	return errors.Join(errs...)
}

// cloudAt is cloud i.
func cloudAt(c ot1d.Clouds, i int) ot1d.Clouds {
	size := c.Points * c.Dim
	return ot1d.Clouds{Coords: c.Coords[i*size : (i+1)*size], Batch: 1, Points: c.Points, Dim: c.Dim}
}

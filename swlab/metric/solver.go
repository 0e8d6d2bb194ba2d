package metric

import (
	"context"
	"errors"
	"runtime"
	"slices"
	"sync"

	"github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/core/tensors"

	"github.com/sliced-wasserstein/lab/datasets"
	"github.com/sliced-wasserstein/lab/swlab/engine"
	"github.com/sliced-wasserstein/lab/swlab/loss"
	"github.com/sliced-wasserstein/lab/swlab/ot1d"
)

// solver computes the distances of pairs of clouds: a graph loss by one compiled program for a
// fixed number of pairs, a host loss with a goroutine per processor.
type solver struct {
	engine *engine.Engine
	exec   *graph.Exec // nil for a host loss
	host   loss.Host
}

// Compiled keeps the compiled programs of distances between calls on one backend, in Config. The
// zero value is ready. It serves one call at a time.
type Compiled struct {
	solvers map[string]*solver
}

// Close frees them.
func (p *Compiled) Close() {
	if p == nil {
		return
	}
	for _, s := range p.solvers {
		s.close()
	}
	p.solvers = nil
}

func (p *Compiled) solver(e *engine.Engine, d distance) (*solver, error) {
	if s := p.solvers[d.name]; s != nil && (s.exec == nil || s.engine == e) {
		return s, nil
	}
	s, err := newSolver(e, d)
	if err != nil {
		return nil, err
	}
	if old := p.solvers[d.name]; old != nil {
		old.close()
	}
	if p.solvers == nil {
		p.solvers = map[string]*solver{}
	}
	p.solvers[d.name] = s
	return s, nil
}

func newSolver(e *engine.Engine, d distance) (*solver, error) {
	g, isGraph := d.loss.(loss.Graph)
	if !isGraph {
		return &solver{host: d.loss.(loss.Host)}, nil
	}
	if e == nil {
		return nil, errors.New("engine: expected an open one, found none")
	}
	x, err := graph.NewExec(e.Backend, func(x, y *graph.Node) []*graph.Node {
		r := g.Build(loss.BuildArgs{Wrt: ot1d.None}, x, y)
		if r.MatchedMass == nil {
			return []*graph.Node{r.Pairs}
		}
		return []*graph.Node{r.Pairs, r.MatchedMass}
	})
	return &solver{engine: e, exec: x}, err
}

func (s *solver) close() {
	if s.exec != nil {
		s.exec.Finalize()
	}
}

// backend names what rounds the numbers.
func (s *solver) backend() string {
	if s.exec == nil {
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
	case s.exec == nil:
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
	out := compared{assigned: 1}
	for pairs := range slices.Chunk(b.pairs(), s.perCall(first.Points, second.Points)) {
		if err := ctx.Err(); err != nil {
			return compared{}, err
		}
		if s.exec == nil {
			err = s.onHost(&out, pairs, x, y)
		} else {
			err = s.inGraph(&out, pairs, unit, x, y)
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
func (s *solver) inGraph(out *compared, pairs [][2]int, unit bool, x, y ot1d.Clouds) error {
	per := s.perCall(x.Points, y.Points)
	var gathered [2][]float32
	scales := make([]float64, per)
	for k := range per {
		p := pairs[min(k, len(pairs)-1)]
		u, v := slices.Clone(one(x, p[0]).Coords), slices.Clone(one(y, p[1]).Coords)
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
	a := tensors.FromFlatDataAndDimensions(gathered[0], per, x.Points, x.Dim)
	b := tensors.FromFlatDataAndDimensions(gathered[1], per, y.Points, y.Dim)
	defer a.FinalizeAll()
	defer b.FinalizeAll()
	result, err := s.exec.Call(a, b)
	if err != nil {
		return err
	}
	for k, t := range result {
		v, err := tensors.CopyFlatData[float32](t)
		t.FinalizeAll()
		if err != nil {
			return err
		}
		for i, f := range v[:len(pairs)] {
			if k == 0 {
				out.values = append(out.values, scales[i]*float64(f))
			} else {
				out.assigned = min(out.assigned, float64(f))
			}
		}
	}
	return nil
}

// onHost appends the distances of some pairs, each computed by a goroutine.
func (s *solver) onHost(out *compared, pairs [][2]int, x, y ot1d.Clouds) error {
	values, errs := make([]float64, len(pairs)), make([]error, len(pairs))
	var group sync.WaitGroup
	for k, p := range pairs {
		group.Go(func() {
			r, err := s.host.Compare(one(x, p[0]), one(y, p[1]), false)
			if errs[k] = err; err == nil {
				values[k] = r.Pairs[0]
			}
		})
	}
	group.Wait()
	out.values = append(out.values, values...)
	return errors.Join(errs...)
}

// one is cloud i.
func one(c ot1d.Clouds, i int) ot1d.Clouds {
	size := c.Points * c.Dim
	return ot1d.Clouds{Coords: c.Coords[i*size : (i+1)*size], Batch: 1, Points: c.Points, Dim: c.Dim}
}

package engine

import (
	"errors"
	"fmt"
	"runtime"
	"strings"
	"sync"
	"testing"

	"github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/core/tensors"
	"github.com/janpfeifer/must"
)

// terms and sums are the inputs and outputs of a program that adds whatever it is given.
type terms[T any] struct {
	X     T
	List  []T
	Named map[string]T
	Inner struct{ Y T }
}

type sums[T any] struct {
	Total  T
	Copies []T
	Named  map[string]T
	Y      T
}

type (
	node   = *graph.Node
	tensor = *tensors.Tensor
)

func add(in terms[node]) sums[node] {
	out := sums[node]{Total: in.X, Copies: in.List, Named: in.Named, Y: in.Inner.Y}
	for _, v := range in.List {
		out.Total = graph.Add(out.Total, v)
	}
	for _, name := range []string{"a", "b"} {
		if v := in.Named[name]; v != nil {
			out.Total = graph.Add(out.Total, v)
		}
	}
	if in.Inner.Y != nil {
		out.Total = graph.Add(out.Total, in.Inner.Y)
	}
	return out
}

func number(v float32) tensor { return tensors.FromValue([]float32{v}) }

func value(t *testing.T, v tensor) float32 {
	t.Helper()
	return must.M1(tensors.CopyFlatData[float32](v))[0]
}

// TestProgram: values arrive under their names, in lists, maps and structs, with and without those
// that may be nil, and each form is compiled once.
func TestProgram(t *testing.T) {
	e := must.M1(Open(kindGo))
	defer e.Close()
	p := NewProgram[terms[tensor], sums[tensor]](e, "add", add)
	for round := range 2 {
		in := terms[tensor]{X: number(1), List: []tensor{number(2), number(4)}, Named: map[string]tensor{"b": number(8), "a": number(16)}}
		out := must.M1(p.Call(in))
		if value(t, out.Total) != 31 || value(t, out.Copies[0]) != 2 || value(t, out.Copies[1]) != 4 || value(t, out.Named["b"]) != 8 || out.Y != nil {
			t.Errorf("round %d: %v", round, out)
		}
		in.Inner.Y = number(32)
		if out = must.M1(p.Call(in)); value(t, out.Total) != 63 || value(t, out.Y) != 32 {
			t.Errorf("round %d, with Y: %v", round, out)
		}
		Free(in, out)
	}
	again := NewProgram[terms[tensor], sums[tensor]](e, "add", func(terms[node]) sums[node] { panic("not needed") })
	if _, err := again.Call(terms[tensor]{X: number(1), List: []tensor{number(2), number(4)}, Named: map[string]tensor{"a": number(1), "b": number(1)}}); err != nil {
		t.Error(err)
	}
	if n := e.Compilations(); n != 2 {
		t.Errorf("%d compilations, expected 2", n)
	}
}

// TestProgramFails: what a graph's builder panics with is the caller's error, the next call builds
// again, and no engine is an error.
func TestProgramFails(t *testing.T) {
	e := must.M1(Open(kindGo))
	broken := true
	p := NewProgram[terms[tensor], sums[tensor]](e, nil, func(in terms[node]) sums[node] {
		if broken {
			panic("broken")
		}
		return add(in)
	})
	in := terms[tensor]{X: number(3)}
	if _, err := p.Call(in); err == nil || !strings.Contains(fmt.Sprint(err), "broken") {
		t.Errorf("a builder that panics: %v", err)
	}
	broken = false
	if out, err := p.Call(in); err != nil || value(t, out.Total) != 3 {
		t.Errorf("after an error: %v", err)
	}
	e.Close()
	if _, err := p.Call(in); !errors.Is(err, errClosed) {
		t.Errorf("after Close: %v", err)
	}
	if _, err := NewProgram[terms[tensor], sums[tensor]](nil, nil, add).Call(in); err == nil {
		t.Error("without an engine there is no error")
	}
}

// TestCache: the program used longest ago goes, unless it is in use. Close waits for those in use,
// and keeps nobody from other engines meanwhile.
func TestCache(t *testing.T) {
	e := must.M1(Open(kindGo))
	c := &e.shared.cache
	use := func(key any) func() {
		_, done := must.M2(c.use(programKey{key: key}, func() (*compiled, error) {
			return &compiled{exec: graph.MustNewExec(e.Backend, func(in []node) []node { return in })}, nil
		}))
		return done
	}
	kept := func(key any) bool { return c.entries[programKey{key: key}] != nil }
	busy := use("busy")
	for i := range MaxPrograms {
		use(i)()
	}
	if !kept("busy") || kept(0) || !kept(1) || len(c.entries) != MaxPrograms {
		t.Errorf("%d programs, busy %t, oldest idle %t, next %t", len(c.entries), kept("busy"), kept(0), kept(1))
	}
	closed := make(chan struct{})
	go func() {
		defer close(closed)
		e.Close()
	}()
	for Ready(e) == nil {
		runtime.Gosched()
	}
	must.M1(Open(kindGo)).Close()
	select {
	case <-closed:
		t.Error("closed with a program in use")
	default:
	}
	busy()
	<-closed
}

// TestCloseWhileCompiling: Close waits also for a call whose program does not compile.
func TestCloseWhileCompiling(t *testing.T) {
	e := must.M1(Open(kindGo))
	c, broken, closed := &e.shared.cache, errors.New("broken"), make(chan struct{})
	_, _, err := c.use(programKey{key: "broken"}, func() (*compiled, error) {
		go func() {
			defer close(closed)
			e.Close()
		}()
		for Ready(e) == nil {
			runtime.Gosched()
		}
		return nil, broken
	})
	<-closed
	if err != broken || c.entries != nil {
		t.Errorf("%v, and %d programs after Close", err, len(c.entries))
	}
}

// TestProgramAtOnce: many goroutines and few forms compile each form once.
func TestProgramAtOnce(t *testing.T) {
	e := must.M1(Open(kindGo))
	defer e.Close()
	p := NewProgram[terms[tensor], sums[tensor]](e, nil, add)
	var all sync.WaitGroup
	for i := range 16 {
		all.Go(func() {
			in := terms[tensor]{X: number(0), List: make([]tensor, i%4)}
			for k := range in.List {
				in.List[k] = number(1)
			}
			for range 10 {
				if out, err := p.Call(in); err != nil || value(t, out.Total) != float32(i%4) {
					t.Errorf("%d terms: %v", i%4, err)
				}
			}
		})
	}
	all.Wait()
	if n := e.Compilations(); n != 4 {
		t.Errorf("%d compilations, expected 4", n)
	}
}

// frames are calls, innermost first.
type frames []runtime.Frame

func (f *frames) Next() (first runtime.Frame, more bool) {
	first, *f = (*f)[0], (*f)[1:]
	return first, len(*f) > 0
}

// TestPlace: the innermost call of the user's.
func TestPlace(t *testing.T) {
	at := func(function string, line int) runtime.Frame {
		return runtime.Frame{Function: function, File: "/tmp/" + function, Line: line}
	}
	own := frames{at("runtime.gopanic", 1), at("github.com/gomlx/gomlx/core/graph.Add", 2), at("main.far.Direction", 3), at("main.main", 4)}
	if got := place(&own); got != "\n\tat /tmp/main.far.Direction:3" {
		t.Errorf("a cell's: %q", got)
	}
	module := frames{at("github.com/sliced-wasserstein/lab/swlab/loss.New", 1), at("encoding/json.Marshal", 2), at("example.com/mine/own.centroid.Build", 3)}
	if got := place(&module); got != "\n\tat /tmp/example.com/mine/own.centroid.Build:3" {
		t.Errorf("a module's: %q", got)
	}
	none := frames{at("runtime.gopanic", 1), at("github.com/sliced-wasserstein/lab/swlab/loss.New", 2), at("testing.tRunner", 3)}
	if got := place(&none); got != "" {
		t.Errorf("nobody's: %q", got)
	}
}

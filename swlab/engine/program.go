package engine

import (
	"errors"
	"fmt"
	"reflect"
	"runtime"
	"slices"
	"strings"
	"sync"
	"sync/atomic"

	"github.com/gomlx/compute"
	"github.com/gomlx/compute/shapes"
	"github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/core/tensors"
)

// Program is a graph with named inputs and outputs. In and Out are structs of tensors, which may
// also hold lists, maps and structs of tensors; all fields are exported. A tensor may be nil: the
// graph is then built without it.
//
// The graph sees the same structs with nodes in place of tensors, so a generic struct serves both:
//
//	type clouds[T any] struct{ X, Y T }
//	type costs[T any] struct{ Pairs T }
//
//	p := engine.NewProgram[clouds[*Tensor], costs[*Tensor]](e, "squares", func(in clouds[*Node]) costs[*Node] {
//		return costs[*Node]{ReduceSum(Square(Sub(in.X, in.Y)), 1, 2)}
//	})
//	out, err := p.Call(clouds[*Tensor]{x, y})
//
// A program needs no closing: the engine keeps what it compiles (MaxPrograms). It is safe for
// concurrent use.
type Program[In, Out any] struct {
	engine *Engine
	key    any
	// build makes the graph for inputs of the form of in. It returns the output struct of nodes.
	build func(in reflect.Value, nodes []*graph.Node) reflect.Value
}

// NewProgram describes a program; the first Call with inputs of a form and of shapes compiles it.
// key is comparable and holds everything that the graph depends on apart from its inputs: programs
// of equal keys and types share what is compiled. With the key nil, a program shares nothing.
func NewProgram[In, Out, NodesIn, NodesOut any](e *Engine, key any, build func(NodesIn) NodesOut) Program[In, Out] {
	if key == nil {
		key = new(int)
	}
	return Program[In, Out]{engine: e, key: key, build: func(in reflect.Value, nodes []*graph.Node) reflect.Value {
		var named NodesIn
		fill(reflect.ValueOf(&named).Elem(), in, taking(nodes))
		return reflect.ValueOf(build(named))
	}}
}

// Call runs the program. It does not change its inputs; the caller frees them and the outputs
// ([Free]).
func (p Program[In, Out]) Call(in In) (out Out, err error) {
	if err := Ready(p.engine); err != nil {
		return out, err
	}
	from := reflect.ValueOf(in)
	var form strings.Builder
	var args []any
	var all []shapes.Shape
	collect(from, &form, func(v reflect.Value) {
		t := v.Interface().(*tensors.Tensor)
		args, all = append(args, t), append(all, t.Shape())
		form.WriteString(t.Shape().String())
	})
	key := programKey{p.key, form.String(), reflect.TypeFor[In](), reflect.TypeFor[Out]()}
	c, done, err := p.engine.shared.cache.use(key, func() (*compiled, error) {
		name, _, _ := strings.Cut(key.in.String(), "[")
		return compile(p.engine.Backend, name, all, func(nodes []*graph.Node) reflect.Value { return p.build(from, nodes) })
	})
	if err != nil {
		return out, err
	}
	defer done()
	found, err := c.exec.Call(args...)
	if err != nil {
		return out, err
	}
	fill(reflect.ValueOf(&out).Elem(), c.out, taking(found))
	return out, nil
}

// programKey identifies a compiled program. form is the arrangement and the shapes of its inputs.
type programKey struct {
	key     any
	form    string
	in, out reflect.Type
}

// compiled is a graph for inputs of one form.
type compiled struct {
	exec *graph.Exec
	out  reflect.Value // the output struct of nodes
}

// compiles counts programs, so that XLA's dumps and profiles show which is which.
var compiles atomic.Int64

// compile compiles the graph that build makes of inputs of those shapes.
func compile(b compute.Backend, name string, in []shapes.Shape, build func([]*graph.Node) reflect.Value) (*compiled, error) {
	c := &compiled{}
	var err error
	c.exec, err = graph.NewExec(b, func(in []*graph.Node) (out []*graph.Node) {
		// GoMLX returns a panic with an error as an error, and waits for ever after any other panic.
		defer func() {
			if r := recover(); r != nil {
				pcs := make([]uintptr, 256)
				panic(fmt.Errorf("%v%s", r, place(runtime.CallersFrames(pcs[:runtime.Callers(2, pcs)]))))
			}
		}()
		c.out = build(in)
		build = nil // It refers to the inputs of the first call.
		collect(c.out, &strings.Builder{}, func(n reflect.Value) { out = append(out, n.Interface().(*graph.Node)) })
		return out
	})
	if err != nil {
		return nil, err
	}
	c.exec.WithName(fmt.Sprintf("%s_%d", name, compiles.Add(1)))
	if _, err := c.exec.Compile(in...); err != nil {
		c.exec.Finalize()
		return nil, err
	}
	return c, nil
}

// place says where in the user's code a graph could not be built: the innermost call outside of this module,
// GoMLX and the standard library, as a line "at FILE:LINE"; "" without one. In a notebook the kernel makes it cell and line.
func place(calls interface{ Next() (runtime.Frame, bool) }) string {
	for more := true; more; {
		var f runtime.Frame
		f, more = calls.Next()
		module, _, isPath := strings.Cut(f.Function, "/")
		ours := strings.HasPrefix(f.Function, "github.com/sliced-wasserstein/lab/") || strings.HasPrefix(f.Function, "github.com/gomlx/")
		if strings.HasPrefix(f.Function, "main.") || isPath && strings.Contains(module, ".") && !ours {
			return fmt.Sprintf("\n\tat %s:%d", f.File, f.Line)
		}
	}
	return ""
}

// collect passes the tensors or nodes of v that are not nil to take, and writes how they are
// arranged.
func collect(v reflect.Value, form *strings.Builder, take func(reflect.Value)) {
	switch v.Kind() {
	case reflect.Pointer:
		if !v.IsNil() {
			take(v)
		}
		form.WriteByte(',')
	case reflect.Slice:
		form.WriteByte('[')
		for i := range v.Len() {
			collect(v.Index(i), form, take)
		}
		form.WriteByte(']')
	case reflect.Map:
		for _, name := range names(v) {
			form.WriteString(name)
			form.WriteByte(':')
			collect(v.MapIndex(reflect.ValueOf(name)), form, take)
		}
		form.WriteByte(';')
	case reflect.Struct:
		for i := range v.NumField() {
			collect(v.Field(i), form, take)
		}
	default:
		panic(fmt.Errorf("engine: inputs and outputs hold tensors, lists, maps by name and structs; found %s",
			v.Type()))
	}
}

// fill arranges what next returns in `to` as the tensors or nodes of like are arranged.
func fill(to, like reflect.Value, next func() reflect.Value) {
	switch like.Kind() {
	case reflect.Pointer:
		if !like.IsNil() {
			to.Set(next())
		}
	case reflect.Slice:
		to.Set(reflect.MakeSlice(to.Type(), like.Len(), like.Len()))
		for i := range like.Len() {
			fill(to.Index(i), like.Index(i), next)
		}
	case reflect.Map:
		to.Set(reflect.MakeMap(to.Type()))
		for _, name := range names(like) {
			value := reflect.New(to.Type().Elem()).Elem()
			fill(value, like.MapIndex(reflect.ValueOf(name)), next)
			to.SetMapIndex(reflect.ValueOf(name), value)
		}
	case reflect.Struct:
		for i := range like.NumField() {
			fill(to.Field(i), like.Field(i), next)
		}
	}
}

// names are the keys of a map, in order.
func names(m reflect.Value) []string {
	var keys []string
	for _, k := range m.MapKeys() {
		keys = append(keys, k.String())
	}
	slices.Sort(keys)
	return keys
}

// taking returns the elements of list one after the other.
func taking[T any](list []T) func() reflect.Value {
	return func() reflect.Value {
		v := reflect.ValueOf(list[0])
		list = list[1:]
		return v
	}
}

// Free frees tensors on the device, which Go's garbage collector does not see. It takes tensors and
// what a Program takes and returns.
func Free(values ...any) {
	for _, v := range values {
		if v != nil {
			collect(reflect.ValueOf(v), &strings.Builder{}, func(t reflect.Value) { t.Interface().(*tensors.Tensor).FinalizeAll() })
		}
	}
}

// MaxPrograms is how many compiled programs a backend keeps, one for each form of a Program's
// inputs. Beyond it the least recently used one that is idle is freed.
const MaxPrograms = 128

// errClosed says that an engine was used after Close.
var errClosed = errors.New("expected an open engine, found one that is closed")

// cache holds the compiled programs of a backend.
type cache struct {
	mu      sync.Mutex
	entries map[programKey]*entry
	uses    int // Calls so far.
	built   int // Programs compiled so far.
	closed  bool
}

// entry is a program in the cache.
type entry struct {
	busy     sync.RWMutex // Calls hold it for reading; to free the program, it is locked for writing.
	lastUse  int
	once     sync.Once
	compiled *compiled
	err      error
}

// use returns the program of that key, which build makes if there is none. done ends the use.
func (c *cache) use(key programKey, build func() (*compiled, error)) (p *compiled, done func(), err error) {
	e, err := c.take(key)
	if err != nil {
		return nil, nil, err
	}
	e.once.Do(func() { e.compiled, e.err = build() })
	if e.err != nil { // The next call tries again.
		e.busy.RUnlock()
		c.mu.Lock()
		if c.entries[key] == e {
			delete(c.entries, key)
		}
		c.mu.Unlock()
		return nil, nil, e.err
	}
	return e.compiled, e.busy.RUnlock, nil
}

// take finds or adds an entry, and keeps it from being freed.
func (c *cache) take(key programKey) (*entry, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.closed {
		return nil, errClosed
	}
	e := c.entries[key]
	if e == nil {
		if c.entries == nil {
			c.entries = map[programKey]*entry{}
		}
		e = &entry{}
		c.entries[key] = e
		c.built++
	}
	c.uses++
	e.lastUse = c.uses
	e.busy.RLock()
	if len(c.entries) > MaxPrograms {
		c.evict()
	}
	return e, nil
}

// evict frees the least recently used program that is idle, with mu held.
func (c *cache) evict() {
	var oldest programKey
	last := c.uses
	for key, e := range c.entries {
		if e.lastUse < last && e.busy.TryLock() {
			e.busy.Unlock() // No call can take it while mu is held.
			oldest, last = key, e.lastUse
		}
	}
	if e := c.entries[oldest]; e != nil {
		e.free()
		delete(c.entries, oldest)
	}
}

// Compilations is how many programs the engine's backend has compiled so far.
func (e *Engine) Compilations() int {
	if Ready(e) != nil {
		return 0
	}
	c := &e.shared.cache
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.built
}

func (e *entry) free() {
	if e.compiled != nil {
		e.compiled.exec.Finalize()
	}
}

// close waits for calls to end and frees all programs.
func (c *cache) close() {
	c.mu.Lock()
	entries := c.entries // A call whose program does not compile still deletes its entry.
	c.entries, c.closed = nil, true
	c.mu.Unlock()
	for _, e := range entries {
		e.busy.Lock()
		e.free()
	}
}

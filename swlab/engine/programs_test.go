package engine

import (
	"errors"
	"runtime"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/gomlx/compute"
)

// keeper counts what is built and freed.
type keeper struct{ built, freed atomic.Int32 }

func (k *keeper) get(t *testing.T, e *Engine, key any) func() {
	t.Helper()
	v, release, err := Compiled(e, key, func(compute.Backend) (any, func(), error) {
		k.built.Add(1)
		return key, func() { k.freed.Add(1) }, nil
	})
	if err != nil || v != key {
		t.Errorf("%v: got %v, %v", key, v, err)
	}
	return release
}

func (k *keeper) expect(t *testing.T, when string, built, freed int32) {
	t.Helper()
	if b, f := k.built.Load(), k.freed.Load(); b != built || f != freed {
		t.Errorf("%s: built %d, freed %d; expected %d, %d", when, b, f, built, freed)
	}
}

// open1 opens the pure-Go backend, which no other test of this package leaves open.
func open1(t *testing.T) *Engine {
	t.Helper()
	e, err := Open(kindGo)
	if err != nil {
		t.Fatal(err)
	}
	return e
}

// TestCompiled: one build per key on all engines of a backend; the program used longest ago goes, not before its last user is done; the
// others go with the last engine.
func TestCompiled(t *testing.T) {
	var k keeper
	e, other := open1(t), open1(t)
	busy := k.get(t, e, "busy")
	k.get(t, e, 0)()
	k.get(t, other, 0)()
	k.expect(t, "the same key twice", 2, 0)
	for i := range MaxPrograms {
		k.get(t, e, i)()
	}
	k.expect(t, "one too many, in use", MaxPrograms+1, 0)
	busy()
	busy()
	k.expect(t, "given back", MaxPrograms+1, 1)
	k.get(t, e, "one more")()
	k.expect(t, "one too many", MaxPrograms+2, 2)
	k.get(t, e, 0)()
	k.expect(t, "the one used longest ago, again", MaxPrograms+3, 3)
	e.Close()
	k.expect(t, "one engine closed", MaxPrograms+3, 3)
	other.Close()
	k.expect(t, "both closed", MaxPrograms+3, MaxPrograms+3)
	if _, _, err := Compiled(e, 0, func(compute.Backend) (int, func(), error) { return 0, func() {}, nil }); !errors.Is(err, errClosed) {
		t.Errorf("after Close: %v", err)
	}
}

// TestCloseInUse: Close waits for a program in use, and keeps nobody else from the engines meanwhile.
func TestCloseInUse(t *testing.T) {
	var k keeper
	e := open1(t)
	release := k.get(t, e, "busy")
	closed := make(chan struct{})
	go func() {
		defer close(closed)
		e.Close()
	}()
	for Ready(e) == nil {
		runtime.Gosched()
	}
	other := open1(t)
	k.get(t, other, "another")()
	other.Close()
	select {
	case <-closed:
		t.Error("closed with a program in use")
	default:
	}
	k.expect(t, "in use", 2, 1)
	release()
	<-closed
	k.expect(t, "released", 2, 2)
}

// TestCompiledFails: an error is the caller's, and the next call builds again.
func TestCompiledFails(t *testing.T) {
	e := open1(t)
	defer e.Close()
	broken := errors.New("broken")
	if _, _, err := Compiled(e, "k", func(compute.Backend) (any, func(), error) { return nil, nil, broken }); !errors.Is(err, broken) {
		t.Errorf("got %v", err)
	}
	var k keeper
	k.get(t, e, "k")()
	k.expect(t, "after an error", 1, 0)
}

// TestCompiledAtOnce: many goroutines, few keys.
func TestCompiledAtOnce(t *testing.T) {
	e := open1(t)
	var k keeper
	var all sync.WaitGroup
	for i := range 32 {
		all.Go(func() {
			for j := range 50 {
				k.get(t, e, (i+j)%4)()
			}
		})
	}
	all.Wait()
	k.expect(t, "at once", 4, 0)
	e.Close()
	k.expect(t, "closed", 4, 4)
}

package engine

import (
	"fmt"
	"reflect"
	"slices"
	"sync"

	"github.com/gomlx/compute"
)

// program is something compiled, kept under a key.
type program struct {
	key   any
	made  sync.Once
	value any
	free  func()
	err   error
	users int  // Calls that use it now.
	gone  bool // No longer in the list: the last user frees it.
}

// programs are those that a backend keeps, the most recently used first.
type programs struct {
	mu     sync.Mutex
	list   []*program
	closed bool
	calls  sync.WaitGroup
}

// Compiled returns the program that an engine's backend keeps under a comparable key. If there is
// none, build makes it and returns it with the function that frees it. Engines that share a backend
// share its programs, of which it keeps MaxPrograms, until the last of these engines is closed;
// Close waits for programs in use. Compiled is safe for concurrent use: one goroutine builds.
//
// The key must hold everything that the program depends on, including the shapes of its inputs, and
// build should hold on to nothing large. Call release when the program is no longer used. The error
// is that of build, which the next call tries again.
func Compiled[P any](e *Engine, key any, build func(compute.Backend) (P, func(), error)) (p P, release func(), err error) {
	if err := Ready(e); err != nil {
		return p, nil, err
	}
	if build == nil || key == nil || !reflect.ValueOf(key).Comparable() {
		return p, nil, fmt.Errorf("expected a comparable key and a function that builds the program, found the key %v",
			key)
	}
	if e.shared == nil || e.Backend != e.shared.backend { // An engine made by hand: nobody would free its programs.
		return build(e.Backend)
	}
	kept, release, err := e.shared.programs.use(key, func() (any, func(), error) {
		e.shared.cache.mu.Lock()
		e.shared.cache.built++
		e.shared.cache.mu.Unlock()
		return build(e.Backend)
	})
	if err != nil {
		return p, nil, err
	}
	return kept.(P), release, nil
}

// use takes the program of that key, or makes it.
func (c *programs) use(key any, build func() (any, func(), error)) (value any, release func(), err error) {
	p, evicted, err := c.take(key)
	if err != nil {
		return nil, nil, err
	}
	if evicted != nil {
		evicted.free()
	}
	p.made.Do(func() { p.value, p.free, p.err = build() })
	release = sync.OnceFunc(func() { c.give(p) })
	if p.err != nil {
		c.mu.Lock()
		c.remove(p)
		c.mu.Unlock()
		release()
		return nil, nil, p.err
	}
	return p.value, release, nil
}

// take finds or adds the program of that key, and counts a user of it. The caller has to free
// evicted.
func (c *programs) take(key any) (p, evicted *program, err error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.closed {
		return nil, nil, errClosed
	}
	if i := slices.IndexFunc(c.list, func(p *program) bool { return p.key == key }); i >= 0 {
		p = c.list[i]
		c.list = slices.Delete(c.list, i, i+1)
	} else {
		p = &program{key: key}
	}
	c.list = slices.Insert(c.list, 0, p)
	p.users++
	c.calls.Add(1)
	if len(c.list) > MaxPrograms {
		last := c.list[MaxPrograms]
		c.remove(last)
		if last.users == 0 {
			evicted = last
		}
	}
	return p, evicted, nil
}

// remove takes a program from the list, with mu held.
func (c *programs) remove(p *program) {
	p.gone = true
	if i := slices.Index(c.list, p); i >= 0 {
		c.list = slices.Delete(c.list, i, i+1)
	}
}

// give ends a use of a program.
func (c *programs) give(p *program) {
	c.mu.Lock()
	p.users--
	last := p.gone && p.users == 0
	c.mu.Unlock()
	if last && p.free != nil {
		p.free()
	}
	c.calls.Done()
}

// close frees all programs, after the calls that use them have ended.
func (c *programs) close() {
	c.mu.Lock()
	c.closed = true
	c.mu.Unlock()
	c.calls.Wait()
	for _, p := range c.list {
		p.free()
	}
	c.list = nil
}

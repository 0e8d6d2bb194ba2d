package engine

import (
	"errors"
	"sync"
)

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

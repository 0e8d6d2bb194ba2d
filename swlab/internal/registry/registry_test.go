package registry

import (
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
)

func TestRegister(t *testing.T) {
	r := New("loss", map[string]func() int{"sw": func() int { return 1 }})
	r.Register("a-1", func() int { return 2 })
	if got := r.Names(); !slices.Equal(got, []string{"a-1", "sw"}) {
		t.Errorf("names: %v", got)
	}
	if f, err := r.Get("a-1"); err != nil || f() != 2 {
		t.Errorf("a-1: %v", err)
	}
	if _, err := r.Get("b"); err == nil || err.Error() != `unknown loss "b", expected one of a-1, sw` {
		t.Errorf("b: %v", err)
	}
	for name, says := range map[string]string{
		"": "name", "none": "none", "A": "name", "a b": "name", "a,b": "name", "a/b": "name", "-a": "name", "a-": "name",
		"1a": "name",
		"sw": `"sw": the name is taken`,
	} {
		func() {
			defer func() {
				err, ok := recover().(error)
				if !ok || !strings.Contains(err.Error(), says) || !strings.Contains(err.Error(), "register loss") {
					t.Errorf("%q: expected a panic with an error that says %s, found %v", name, says, err)
				}
			}()
			r.Register(name, func() int { return 0 })
		}()
	}
}

// TestConcurrent is for the race detector.
func TestConcurrent(t *testing.T) {
	r := New[func()]("loss", nil)
	var all sync.WaitGroup
	for i := range 8 {
		all.Go(func() {
			name := fmt.Sprintf("l%d", i)
			r.Register(name, func() {})
			if _, err := r.Get(name); err != nil {
				t.Error(err)
			}
			r.Names()
		})
	}
	all.Wait()
	if len(r.Names()) != 8 {
		t.Errorf("found %v", r.Names())
	}
}

// TestRegisteredSource: built-in entries have no source; others have that of their caller's caller.
func TestRegisteredSource(t *testing.T) {
	r := New("loss", map[string]func() int{"sw": func() int { return 1 }})
	register := func(name string, version ...string) { r.Register(name, func() int { return 2 }, version...) }
	register("own-source")
	register("own-version", "3")
	for name, want := range map[string]string{"sw": "", "missing": "", "own-version": "loss own-version version 3"} {
		if got, err := r.Source(name); err != nil || got != want {
			t.Errorf("%s: %q, %v", name, got, err)
		}
	}
	if got, err := r.Source("own-source"); err != nil || !strings.HasPrefix(got, "loss own-source ") ||
		strings.Contains(got, "process") {
		t.Errorf("%q, %v", got, err)
	}
	defer func() {
		if err, ok := recover().(error); !ok || !strings.Contains(err.Error(), "version") {
			t.Errorf("expected a panic about the versions, found %v", err)
		}
	}()
	register("two-versions", "1", "2")
}

// Package registry holds what users choose by name: losses, slicing distributions and amortizers.
package registry

import (
	"fmt"
	"reflect"
	"regexp"
	"slices"
	"sync"

	"github.com/sliced-wasserstein/lab/internal/suggest"
)

// Registry maps names to constructors of type F. It is safe for concurrent use.
type Registry[F any] struct {
	kind    string // what is registered, for messages: "loss"
	mu      sync.RWMutex
	entries map[string]F
}

// New returns a registry of things of that kind with its first entries.
func New[F any](kind string, entries map[string]F) *Registry[F] {
	r := &Registry[F]{kind: kind, entries: map[string]F{}}
	for name, f := range entries {
		r.Register(name, f)
	}
	return r
}

// allowed are names that can stand in flags, in lists separated by commas and in file names.
var allowed = regexp.MustCompile(`^[a-z][a-z0-9]*(-[a-z0-9]+)*$`)

// none stands for "no amortizer" and the like in the settings of a sweep.
const none = "none"

// Register adds f by that name. It panics with an error for a name that is taken or not allowed,
// and for a nil f: like sql.Register and image.RegisterFormat it is called from init functions,
// which cannot return errors.
func (r *Registry[F]) Register(name string, f F) {
	if !allowed.MatchString(name) || name == none {
		panic(fmt.Errorf("register %s: expected a name of lowercase letters, digits and single hyphens that begins with a letter and is not %q, found %q", r.kind, none, name))
	}
	if v := reflect.ValueOf(f); !v.IsValid() || v.Kind() == reflect.Func && v.IsNil() {
		panic(fmt.Errorf("register %s %q: the constructor is nil", r.kind, name))
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if _, taken := r.entries[name]; taken {
		panic(fmt.Errorf("register %s %q: the name is taken", r.kind, name))
	}
	r.entries[name] = f
}

// Make calls a constructor of that name and turns its panic into an error.
func Make[T any](kind, name string, constructor func() (T, error)) (v T, err error) {
	defer func() {
		if r := recover(); r != nil {
			err = fmt.Errorf("%s %q: its constructor panicked: %v", kind, name, r)
		}
	}()
	return constructor()
}

// Names lists the registered names in alphabetical order.
func (r *Registry[F]) Names() []string {
	r.mu.RLock()
	defer r.mu.RUnlock()
	names := make([]string, 0, len(r.entries))
	for name := range r.entries {
		names = append(names, name)
	}
	slices.Sort(names)
	return names
}

// Get returns the named entry. The error lists the names, and the one probably meant.
func (r *Registry[F]) Get(name string) (F, error) {
	r.mu.RLock()
	f, ok := r.entries[name]
	r.mu.RUnlock()
	if !ok {
		return f, suggest.Unknown(r.kind, name, r.Names())
	}
	return f, nil
}

// Package registry holds what users choose by name: losses, slicing distributions and amortizers.
package registry

import (
	"fmt"
	"regexp"
	"slices"
	"sync"

	"github.com/sliced-wasserstein/lab/internal/source"
	"github.com/sliced-wasserstein/lab/internal/suggest"
)

// Registry maps names to constructors of type F. It is safe for concurrent use.
type Registry[F any] struct {
	kind    string // what is registered, for messages: "loss"
	mu      sync.RWMutex
	entries map[string]F
	origins map[string]*source.Origin // of the entries from outside
}

// New returns a registry of things of that kind with its first entries.
func New[F any](kind string, entries map[string]F) *Registry[F] {
	r := &Registry[F]{kind: kind, entries: map[string]F{}, origins: map[string]*source.Origin{}}
	for name, f := range entries {
		r.add(name, f, nil)
	}
	return r
}

// allowed are names that can stand in flags, in lists separated by commas and in file names.
var allowed = regexp.MustCompile(`^[a-z][a-z0-9]*(-[a-z0-9]+)*$`)

// none stands for "no amortizer" and the like in the settings of a sweep.
const none = "none"

// Register adds f by that name, from outside. It panics with an error for a name that is taken or
// not allowed, and for several versions: like sql.Register and image.RegisterFormat it
// is called from init functions, which cannot return errors. The caller of its caller is the code
// that Source identifies.
func (r *Registry[F]) Register(name string, f F, version ...string) {
	if len(version) > 1 {
		panic(fmt.Errorf("register %s %q: expected one version at most, found %d", r.kind, name, len(version)))
	}
	r.add(name, f, source.New(r.kind+" "+name, version))
}

// add adds f; o is nil for a built-in entry.
func (r *Registry[F]) add(name string, f F, o *source.Origin) {
	if !allowed.MatchString(name) || name == none {
		panic(fmt.Errorf(
			"register %s: expected a name of lowercase letters, digits and single hyphens that begins with a letter and is not %q, found %q",
			r.kind, none, name))
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if _, taken := r.entries[name]; taken {
		panic(fmt.Errorf("register %s %q: the name is taken", r.kind, name))
	}
	r.entries[name] = f
	if o != nil {
		r.origins[name] = o
		source.Note(name, o)
	}
}

// Source identifies the code of an entry from outside, such as "loss moments 1f3a9c2b7d10". It is
// "" for a built-in entry and an unknown name. With an error, which says why the code is not known,
// it is a text that no other process has.
func (r *Registry[F]) Source(name string) (string, error) {
	r.mu.RLock()
	o := r.origins[name]
	r.mu.RUnlock()
	if o == nil {
		return "", nil
	}
	return o.Source()
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

package source

import (
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/janpfeifer/must"
)

// program is a notebook's program: all declarations of its cells in one file.
const program = `package main

import (
	"example.com/mine/far"
	"github.com/sliced-wasserstein/lab/swlab/loss"
	m "math"
)

const (
	first = iota
	second
)

var (
	factor = 2.0
	other = 5.0
	spare = 5.0
)

// moments is a loss.
type moments struct{ power float64 }

func (l moments) Build(x, y float64) float64 { return helper(x-y) * l.power * far.Scale(second) }

func helper(d float64) float64 { return m.Abs(d) * factor }

func load(name string) float64 { return other }

func init() {
	loss.Register("moments", func() any { v := moments{power: 2}; return v })
	loss.Register("beside", func() any { v := other; return v })
}

func init() { loss.Register("unrelated", func() any { return other }) }

func reg(name string, f func() any) { loss.Register(name, f) }

func setup() { reg("wrapped", wrapped) }

func wrapped() any { return base("moments") }

func base(name string) any { return nil }

func main() {
	setup()
	factor = 3
	other = load("y.npy")
}
`

const imported = `package far

func Scale(n int) float64 { return by * float64(n) }

var by = 1.0

func Unused() {}
`

// register returns the origin of the call of Register at the first line of main.go with that text;
// more are the lines of the calls that led there.
func register(t *testing.T, dir, text, name string, more ...string) *Origin {
	t.Helper()
	raw := must.M1(os.ReadFile(filepath.Join(dir, "main.go")))
	o := &Origin{what: "loss " + name, calls: []runtime.Frame{{Function: library + "/swlab/loss.Register"}}}
	callee := []string{"main.init.0", "main.setup", "main.main"}
	if len(more) > 0 {
		callee[0] = "main.reg"
	}
	for i, line := range append([]string{text}, more...) {
		before, _, ok := strings.Cut(string(raw), line)
		if !ok {
			t.Fatalf("no %s", line)
		}
		o.calls = append(o.calls, runtime.Frame{File: filepath.Join(dir, "main.go"), Line: 1 + strings.Count(before, "\n"),
			Function: callee[i]})
	}
	o.calls = append(o.calls, runtime.Frame{File: "/usr/local/go/src/runtime/proc.go", Function: "runtime.main"})
	return o
}

func write(t *testing.T, dir string, files map[string]string) {
	t.Helper()
	for name, text := range files {
		path := filepath.Join(dir, name)
		must.M(os.MkdirAll(filepath.Dir(path), 0o755))
		must.M(os.WriteFile(path, []byte(text), 0o644))
	}
}

// identity returns the sources of moments and of wrapped, which names moments, in a program.
func identity(t *testing.T, main, far string) (moments, wrapped string) {
	t.Helper()
	dir := t.TempDir()
	write(t, dir, map[string]string{"go.mod": "module example.com/mine\n", "main.go": main, "far/far.go": far,
		"main_test.go": "package main\n\nfunc helper() {}\n"})
	m := register(t, dir, `loss.Register("moments"`, "moments")
	w := register(t, dir, "loss.Register(name, f)", "wrapped", `{ reg("wrapped"`, "\tsetup()")
	defer func(before map[string][]*Origin) { origins = before }(origins)
	origins = map[string][]*Origin{"moments": {m}, "wrapped": {w}}
	var out [2]string
	for i, o := range []*Origin{m, w} {
		text := must.M1(o.identify())
		if !strings.HasPrefix(text, o.what+" ") || len(text) != len(o.what)+13 {
			t.Errorf("found %q", text)
		}
		out[i] = text
	}
	return out[0], out[1]
}

// written lets the program be newer than the sources that a test writes.
func written(t *testing.T, at time.Time) {
	before := builtAt
	builtAt = func() (time.Time, error) { return at, nil }
	t.Cleanup(func() { builtAt = before })
}

// TestSource: what an entry depends on changes its identity, and nothing else does.
func TestSource(t *testing.T) {
	written(t, time.Now().Add(time.Hour))
	moments, wrapped := identity(t, program, imported)
	if moments == wrapped {
		t.Error("two entries with one identity")
	}
	for _, c := range []struct {
		what, old, with string
		other           bool
	}{
		{"the registered function", "{power: 2}", "{power: 2000}", true},
		{"a method of its type", "* l.power", "* l.power * 1000", true},
		{"a helper", "m.Abs(d) *", "1000 * m.Abs(d) *", true},
		{"a variable", "factor = 2.0", "factor = 2000.0", true},
		{"what another function assigns to it", "factor = 3", "factor = 3000", true},
		{"a constant", "first = iota", "first = iota + 1", true},
		{"a field", "power float64 }", "power, more float64 }", true},
		{"an import", `m "math"`, `m "math/cmplx"`, true},
		{"a method that is new", "// moments is", "func (l *moments) Check() int { return 1 }\n\n// moments is", true},
		{"an imported package of the module", "return by *", "return 1000 * by *", true},
		{"its variable", "by = 1.0", "by = 1000.0", true},
		{"a registration beside it", "v := other;", "v := -other;", false},
		{"another registration", "return other })", "return -other })", false},
		{"main", `load("y.npy")`, `load("z.npy")`, false},
		{"another variable", "spare = 5.0", "spare = 6.0", false},
		{"a comment", "// moments is a loss.", "// moments is a loss of mine,\n// with a comment.", false},
		{"a comment inside", "return m.Abs(d)", "return /* positive */ m.Abs(d)", false},
		{"layout", "{ return m.Abs(d) * factor }", "{\n\treturn m.Abs(d) *\n\t\tfactor\n}", false},
		{"place", "func helper", "func unrelated() {}\n\nfunc helper", false},
	} {
		main, far := strings.Replace(program, c.old, c.with, 1), strings.Replace(imported, c.old, c.with, 1)
		if main == program && far == imported {
			t.Fatalf("%s: nothing is changed", c.what)
		}
		m, w := identity(t, main, far)
		if (m != moments) != c.other {
			t.Errorf("%s: %s, before %s", c.what, m, moments)
		}
		if c.other && w == wrapped {
			t.Errorf("%s: an entry that names moments is still %s", c.what, w)
		}
	}
	for what, change := range map[string][2]string{"the function that a wrapper gets": {"return base(",
		"_ = 1000; return base("}, "the wrapper": {"f func() any) { loss", "f func() any) { _ = 1000; loss"}} {
		if m, w := identity(t, strings.Replace(program, change[0], change[1], 1), imported); m != moments || w == wrapped {
			t.Errorf("%s: %s, %s, before %s, %s", what, m, w, moments, wrapped)
		}
	}
}

// TestUnknownSource: code that cannot be read, and code that is newer than the program, have no
// identity but that of the process, and the reason is said. A version needs no source.
func TestUnknownSource(t *testing.T) {
	dir := t.TempDir()
	write(t, dir, map[string]string{"main.go": program})
	fresh := func() *Origin { return register(t, dir, `loss.Register("moments"`, "moments") }
	fails := func(o *Origin, says string) {
		t.Helper()
		text, err := o.identify()
		if err == nil || !strings.Contains(err.Error(), says) || !strings.Contains(err.Error(), "loss moments") {
			t.Errorf("expected an error that says %q, found %v", says, err)
		}
		if text != "loss moments of process "+process() {
			t.Errorf("found %q", text)
		}
	}
	old := fresh()
	written(t, time.Now().Add(-time.Hour))
	fails(old, "was changed after the program was built")
	written(t, time.Now().Add(time.Hour))
	trimmed := fresh()
	trimmed.calls[1].File = "example.com/mine/main.go"
	fails(trimmed, "without the folder of its source")
	gone := fresh()
	gone.calls[1].File = filepath.Join(dir, "gone", "main.go")
	fails(gone, "cannot be read")
	versioned, broken := fresh(), fresh()
	write(t, dir, map[string]string{"main.go": "package main\n\nfunc init() {"})
	fails(broken, "main.go:3")
	versioned.version = "2"
	if text, err := versioned.identify(); err != nil || text != "loss moments version 2" {
		t.Errorf("found %q, %v", text, err)
	}
	if os.Getenv("SWLAB_PROCESS") != process() {
		t.Error("processes that this one starts would not know it")
	}
}

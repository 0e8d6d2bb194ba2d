package main

import (
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/janpfeifer/must"
)

// TestMain is the program itself where a test calls it by the name of go, and in the place of compiler and linker.
func TestMain(m *testing.M) {
	if filepath.Base(os.Args[0]) == "go" || len(os.Args) > 1 && os.Args[1] == recordFlag {
		main()
	}
	os.Exit(m.Run())
}

// kernel is a kernel's folder beside a module that cells import.
type kernel struct {
	t         *testing.T
	dir, user string
	env       []string
}

func newKernel(t *testing.T) kernel {
	t.Helper()
	if runtime.GOOS != "linux" {
		t.Skip("there are recipes on Linux only")
	}
	top := must.M1(filepath.EvalSymlinks(t.TempDir()))
	k := kernel{t, filepath.Join(top, "gonb_1"), filepath.Join(top, "user"), nil}
	for path, text := range map[string]string{
		"user/go.mod": "module example.com/user\n\ngo 1.26\n", "user/a/a.go": library(0), "user/a/text/now.txt": "0",
		"gonb_1/go.mod": "module gonb_1\n\ngo 1.26\n", "gonb_1/go.work": "go 1.26\n\nuse (\n\t.\n\t" + k.user + "\n)\n",
	} {
		k.write(filepath.Join(top, path), text)
	}
	must.M(os.Symlink(must.M1(os.Executable()), filepath.Join(top, "go")))
	for _, v := range os.Environ() {
		if !strings.HasPrefix(v, "GO") && !strings.HasPrefix(v, "XDG_CACHE_HOME=") {
			k.env = append(k.env, v)
		}
	}
	cache := strings.TrimSpace(string(must.M1(exec.Command("go", "env", "GOCACHE").Output())))
	k.env = append(k.env, "GONB_TMP_DIR="+k.dir, "GOCACHE="+cache, "XDG_CACHE_HOME="+filepath.Join(top, "cache"), "GOPROXY=off", "GOFLAGS=-buildvcs=false -ldflags=-s")
	return k
}

func (k kernel) write(path, text string) {
	k.t.Helper()
	must.M(os.MkdirAll(filepath.Dir(path), 0o755))
	must.M(os.WriteFile(path, []byte(text), 0o644))
}

// library is package a of the user's module. What it returns has the same size for every version below ten.
func library(version int) string {
	return fmt.Sprintf("package a\n\nimport \"embed\"\n\n//go:embed text\nvar files embed.FS\n\n"+
		"func Text() string {\n\traw, _ := files.ReadFile(\"text/now.txt\")\n\treturn string(raw)\n}\n\nfunc Version() int { return %d }\n", version)
}

// call is `go args...` in the kernel's folder.
func (k kernel) call(program string, args ...string) (string, int) {
	c := exec.Command(program, args...)
	c.Dir, c.Env = k.dir, k.env
	out, err := c.CombinedOutput()
	if err != nil && c.ProcessState == nil {
		k.t.Fatal(err)
	}
	return string(out), c.ProcessState.ExitCode()
}

// build builds main.go and returns what the program prints, or what the build does, and whether the recipe was used.
func (k kernel) build(source string) (said string, fast bool) {
	k.t.Helper()
	k.write(filepath.Join(k.dir, "main.go"), source)
	note := filepath.Join(k.dir, folder, "importcfg") // of the recipe
	_ = os.Remove(note)
	binary := filepath.Join(k.dir, "gonb_1")
	out, code := k.call(filepath.Join(filepath.Dir(k.dir), "go"), "build", "-o", binary)
	_, err := os.Stat(note)
	if code != 0 || out != "" {
		return out, err == nil
	}
	out, _ = k.call(binary)
	return out, err == nil
}

// settled waits until what has been written is old enough for a recipe.
func settled() { time.Sleep(recent + 50*time.Millisecond) }

const using = `package main

import (
	"fmt"

	"example.com/user/a"
)

func main() { fmt.Println(a.Version(), a.Text()) }
`

// TestRecipe: from the second build on, cells are built by the recipe of the first, with Go's results and Go's messages, and a change of
// anything they are built from shows at once.
func TestRecipe(t *testing.T) {
	k := newKernel(t)
	settled()
	want := func(what, source, said string, fast bool) {
		t.Helper()
		if got, isFast := k.build(source); got != said || isFast != fast {
			t.Errorf("%s: expected %q, by the recipe: %v; found %q, %v", what, said, fast, got, isFast)
		}
	}
	want("the first cell", using, "0 0\n", false)
	want("the same cell", using+"//", "0 0\n", false) // for now the package is in Go's cache
	want("the same cell", using, "0 0\n", true)
	changed := strings.Replace(using, "a.Version(),", "10+a.Version(),", 1)
	want("another cell", changed, "10 0\n", true)
	want("fewer imports", "package main\n\nfunc main() { print() }\n", "", true)
	want("another import", strings.Replace(using, `"fmt"`, "\"fmt\"\n\t_ \"text/template\"", 1), "0 0\n", false)

	wrong := strings.Replace(using, "a.Version(),", "a.Version(), d, missing(\n3),", 1)
	k.write(filepath.Join(k.dir, "main.go"), wrong)
	message, code := k.call("go", "build", "-o", filepath.Join(k.dir, "gonb_1"))
	if code == 0 || !strings.Contains(message, "undefined: d") {
		t.Fatalf("expected an error, found %q", message)
	}
	want("errors", wrong, message, true)
	want("a trace", "package main\n\nimport (\n\t\"fmt\"\n\t\"runtime\"\n)\n\nfunc unused() {\n}\n\nfunc main() {\n\t_, file, line, _ := runtime.Caller(0)\n\tfmt.Println(file, line)\n}\n",
		filepath.Join(k.dir, "main.go")+" 12\n", true)

	k.write(filepath.Join(k.user, "a", "a.go"), library(1)) // of the same size
	want("a change of a package", using, "1 0\n", false)
	k.write(filepath.Join(k.user, "a", "text", "now.txt"), "1")
	want("a change of what it embeds", using, "1 1\n", false)
	k.write(filepath.Join(k.user, "a", "b.go"), "package a\n\nfunc init() { print(\"b \") }\n")
	want("a new file", using, "b 1 1\n", false)
	must.M(os.Remove(filepath.Join(k.user, "a", "b.go")))
	want("a file less", using, "1 1\n", false)
	k.write(filepath.Join(k.dir, "other.go"), "package main\n\nfunc init() { print(\"other \") }\n")
	want("a second file in the kernel's folder", using, "other 1 1\n", false)
}

// TestNeverStale: after random changes at random moments, the cell shows the last one.
func TestNeverStale(t *testing.T) {
	if testing.Short() {
		t.Skip("ten seconds")
	}
	k := newKernel(t)
	r := rand.New(rand.NewPCG(1, 1))
	version, text, fasts := 0, 0, 0
	for range 10 {
		if r.IntN(2) == 0 {
			version = r.IntN(10)
			k.write(filepath.Join(k.user, "a", "a.go"), library(version))
		} else {
			text = r.IntN(10)
			at := filepath.Join(k.user, "a", "text", "now.txt")
			k.write(at+".new", fmt.Sprint(text))
			must.M(os.Chtimes(at+".new", time.Unix(1e9, 0), time.Unix(1e9, 0)))
			must.M(os.Rename(at+".new", at))
		}
		for range 1 + r.IntN(4) {
			time.Sleep(time.Duration(r.IntN(600)) * time.Millisecond)
			got, fast := k.build(strings.Replace(using, "a.Text()", fmt.Sprintf("a.Text(), %d", r.IntN(1e6)), 1))
			if !strings.HasPrefix(got, fmt.Sprintf("%d %d ", version, text)) {
				t.Fatalf("expected version %d and text %d, found %q", version, text, got)
			}
			if fast {
				fasts++
			}
		}
	}
	if fasts == 0 {
		t.Error("no build was by the recipe")
	}
}

const notebook = `package main

import (
	"fmt"
	"image/png"
	"os"
	"strings"
)

type kept struct{ inner }

type inner int

type dropped struct{ name string }

const (
	first = iota
	second
)

var (
	_ fmt.Stringer = kept{}
	spare = []string{"a", ` + "`\n`" + `}
	effect = say("effect")
	used = map[string]int{"a": second}
)

func (kept) String() string { return strings.Repeat("k", used["a"]) }

func (d dropped) String() string { return os.Getenv(d.name) }

func say(what string) string { fmt.Println(what); return what }

func unreached() { _ = png.Encode; helper() }

func helper() {}

func init() { fmt.Println("init") }

func main() { fmt.Println(kept{}) }
`

// TestPrune: what main does not reach is left out once it has been compiled; lines stay, and so do effects.
func TestPrune(t *testing.T) {
	c := parse("", []byte(notebook))
	checked := map[string]bool{}
	source, keys := c.prune(checked)
	if string(source) != notebook || len(keys) != len(c.parts) {
		t.Errorf("expected all of a program that has never been compiled, found\n%s", source)
	}
	for _, k := range keys {
		checked[k] = true
	}
	source, _ = c.prune(checked)
	for text, stays := range map[string]bool{
		"type kept": true, "inner": true, "second": true, "effect": true, "used": true, "(kept) String": true, "func say": true, "init": true,
		`"fmt"`: true, `_ "image/png"`: true, `"strings"`: true,
		"dropped": false, "spare": false, "unreached": false, "helper": false, `"os"`: false, "fmt.Stringer": false,
	} {
		if strings.Contains(string(source), text) != stays {
			t.Errorf("%s: expected it to stay: %v, found\n%s", text, stays, source)
		}
	}
	if a, b := strings.Count(notebook, "\n"), strings.Count(string(source), "\n"); a != b {
		t.Errorf("expected %d lines, found %d", a, b)
	}

	// What has changed stays, with what now stands on it.
	c = parse("", []byte(strings.Replace(notebook, "func helper() {}", "func helper() { _ = 1 }", 1)))
	source, _ = c.prune(checked)
	for text, stays := range map[string]bool{"helper": true, "unreached": true, "dropped": false} {
		if strings.Contains(string(source), text) != stays {
			t.Errorf("after a change, %s: expected it to stay: %v, found\n%s", text, stays, source)
		}
	}
	for _, other := range []string{"package main\n\nimport \"C\"\n", "package main\n\n//go:noinline\nfunc f() {}\n", "package main\n\nfunc {\n"} {
		if parse("", []byte(other)) != nil {
			t.Errorf("expected this to be left to go build: %q", other)
		}
	}
}

// TestSettle: two cells with a function init.
func TestSettle(t *testing.T) {
	dir := t.TempDir()
	program := func(inits ...string) *cell {
		source := "package main\n\nimport (\n\t\"example.com/loss\"\n\t\"example.com/other\"\n)\n\nfunc main() { loss.New() }\n"
		for _, i := range inits {
			source += "\nfunc init() { " + i + " }\n"
		}
		return parse(dir, []byte(source))
	}
	ran := func(what string, c *cell, left ...string) {
		t.Helper()
		if text := c.settle(); text != "" {
			t.Errorf("%s: expected no error, found %s", what, text)
		}
		c.ran()
		for _, all := range []string{`Register("a", 1)`, `Register("a", 2)`, `Register("b", 1)`, `other.Set(1)`, `"example.com/other"`} {
			if strings.Contains(string(c.source), all) != slices.Contains(left, all) {
				t.Errorf("%s: expected %v, found\n%s", what, left, c.source)
			}
		}
	}
	const a1, a2, b1, set = `loss.Register("a", 1)`, `loss.Register("a", 2)`, `loss.Register("b", 1)`, `other.Set(1)`
	const other = `"example.com/other"`
	ran("the first", program(a1), a1[5:], other)
	ran("the same again, changed", program(a2), a2[5:], other)
	text := program(b1).settle()
	if !strings.HasPrefix(text, "# ") || !strings.Contains(text, "./main.go:10:1: ") || !strings.Contains(text, `loss "a"`) || !strings.Contains(text, "init_") {
		t.Errorf("expected an error that names line, loss and remedy, found %q", text)
	}
	ran("with a name of its own", program(a2, b1), a2[5:], b1[5:], other)
	ran("registered again under another name of the function", program(a1, a2, b1), a1[5:], b1[5:], other)
	ran("the other cells", program(a1, a2, b1), a1[5:], b1[5:], other)
	ran("one that registers nothing", program(a1, b1, set), a1[5:], b1[5:], set, other)
	ran("removed", program(b1), b1[5:], other)
	if program(a1).settle() == "" {
		t.Error("expected an error")
	}
	ran("replaced on purpose", program(a1), a1[5:], other)
}

// TestModule: the kernel's module requires this one from its start.
func TestModule(t *testing.T) {
	k := newKernel(t)
	must.M(os.Remove(filepath.Join(k.dir, "go.mod")))
	k.env = append(k.env, "SWLAB_ROOT="+k.user, "GOWORK=off")
	if out, code := k.call(filepath.Join(filepath.Dir(k.dir), "go"), "mod", "init", "gonb_1"); code != 0 {
		t.Fatal(out)
	}
	if text := string(must.M1(os.ReadFile(filepath.Join(k.dir, "go.mod")))); !strings.Contains(text, "require "+module+" v0.0.0") {
		t.Errorf("go.mod: %s", text)
	}
	if out, code := k.call(filepath.Join(filepath.Dir(k.dir), "go"), "env", "GOOS"); code != 0 || out != runtime.GOOS+"\n" {
		t.Errorf("another command: %q", out)
	}
}

package main

import (
	"bytes"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"time"

	"golang.org/x/mod/modfile"
)

const (
	// folder in the kernel's holds what is kept between cells. Go does not look into it.
	folder = ".kernelgo"
	// recordFlag calls this program in the place of compiler and linker, once `go build` is asked.
	recordFlag = "-record"
)

// recipe is how `go build` compiled and linked a cell: its commands, and the file of every package that it has
// asked for. It holds while the sources are as they were.
type recipe struct {
	Compile, Link command
	Packages      map[string]string // by import path: the line of importcfg
	Info          string            // the line of importcfg with the modules' versions
	Sources       sources
}

// command is a call of a tool, with the variables of Go's.
type command struct{ Args, Env []string }

// builder builds one cell.
type builder struct {
	real, dir string
	flags     []string
	cell      *cell
	roots     map[string]string // folders of modules that may change, by module path
	file      string            // of the recipe
	kept      recipe
	checked   map[string]bool // declarations that have been compiled
}

// newBuilder reads the kernel's folder. It returns nil where only `go build` knows what to do.
func newBuilder(real, dir string, flags []string) *builder {
	b := &builder{real: real, dir: dir, flags: flags}
	if slices.ContainsFunc(flags, func(f string) bool { return !known(f) }) || !plain(dir) {
		return nil
	}
	source, err := os.ReadFile(filepath.Join(dir, "main.go"))
	if err != nil {
		return nil
	}
	if b.cell = parse(dir, source); b.cell == nil {
		return nil
	}
	b.cell.showLast()
	if b.cell.changed {
		if b.cell = parse(dir, b.cell.source); b.cell == nil {
			return nil
		}
		b.cell.changed = true
	}
	var keys []string
	readJSON(filepath.Join(dir, folder, "checked.json"), &keys)
	b.checked = map[string]bool{}
	for _, k := range keys {
		b.checked[k] = true
	}
	if b.cell.needsLibrary(b.checked) {
		_ = os.Setenv("GOFLAGS", withLibrary(os.Getenv("GOFLAGS")))
	}
	var identity []byte
	if b.roots, identity, err = modules(dir); err != nil {
		return nil
	}
	cache, err := os.UserCacheDir()
	if err != nil {
		return nil
	}
	parts := slices.Concat(flags, variables(), []string{string(identity), stamp(real), stamp(goEnv())})
	key := sha256.Sum256([]byte(strings.Join(parts, "\x00")))
	b.file = filepath.Join(cache, "swlab", "kernel", fmt.Sprintf("%x.json", key[:10]))
	readJSON(b.file, &b.kept)
	return b
}

// plain reports whether main.go is the only source in the kernel's folder, and no setting asks for more than
// a recipe holds.
func plain(dir string) bool {
	entries, err := os.ReadDir(dir)
	more := regexp.MustCompile(`-(overlay|toolexec|n|x|a|v|work|cover|msan|asan|pgo)\b`)
	if err != nil || more.MatchString(os.Getenv("GOFLAGS")) {
		return false
	}
	return !slices.ContainsFunc(entries, func(e os.DirEntry) bool {
		return !slices.Contains([]string{"main.go", "go.mod"}, e.Name()) && isSource(e.Name())
	})
}

// variables returns the variables that Go's tools read, except those of GoNB and of where files lie.
func variables() (set []string) {
	for _, v := range os.Environ() {
		name, _, _ := strings.Cut(v, "=")
		ofGo := strings.HasPrefix(name, "GO") && !strings.HasPrefix(name, "GONB_") && !strings.HasPrefix(name, "GOMLX")
		if ofGo || strings.HasPrefix(name, "CGO_") ||
			slices.Contains([]string{"CC", "CXX", "AR", "FC", "PKG_CONFIG", "HOME", "XDG_CONFIG_HOME"}, name) {
			set = append(set, v)
		}
	}
	slices.Sort(set)
	return set
}

// goEnv is the file of `go env -w`.
func goEnv() string {
	if file := os.Getenv("GOENV"); file != "" {
		return file
	}
	config, _ := os.UserConfigDir()
	return filepath.Join(config, "go", "env")
}

// modules returns the folders of the modules that go.work uses, and of those that a go.mod replaces by a
// folder. identity is what all these files say, without the name of this kernel.
func modules(dir string) (roots map[string]string, identity []byte, err error) {
	raw, err := os.ReadFile(filepath.Join(dir, "go.work"))
	if err != nil {
		return nil, nil, err
	}
	work, err := modfile.ParseWork("go.work", raw, nil)
	if err != nil {
		return nil, nil, err
	}
	roots = map[string]string{}
	absolute := func(from, path string) string {
		if !filepath.IsAbs(path) {
			path = filepath.Join(from, path)
		}
		return path
	}
	replace := func(from string, all []*modfile.Replace) {
		for _, r := range all {
			if r.New.Version == "" {
				roots[r.Old.Path] = absolute(from, r.New.Path)
			}
		}
	}
	var texts []string
	read := func(path string) []byte {
		text, _ := os.ReadFile(path) // without the file: empty
		texts = append(texts, string(text))
		return text
	}
	texts = append(texts, string(raw))
	for _, u := range work.Use {
		at := absolute(dir, u.Path)
		text := read(filepath.Join(at, "go.mod"))
		read(filepath.Join(at, "go.sum"))
		mod, err := modfile.Parse("go.mod", text, nil)
		if err != nil {
			return nil, nil, err
		}
		if mod.Module == nil {
			return nil, nil, fmt.Errorf("%s: no module", at)
		}
		if filepath.Clean(at) != filepath.Clean(dir) {
			roots[mod.Module.Mod.Path] = at
		}
		replace(at, mod.Replace)
	}
	replace(dir, work.Replace)
	for _, path := range slices.Sorted(maps.Keys(roots)) {
		read(filepath.Join(roots[path], "go.mod"))
	}
	all := strings.Join(texts, "\x00")
	return roots, []byte(strings.ReplaceAll(all, filepath.Base(dir), "kernel")), nil
}

// has reports whether everything that main.go imports has been built, from the sources as they are.
func (b *builder) has() bool { return b != nil && b.holds(b.cell.source) }

func (b *builder) holds(source []byte) bool {
	imports, err := paths(source)
	if err != nil || len(b.kept.Packages) == 0 {
		return false
	}
	for _, path := range imports {
		if path != "unsafe" && b.kept.Packages[path] == "" {
			return false
		}
	}
	for _, line := range b.kept.Packages {
		_, file, _ := strings.Cut(line, "=")
		if _, err := os.Stat(file); err != nil {
			return false
		}
	}
	return b.kept.Sources.unchanged()
}

// fast compiles and links by the recipe. ok is false where `go build` has to do it.
func (b *builder) fast(out string) (code int, ok bool) {
	source, keys := b.cell.prune(b.checked)
	if !b.holds(source) {
		return 0, false
	}
	at := func(name string) string { return filepath.Join(b.dir, folder, name) }
	var config strings.Builder
	for _, path := range slices.Sorted(maps.Keys(b.kept.Packages)) {
		config.WriteString(b.kept.Packages[path] + "\n")
	}
	if err := os.MkdirAll(filepath.Join(b.dir, folder), 0o700); err != nil {
		return 0, false
	}
	id := fmt.Sprintf("%x", sha256.Sum256(source))[:20]
	for name, text := range map[string]string{
		"main.go": string(source), "importcfg": config.String(), "importcfg.link": config.String() + b.kept.Info + "\n",
	} {
		if err := os.WriteFile(at(name), []byte(text), 0o600); err != nil {
			return 0, false
		}
	}
	compile := func(file string) (string, error) {
		return b.call(b.kept.Compile, map[string]string{
			"-o": at("main.a"), "-importcfg": at("importcfg"), "-buildid": id + "/" + id, "-trimpath": at("") + "=>" + b.dir,
		}, file)
	}
	_, err := compile(at("main.go"))
	if err != nil { // as a whole, for its errors are those that show
		keys = b.keys()
		text, err := compile("./main.go")
		if err != nil && isErrors(text) {
			fmt.Printf("# %s\n%s", filepath.Base(b.dir), text)
			return 1, true
		}
		if err != nil {
			return 0, false
		}
	}
	text, err := b.call(b.kept.Link, map[string]string{
		"-o": at("a.out"), "-importcfg": at("importcfg.link"), "-buildid": id,
	}, at("main.a"))
	if err != nil || text != "" {
		return 0, false
	}
	if err := os.Rename(at("a.out"), out); err != nil {
		return 0, false
	}
	b.compiled(keys)
	return 0, true
}

// isErrors reports whether these are errors of the compiler in main.go.
func isErrors(text string) bool {
	for line := range strings.Lines(text) {
		starts := func(with string) bool { return strings.HasPrefix(line, with) }
		if !slices.ContainsFunc([]string{"./main.go:", "\t", "too many errors"}, starts) {
			return false
		}
	}
	return text != "" && !strings.Contains(text, "could not import")
}

// call runs a recorded command with other values of its flags and another last argument.
func (b *builder) call(c command, values map[string]string, last string) (string, error) {
	args := slices.Clone(c.Args)
	for i := 1; i < len(args)-1; i++ {
		name, _, joined := strings.Cut(args[i], "=")
		value, ok := values[name]
		switch {
		case ok && joined:
			args[i] = name + "=" + value
		case ok:
			args[i+1] = value
			i++
		}
	}
	args[len(args)-1] = last
	run := exec.Command(args[0], args[1:]...)
	run.Dir = b.dir
	run.Env = append(os.Environ(), c.Env...)
	text, err := run.CombinedOutput()
	return string(text), err
}

// slow is `go build`. What it does becomes the recipe.
func (b *builder) slow(out string) int {
	at := filepath.Join(b.dir, folder)
	self, err := os.Executable()
	if err == nil {
		err = os.MkdirAll(at, 0o700)
	}
	args := slices.Concat([]string{"build", "-o", out}, b.flags)
	if err == nil && !strings.ContainsAny(self+at, " '\"") {
		args = append(args, "-toolexec="+self+" "+recordFlag+" "+at)
	}
	for _, tool := range []string{"compile", "link"} {
		_ = os.Remove(filepath.Join(at, tool+".json"))
	}
	before := time.Now()
	if code := run(exec.Command(b.real, args...)); code != 0 {
		return code
	}
	b.compiled(b.keys())
	b.note(before)
	return 0
}

// keys returns those of all declarations.
func (b *builder) keys() (keys []string) {
	for _, p := range b.cell.parts {
		keys = append(keys, b.cell.key(p))
	}
	return keys
}

// compiled notes that these declarations have no errors.
func (b *builder) compiled(keys []string) {
	b.cell.ran()
	before := len(b.checked)
	for _, k := range keys {
		b.checked[k] = true
	}
	if len(b.checked) > before {
		writeJSON(filepath.Join(b.dir, folder, "checked.json"), slices.Sorted(maps.Keys(b.checked)))
	}
}

// recorded is what the toolexec has seen of one tool.
type recorded struct {
	Command command
	Config  string // the text of its importcfg
}

// note makes a recipe of what `go build` has done since then. Packages that an earlier recipe has stay
// while its sources are unchanged.
func (b *builder) note(began time.Time) {
	var compile, link recorded
	readJSON(filepath.Join(b.dir, folder, "compile.json"), &compile)
	readJSON(filepath.Join(b.dir, folder, "link.json"), &link)
	if compile.Command.Args == nil || link.Command.Args == nil {
		return // nothing had to be compiled, or linked
	}
	next := recipe{Compile: compile.Command, Link: link.Command, Packages: map[string]string{}}
	if b.kept.Packages != nil && b.kept.Sources.unchanged() {
		maps.Copy(next.Packages, b.kept.Packages)
	}
	own := "packagefile " + filepath.Base(b.dir) + "="
	for line := range strings.Lines(link.Config) {
		line = strings.TrimSpace(line)
		if path, isFile := strings.CutPrefix(line, "packagefile "); isFile {
			path, file, _ := strings.Cut(path, "=")
			if strings.HasPrefix(line, own) {
				continue
			}
			if strings.HasSuffix(file, "_pkg_.a") {
				return // compiled just now: the next build finds it in Go's cache
			}
			next.Packages[path] = line
		} else if strings.HasPrefix(line, "modinfo ") {
			next.Info = line
		} else if line != "" && !strings.HasPrefix(line, "#") {
			return // a line that this program does not know
		}
	}
	var dirs []string
	for path := range next.Packages {
		for module, root := range b.roots {
			if path == module || strings.HasPrefix(path, module+"/") {
				dirs = append(dirs, filepath.Join(root, filepath.FromSlash(strings.TrimPrefix(path, module))))
			}
		}
	}
	var ok bool
	if next.Sources, ok = snapshot(dirs, began); !ok {
		return
	}
	if os.MkdirAll(filepath.Dir(b.file), 0o700) == nil {
		writeJSON(b.file, next)
		forget(filepath.Dir(b.file))
	}
}

// forget removes recipes that nobody has renewed for a month.
func forget(dir string) {
	files, _ := filepath.Glob(filepath.Join(dir, "*"))
	for _, f := range files {
		if info, err := os.Stat(f); err == nil && time.Since(info.ModTime()) > 30*24*time.Hour {
			_ = os.Remove(f)
		}
	}
}

// record runs a tool for `go build` and notes its call if it is that of a cell: in the folder at, as compile.json or
// link.json.
func record(at string, call []string) int {
	tool := strings.TrimSuffix(filepath.Base(call[0]), ".exe")
	if slices.Contains(call, "-V=full") {
		return run(exec.Command(call[0], call[1:]...))
	}
	last := call[len(call)-1]
	if tool == "link" || tool == "compile" && last == filepath.Join(filepath.Dir(at), "main.go") {
		r := recorded{Command: command{Args: call}}
		for _, v := range os.Environ() {
			if strings.HasPrefix(v, "GO") && !strings.HasPrefix(v, "GONB_") || strings.HasPrefix(v, "CGO_") {
				r.Command.Env = append(r.Command.Env, v)
			}
		}
		more := slices.Contains(call, "-embedcfg") || slices.Contains(call, "-symabis")
		if i := slices.Index(call, "-importcfg"); i > 0 && i+1 < len(call) && !more {
			text, err := os.ReadFile(call[i+1])
			r.Config = string(text)
			if err == nil {
				writeJSON(filepath.Join(at, tool+".json"), r)
			}
		}
	}
	return run(exec.Command(call[0], call[1:]...))
}

// readJSON leaves v as it is if there is no such file, or one of another form.
func readJSON(path string, v any) {
	raw, err := os.ReadFile(path)
	if err == nil {
		_ = json.NewDecoder(bytes.NewReader(raw)).Decode(v)
	}
}

// writeJSON writes a file as a whole. What cannot be written is not kept.
func writeJSON(path string, v any) {
	raw, err := json.Marshal(v)
	if err != nil {
		return
	}
	_ = os.MkdirAll(filepath.Dir(path), 0o700)
	f, err := os.CreateTemp(filepath.Dir(path), ".new*")
	if err != nil {
		return
	}
	_, err = f.Write(raw)
	if closing := f.Close(); err != nil || closing != nil || os.Rename(f.Name(), path) != nil {
		_ = os.Remove(f.Name())
	}
}

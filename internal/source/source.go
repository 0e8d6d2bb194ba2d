// Package source identifies code by what its source files say: the declarations that it reaches. Comments
// and layout do not count.
package source

import (
	"bytes"
	"cmp"
	"crypto/rand"
	"crypto/sha256"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"maps"
	"os"
	"path/filepath"
	"reflect"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"
)

// Origin says which code registered an entry from outside.
type Origin struct {
	what    string          // "loss moments"
	version string          // as given; "": the source decides
	calls   []runtime.Frame // the calls that led to Register, innermost first
	built   time.Time       // of the program; zero: this one's
	source  func() (string, error)
}

// origins holds all entries from outside by their names, whatever their kind.
var (
	originsMu sync.RWMutex
	origins   = map[string][]*Origin{}
)

// Note makes texts that name an entry depend on it.
func Note(name string, o *Origin) {
	originsMu.Lock()
	defer originsMu.Unlock()
	origins[name] = append(origins[name], o)
}

// named returns the entries from outside of that name.
func named(name string) []*Origin {
	originsMu.RLock()
	defer originsMu.RUnlock()
	return slices.Clone(origins[name])
}

// New returns the origin of a call of Register. It is called by Registry.Register, which the Register
// of a package calls.
func New(what string, version []string) *Origin {
	o := &Origin{what: what, version: strings.Join(version, "")}
	pcs := make([]uintptr, 64)
	frames := runtime.CallersFrames(pcs[:runtime.Callers(3, pcs)]) // from the package's Register
	for more := true; more; {
		var f runtime.Frame
		f, more = frames.Next()
		o.calls = append(o.calls, f)
	}
	o.source = sync.OnceValues(o.identify)
	return o
}

// At returns the origin of a call in another program, built at that time: the frames of its stack,
// innermost first.
func At(what string, calls []runtime.Frame, built time.Time) *Origin {
	o := &Origin{what: what, calls: calls, built: built}
	o.source = sync.OnceValues(o.identify)
	return o
}

// Source identifies the code, such as "loss moments 1f3a9c2b7d10". With an error, which says why the
// code is not known, it is a text that no other process has.
func (o *Origin) Source() (string, error) { return o.source() }

// identify is source, not kept.
func (o *Origin) identify() (string, error) {
	if o.version != "" {
		return fmt.Sprintf("%s version %s", o.what, o.version), nil
	}
	c := code{map[*Origin]bool{}, map[string]*source{}, map[string]bool{}, o.built}
	if err := c.add(o); err != nil {
		return fmt.Sprintf("%s of process %s", o.what, process()), fmt.Errorf("%s: %w", o.what, err)
	}
	sum := sha256.Sum256([]byte(strings.Join(slices.Sorted(maps.Keys(c.texts)), "\n")))
	return fmt.Sprintf("%s %x", o.what, sum[:6]), nil
}

// process tells this process and those that it starts from others.
var process = sync.OnceValue(func() string {
	const variable = "SWLAB_PROCESS"
	id := os.Getenv(variable)
	if id == "" {
		id = strings.ToLower(rand.Text()[:12])
		_ = os.Setenv(variable, id) // without it the others are told apart, too
	}
	return id
})

// code collects what entries from outside depend on: the declarations around the calls that led to
// Register, those of the same package whose names they mention, and so on, all packages of the module
// that this one imports, and the entries from outside that a text names. A name that the body of a
// function declares too counts as the package's. Comments and layout do not count, nor does the code of other modules.
type code struct {
	from    map[*Origin]bool
	folders map[string]*source
	texts   map[string]bool // of the declarations
	built   time.Time       // of the program; zero: this one's
}

// source is a package as its files have it.
type source struct {
	files    *token.FileSet
	decls    []ast.Decl
	declared map[string][]ast.Node // by name, with a type's methods and assignments to a variable
	imports  map[string][]string   // paths of other modules' packages, by their names here
	seen     map[ast.Node]bool
}

// add collects what an entry depends on.
func (c *code) add(o *Origin) error {
	if c.from[o] {
		return nil
	}
	c.from[o] = true
	if o.version != "" {
		c.texts[o.what+" version "+o.version] = true
		return nil
	}
	outermost := o.calls[len(o.calls)-1].File // runtime's, which begins every stack
	standard := filepath.Dir(filepath.Dir(outermost)) + string(filepath.Separator)
	for i, f := range o.calls {
		if i == 0 || strings.HasPrefix(f.Function, "runtime.") || strings.HasPrefix(f.File, standard) {
			continue // the first is the Register of this module's package
		}
		if !filepath.IsAbs(f.File) {
			return fmt.Errorf("the program was built without the folder of its source, %s", f.File)
		}
		if _, err := os.Stat(f.File); err != nil {
			return fmt.Errorf("its source cannot be read: %w", err)
		}
		p, err := c.open(filepath.Dir(f.File), strings.HasSuffix(f.File, "_test.go"))
		if err != nil {
			return err
		}
		part := p.around(f)
		if part == nil {
			return fmt.Errorf("%s has no statement in line %d", f.File, f.Line)
		}
		if err := c.reach(p, part); err != nil {
			return err
		}
	}
	return nil
}

// around is the statement, or the declaration of a variable, that a call belongs to.
func (p *source) around(at runtime.Frame) (part ast.Node) {
	for _, d := range p.decls {
		ast.Inspect(d, func(n ast.Node) bool {
			if n == nil {
				return false
			}
			from, to := p.files.Position(n.Pos()), p.files.Position(n.End())
			if from.Filename != at.File || at.Line < from.Line || to.Line < at.Line {
				return false
			}
			_, whole := n.(*ast.BlockStmt)
			if _, ok := n.(ast.Stmt); ok && !whole {
				part = orWhole(d, n)
				return false
			}
			if n == d {
				part = d
			}
			return true
		})
	}
	return part
}

// library is the module of this package. The version of a run names its code.
const library = "github.com/sliced-wasserstein/lab"

// open reads the package in a folder, and reaches all of those of its module that it imports.
func (c *code) open(dir string, tests bool) (*source, error) {
	place := dir
	if tests {
		place += " with tests"
	}
	if p := c.folders[place]; p != nil {
		return p, nil
	}
	p := &source{files: token.NewFileSet(), declared: map[string][]ast.Node{}, imports: map[string][]string{},
		seen: map[ast.Node]bool{}}
	c.folders[place] = p
	paths, err := filepath.Glob(filepath.Join(dir, "*.go"))
	if err != nil {
		return nil, err
	}
	module, root := moduleOf(dir)
	for _, path := range paths {
		if strings.HasSuffix(path, "_test.go") && !tests {
			continue
		}
		if err := c.checkBuilt(path); err != nil {
			return nil, err
		}
		f, err := parser.ParseFile(p.files, path, nil, parser.SkipObjectResolution)
		if err != nil {
			return nil, err
		}
		p.decls = append(p.decls, f.Decls...)
		for _, spec := range f.Imports {
			full, _ := strconv.Unquote(spec.Path.Value)
			name := filepath.Base(full)
			if spec.Name != nil {
				name = spec.Name.Name
			}
			folder, inside := strings.CutPrefix(full, module+"/")
			folder = filepath.Join(root, filepath.FromSlash(folder))
			if _, err := os.Stat(folder); !inside || module == library || err != nil {
				p.imports[name] = append(p.imports[name], full)
				continue
			}
			q, err := c.open(folder, false)
			if err != nil {
				return nil, err
			}
			for _, d := range q.decls {
				if err := c.reach(q, d); err != nil {
					return nil, err
				}
			}
		}
	}
	p.index()
	return p, nil
}

// checkBuilt returns an error for a source file that was changed after the program was built.
func (c *code) checkBuilt(file string) error {
	info, err := os.Stat(file)
	if err != nil {
		return err
	}
	built := c.built
	if built.IsZero() {
		built, err = builtAt()
	}
	if err == nil && info.ModTime().After(built) {
		err = fmt.Errorf("%s was changed after the program was built", file)
	}
	return err
}

// builtAt is when this program was written.
var builtAt = sync.OnceValues(func() (time.Time, error) {
	path, err := os.Executable()
	if err != nil {
		return time.Time{}, err
	}
	info, err := os.Stat(path)
	if err != nil {
		return time.Time{}, err
	}
	return info.ModTime(), nil
})

// index fills declared.
func (p *source) index() {
	put := func(id *ast.Ident, n ast.Node) { p.declared[id.Name] = append(p.declared[id.Name], n) }
	variables := map[string]bool{}
	for _, d := range p.decls {
		switch d := d.(type) {
		case *ast.FuncDecl:
			if d.Recv != nil {
				put(rootOf(d.Recv.List[0].Type), d)
			} else if d.Name.Name != "init" {
				put(d.Name, d)
			}
		case *ast.GenDecl:
			for _, s := range d.Specs {
				switch s := s.(type) {
				case *ast.TypeSpec:
					put(s.Name, s)
				case *ast.ValueSpec:
					var n ast.Node = s
					if d.Tok == token.CONST {
						n = d // a constant may repeat the one before
					}
					for _, name := range s.Names {
						put(name, n)
						variables[name.Name] = d.Tok == token.VAR
					}
				}
			}
		}
	}
	for _, d := range p.decls {
		ast.Inspect(d, func(n ast.Node) bool {
			if n, ok := n.(*ast.AssignStmt); ok && n.Tok != token.DEFINE {
				for _, x := range n.Lhs {
					if id := rootOf(x); id != nil && variables[id.Name] {
						put(id, orWhole(d, n))
					}
				}
			}
			return true
		})
	}
}

// orWhole returns n, a statement in d, or all of d if n mentions a variable that d declares outside of n.
func orWhole(d, n ast.Node) ast.Node {
	local, part := map[string]bool{}, n
	ast.Inspect(d, func(x ast.Node) bool {
		var names []ast.Expr
		switch x := x.(type) {
		case *ast.FuncLit:
			if x.End() <= n.Pos() || n.End() <= x.Pos() {
				return false // what it declares is its own
			}
		case *ast.AssignStmt:
			if x.Tok == token.DEFINE {
				names = x.Lhs
			}
		case *ast.RangeStmt:
			names = []ast.Expr{x.Key, x.Value}
		case *ast.ValueSpec:
			for _, id := range x.Names {
				names = append(names, id)
			}
		case *ast.Field:
			for _, id := range x.Names {
				names = append(names, id)
			}
		}
		for _, name := range names {
			if id, ok := name.(*ast.Ident); ok {
				local[id.Name] = true
			}
		}
		return x != n
	})
	ast.Inspect(n, func(x ast.Node) bool {
		if id, ok := x.(*ast.Ident); ok && local[id.Name] {
			part = d
		}
		return true
	})
	return part
}

// rootOf returns the first name of an expression such as x.y[i], *x or x[T].
func rootOf(x ast.Expr) (id *ast.Ident) {
	ast.Inspect(x, func(n ast.Node) bool {
		if found, ok := n.(*ast.Ident); ok && id == nil {
			id = found
		}
		return id == nil
	})
	return id
}

// reach collects d, a part of p, and what it mentions.
func (c *code) reach(p *source, d ast.Node) (err error) {
	if p.seen[d] {
		return nil
	}
	p.seen[d] = true
	c.texts[text(d)] = true
	own := arguments(d)
	ast.Inspect(d, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.Ident:
			if own(n) {
				break
			}
			for _, mentioned := range p.declared[n.Name] {
				err = cmp.Or(err, c.reach(p, mentioned))
			}
			for _, path := range p.imports[n.Name] {
				c.texts["import "+path] = true
			}
		case *ast.BasicLit:
			if name, e := strconv.Unquote(n.Value); e == nil && n.Kind == token.STRING {
				for _, o := range named(name) {
					err = cmp.Or(err, c.add(o))
				}
			}
		}
		return true
	})
	return err
}

// arguments reports whether a name in a function is that of its receiver, an argument or a result.
func arguments(d ast.Node) func(*ast.Ident) bool {
	f, ok := d.(*ast.FuncDecl)
	if !ok || f.Body == nil {
		return func(*ast.Ident) bool { return false }
	}
	names, places := map[string]bool{}, map[*ast.Ident]bool{}
	for _, list := range []*ast.FieldList{f.Recv, f.Type.Params, f.Type.Results} {
		if list == nil {
			continue
		}
		for _, field := range list.List {
			for _, id := range field.Names {
				names[id.Name], places[id] = true, true
			}
		}
	}
	return func(n *ast.Ident) bool { return places[n] || names[n.Name] && n.Pos() >= f.Body.Pos() }
}

// text is the tree of a node, without places.
func text(d ast.Node) string {
	var b bytes.Buffer
	_ = ast.Fprint(&b, nil, d, func(_ string, v reflect.Value) bool { return v.Type() != reflect.TypeFor[token.Pos]() })
	return b.String()
}

// moduleOf returns the path and the folder of the module that a folder belongs to; "" without one.
func moduleOf(dir string) (path, root string) {
	for {
		raw, err := os.ReadFile(filepath.Join(dir, "go.mod"))
		if err == nil {
			for line := range strings.Lines(string(raw)) {
				if words := strings.Fields(line); len(words) > 1 && words[0] == "module" {
					return strings.Trim(words[1], `"`), dir
				}
			}
		}
		up := filepath.Dir(dir)
		if up == dir {
			return "", ""
		}
		dir = up
	}
}

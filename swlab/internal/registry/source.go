package registry

import (
	"crypto/rand"
	"crypto/sha256"
	"errors"
	"fmt"
	"go/ast"
	"go/parser"
	"go/scanner"
	"go/token"
	"go/types"
	"maps"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"
)

// origin says which code registered an entry from outside.
type origin struct {
	what    string          // "loss moments"
	version string          // as given; "": the source decides
	calls   []runtime.Frame // the calls that led to Register, innermost first
	source  func() (string, error)
}

// origins holds all entries from outside by their names, whatever their kind.
var (
	originsMu sync.RWMutex
	origins   = map[string][]*origin{}
)

func note(name string, o *origin) {
	originsMu.Lock()
	defer originsMu.Unlock()
	origins[name] = append(origins[name], o)
}

// named returns the entries from outside of that name.
func named(name string) []*origin {
	originsMu.RLock()
	defer originsMu.RUnlock()
	return slices.Clone(origins[name])
}

// newOrigin is called by Registry.Register, which the Register of a package calls.
func newOrigin(what string, version []string) *origin {
	o := &origin{what: what, version: strings.Join(version, "")}
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

// identify is source, not kept.
func (o *origin) identify() (string, error) {
	if o.version != "" {
		return fmt.Sprintf("%s version %s", o.what, o.version), nil
	}
	c := code{map[*origin]bool{}, map[string]*source{}, map[*types.Package]*source{}, map[string]bool{}, nil}
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

// code collects the declarations that entries from outside depend on: what the calls that led to
// Register mention, what that mentions, and so on within the module, and the entries from outside
// that a text in it names. Comments and layout do not count, nor does the code of other modules.
type code struct {
	from    map[*origin]bool
	folders map[string]*source
	checked map[*types.Package]*source
	texts   map[string]bool // of the declarations
	failed  error           // of an import
}

// source is a package as its files have it.
type source struct {
	files       *token.FileSet
	syntax      []*ast.File
	raw         map[*token.File][]byte
	info        types.Info
	pkg         *types.Package
	declared    map[string][]ast.Node // at package level, by name
	methods     map[string][]ast.Node // by the name of the type
	assignments map[string][]ast.Node // to variables at package level, by their names
	seen        map[ast.Node]bool
}

// add collects what an entry depends on.
func (c *code) add(o *origin) error {
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
		p, err := c.open(filepath.Dir(f.File), f.File)
		if err != nil {
			return err
		}
		callee, _, _ := strings.Cut(o.calls[i-1].Function, "[") // type arguments
		for _, n := range p.calls(f, callee[strings.LastIndexByte(callee, '.')+1:]) {
			if err := c.reach(p, n); err != nil {
				return err
			}
		}
	}
	return c.failed
}

// open reads the package in a folder: that of a file, or the one that others import.
func (c *code) open(dir, file string) (*source, error) {
	if p := c.folders[dir]; p != nil {
		return p, nil
	}
	p := &source{files: token.NewFileSet(), raw: map[*token.File][]byte{}, declared: map[string][]ast.Node{},
		methods:     map[string][]ast.Node{},
		assignments: map[string][]ast.Node{}, seen: map[ast.Node]bool{}, info: types.Info{Uses: map[*ast.Ident]types.Object{}, Defs: map[*ast.Ident]types.Object{}}}
	all, err := filepath.Glob(filepath.Join(dir, "*.go"))
	if err != nil {
		return nil, err
	}
	name := ""
	for _, path := range all {
		if strings.HasSuffix(path, "_test.go") && !strings.HasSuffix(file, "_test.go") {
			continue
		}
		raw, err := readBuilt(path)
		if err != nil {
			return nil, err
		}
		f, err := parser.ParseFile(p.files, path, raw, parser.SkipObjectResolution)
		if err != nil {
			return nil, err
		}
		p.syntax = append(p.syntax, f)
		p.raw[p.files.File(f.Pos())] = raw
		if path == file || file == "" && (name == "" || name == "main") {
			name = f.Name.Name
		}
	}
	if name == "" {
		return nil, fmt.Errorf("its source cannot be read: there is no %s", file)
	}
	p.syntax = slices.DeleteFunc(p.syntax, func(f *ast.File) bool { return f.Name.Name != name })
	// Of other modules only names are known; the errors that follow from it are not of interest.
	checks := types.Config{Importer: c, Error: func(error) {}, FakeImportC: true}
	p.pkg, _ = checks.Check(dir, p.files, p.syntax, &p.info)
	p.index()
	c.folders[dir], c.checked[p.pkg] = p, p
	return p, nil
}

// library is the module of this package. The version of a run names its code.
const library = "github.com/sliced-wasserstein/lab"

// ImportFrom reads a package of the module that dir belongs to.
func (c *code) ImportFrom(path, dir string, _ types.ImportMode) (*types.Package, error) {
	module, root := moduleOf(dir)
	inside, ok := strings.CutPrefix(path, module+"/")
	if !ok || module == "" || module == library {
		return nil, fmt.Errorf("%s is in another module", path)
	}
	folder := filepath.Join(root, filepath.FromSlash(inside))
	if _, err := os.Stat(folder); err != nil {
		return nil, err // it is in another module after all
	}
	p, err := c.open(folder, "")
	if err != nil {
		c.failed = errors.Join(c.failed, err)
		return nil, err
	}
	return p.pkg, nil
}

// Import is never called, because there is ImportFrom.
func (c *code) Import(path string) (*types.Package, error) { return c.ImportFrom(path, "", 0) }

// readBuilt reads a source file. One that was changed after the program was built is an error.
func readBuilt(file string) ([]byte, error) {
	info, err := os.Stat(file)
	if err != nil {
		return nil, fmt.Errorf("its source cannot be read: %w", err)
	}
	built, err := builtAt()
	if err != nil {
		return nil, err
	}
	if info.ModTime().After(built) {
		return nil, fmt.Errorf("%s was changed after the program was built", file)
	}
	return os.ReadFile(file)
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

// index fills declared, methods and assignments.
func (p *source) index() {
	for _, f := range p.syntax {
		for _, d := range f.Decls {
			switch d := d.(type) {
			case *ast.FuncDecl:
				if d.Recv != nil {
					if of := rootOf(d.Recv.List[0].Type); of != nil {
						p.methods[of.Name] = append(p.methods[of.Name], d)
					}
				} else if d.Name.Name != "init" {
					p.declared[d.Name.Name] = append(p.declared[d.Name.Name], d)
				}
			case *ast.GenDecl:
				for _, s := range d.Specs {
					switch s := s.(type) {
					case *ast.TypeSpec:
						p.declared[s.Name.Name] = append(p.declared[s.Name.Name], s)
					case *ast.ValueSpec:
						var n ast.Node = s
						if d.Tok == token.CONST { // which may repeat the one before
							n = d
						}
						for _, name := range s.Names {
							p.declared[name.Name] = append(p.declared[name.Name], n)
						}
					}
				}
			}
			ast.Inspect(d, func(n ast.Node) bool {
				var targets []ast.Expr
				switch n := n.(type) {
				case *ast.AssignStmt:
					targets = n.Lhs
				case *ast.IncDecStmt:
					targets = []ast.Expr{n.X}
				}
				for _, x := range targets {
					if id := rootOf(x); id != nil && p.atTop(id) {
						p.assignments[id.Name] = append(p.assignments[id.Name], p.orWhole(d, n))
					}
				}
				return true
			})
		}
	}
}

// rootOf returns the first name of an expression such as x.y[i], *x or x[T].
func rootOf(x ast.Expr) *ast.Ident {
	for {
		switch v := x.(type) {
		case *ast.Ident:
			return v
		case *ast.SelectorExpr:
			x = v.X
		case *ast.StarExpr:
			x = v.X
		case *ast.ParenExpr:
			x = v.X
		case *ast.IndexExpr:
			x = v.X
		case *ast.IndexListExpr:
			x = v.X
		default:
			return nil
		}
	}
}

// atTop reports whether a name is, or may be, one declared at the level of the package.
func (p *source) atTop(id *ast.Ident) bool {
	if p.info.Defs[id] != nil {
		return false
	}
	o := p.info.Uses[id]
	return o == nil || o.Parent() == p.pkg.Scope()
}

// orWhole returns n, or all of d if n in it uses names that are declared in d outside of n.
func (p *source) orWhole(d ast.Decl, n ast.Node) ast.Node {
	whole := false
	ast.Inspect(n, func(x ast.Node) bool {
		if id, ok := x.(*ast.Ident); ok {
			if o := p.info.Uses[id]; o != nil && d.Pos() <= o.Pos() && o.Pos() < d.End() &&
				!(n.Pos() <= o.Pos() && o.Pos() < n.End()) && o.Parent() != p.pkg.Scope() {
				whole = true
			}
		}
		return !whole
	})
	if whole {
		return d
	}
	return n
}

// calls returns the calls of that name at the place of a frame, or the declaration around them.
func (p *source) calls(at runtime.Frame, name string) (out []ast.Node) {
	for _, f := range p.syntax {
		if p.files.File(f.Pos()).Name() != at.File {
			continue
		}
		for _, d := range f.Decls {
			holds := func(n ast.Node) bool {
				return p.files.Position(n.Pos()).Line <= at.Line && at.Line <= p.files.Position(n.End()).Line
			}
			if !holds(d) {
				continue
			}
			found := false
			ast.Inspect(d, func(n ast.Node) bool {
				if call, ok := n.(*ast.CallExpr); ok && holds(call) && called(call.Fun) == name {
					out, found = append(out, p.orWhole(d, call)), true
				}
				return true
			})
			if !found {
				out = append(out, d)
			}
		}
	}
	return out
}

// called is the last name of a function that is called; "" for a literal.
func called(fun ast.Expr) string {
	switch f := fun.(type) {
	case *ast.Ident:
		return f.Name
	case *ast.SelectorExpr:
		return f.Sel.Name
	case *ast.IndexExpr:
		return called(f.X)
	case *ast.IndexListExpr:
		return called(f.X)
	}
	return ""
}

// reach collects n, a node of p, and what it mentions.
func (c *code) reach(p *source, n ast.Node) error {
	if p.seen[n] {
		return nil
	}
	p.seen[n] = true
	c.texts[p.text(n)] = true
	var errs []error
	next := func(q *source, nodes []ast.Node) {
		for _, m := range nodes {
			errs = append(errs, c.reach(q, m))
		}
	}
	var visit func(x ast.Node) bool
	visit = func(x ast.Node) bool {
		switch x := x.(type) {
		case *ast.SelectorExpr:
			if p.info.Uses[x.Sel] == nil { // of another module
				ast.Inspect(x.X, visit)
				return false
			}
		case *ast.Ident:
			switch o := p.info.Uses[x].(type) {
			case nil:
				if p.atTop(x) {
					next(p, p.declared[x.Name])
				}
			case *types.PkgName:
				if c.checked[o.Imported()] == nil { // of another module
					c.texts["import "+o.Imported().Path()] = true
				}
			default:
				if q := c.checked[o.Pkg()]; q != nil && o.Parent() == q.pkg.Scope() {
					next(q, q.declared[x.Name])
				}
			}
		case *ast.BasicLit:
			if name, err := strconv.Unquote(x.Value); err == nil && x.Kind == token.STRING {
				for _, o := range named(name) {
					errs = append(errs, c.add(o))
				}
			}
		}
		return true
	}
	ast.Inspect(n, visit)
	switch n := n.(type) {
	case *ast.TypeSpec:
		next(p, p.methods[n.Name.Name])
	case *ast.ValueSpec:
		for _, id := range n.Names {
			next(p, p.assignments[id.Name])
		}
	}
	return errors.Join(errs...)
}

// text is the tokens of n, without comments and what only the layout needs.
func (p *source) text(n ast.Node) string {
	f := p.files.File(n.Pos())
	raw := p.raw[f][f.Offset(n.Pos()):f.Offset(n.End())]
	var s scanner.Scanner
	s.Init(token.NewFileSet().AddFile("", -1, len(raw)), raw, nil, 0)
	var words []string
	separated := false // the last word ends a line or an element
	for {
		_, t, literal := s.Scan()
		if closes := t == token.RPAREN || t == token.RBRACK || t == token.RBRACE || t == token.EOF; separated && closes {
			words = words[:len(words)-1]
		}
		separated = t == token.SEMICOLON || t == token.COMMA
		switch {
		case t == token.EOF:
			return strings.Join(words, " ")
		case t.IsLiteral():
			words = append(words, literal)
		default:
			words = append(words, t.String())
		}
	}
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

package main

import (
	"bytes"
	"crypto/sha256"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"maps"
	"path"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// cell is the program that GoNB has made of a cell and of all declarations before it.
type cell struct {
	dir      string
	source   []byte
	file     *ast.File
	files    *token.FileSet
	parts    []*part
	declared map[string][]*part
	imports  []*imported
	inits    []initial       // oldest first
	changed  bool            // source is no longer what GoNB wrote
	losses   map[string]bool // variables with losses of package lab, which can be called
}

// part is a declaration; of a group of types or variables, one line.
type part struct {
	from, to int // in the source
	text     string
	mentions map[string]bool
	bare     map[string]bool // those without a package or a value before them
	function *ast.FuncDecl   // nil for another declaration
	acts     bool            // it does something although nothing mentions it
}

// imported is one import.
type imported struct {
	from, to int
	path     string
	names    []string // what the package may be called here
	keep     bool     // it is imported for its effect, or everything may come from it
}

// parse reads a program. It returns nil for one that only Go's own `go build` should handle: with C,
// embedded files, directives, or errors of syntax.
func parse(dir string, source []byte) *cell {
	c := &cell{dir: dir, source: source, files: token.NewFileSet(), declared: map[string][]*part{}, losses: map[string]bool{}}
	if regexp.MustCompile(`(?m)^\s*//(go:|line |export |\s*\+build)|/\*line `).Match(source) {
		return nil
	}
	var err error
	if c.file, err = parser.ParseFile(c.files, "main.go", source, parser.SkipObjectResolution); err != nil {
		return nil
	}
	for _, d := range c.file.Decls {
		switch d := d.(type) {
		case *ast.FuncDecl:
			p := c.add(d)
			p.function = d
			p.acts = d.Recv == nil && (d.Name.Name == "main" || d.Name.Name == "init")
			if d.Recv == nil {
				c.declare(p, d.Name)
			} else if len(d.Recv.List) == 1 { // a method stays with its type
				c.declare(p, receiver(d.Recv.List[0].Type))
			}
		case *ast.GenDecl:
			if !c.general(d) {
				return nil
			}
		}
	}
	return c
}

// general reads a declaration that is no function.
func (c *cell) general(d *ast.GenDecl) bool {
	if d.Tok == token.CONST { // a constant may repeat the one before
		p := c.add(d)
		for _, s := range d.Specs {
			for _, name := range s.(*ast.ValueSpec).Names {
				c.declare(p, name)
			}
		}
		return true
	}
	for _, s := range d.Specs {
		var n ast.Node = s
		if !d.Lparen.IsValid() {
			n = d
		}
		switch s := s.(type) {
		case *ast.ImportSpec:
			full, err := strconv.Unquote(s.Path.Value)
			if err != nil || full == "C" {
				return false
			}
			c.imports = append(c.imports, newImport(c.at(n.Pos()), c.at(n.End()), s.Name, full))
		case *ast.TypeSpec:
			c.declare(c.add(n), s.Name)
		case *ast.ValueSpec:
			p := c.add(n)
			for _, name := range s.Names {
				c.declare(p, name)
				c.losses[name.Name] = len(s.Names) == 1 && len(s.Values) == 1 && c.isLoss(s.Values[0])
			}
			p.acts = slices.ContainsFunc(s.Values, func(x ast.Expr) bool { return acts(x) && !c.asks(x) })
		}
	}
	return true
}

func (c *cell) at(p token.Pos) int { return c.files.Position(p).Offset }

func (c *cell) add(n ast.Node) *part {
	p := &part{from: c.at(n.Pos()), to: c.at(n.End()), mentions: map[string]bool{}, bare: map[string]bool{}}
	p.text = string(c.source[p.from:p.to])
	behind := map[*ast.Ident]bool{} // a point, or keys of a literal
	ast.Inspect(n, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.SelectorExpr:
			behind[n.Sel] = true
		case *ast.KeyValueExpr:
			if id, ok := n.Key.(*ast.Ident); ok {
				behind[id] = true
			}
		case *ast.Field:
			for _, id := range n.Names {
				behind[id] = true
			}
		case *ast.Ident:
			p.mentions[n.Name] = true
			if !behind[n] {
				p.bare[n.Name] = true
			}
		}
		return true
	})
	c.parts = append(c.parts, p)
	return p
}

func (c *cell) declare(p *part, name *ast.Ident) {
	if name != nil && name.Name != "_" && name.Name != "init" {
		c.declared[name.Name] = append(c.declared[name.Name], p)
	}
}

// receiver returns the name of a receiver's type.
func receiver(x ast.Expr) *ast.Ident {
	switch x := x.(type) {
	case *ast.Ident:
		return x
	case *ast.StarExpr:
		return receiver(x.X)
	case *ast.ParenExpr:
		return receiver(x.X)
	case *ast.IndexExpr:
		return receiver(x.X)
	case *ast.IndexListExpr:
		return receiver(x.X)
	}
	return nil
}

// newImport reads one import. Packages whose import may have an effect on others, by what they
// register, are kept, unless they are this module's, which register nothing.
func newImport(from, to int, name *ast.Ident, full string) *imported {
	i := &imported{from: from, to: to, path: full}
	if name != nil {
		i.names = []string{name.Name}
		i.keep = name.Name == "_" || name.Name == "."
		return i
	}
	base := path.Base(full)
	if regexp.MustCompile(`^v\d+$`).MatchString(base) {
		base = path.Base(path.Dir(full))
	}
	i.names = []string{base, strings.TrimPrefix(base, "go-"), strings.TrimSuffix(base, ".go"), strings.TrimSuffix(base, "-go")}
	if before, _, ok := strings.Cut(base, ".v"); ok {
		i.names = append(i.names, before)
	}
	return i
}

// effectless reports whether nothing is missing when a package that no code mentions is not there.
func effectless(full string) bool {
	first, _, _ := strings.Cut(full, "/")
	if strings.Contains(first, ".") {
		return full == module || strings.HasPrefix(full, module+"/")
	}
	registers := []string{"image", "crypto", "hash", "expvar", "time", "net", "embed", "database", "encoding"}
	return !slices.Contains(registers, first) ||
		slices.Contains([]string{"image", "image/color", "time", "net", "encoding/json", "encoding/csv"}, full)
}

// acts reports whether evaluating x may do more than to give a value: a call, a receive, a panic.
func acts(x ast.Expr) bool {
	found := false
	ast.Inspect(x, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.FuncLit:
			return false // it is not called here
		case nil, *ast.Ident, *ast.BasicLit, *ast.CompositeLit, *ast.KeyValueExpr, *ast.ParenExpr, *ast.ArrayType, *ast.MapType,
			*ast.FuncType, *ast.InterfaceType, *ast.StructType, *ast.ChanType, *ast.FieldList, *ast.Field, *ast.Ellipsis:
		case *ast.UnaryExpr:
			found = found || n.Op == token.ARROW
		case *ast.BinaryExpr:
			found = found || !slices.Contains([]token.Token{token.ADD, token.SUB, token.MUL}, n.Op)
		default:
			found = true
		}
		return !found
	})
	return found
}

// reach returns the parts that those in from mention, and so on, with from.
func (c *cell) reach(from ...*part) map[*part]bool {
	reached := map[*part]bool{}
	for len(from) > 0 {
		p := from[len(from)-1]
		from = from[:len(from)-1]
		if reached[p] {
			continue
		}
		reached[p] = true
		for name := range p.mentions {
			from = append(from, c.declared[name]...)
		}
	}
	return reached
}

// prune returns the program without the declarations that nothing reaches from main, init functions
// and variables whose value may have an effect. Lines keep their numbers. A declaration that has not
// been compiled before, together with all that it reaches, stays: its errors must show. checked holds
// the keys of those that have been; keys are those of the parts that stay.
func (c *cell) prune(checked map[string]bool) (source []byte, keys []string) {
	var roots []*part
	for _, p := range c.parts {
		if p.acts || !checked[c.key(p)] {
			roots = append(roots, p)
		}
	}
	kept := c.reach(roots...)
	source = slices.Clone(c.source)
	mentioned, everywhere := map[string]bool{}, map[string]bool{}
	for _, p := range c.parts {
		maps.Copy(everywhere, p.mentions)
		if kept[p] {
			maps.Copy(mentioned, p.mentions)
			keys = append(keys, c.key(p))
		} else {
			blank(source[p.from:p.to])
		}
	}
	for _, i := range slices.Backward(c.imports) {
		unused := i.names[0] == "." && !c.dotted(kept)
		if i.keep && !unused || slices.ContainsFunc(i.names, in(mentioned)) || !unused && !slices.ContainsFunc(i.names, in(everywhere)) {
			continue
		}
		if effectless(i.path) || unused {
			blank(source[i.from:i.to])
			continue
		}
		spec := strings.TrimPrefix(string(c.source[i.from:i.to]), "import")
		quoted := strings.LastIndexAny(strings.TrimRight(spec, "\"`"), "\"`")
		effect := "_ " + spec[quoted:]
		if len(spec) < i.to-i.from {
			effect = "import " + effect
		}
		source = slices.Concat(source[:i.from], []byte(effect), source[i.to:])
	}
	return source, keys
}

// key identifies a declaration with all that it reaches and the imports that it mentions.
func (c *cell) key(p *part) string {
	var texts []string
	mentioned := map[string]bool{}
	for q := range c.reach(p) {
		texts = append(texts, q.text)
		maps.Copy(mentioned, q.mentions)
	}
	for _, i := range c.imports {
		if i.keep || slices.ContainsFunc(i.names, in(mentioned)) {
			texts = append(texts, string(c.source[i.from:i.to])+" ")
		}
	}
	slices.Sort(texts)
	return fmt.Sprintf("%x", sha256.Sum256([]byte(strings.Join(texts, "\x00"))))[:24]
}

func in(set map[string]bool) func(string) bool { return func(name string) bool { return set[name] } }

// blank replaces text by spaces, line by line.
func blank(text []byte) {
	for i := range text {
		if text[i] != '\n' {
			text[i] = ' '
		}
	}
}

// paths returns what a program imports.
func paths(source []byte) ([]string, error) {
	f, err := parser.ParseFile(token.NewFileSet(), "main.go", source, parser.ImportsOnly)
	if err != nil {
		return nil, err
	}
	var all []string
	for _, s := range f.Imports {
		full, err := strconv.Unquote(s.Path.Value)
		if err != nil {
			return nil, err
		}
		all = append(all, full)
	}
	return all, nil
}

// position is where a part begins, as the compiler writes it.
func (c *cell) position(p *part) string {
	at := 1 + bytes.Count(c.source[:p.from], []byte("\n"))
	return fmt.Sprintf("./main.go:%d:1", at)
}

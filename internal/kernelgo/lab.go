package main

import (
	"go/ast"
	"regexp"
	"slices"
	"strings"
)

// Package lab is built without the library, as a thin client of its process, unless a cell reaches what
// needs the library: a loss, an amortizer or directions of the reader's own.
const (
	thin    = "-tags=swlab_cell"
	ownCode = `(Loss|LossFunc|Amortizer|Directions|Distribution|Node|Weights|W)\b`
)

// withLibrary makes the following builds have the library in package lab.
func withLibrary(flags string) string {
	return strings.Join(strings.Fields(strings.ReplaceAll(flags, thin, "")), " ")
}

// labName is what the cell calls package lab; "" if it does not import it.
func (c *cell) labName() string {
	for _, i := range c.imports {
		if i.path == module {
			return i.names[0]
		}
	}
	return ""
}

// own matches what needs the library.
func (c *cell) own() *regexp.Regexp {
	return regexp.MustCompile(`\b` + regexp.QuoteMeta(c.labName()) + `\.` + ownCode)
}

// needsLibrary reports whether the cell reaches what needs the library. If not, and another declaration does, the
// program is what it reaches.
func (c *cell) needsLibrary(checked map[string]bool) bool {
	if c.labName() == "" {
		return false
	}
	own := c.own()
	if !own.Match(c.source) {
		return false
	}
	source, _ := c.prune(checked)
	if own.Match(source) {
		return true
	}
	c.source, c.changed = source, true
	return false
}

// dotted reports whether these parts mention an exported name without a package that no part declares: it comes from
// an import with a dot.
func (c *cell) dotted(kept map[*part]bool) bool {
	for p := range kept {
		for name := range p.bare {
			if ast.IsExported(name) && c.declared[name] == nil {
				return true
			}
		}
	}
	return false
}

// asks reports whether x is a call of package lab, or of a method of what such a call returns. Its value is kept by the
// process, so it is computed when a cell reaches it.
func (c *cell) asks(x ast.Expr) bool {
	for {
		switch y := x.(type) {
		case *ast.CallExpr:
			x = y.Fun
		case *ast.SelectorExpr:
			x = y.X
		case *ast.IndexExpr:
			x = y.X
		case *ast.Ident:
			return y.Name == c.labName() && y.Name != ""
		default:
			return false
		}
	}
}

// isLoss reports whether x is a loss of package lab.
func (c *cell) isLoss(x ast.Expr) bool {
	if call, ok := x.(*ast.CallExpr); ok {
		x = call.Fun
		s, ok := x.(*ast.SelectorExpr)
		return ok && c.asks(x) && slices.Contains([]string{"Loss", "LossFunc", "Named"}, s.Sel.Name)
	}
	return c.asks(x)
}

// silent are functions and methods of package lab that return nothing.
var silent = []string{"Show", "Save", "Vars", "Forget", "Restart", "Results", "Share"}

// pictures are methods of package lab's values that return what can be shown.
var pictures = []string{"Plot", "Slice", "Landscape", "Sphere", "Curves", "Plan", "Optimum"}

// showLast makes the last expression of a cell show itself: what is no call, which Go would refuse, and calls of
// package lab. The line numbers stay.
func (c *cell) showLast() {
	if c.labName() == "" {
		return
	}
	for _, d := range c.file.Decls {
		f, ok := d.(*ast.FuncDecl)
		if !ok || f.Name.Name != "main" || f.Recv != nil || f.Body == nil || len(f.Body.List) == 0 {
			continue
		}
		last, ok := f.Body.List[len(f.Body.List)-1].(*ast.ExprStmt)
		if !ok {
			return
		}
		if call, ok := last.X.(*ast.CallExpr); ok {
			name, own := "", false
			switch f := call.Fun.(type) {
			case *ast.SelectorExpr:
				name = f.Sel.Name
			case *ast.Ident:
				own = c.losses[f.Name]
			}
			if slices.Contains(silent, name) || !own && !c.asks(call) && !slices.Contains(pictures, name) {
				return
			}
		}
		from, to := c.at(last.Pos()), c.at(last.End())
		c.source = slices.Concat(c.source[:from], []byte(c.labName()+".Show("), c.source[from:to], []byte(")"), c.source[to:])
		c.changed = true
		return
	}
}

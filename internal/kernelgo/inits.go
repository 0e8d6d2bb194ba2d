package main

import (
	"fmt"
	"go/ast"
	"go/token"
	"maps"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
)

// initial is a function init of the notebook, in the order in which they appeared.
type initial struct {
	Text  string
	Names []string // what it registers: `loss "moments"`
}

// initials is what inits.json in the kernel's folder holds.
type initials struct {
	Ran     []initial // of the last program that was compiled
	Refused []initial // of cells that would have replaced one, since then
}

// settle makes the functions init of a notebook's cells work together. GoNB keeps declarations by
// their names, so `func init()` in a second cell takes the place of the first, and after a renaming both stay.
//
//   - If the place is taken of one that registers what no other does, settle returns an error for the cell.
//     The same cell again is accepted.
//   - Of two that register the same, only the newer one stays.
//
// GoNB writes both `func init()` and `func init_NAME()` as `func init()`.
func (c *cell) settle() string {
	file := filepath.Join(c.dir, folder, "inits.json")
	var kept initials
	readJSON(file, &kept)
	var now []initial
	var parts []*part
	var texts []string
	for _, p := range c.parts {
		if p.function != nil && p.function.Recv == nil && p.function.Name.Name == "init" {
			now = append(now, initial{p.text, registered(p.function)})
			texts = append(texts, p.text)
			parts = append(parts, p)
		}
	}
	age := func(i initial) int { // newer ones have larger numbers
		at := slices.IndexFunc(kept.Ran, func(old initial) bool { return old.Text == i.Text })
		if at < 0 {
			return len(kept.Ran)
		}
		return at
	}
	fresh := slices.IndexFunc(now, func(i initial) bool { return age(i) == len(kept.Ran) })
	for _, old := range kept.Ran {
		lost := slices.DeleteFunc(slices.Clone(old.Names), func(name string) bool {
			return slices.ContainsFunc(now, func(i initial) bool { return slices.Contains(i.Names, name) })
		})
		gone := !slices.ContainsFunc(now, func(i initial) bool { return i.Text == old.Text })
		again := fresh >= 0 &&
			slices.ContainsFunc(kept.Refused, func(i initial) bool { return i.Text == now[fresh].Text })
		if gone && len(lost) > 0 && fresh >= 0 && !again {
			kept.Refused = append(kept.Refused, now[fresh])
			writeJSON(file, kept)
			return fmt.Sprintf("# swlab\n"+
				"%s: this init function takes the place of an earlier one, which registers %s.\n"+
				"\tTo have both, give it a name of its own that begins with init_, as in func init_mine(). "+
				"To replace the earlier one, run the cell again.\n",
				c.position(parts[fresh]), strings.Join(lost, " and "))
		}
	}
	for i, p := range parts {
		if slices.ContainsFunc(now, func(other initial) bool {
			newer := age(other) > age(now[i]) || other.Text == now[i].Text && slices.Index(texts, other.Text) < i
			return newer && len(now[i].Names) > 0 && covers(other.Names, now[i].Names)
		}) {
			c.remove(p)
		}
	}
	c.inits = now
	slices.SortStableFunc(c.inits, func(a, b initial) int { return age(a) - age(b) })
	return ""
}

// ran notes which functions init the notebook has, after they have been compiled.
func (c *cell) ran() { writeJSON(filepath.Join(c.dir, folder, "inits.json"), initials{Ran: c.inits}) }

// remove takes a declaration out of main.go, and the imports that only it has used.
func (c *cell) remove(p *part) {
	blank(c.source[p.from:p.to])
	c.changed = true
	c.parts = slices.DeleteFunc(c.parts, func(q *part) bool { return q == p })
	left := map[string]bool{}
	for _, q := range c.parts {
		maps.Copy(left, q.mentions)
	}
	c.imports = slices.DeleteFunc(c.imports, func(i *imported) bool {
		drop := !i.keep && slices.ContainsFunc(i.names, in(p.mentions)) && !slices.ContainsFunc(i.names, in(left))
		if drop {
			blank(c.source[i.from:i.to])
		}
		return drop
	})
}

// covers reports whether all has every one of some.
func covers(all, some []string) bool {
	return !slices.ContainsFunc(some, func(name string) bool { return !slices.Contains(all, name) })
}

// registered returns what a function registers under names that stand in it: `loss "moments"`.
func registered(f *ast.FuncDecl) (names []string) {
	ast.Inspect(f, func(n ast.Node) bool {
		call, ok := n.(*ast.CallExpr)
		if !ok || len(call.Args) == 0 {
			return true
		}
		of, ok := call.Fun.(*ast.SelectorExpr)
		literal, isLiteral := call.Args[0].(*ast.BasicLit)
		if !ok || of.Sel.Name != "Register" || !isLiteral || literal.Kind != token.STRING {
			return true
		}
		pkg, ok := of.X.(*ast.Ident)
		name, err := strconv.Unquote(literal.Value)
		if ok && err == nil {
			names = append(names, fmt.Sprintf("%s %q", pkg.Name, name))
		}
		return true
	})
	return names
}

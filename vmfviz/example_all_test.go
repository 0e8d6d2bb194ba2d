package vmfviz

import (
	"go/ast"
	"go/parser"
	"go/token"
	"path/filepath"
	"strings"
	"testing"
)

// TestExamples: every exported function and method has an example; those that
// make a picture have a golden one as well.
func TestExamples(t *testing.T) {
	files, err := filepath.Glob("*.go")
	if err != nil {
		t.Fatal(err)
	}
	examples, exported, makers := map[string]bool{}, map[string]bool{}, map[string]bool{}
	golden := map[string]bool{}
	for _, path := range files {
		f, err := parser.ParseFile(token.NewFileSet(), path, nil, 0)
		if err != nil {
			t.Fatal(err)
		}
		for _, d := range f.Decls {
			fn, ok := d.(*ast.FuncDecl)
			if !ok {
				continue
			}
			name := fn.Name.Name
			if strings.HasSuffix(path, "_test.go") {
				if of, ok := strings.CutPrefix(name, "Example"); ok {
					examples[of] = true
				}
				continue
			}
			if !fn.Name.IsExported() {
				continue
			}
			if fn.Recv != nil {
				of := pointed(fn.Recv.List[0].Type)
				if !ast.IsExported(of) {
					continue
				}
				name = of + "_" + name
			} else if pointed(fn.Type.Results.List[0].Type) == "Picture" {
				makers[name] = true
			}
			exported[name] = true
		}
		if path != "golden_test.go" {
			continue
		}
		ast.Inspect(f, func(n ast.Node) bool {
			if call, ok := n.(*ast.CallExpr); ok {
				if id, ok := call.Fun.(*ast.Ident); ok {
					golden[id.Name] = true
				}
			}
			return true
		})
	}
	for name := range exported {
		if !examples[name] {
			t.Errorf("%s has no example", name)
		}
	}
	for name := range makers {
		if !golden[name] {
			t.Errorf("%s has no golden picture", name)
		}
	}
	if len(exported) < 15 || len(makers) < 9 {
		t.Errorf("%d functions, %d of them make pictures", len(exported), len(makers))
	}
}

// pointed is the name of the type that a pointer points to, "" of other types.
func pointed(e ast.Expr) string {
	if star, ok := e.(*ast.StarExpr); ok {
		if id, ok := star.X.(*ast.Ident); ok {
			return id.Name
		}
	}
	return ""
}

package main

import (
	"go/parser"
	"go/token"
	"slices"
	"testing"
)

// TestMutants: one change of each kind, every one of them Go, and none of texts and imports.
func TestMutants(t *testing.T) {
	const source = `package p

import "fmt"

func f(a, b int) (int, error) {
	if a < b {
		return 0, fmt.Errorf("%d", 1+2)
	}
	a += min(b, 3)
	return a - b, nil
}
`
	all, err := mutantsOf("p.go", []byte(source))
	if err != nil {
		t.Fatal(err)
	}
	var found []string
	for _, m := range all {
		changed := source[:m.from] + m.with + source[m.to:]
		if _, err := parser.ParseFile(token.NewFileSet(), "p.go", changed, 0); err != nil || changed == source {
			t.Errorf("line %d, %q instead of %q: %v", m.line, m.with, m.was, err)
		}
		found = append(found, m.with)
	}
	want := []string{"!(a < b)", "a <= b", "a >= b", "(0 + 1)", "-=", "max", "(3 + 1)", "a + b", "a"}
	if !slices.Equal(found, want) {
		t.Errorf("found %q, want %q", found, want)
	}
}

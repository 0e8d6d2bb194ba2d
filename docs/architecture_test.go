package main

import (
	"os/exec"
	"regexp"
	"strings"
	"testing"

	"github.com/janpfeifer/must"
)

// TestArchitecture: every package has a row in architecture.md or lies under one that has, every row is of a package, and imports go
// from a layer to those below it.
func TestArchitecture(t *testing.T) {
	layers := map[string]int{"internal": 0, "datasets": 1, "vmfviz": 1, "swlab": 2, "experiments": 3}
	layer := func(name string) (top string, height int) {
		top, _, _ = strings.Cut(name, "/")
		if height, ok := layers[top]; ok {
			return top, height
		}
		return top, len(layers)
	}
	packages, _, _ := strings.Cut(prose(t, "architecture.md"), "\n## Design decisions")
	rows := map[string]bool{}
	for _, row := range regexp.MustCompile(`(?m)^\| (\[.*?) \| .* \|$`).FindAllStringSubmatch(packages, -1) {
		for _, m := range regexp.MustCompile("\\[`([^`]*)`\\]").FindAllStringSubmatch(row[1], -1) {
			rows[m[1]] = false
		}
	}
	const list = `{{if or .GoFiles .CgoFiles}}{{.ImportPath}}{{range .Imports}} {{.}}{{end}}{{end}}`
	for line := range strings.Lines(string(must.M1(exec.Command("go", "list", "-f", list, "../...").Output()))) {
		var ours []string
		for _, name := range strings.Fields(line) {
			if name, ok := strings.CutPrefix(name, "github.com/sliced-wasserstein/lab/"); ok {
				ours = append(ours, name)
			}
		}
		name := ours[0]
		owner, _, inside := strings.Cut(name, "/internal/")
		if _, ok := rows[name]; ok {
			rows[name] = true
		} else if _, ok := rows[owner]; !inside || !ok {
			t.Errorf("architecture.md has no row for %s", name)
		}
		top, height := layer(name)
		for _, imported := range ours[1:] {
			if below, under := layer(imported); below != top && under >= height {
				t.Errorf("%s imports %s, which is in no layer below", name, imported)
			}
		}
	}
	for name, found := range rows {
		if !found {
			t.Errorf("architecture.md has a row for %s, which is no package", name)
		}
	}
}

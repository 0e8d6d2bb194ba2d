package docs

import (
	"encoding/json"
	"errors"
	"io"
	"os/exec"
	"path"
	"regexp"
	"slices"
	"strings"
	"testing"
)

const module = "github.com/sliced-wasserstein/lab/"

// TestArchitecture holds the imports inside the module against the table of architecture.md: each package has a row, imports only
// what the row allows, and the row allows nothing that the package does not import.
func TestArchitecture(t *testing.T) {
	out, err := exec.Command("go", "list", "-json=ImportPath,Imports,TestGoFiles,GoFiles", "../...").Output()
	if err != nil {
		t.Fatal(err)
	}
	imports := map[string][]string{}
	for d := json.NewDecoder(strings.NewReader(string(out))); ; {
		var p struct {
			ImportPath       string
			GoFiles, Imports []string
		}
		if err := d.Decode(&p); errors.Is(err, io.EOF) {
			break
		} else if err != nil {
			t.Fatal(err)
		}
		if len(p.GoFiles) == 0 { // only tests
			continue
		}
		name := strings.TrimPrefix(p.ImportPath, module)
		imports[name] = []string{}
		for _, i := range p.Imports {
			if rel, ours := strings.CutPrefix(i, module); ours {
				imports[name] = append(imports[name], rel)
			}
		}
	}
	rows := regexp.MustCompile(`(?m)^\| (\[.*?) \| .* \| (.*) \|$`).FindAllStringSubmatch(prose(t, "architecture.md"), -1)
	covered := map[string]bool{}
	for _, row := range rows {
		var packages []string
		for _, m := range regexp.MustCompile("\\[`([^`]*)`\\]").FindAllStringSubmatch(row[1], -1) {
			packages = append(packages, m[1])
		}
		allowed := strings.FieldsFunc(strings.ReplaceAll(row[2], "`", ""), func(r rune) bool { return r == ',' || r == ' ' })
		if len(allowed) == 1 && (allowed[0] == "-" || allowed[0] == "anything") {
			allowed = slices.DeleteFunc(allowed, func(a string) bool { return a == "-" })
		}
		used := map[string]bool{}
		for _, name := range packages {
			if _, ok := imports[name]; !ok {
				t.Errorf("architecture.md has a row for %s, which is no package", name)
			}
			covered[name] = true
			for _, i := range imports[name] {
				if slices.Contains(packages, i) || slices.Contains(allowed, "anything") {
					continue
				}
				if !slices.Contains(allowed, i) {
					t.Errorf("%s imports %s, which its row in architecture.md does not allow", name, i)
				}
				used[i] = true
			}
		}
		for _, a := range allowed {
			if !used[a] && a != "anything" {
				t.Errorf("the row of %v in architecture.md allows %s, which it does not import", packages, a)
			}
		}
	}
	for name := range imports {
		owner, _, private := strings.Cut(name, "/internal/") // an internal package belongs to the one it lies under
		inside := name != owner && private || strings.HasPrefix(name, "bench/") || path.Base(name) == "canvastest"
		if !covered[name] && !(inside && (covered[owner] || covered[path.Dir(name)])) {
			t.Errorf("architecture.md has no row for %s", name)
		}
	}
}

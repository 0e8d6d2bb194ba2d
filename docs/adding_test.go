package docs

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// TestExamples writes the Go blocks of adding.md, which are one file and one registry line each, over this repository by Go's
// overlay, compiles them, and runs them through the suites that read the registries. Nothing else is changed.
func TestExamples(t *testing.T) {
	root, err := filepath.Abs("..")
	if err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile("adding.md")
	if err != nil {
		t.Fatal(err)
	}
	page, _, found := strings.Cut(string(text), "\n## A data format")
	if !found {
		t.Fatal("adding.md has no section on data formats")
	}
	dir := t.TempDir()
	overlay := map[string]string{}
	put := func(path, content string) {
		file := filepath.Join(dir, strings.ReplaceAll(path, "/", "_"))
		if err := os.WriteFile(file, []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
		overlay[filepath.Join(root, path)] = file
	}
	block := regexp.MustCompile("(?s)```go\n(.*?)```")
	named := regexp.MustCompile("`(swlab/[a-z_/]+\\.go)`:")
	files, lines := 0, 0
	for _, at := range block.FindAllStringSubmatchIndex(page, -1) {
		code := page[at[2]:at[3]]
		if path, rest, ok := strings.Cut(strings.TrimPrefix(code, "// in "), "\n"); strings.HasPrefix(code, "// in ") && ok {
			old, err := os.ReadFile(filepath.Join(root, path))
			if err != nil {
				t.Fatal(err)
			}
			head := regexp.MustCompile(`(?m)^var registered = .*\{\n`).Find(old)
			if head == nil {
				t.Fatalf("%s has no registry", path)
			}
			put(path, strings.Replace(string(old), string(head), string(head)+rest, 1))
			lines++
			continue
		}
		if strings.HasPrefix(code, "package mine_test") {
			put("swlab/loss/losstest/mine_test.go", strings.Replace(code, "package mine_test", "package losstest_test", 1))
			continue
		}
		before := named.FindAllStringSubmatch(page[:at[0]], -1)
		if before == nil || !strings.HasPrefix(code, "package ") {
			t.Fatalf("a block of adding.md is neither a named file nor a registry line:\n%s", code)
		}
		put(before[len(before)-1][1], code)
		files++
	}
	if files != 3 || lines != 3 {
		t.Fatalf("adding.md has %d files and %d registry lines, expected 3 and 3", files, lines)
	}
	raw, err := json.Marshal(map[string]any{"Replace": overlay})
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(dir, "overlay.json")
	if err := os.WriteFile(path, raw, 0o600); err != nil {
		t.Fatal(err)
	}
	var out strings.Builder
	for _, args := range [][]string{
		{"^(TestSeeds|TestMine)$", "./swlab/slicing", "./swlab/loss/losstest"},
		{"^TestRegistered$/^ds$", "./swlab/amortizer"},
		{"TestSuite/(^energy-distance|power|_ds)", "./swlab/loss"},
	} {
		run := exec.Command("go", append([]string{"test", "-overlay", path, "-v", "-count=1", "-run"}, args...)...)
		run.Dir = root
		result, err := run.CombinedOutput()
		if err != nil {
			t.Fatalf("%v: %v\n%s", run.Args, err, result)
		}
		out.Write(result)
	}
	for _, passed := range []string{"TestSeeds", "TestRegistered/ds", "TestSuite/energy-distance", "TestSuiteOfRules/v-dsw_power", "TestSuiteOfAmortizers/v-dsw_ds", "TestMine"} {
		if !strings.Contains(out.String(), "--- PASS: "+passed) {
			t.Errorf("%s has not run:\n%s", passed, out.String())
		}
	}
}

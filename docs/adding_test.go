package main

import (
	"encoding/json"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/janpfeifer/must"
)

// TestExamples writes the Go blocks of adding.md, which are one file and one registry line each, over this repository by Go's
// overlay, compiles them, and runs them through the suites that read the registries. Nothing else is changed.
func TestExamples(t *testing.T) {
	if testing.Short() {
		t.Skip("compiles half of the repository again")
	}
	root := must.M1(filepath.Abs(".."))
	page, _, found := strings.Cut(read(t, "adding.md"), "\n## From a module of your own")
	if !found {
		t.Fatal("adding.md has no section on modules")
	}
	dir := t.TempDir()
	overlay := map[string]string{}
	put := func(path, content string) {
		file := filepath.Join(dir, strings.ReplaceAll(path, "/", "_"))
		must.M(os.WriteFile(file, []byte(content), 0o600))
		overlay[filepath.Join(root, path)] = file
	}
	block := regexp.MustCompile("(?s)```go\n(.*?)```")
	named := regexp.MustCompile("`(swlab/[a-z_/]+\\.go)`:")
	files, lines := 0, 0
	for _, at := range block.FindAllStringSubmatchIndex(page, -1) {
		code := page[at[2]:at[3]]
		if path, rest, ok := strings.Cut(strings.TrimPrefix(code, "// in "), "\n"); strings.HasPrefix(code, "// in ") && ok {
			old := read(t, filepath.Join(root, path))
			head := regexp.MustCompile(`(?m)^var registered = .*\{\n`).FindString(old)
			if head == "" {
				t.Fatalf("%s has no registry", path)
			}
			put(path, strings.Replace(old, head, head+rest, 1))
			lines++
			continue
		}
		if strings.HasPrefix(code, "package mine_test") {
			put("swlab/conformance/mine_test.go", strings.Replace(code, "package mine_test", "package conformance_test", 1))
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
	raw := must.M1(json.Marshal(map[string]any{"Replace": overlay}))
	path := filepath.Join(dir, "overlay.json")
	must.M(os.WriteFile(path, raw, 0o600))
	run := exec.Command("go", "test", "-overlay", path, "-v", "-short", "-count=1",
		"-run", "^(TestSeeds|TestMine|TestRegistered|TestSuite.*)$/^(ds|energy-distance|v-dsw_power|v-dsw_ds)$",
		"./swlab/slicing", "./swlab/conformance", "./swlab/amortizer", "./swlab/loss")
	run.Dir = root
	out, err := run.CombinedOutput()
	if err != nil {
		t.Fatalf("%v: %v\n%s", run.Args, err, out)
	}
	for _, passed := range []string{"TestSeeds", "TestRegistered/ds", "TestSuite/energy-distance", "TestSuiteOfDistributions/v-dsw_power", "TestSuiteOfAmortizers/v-dsw_ds", "TestMine"} {
		if !strings.Contains(string(out), "--- PASS: "+passed) {
			t.Errorf("%s has not run:\n%s", passed, out)
		}
	}
}

// TestOwnModule writes the module of adding.md into a folder of its own, tests and runs it, and builds the command line with it, without
// network: what is registered elsewhere can be used by name everywhere, and its code is part of a run.
func TestOwnModule(t *testing.T) {
	if testing.Short() {
		t.Skip("compiles half of the repository again")
	}
	root := must.M1(filepath.Abs(".."))
	_, page, found := strings.Cut(read(t, "adding.md"), "\n## From a module of your own")
	page, _, also := strings.Cut(page, "\n## ")
	if !found || !also {
		t.Fatal("adding.md has no section on modules, or none behind it")
	}
	dir := t.TempDir()
	put := func(path, content string) {
		path = filepath.Join(dir, path)
		must.M(errors.Join(os.MkdirAll(filepath.Dir(path), 0o700), os.WriteFile(path, []byte(content), 0o600)))
	}
	files := regexp.MustCompile("(?s)`([a-z_/]+\\.go)`:?\n\n```go\n(.*?)```").FindAllStringSubmatch(page, -1)
	if len(files) != 4 {
		t.Fatalf("found %d files in the section, expected own/own.go, main.go, cli.go and own/own_test.go", len(files))
	}
	for _, f := range files {
		put(f[1], f[2])
	}
	const lab = "github.com/sliced-wasserstein/lab"
	mod := strings.Replace(read(t, "../go.mod"), "module "+lab, "module example.com/mine", 1)
	put("go.mod", mod+"\nrequire "+lab+" v0.0.0\n\nreplace "+lab+" => "+root+"\n")
	put("go.sum", read(t, "../go.sum"))
	_, script, _ := strings.Cut(page, "\n```\nlab=")
	script, _, _ = strings.Cut(script, "```")
	build := "set -e; lab=" + script
	call := func(script string) string {
		t.Helper()
		cmd := exec.Command("sh", "-c", script)
		cmd.Dir = dir
		cmd.Env = append(os.Environ(), "GOFLAGS=-mod=mod", "GOPROXY=off", "GOWORK=off", "SWLAB_BACKEND=go")
		out, err := cmd.CombinedOutput()
		if err != nil {
			t.Fatalf("%s: %v\n%s", script, err, out)
		}
		return string(out)
	}
	call("go test ./own")
	call(build)
	for script, want := range map[string]string{
		"go run .":                "centroid: 9.000 (squared distance|v-dsw: 200 slices around [|trained for 2 steps|loss centroid done",
		"./swlab distance --help": "centroid", "./swlab train --help": "cap,", "./swlab direction --help": "pooled", "./swlab sweep --help": "centroid,",
		"./swlab table run short_reconstruction_result --preset smoke --rows centroid --ours=false --format csv --set points=16 --set batch=16 --set per_class=1 --set per_test=1": "centroid",
	} {
		out := call(script)
		for _, text := range strings.Split(want, "|") {
			if !strings.Contains(out, text) {
				t.Errorf("%s: expected %q, found\n%s", script, text, out)
			}
		}
	}
	put("own/own.go", strings.Replace(read(t, filepath.Join(dir, "own/own.go")), "graph.MulScalar(u, 2/", "graph.MulScalar(u, 3/", 1))
	call(build)
	if said := call("! ./swlab train --resume --out run --steps 3 2>&1"); !strings.Contains(said, "the code of what is registered: slicing distribution cap ") {
		t.Errorf("a run is resumed with another distribution: %s", said)
	}
}

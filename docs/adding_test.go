package main

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
	if testing.Short() {
		t.Skip("compiles half of the repository again")
	}
	root, err := filepath.Abs("..")
	if err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile("adding.md")
	if err != nil {
		t.Fatal(err)
	}
	page, _, found := strings.Cut(string(text), "\n## From a module of your own")
	if !found {
		t.Fatal("adding.md has no section on modules")
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
		{"^(TestSeeds|TestMine)$", "./swlab/slicing", "./swlab/conformance"},
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
	for _, passed := range []string{"TestSeeds", "TestRegistered/ds", "TestSuite/energy-distance", "TestSuiteOfDistributions/v-dsw_power", "TestSuiteOfAmortizers/v-dsw_ds", "TestMine"} {
		if !strings.Contains(out.String(), "--- PASS: "+passed) {
			t.Errorf("%s has not run:\n%s", passed, out.String())
		}
	}
}

// TestOwnModule writes the module of adding.md into a folder of its own, runs it, and builds the command line with it, without
// network: what is registered elsewhere can be used by name everywhere.
func TestOwnModule(t *testing.T) {
	if testing.Short() {
		t.Skip("compiles half of the repository again")
	}
	root, err := filepath.Abs("..")
	if err != nil {
		t.Fatal(err)
	}
	read := func(path string) string {
		raw, err := os.ReadFile(filepath.Join(root, path))
		if err != nil {
			t.Fatal(err)
		}
		return string(raw)
	}
	_, page, found := strings.Cut(read("docs/adding.md"), "\n## From a module of your own")
	page, _, also := strings.Cut(page, "\n## ")
	if !found || !also {
		t.Fatal("adding.md has no section on modules, or none behind it")
	}
	dir := t.TempDir()
	put := func(path, content string) {
		path = filepath.Join(dir, path)
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	files := regexp.MustCompile("(?s)`([a-z_/]+\\.go)`:?\n\n```go\n(.*?)```").FindAllStringSubmatch(page, -1)
	if len(files) != 4 {
		t.Fatalf("found %d files in the section, expected own/own.go, main.go, cli.go and own/own_test.go", len(files))
	}
	for _, f := range files {
		put(f[1], f[2])
	}
	const lab = "github.com/sliced-wasserstein/lab"
	mod := strings.Replace(read("go.mod"), "module "+lab, "module example.com/mine", 1)
	put("go.mod", mod+"\nrequire "+lab+" v0.0.0\n\nreplace "+lab+" => "+root+"\n")
	put("go.sum", read("go.sum"))

	call := func(name string, args ...string) string {
		t.Helper()
		cmd := exec.Command(name, args...)
		cmd.Dir = dir
		cmd.Env = append(os.Environ(), "GOFLAGS=-mod=mod", "GOPROXY=off", "GOWORK=off", "SWLAB_BACKEND=go")
		out, err := cmd.CombinedOutput()
		if err != nil {
			t.Fatalf("%s %v: %v\n%s", name, args, err, out)
		}
		return string(out)
	}
	call("go", "test", "./own")
	out := call("go", "run", ".")
	for _, line := range []string{"centroid: 9.000 (squared distance", "v-dsw: 200 slices around [", "trained for 2 steps", "loss centroid done"} {
		if !strings.Contains(out, line) {
			t.Errorf("expected a line with %q, found\n%s", line, out)
		}
	}

	// The code of the README where its files are missing: an error, no crash.
	code := regexp.MustCompile("(?s)```go\n(.*?)```").FindStringSubmatch(read("README.md"))
	put("readme/main.go", "package main\n\nimport (\n\t\"fmt\"\n\t\"log\"\n\n\t\""+lab+"/datasets\"\n\t\""+lab+"/swlab\"\n)\n\nfunc main() {\n"+code[1]+"}\n")
	if said := call("sh", "-c", "go build -o crash ./readme && { ! ./crash 2>&1; }"); !strings.Contains(said, "x.npy") || strings.Contains(said, "panic") {
		t.Errorf("the code of README.md without its files: %s", said)
	}

	_, script, _ := strings.Cut(page, "\n```\nlab=")
	script, _, _ = strings.Cut(script, "```")
	call("sh", "-c", "set -e; lab="+script)
	for flag, args := range map[string][]string{
		"centroid": {"distance", "--help"}, "cap,": {"train", "--help"}, "pooled": {"direction", "--help"}, "centroid,": {"sweep", "--help"},
	} {
		if help := call("./swlab", args...); !strings.Contains(help, flag) {
			t.Errorf("%v does not list %q:\n%s", args, flag, help)
		}
	}
	sized := []string{"table", "run", "short_reconstruction_result", "--preset", "smoke", "--backend", "go", "--rows", "centroid", "--ours=false", "--seeds", "1", "--format", "csv",
		"--set", "points=16", "--set", "batch=16", "--set", "per_class=1", "--set", "per_test=1"}
	if table := call("./swlab", sized...); !strings.Contains(table, "centroid") {
		t.Errorf("no row of the table:\n%s", table)
	}

	// The code of what is registered is part of a run: the compiled program reads it from its source files.
	put("source/main.go", "package main\n\nimport (\n\t\"fmt\"\n\n\t_ \"example.com/mine/own\"\n\n\t\""+lab+"/swlab/amortizer\"\n\t\""+lab+"/swlab/loss\"\n)\n\n"+
		"func main() {\n\tfmt.Println(loss.SourceOf(\"centroid\"))\n\tfmt.Println(amortizer.SourceOf(\"pooled\"))\n}\n")
	own, err := os.ReadFile(filepath.Join(dir, "own/own.go"))
	if err != nil {
		t.Fatal(err)
	}
	source := func(flags ...string) (centroid, pooled string) {
		call("go", append(append([]string{"build"}, flags...), "-o", "source/source", "./source")...)
		out := strings.Split(call("./source/source"), "\n")
		return out[0], out[1]
	}
	changed := func(old, with string) {
		text := strings.Replace(string(own), old, with, 1)
		if text == string(own) {
			t.Fatalf("own.go has no %q", old)
		}
		put("own/own.go", text)
	}
	centroid, pooled := source()
	if !regexp.MustCompile("^loss centroid [0-9a-f]{12} <nil>$").MatchString(centroid) {
		t.Errorf("source of the loss: %q", centroid)
	}
	changed("// centroid is", "// centroid, which is")
	if said, _, _ := strings.Cut(call("./source/source"), "\n"); !strings.Contains(said, "was changed after the program was built") {
		t.Errorf("a program older than its source says %q", said)
	}
	if c, p := source(); c != centroid || p != pooled {
		t.Errorf("a comment changes the source: %s, %s; %s, %s", centroid, c, pooled, p)
	}
	changed("graph.Mul(d, d)", "graph.MulScalar(graph.Mul(d, d), 1000)")
	if c, p := source(); c == centroid || p != pooled {
		t.Errorf("the loss times 1000: %s, %s; the amortizer: %s, %s", centroid, c, pooled, p)
	}
	if c, _ := source("-trimpath"); !strings.Contains(c, "of process ") || !strings.Contains(c, "without the folder of its source") {
		t.Errorf("with -trimpath: %s", c)
	}

	changed("graph.MulScalar(u, 2/", "graph.MulScalar(u, 3/")
	call("sh", "-c", "set -e; lab="+script)
	if said := call("sh", "-c", "! ./swlab train --resume --out run --steps 3 2>&1"); !strings.Contains(said, "the code of what is registered: slicing distribution cap ") {
		t.Errorf("a run is resumed with another distribution: %s", said)
	}
}

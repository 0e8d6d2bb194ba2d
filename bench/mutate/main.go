// Mutate changes one place of a package at a time and asks whether the tests notice: mutation
// testing. The source is never touched; every mutant is an overlay of go test.
//
//	go -C bench build -o ../.out/mutate ./mutate && .out/mutate -n 12 -seed 1 -then ./swlab,./swlab/train ./swlab/ot1d ./swlab/loss
//
// It prints one line per mutant. The sample is a function of the seed and the source. A mutant that
// does not compile is replaced by the next one.
package main

import (
	"encoding/json"
	"flag"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"hash/fnv"
	"log"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"time"
)

// mutant is a change of one place of a file.
type mutant struct {
	file     string
	line     int
	from, to int // bytes of the file that are replaced
	with     string
	was      string
}

// round is a package's tests that a mutant meets.
type round struct {
	by, pkg string
	flags   []string
}

// operators and functions have the counterparts that replace them.
var (
	operators = map[token.Token]token.Token{
		token.LSS: token.LEQ, token.LEQ: token.LSS, token.GTR: token.GEQ, token.GEQ: token.GTR, token.EQL: token.NEQ, token.NEQ: token.EQL,
		token.ADD: token.SUB, token.SUB: token.ADD, token.MUL: token.QUO, token.QUO: token.MUL, token.LAND: token.LOR, token.LOR: token.LAND,
		token.ADD_ASSIGN: token.SUB_ASSIGN, token.SUB_ASSIGN: token.ADD_ASSIGN, token.MUL_ASSIGN: token.QUO_ASSIGN, token.QUO_ASSIGN: token.MUL_ASSIGN,
	}
	functions = map[string]string{
		"min": "max", "max": "min", "Min": "Max", "Max": "Min", "MinScalar": "MaxScalar", "MaxScalar": "MinScalar", "Add": "Sub", "Sub": "Add",
		"Mul": "Div", "Div": "Mul", "MulScalar": "DivScalar", "DivScalar": "MulScalar", "LessThan": "LessOrEqual", "LessOrEqual": "LessThan",
		"GreaterThan": "GreaterOrEqual", "GreaterOrEqual": "GreaterThan", "ReduceSum": "ReduceMean", "ReduceMean": "ReduceSum",
		"ReduceMax": "ReduceMin", "ReduceMin": "ReduceMax", "Sin": "Cos", "Cos": "Sin",
	}
)

func main() {
	log.SetFlags(0)
	n := flag.Int("n", 12, "mutants per package")
	seed := flag.Uint64("seed", 1, "of the sample")
	then := flag.String("then", "", "packages, by commas, whose tests a survivor of the package's own tests meets next")
	slow := flag.Bool("slow", true, "a survivor of the fast tests meets the package's slow ones next")
	limit := flag.Duration("timeout", 10*time.Minute, "of one package's tests; a mutant that exceeds it is killed")
	flag.Parse()
	dir, err := os.MkdirTemp("", "mutate-")
	if err != nil {
		log.Fatal(err)
	}
	defer os.RemoveAll(dir)
	for _, pkg := range flag.Args() {
		rounds := []round{{"its own fast tests", pkg, []string{"-short"}}}
		if *slow {
			rounds = append(rounds, round{"its own slow tests", pkg, nil})
		}
		for _, other := range strings.FieldsFunc(*then, func(r rune) bool { return r == ',' }) {
			rounds = append(rounds, round{"the fast tests of " + other, other, []string{"-short"}})
		}
		if err := run(dir, pkg, *n, *seed, *limit, rounds); err != nil {
			log.Fatalf("%s: %v", pkg, err)
		}
	}
}

// run tries n mutants of a package.
func run(dir, pkg string, n int, seed uint64, limit time.Duration, rounds []round) error {
	all, err := mutants(pkg)
	if err != nil {
		return err
	}
	name := fnv.New64a()
	fmt.Fprint(name, pkg)
	rand.New(rand.NewPCG(seed, name.Sum64())).Shuffle(len(all), func(i, j int) { all[i], all[j] = all[j], all[i] })
	// Tests that fail anyway would kill every mutant.
	for _, r := range rounds {
		if out, err := r.test(limit); err != nil {
			return fmt.Errorf("%s fail without a mutant%s", r.by, reason(out))
		}
	}
	killed, tried := 0, 0
	for _, m := range all {
		if tried == n {
			break
		}
		verdict, err := m.try(dir, pkg, limit, rounds)
		if err != nil {
			return err
		}
		if verdict == "" {
			continue
		}
		tried++
		if verdict != "survived" {
			killed++
		}
		fmt.Printf("%s:%d: %s -> %s: %s\n", filepath.Join(pkg, filepath.Base(m.file)), m.line, quote(m.was), quote(m.with), verdict)
	}
	fmt.Printf("%s: %d of %d killed, of %d possible mutants\n", pkg, killed, tried, len(all))
	return nil
}

func quote(s string) string { return strconv.Quote(strings.Join(strings.Fields(s), " ")) }

// try returns who killed a mutant, or "survived"; "" if it does not compile.
func (m mutant) try(dir, pkg string, limit time.Duration, rounds []round) (string, error) {
	source, err := os.ReadFile(m.file)
	if err != nil {
		return "", err
	}
	changed := filepath.Join(dir, "mutant.go")
	if err := os.WriteFile(changed, []byte(string(source[:m.from])+m.with+string(source[m.to:])), 0o644); err != nil {
		return "", err
	}
	overlay, err := json.Marshal(map[string]map[string]string{"Replace": {m.file: changed}})
	if err != nil {
		return "", err
	}
	file := filepath.Join(dir, "overlay.json")
	if err := os.WriteFile(file, overlay, 0o644); err != nil {
		return "", err
	}
	if _, err := goTool("build", "-overlay", file, pkg); err != nil {
		return "", nil
	}
	for _, r := range rounds {
		if out, err := r.test(limit, "-overlay", file); err != nil {
			return "killed by " + r.by + reason(out), nil
		}
	}
	return "survived", nil
}

// test runs the round's tests.
func (r round) test(limit time.Duration, flags ...string) (out string, err error) {
	args := append([]string{"test", "-vet=off", "-failfast", "-timeout", limit.String()}, flags...)
	return goTool(append(append(args, r.flags...), r.pkg)...)
}

// reason names the first test that failed.
func reason(out string) string {
	for line := range strings.Lines(out) {
		if test, ok := strings.CutPrefix(line, "--- FAIL: "); ok {
			return ", " + strings.Fields(test)[0]
		}
	}
	if strings.Contains(out, "panic: test timed out") {
		return ", by time"
	}
	return ""
}

func goTool(args ...string) (string, error) {
	out, err := exec.Command("go", args...).CombinedOutput()
	return string(out), err
}

// mutants lists the possible mutants of a package, in the order of its source.
func mutants(pkg string) (all []mutant, err error) {
	out, err := exec.Command("go", "list", "-f", "{{$d := .Dir}}{{range .GoFiles}}{{$d}}/{{.}}\n{{end}}", pkg).Output()
	if err != nil {
		return nil, err
	}
	for _, path := range strings.Fields(string(out)) {
		source, err := os.ReadFile(path)
		if err != nil {
			return nil, err
		}
		some, err := mutantsOf(path, source)
		if err != nil {
			return nil, err
		}
		all = append(all, some...)
	}
	return all, nil
}

// mutantsOf lists the possible mutants of a file.
func mutantsOf(path string, source []byte) (all []mutant, err error) {
	files := token.NewFileSet()
	tree, err := parser.ParseFile(files, path, source, parser.SkipObjectResolution)
	if err != nil {
		return nil, err
	}
	add := func(from, to token.Pos, with string) {
		f, t := files.Position(from), files.Position(to)
		all = append(all, mutant{path, f.Line, f.Offset, t.Offset, with, string(source[f.Offset:t.Offset])})
	}
	text := func(n ast.Node) string {
		return string(source[files.Position(n.Pos()).Offset:files.Position(n.End()).Offset])
	}
	ast.Inspect(tree, func(n ast.Node) bool { return visit(n, add, text) })
	return all, nil
}

// visit adds the mutants at a node; false if there are none below it.
func visit(n ast.Node, add func(from, to token.Pos, with string), text func(ast.Node) string) bool {
	switch n := n.(type) {
	case *ast.ImportSpec:
		return false
	case *ast.CallExpr:
		name := n.Fun
		if s, ok := name.(*ast.SelectorExpr); ok {
			name = s.Sel
		}
		id, ok := name.(*ast.Ident)
		if !ok {
			return true
		}
		if id.Name == "Errorf" || id.Name == "panic" || id.Name == "Sprintf" { // texts
			return false
		}
		if other, ok := functions[id.Name]; ok {
			add(id.Pos(), id.End(), other)
		}
	case *ast.BinaryExpr:
		if other, ok := operators[n.Op]; ok {
			whole := func(op string) string { return text(n.X) + " " + op + " " + text(n.Y) }
			add(n.Pos(), n.End(), whole(other.String()))
			if n.Op == token.ADD || n.Op == token.SUB || n.Op == token.LAND || n.Op == token.LOR { // a dropped term
				add(n.Pos(), n.End(), text(n.X))
			}
			if n.Op == token.LSS || n.Op == token.GTR {
				add(n.Pos(), n.End(), whole(map[token.Token]string{token.LSS: ">=", token.GTR: "<="}[n.Op]))
			}
		}
	case *ast.AssignStmt:
		if other, ok := operators[n.Tok]; ok {
			add(n.TokPos, n.TokPos+token.Pos(len(n.Tok.String())), other.String())
		}
	case *ast.IfStmt:
		add(n.Cond.Pos(), n.Cond.End(), "!("+text(n.Cond)+")")
	case *ast.BasicLit:
		switch n.Kind {
		case token.INT:
			add(n.Pos(), n.End(), "("+n.Value+" + 1)")
		case token.FLOAT:
			add(n.Pos(), n.End(), "(2 * "+n.Value+")")
		}
	}
	return true
}

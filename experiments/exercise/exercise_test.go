package exercise_test

import (
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/janpfeifer/must"

	"github.com/sliced-wasserstein/lab/experiments/exercise"
	"github.com/sliced-wasserstein/lab/internal/ipynb"
)

// TestSolutions runs the blocks of docs/solutions.md: there is one for each exercise, and all are right.
func TestSolutions(t *testing.T) {
	if testing.Short() {
		t.Skip("compiles a program; runs in make check")
	}
	page := must.M1(os.ReadFile("../../docs/solutions.md"))
	var ids []string
	var code strings.Builder
	for _, m := range regexp.MustCompile("(?s)\n### ([0-9.]+)\n.*?```go\n(.*?)```").FindAllStringSubmatch(string(page), -1) {
		ids = append(ids, m[1])
		fmt.Fprintf(&code, "func() {\n%s}()\n", m[2])
	}
	if !slices.Equal(ids, exercise.IDs()) {
		t.Fatalf("docs/solutions.md solves %v, expected %v", ids, exercise.IDs())
	}
	file := filepath.Join(t.TempDir(), "main.go")
	program := "package main\n\nimport (\n\"math\"\n\"math/rand/v2\"\n\"slices\"\n\n\"github.com/sliced-wasserstein/lab/experiments/exercise\"\n)\n\nfunc main() {\n" + code.String() + "}\n"
	must.M(os.WriteFile(file, []byte(program), 0o600))
	out, err := exec.Command("go", "run", file).CombinedOutput()
	if right := strings.Count(string(out), ". Right.**"); err != nil || right != len(ids) {
		t.Errorf("%d of %d solutions are right (%v):\n%s", right, len(ids), err, out)
	}
}

// TestWrong: nothing but the right answer is right, and every wrong one gets a hint. What an exercise
// says of nil and of a text shows which type it expects; wrong answers of that type follow.
func TestWrong(t *testing.T) {
	for _, id := range exercise.IDs() {
		hints := map[string]bool{}
		for _, answer := range []any{nil, "", "l, maybe", -12345.678, 1e9, func() {},
			func(x, y []float64) float64 { return 0 },
			func(x, y [][]float64) []float64 { return []float64{1, 0, 0} },
			func(x, y [][]float64) []float64 { return x[0] },
			func(x, y [][]float64, theta []float64) float64 { return 0 },
			func(kappa, u float64) float64 { return 0 },
			func(theta, g []float64) []float64 { return g },
			func(a, b []float64) (float64, float64) { return 0, 0 },
			func(a, b []float64, t float64) []float64 { return a[:1] },
			func(polar float64) float64 { return 1 },
			func(g []float64) []float64 { return g[5:] },
		} {
			r, err := exercise.Grade(id, answer)
			if err != nil || r.Right || len(r.Text) < 10 || len(r.Hint) < 10 {
				t.Errorf("%s: %T %v is judged %+v, %v", id, answer, answer, r, err)
			}
			hints[r.Text] = true
		}
		if len(hints) < 2 {
			t.Errorf("%s: an answer of the wrong type and a wrong one get the same hint", id)
		}
	}
	if _, err := exercise.Grade("99.1", 1); err == nil {
		t.Error("there is no exercise 99.1, and no error says so")
	}
}

// TestLectures: every lecture has at least three exercises, those of results two, the cells hold stubs that were run
// and found wrong, and each exercise is asked above its check.
func TestLectures(t *testing.T) {
	found := map[string]int{}
	for _, id := range exercise.IDs() {
		lecture, _, _ := strings.Cut(id, ".")
		files, err := filepath.Glob("../../notebooks/" + lecture + "_*.ipynb")
		if err != nil || len(files) != 1 {
			t.Fatalf("lecture %s: %v, %v", lecture, files, err)
		}
		asked := false
		for _, c := range must.M1(ipynb.Read(files[0])) {
			_, text, _ := strings.Cut(string(c.Source), "**"+id)
			asked = asked || len(text) > 40
			if !strings.Contains(string(c.Source), `exercise.Check("`+id+`"`) {
				continue
			}
			found[lecture]++
			if !asked {
				t.Errorf("%s: exercise %s has a check, and no question above it", files[0], id)
			}
			if !slices.ContainsFunc(c.Outputs, func(o ipynb.Output) bool {
				text := string(o.Data["text/markdown"])
				return strings.Contains(text, "Exercise "+id+". Not yet.") || strings.Contains(text, "Exercise "+id+".** Write your answer.")
			}) {
				t.Errorf("%s: the stub of exercise %s has not been run, or is right", files[0], id)
			}
		}
	}
	for lecture, n := range found {
		if n < 2 || n < 3 && lecture < "31" {
			t.Errorf("lecture %s has %d exercises, expected more", lecture, n)
		}
	}
	if total := len(exercise.IDs()); len(found) != 28 || total != sum(found) {
		t.Errorf("%d exercises are in the cells of %v, expected all %d", sum(found), slices.Sorted(maps.Keys(found)), total)
	}
}

func sum(m map[string]int) (n int) {
	for _, k := range m {
		n += k
	}
	return n
}

// TestUntried: what a stub may be is no wrong answer.
func TestUntried(t *testing.T) {
	stub := func(x, y [][]float64, theta []float64) float64 { panic("write your answer") }
	for id, answer := range map[string]any{"02.1": 0.0, "01.3": "", "02.2": stub} {
		if r, err := exercise.Grade(id, answer); err != nil || !r.Untried {
			t.Errorf("%s: %+v, %v", id, r, err)
		}
	}
}

func Example() {
	r, err := exercise.Grade("02.1", 1.0)
	fmt.Println(r.Right, r.Text, r.Hint, err)
	// Output: false 1 is not it. The error falls like 1/√L, so three times the slices are too few. Read the number behind ±. <nil>
}

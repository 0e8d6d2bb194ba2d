// Package exercise checks the answers to the exercises of the lectures (notebooks 00 to 20 and 31 to 38).
// A cell gives an answer, and Check says whether it is right:
//
//	exercise.Check("02.1", 0.25)
//	exercise.Check("14.2", func(kappa float64) float64 { panic("write your answer") }) // as a stub
//
// The right answers are computed from the library where it can compute them. They are worked out in
// docs/solutions.md.
package exercise

import (
	"fmt"
	"maps"
	"os"
	"reflect"
	"slices"
	"strings"

	"github.com/sliced-wasserstein/lab/internal/suggest"
	"github.com/sliced-wasserstein/lab/vmfviz/show"
)

// Result is the judgement of an answer.
type Result struct {
	Right   bool
	Untried bool   // the stub as it stands in the lecture
	Text    string // why the answer is right, or what is wrong with it
	Hint    string // for an answer that is not right
}

// Check shows whether the answer to the exercise is right, and why. From the second wrong answer in a notebook on, it
// gives a hint. An unknown id ends the cell with an error.
func Check(id string, answer any) {
	r, err := Grade(id, answer)
	show.Check(err)
	switch {
	case r.Right:
		show.Markdown(fmt.Sprintf("**Exercise %s. Right.** %s", id, r.Text))
	case r.Untried:
		show.Folded(fmt.Sprintf("**Exercise %s.** Write your answer.", id), r.Hint)
	case tries(id) > 1:
		show.Markdown(fmt.Sprintf("**Exercise %s. Not yet.** %s %s", id, r.Text, r.Hint))
	default:
		show.Markdown(fmt.Sprintf("**Exercise %s. Not yet.** %s", id, r.Text))
	}
}

// tries counts the wrong answers to an exercise, this one included, as long as the kernel lives: beside the socket of
// its process (package lab), as every cell is a program of its own.
func tries(id string) (n int) {
	socket := os.Getenv("SWLAB_LAB")
	if socket == "" {
		return 2
	}
	file := socket + ".tries-" + id
	text, _ := os.ReadFile(file)
	_, _ = fmt.Sscan(string(text), &n)
	n++
	_ = os.WriteFile(file, []byte(fmt.Sprint(n)), 0o600) // without it the hint comes later
	return n
}

// Grade judges the answer to an exercise. Its id is the number of the lecture and that of the
// exercise, such as "02.1". The answer is a number, a text, a list, or a function, as the exercise says; one
// of another type is not right. An unknown id is an error.
func Grade(id string, answer any) (Result, error) {
	e, ok := exercises[id]
	if !ok {
		return Result{}, suggest.Unknown("exercise", id, IDs())
	}
	if v := reflect.ValueOf(answer); !v.IsValid() || v.IsZero() || v.Kind() == reflect.Slice && v.Len() == 0 {
		return Result{Untried: true, Text: "Write your answer.", Hint: e.hint}, nil
	}
	problem, err := e.check(answer)
	switch {
	case err != nil:
		return Result{}, fmt.Errorf("exercise %s: %w", id, err)
	case strings.Contains(problem, stub):
		return Result{Untried: true, Text: "Write your answer.", Hint: e.hint}, nil
	case problem != "":
		return Result{Text: problem, Hint: e.hint}, nil
	}
	return Result{Right: true, Text: e.reason}, nil
}

// stub is what a function of the lectures panics with until the reader writes it.
const stub = "write your answer"

// IDs returns the ids of all exercises, sorted.
func IDs() []string { return slices.Sorted(maps.Keys(exercises)) }

// exercise is how an answer is judged and what is said of it.
type exercise struct {
	check  func(answer any) (problem string, err error) // problem is "" for a right answer
	hint   string
	reason string
}

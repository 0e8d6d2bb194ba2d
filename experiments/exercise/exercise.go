// Package exercise checks the answers to the exercises of the lectures (notebooks 00 to 14 and 20).
// A cell gives an answer, and Check says that it is right and why, or gives a hint:
//
//	exercise.Check("02.1", 0.25)
//
// The right answers are computed from the library where it can compute them. They are worked out in
// docs/solutions.md.
package exercise

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/sliced-wasserstein/lab/internal/suggest"
	"github.com/sliced-wasserstein/lab/vmfviz/show"
)

// Result is the judgement of an answer.
type Result struct {
	Right bool
	Text  string // why the answer is right, or a hint
}

// Check shows whether the answer to the exercise is right: one line of text with the reason, or with
// a hint. An unknown id ends the cell with an error.
func Check(id string, answer any) {
	r, err := Grade(id, answer)
	show.Check(err)
	verdict := "Not yet."
	if r.Right {
		verdict = "Right."
	}
	show.Markdown(fmt.Sprintf("**Exercise %s. %s** %s", id, verdict, r.Text))
}

// Grade judges the answer to an exercise. Its id is the number of the lecture and that of the
// exercise, such as "02.1". The answer is a number, a text, or a function, as the exercise says; one
// of another type is not right. An unknown id is an error.
func Grade(id string, answer any) (Result, error) {
	e, ok := exercises[id]
	if !ok {
		return Result{}, suggest.Unknown("exercise", id, IDs())
	}
	problem, err := e.check(answer)
	if err != nil {
		return Result{}, fmt.Errorf("exercise %s: %w", id, err)
	}
	if problem != "" {
		return Result{Text: strings.TrimSpace(problem + " " + e.hint)}, nil
	}
	return Result{Right: true, Text: e.reason}, nil
}

// IDs returns the ids of all exercises, sorted.
func IDs() []string { return slices.Sorted(maps.Keys(exercises)) }

// exercise is how an answer is judged and what is said of it.
type exercise struct {
	check  func(answer any) (problem string, err error) // problem is "" for a right answer
	hint   string
	reason string
}

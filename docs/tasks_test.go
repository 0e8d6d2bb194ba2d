package main

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/janpfeifer/must"
)

// tasks are eight tasks of a researcher, each as cells of package lab (N_name.go.txt) and as a practitioner
// writes it with POT and PyTorch (N_name.py). Each set is one notebook, in order; task 0 is the imports.
func tasks(t *testing.T) []string {
	found, err := filepath.Glob("../bench/tasks/[0-9]_*.go.txt")
	if err != nil || len(found) != 9 {
		t.Fatalf("found %v (%v), expected the imports and eight tasks", found, err)
	}
	return found
}

// taskLines counts what is neither empty, nor a comment, nor the line %% above a cell's statements.
func taskLines(path, comment string) (n int) {
	for line := range strings.Lines(string(must.M1(os.ReadFile(path)))) {
		line = strings.TrimSpace(line)
		if line != "" && !strings.HasPrefix(line, comment) && line != "%%" {
			n++
		}
	}
	return n
}

// TestTaskLines: no task needs more lines of lab than of Python, and all together a third at most.
func TestTaskLines(t *testing.T) {
	lab, python := 0, 0
	for _, cell := range tasks(t) {
		name := strings.TrimSuffix(filepath.Base(cell), ".go.txt")
		a, b := taskLines(cell, "//"), taskLines(strings.TrimSuffix(cell, ".go.txt")+".py", "#")
		t.Logf("%-18s lab %2d, Python %2d", name, a, b)
		if a > b {
			t.Errorf("%s: %d lines of lab, %d of Python", name, a, b)
		}
		lab, python = lab+a, python+b
	}
	t.Logf("%-18s lab %2d, Python %2d", "together", lab, python)
	if 3*lab > python {
		t.Errorf("%d lines of lab, more than a third of %d", lab, python)
	}
}

// TestTasksLoadOnce: what one cell has loaded, trained or declared, no other loads, trains or declares.
func TestTasksLoadOnce(t *testing.T) {
	made := map[string]string{}
	what := regexp.MustCompile(`lab\.(?:Cloud|Shapes|Loss|Amortizer)\("[^"]*"|lab\.(?:Train|Sweep|Ablate)\(.*|var \w+`)
	for _, cell := range tasks(t) {
		for _, found := range what.FindAllString(string(must.M1(os.ReadFile(cell))), -1) {
			if before := made[found]; before != "" {
				t.Errorf("%s repeats %s of %s", cell, found, before)
			}
			made[found] = cell
		}
	}
	if len(made) < 15 {
		t.Errorf("found only %d things that cells make", len(made))
	}
}

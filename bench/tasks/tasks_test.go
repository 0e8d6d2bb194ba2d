// Package tasks holds eight tasks of a researcher, each as cells of package lab (N_name.go.txt) and as a
// practitioner writes them with POT and PyTorch (N_name.py). Each set is one notebook, in order. run.py runs
// them.
package tasks

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

func read(t *testing.T, path string) string {
	raw, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(raw)
}

func cells(t *testing.T) []string {
	found, err := filepath.Glob("[0-9]_*.go.txt")
	if err != nil || len(found) != 9 {
		t.Fatalf("found %v (%v), expected the imports and eight tasks", found, err)
	}
	return found
}

// lines counts what is neither empty, nor a comment, nor the line %% above a cell's statements.
func lines(t *testing.T, path, comment string) (n int) {
	for line := range strings.Lines(read(t, path)) {
		line = strings.TrimSpace(line)
		if line != "" && !strings.HasPrefix(line, comment) && line != "%%" {
			n++
		}
	}
	return n
}

// TestLines: no task needs more lines of lab than of Python, and all together a third at most. Task 0 is the
// imports.
func TestLines(t *testing.T) {
	lab, python := 0, 0
	for _, cell := range cells(t) {
		name := strings.TrimSuffix(cell, ".go.txt")
		a, b := lines(t, cell, "//"), lines(t, name+".py", "#")
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

// TestNoReload: what one cell has loaded, trained or declared, no other loads, trains or declares.
func TestNoReload(t *testing.T) {
	made := map[string]string{}
	what := regexp.MustCompile(`lab\.(?:Cloud|Shapes|Loss|Amortizer)\("[^"]*"|lab\.(?:Train|Sweep|Ablate)\(.*|var \w+`)
	for _, cell := range cells(t) {
		for _, found := range what.FindAllString(read(t, cell), -1) {
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

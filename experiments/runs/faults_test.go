package runs

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/janpfeifer/must"

	"github.com/sliced-wasserstein/lab/internal/durable/durabletest"
)

// number is a task whose result is a number.
func number(id string, n int) task {
	return task{ID: id, work: func(context.Context, string) (any, error) { return map[string]int{"n": n}, nil }}
}

// TestEveryFault: whichever file operation of a task is the first to fail, there is no result and
// nothing half-written, one line says what to do, and the task can then be done.
func TestEveryFault(t *testing.T) {
	var l *Store
	work := func() error {
		l = &Store{Dir: t.TempDir()}
		return l.Do(context.Background(), number("a", 7))
	}
	durabletest.Every(t, work, func(fault string, err error) {
		if !durabletest.Explained(err) {
			t.Errorf("%s: %v", fault, err)
		}
		left, _ := filepath.Glob(filepath.Join(l.Folder(number("a", 7)), ".*"))
		if len(left) > 0 {
			t.Errorf("%s left %v", fault, left)
		}
		do(t, l, number("a", 7))
		var v map[string]int
		if err := l.Result(number("a", 7), &v); err != nil || v["n"] != 7 {
			t.Errorf("%s, then again: %v, %v", fault, v, err)
		}
	})
}

// TestDamagedResult: with any byte of a result changed, or the file cut short there, either the
// number is as it was or the result is named and computed again.
func TestDamagedResult(t *testing.T) {
	l := &Store{Dir: t.TempDir()}
	task := number("a", 7)
	do(t, l, task)
	path := filepath.Join(l.Folder(task), resultFile)
	raw := must.M1(os.ReadFile(path))
	tried, again := 0, 0
	try := func(content []byte) {
		must.M(os.WriteFile(path, content, 0o644))
		said := ""
		l.Progress = func(what string, _, _ int) { said = what }
		do(t, l, task)
		var v struct{ N int }
		if err := l.Result(task, &v); err != nil || v.N != 7 {
			t.Fatalf("%q: %v, %v", content, v, err)
		}
		if tried++; said != "" {
			again++
			if !strings.Contains(said, path) || !strings.Contains(said, "computed again") {
				t.Errorf("said %q", said)
			}
		}
	}
	for at := range raw {
		changed := bytes.Clone(raw)
		changed[at] ^= 1
		try(changed)
		try(raw[:at])
	}
	t.Logf("%d damages, %d computed again", tried, again)
	if again < tried*3/4 {
		t.Errorf("only %d of %d damages were found", again, tried)
	}
}

// TestClockAndVersions: results are found by what they are of, not by when they were made; members
// that a newer version added are no reason to compute again.
func TestClockAndVersions(t *testing.T) {
	l := &Store{Dir: t.TempDir()}
	done := 0
	k := task{ID: "k", work: func(context.Context, string) (any, error) { done++; return map[string]int{"n": 3}, nil }}
	do(t, l, k)
	path := filepath.Join(l.Folder(k), resultFile)
	for _, at := range []time.Time{time.Unix(1, 0), time.Now().Add(20 * 365 * 24 * time.Hour)} { // the clock went back, or forth
		must.M(os.Chtimes(path, at, at))
		do(t, l, k)
	}
	must.M(os.WriteFile(path, []byte(`{"n": 3, "of a newer version": {"x": [1]}}`), 0o644))
	do(t, l, k)
	var v struct{ N int }
	if err := l.Result(k, &v); err != nil || v.N != 3 || done != 1 {
		t.Errorf("%+v, %v, done %d times", v, err, done)
	}
}

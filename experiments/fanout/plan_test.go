//go:build unix

package fanout

import (
	"errors"
	"os"
	"path/filepath"
	"reflect"
	"testing"
	"time"
)

// TestWrite: what is written is read, with paths made absolute; the same jobs may be written again, others may not.
func TestWrite(t *testing.T) {
	t.Chdir(t.TempDir())
	p := Plan{Jobs: []Job{say("a", "x y", ""), {Name: "b"}}, Executable: "sh", Env: []string{"A_1"}}
	if err := Write("plan", p); err != nil {
		t.Fatal(err)
	}
	got, err := Read("plan")
	here, _ := os.Getwd()
	if err != nil || got.Dir != here || !filepath.IsAbs(got.Executable) || !reflect.DeepEqual(got.Jobs[0], p.Jobs[0]) || got.Jobs[1].Name != "b" {
		t.Fatalf("%+v, %v", got, err)
	}
	if err := (Status{State: Done}).write("plan", 1); err != nil {
		t.Fatal(err)
	}
	p.Executable = "" // another build of the program
	if err := Write("plan", p); err != nil {
		t.Error(err)
	}
	if s, err := Look("plan"); err != nil || s.Counts() != (Counts{Waiting: 1, Done: 1}) {
		t.Errorf("%+v, %v", s, err)
	}
	p.Jobs[0].Args = []string{"other"}
	contains(t, Write("plan", p), "plan holds other jobs")
}

func TestWrongPlans(t *testing.T) {
	dir := t.TempDir()
	write := func(p Plan) error { return Write(filepath.Join(dir, "p"), p) }
	file := filepath.Join(dir, "file")
	if err := os.WriteFile(file, nil, 0o644); err != nil {
		t.Fatal(err)
	}
	jobs := []Job{say("a")}
	contains(t, write(Plan{}), "expected at least one job")
	contains(t, write(Plan{Jobs: []Job{{}}}), "job 0: expected a name")
	contains(t, write(Plan{Jobs: jobs, Env: []string{"A=1"}}), "env:", `"A=1"`)
	contains(t, write(Plan{Jobs: jobs, Executable: "no-such-program"}), "executable:", "no-such-program")
	contains(t, write(Plan{Jobs: jobs, Dir: file}), "dir: expected a folder", file)
	contains(t, write(Plan{Jobs: jobs, Dir: filepath.Join(dir, "no")}), "dir:", "no such file")
	_, err := Look(dir)
	contains(t, err, dir+" holds no plan")
	path := filepath.Join(dir, planFile)
	for _, text := range []string{"{", "{}", `{"jobs": [{"name": "a"}]}`} {
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
		_, err := Look(dir)
		contains(t, err, path)
	}
}

// TestStatus: who lives, here by number and birth, elsewhere by the age of the file; a damaged file is that of a job not begun.
func TestStatus(t *testing.T) {
	dir := written(t, say("a"))
	host, _ := os.Hostname()
	self := os.Getpid()
	old := time.Now().Add(-silent)
	for _, c := range []struct {
		s     Status
		stale bool
		want  State
	}{
		{Status{State: Running, Host: host, PID: self, Born: born(self)}, true, Running},
		{Status{State: Running, Host: host, PID: self, Born: born(self) + "1"}, false, Interrupted},
		{Status{State: Running, Host: host}, false, Interrupted},
		{Status{State: Running, Host: "elsewhere"}, false, Running},
		{Status{State: Running, Host: "elsewhere"}, true, Interrupted},
		{Status{State: Failed}, true, Failed},
		{Status{State: "odd"}, false, Waiting},
	} {
		if err := c.s.write(dir, 0); err != nil {
			t.Fatal(err)
		}
		if c.stale {
			os.Chtimes(statusPath(dir, 0), old, old)
		}
		if got := status(dir, 0); got.State != c.want {
			t.Errorf("%+v, stale %v: %q, expected %q", c.s, c.stale, got.State, c.want)
		}
		if err := Forget(dir, 0); errors.Is(err, ErrBusy) != (c.want == Running) {
			t.Errorf("%+v: forget: %v", c.s, err)
		}
	}
	for _, text := range []string{"", "{", `{"state": 3}`, "null"} {
		os.WriteFile(statusPath(dir, 0), []byte(text), 0o644)
		if got := status(dir, 0); got != (Status{}) {
			t.Errorf("%q: %+v", text, got)
		}
	}
}

//go:build unix

package fanout

import (
	"context"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"
)

// TestMain lets the test binary be the program that the plans of these tests name, the worker that batch scripts name, and a
// caller that a test can kill.
func TestMain(m *testing.M) {
	if len(os.Args) > 1 {
		switch os.Args[1] {
		case "work":
			os.Exit(worker(os.Args[2:]))
		case "job":
			os.Exit(job(os.Args[2:]))
		case "local":
			if _, err := Local(context.Background(), os.Args[2], 2, nil); err != nil {
				fmt.Fprintln(os.Stderr, err)
				os.Exit(1)
			}
			os.Exit(0)
		}
	}
	pollEvery = 20 * time.Millisecond // no cluster to spare
	settle = time.Second
	os.Exit(m.Run())
}

func worker(args []string) int {
	f := flag.NewFlagSet("work", flag.ExitOnError)
	plan, index := f.String("plan", "", ""), f.Int("index", -1, "")
	f.Parse(args)
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGTERM, os.Interrupt)
	defer stop()
	if err := Work(ctx, *plan, *index); err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	return 0
}

// job is what the jobs of these tests do.
func job(args []string) int {
	switch args[0] {
	case "say": // its words, one a line
		for _, word := range args[1:] {
			fmt.Println(os.ExpandEnv(word))
		}
	case "fail":
		fmt.Fprintln(os.Stderr, "some trouble\n\n  "+args[1]+"\n")
		return 3
	case "hang": // the first time it says through a pipe who it is, and goes on for ever; the second time it is done
		return hang(args[1], args[2])
	}
	return 0
}

// hang gives its number and its worker's. On SIGTERM it does as manner says: dies, ends with a code of its own, or goes on.
func hang(pipe, manner string) int {
	if _, err := os.Stat(pipe + ".begun"); err == nil {
		fmt.Println("gone on with")
		return 0
	}
	if err := os.WriteFile(pipe+".begun", nil, 0o644); err != nil {
		panic(err)
	}
	term := make(chan os.Signal, 1)
	switch manner {
	case "ends", "deaf":
		signal.Notify(term, syscall.SIGTERM)
	}
	f, err := os.OpenFile(pipe, os.O_WRONLY, 0) // until the test reads
	if err != nil {
		panic(err)
	}
	fmt.Fprintln(f, os.Getpid(), os.Getppid())
	f.Close()
	for {
		select {
		case <-term:
			if manner == "ends" {
				fmt.Println("saved, and stopped")
				return 9
			}
		case <-time.After(time.Minute): // a test that failed leaves nothing behind
			return 8
		}
	}
}

// hanging makes the pipe of a job that hangs.
func hanging(t *testing.T, name, manner string) (j Job, pipe string) {
	t.Helper()
	pipe = filepath.Join(t.TempDir(), name)
	if err := syscall.Mkfifo(pipe, 0o600); err != nil {
		t.Fatal(err)
	}
	return Job{name, []string{"job", "hang", pipe, manner}}, pipe
}

// begun waits until job i hangs and its status says that it runs, and returns its process and the one that started it.
func begun(t *testing.T, dir string, i int, pipe string) (pid, parent int) {
	t.Helper()
	start, raw := time.Now(), make(chan string, 1)
	go func() { b, _ := os.ReadFile(pipe); raw <- string(b) }()
	select {
	case text := <-raw:
		f := strings.Fields(text)
		if len(f) != 2 {
			t.Fatalf("the job said %q", text)
		}
		pid, _ = strconv.Atoi(f[0])
		parent, _ = strconv.Atoi(f[1])
	case <-time.After(time.Minute):
		t.Fatal("the job did not begin")
	}
	for readStatus(dir, i).PID != pid { // written by its worker, which may be slower than the job
		if time.Since(start) > time.Minute {
			t.Fatalf("the status does not tell process %d: %+v", pid, readStatus(dir, i))
		}
		runtime.Gosched()
	}
	return pid, parent
}

func say(name string, words ...string) Job {
	return Job{name, append([]string{"job", "say"}, words...)}
}
func fail(name, why string) Job { return Job{name, []string{"job", "fail", why}} }

// written writes a plan into a folder of its own.
func written(t *testing.T, jobs ...Job) string {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "the plan's folder")
	if err := Write(dir, Plan{Jobs: jobs}); err != nil {
		t.Fatal(err)
	}
	return dir
}

// runLocal runs a plan to its end.
func runLocal(t *testing.T, dir string, n int) Summary {
	t.Helper()
	s, err := Local(t.Context(), dir, n, nil)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// states checks what became of the jobs.
func states(t *testing.T, s Summary, want ...State) {
	t.Helper()
	for i, w := range want {
		if s.Status[i].State != w {
			t.Errorf("job %d is %q, expected %q: %+v", i, s.Status[i].State, w, s.Status[i])
		}
	}
}

func contains(t *testing.T, err error, parts ...string) {
	t.Helper()
	for _, part := range parts {
		if err == nil || !strings.Contains(err.Error(), part) {
			t.Errorf("expected an error with %q, found: %v", part, err)
		}
	}
}

func logOf(dir string, i int) string { b, _ := os.ReadFile(logPath(dir, i)); return string(b) }

// attempts counts how often job i was started.
func attempts(dir string, i int) int { return strings.Count(logOf(dir, i), "== ") }

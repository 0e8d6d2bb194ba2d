package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io/fs"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/janpfeifer/must"
)

// killedWork is work whose process is killed again and again until it is done.
type killedWork struct {
	kills  int
	begin  func(t *testing.T) (store string, call []string)
	again  []string                                  // flags of the calls after the first kill
	result func(t *testing.T, store, out string) any // everything but times
}

// TestKills: trainings, tables and matrices of distances killed without warning at random moments end as
// undisturbed ones, to the bit, with nothing half-written left. A moment is a number of changes to the
// files after the start of a process, and up to some milliseconds more: so on a machine of any speed some
// moments are in starts, trainings, evaluations and the writing of files. make test-long sets
// SWLAB_TEST_KILLS to 15, which is that many times the kills.
func TestKills(t *testing.T) {
	if testing.Short() {
		t.Skip("runs in make check")
	}
	times := 1
	if text := os.Getenv("SWLAB_TEST_KILLS"); text != "" {
		times = must.M1(strconv.Atoi(text))
	}
	data, clouds := folder(t), cloudFile(t, 3, 40, 16, 3)
	for name, w := range map[string]killedWork{
		"training": {3, func(t *testing.T) (string, []string) {
			out := filepath.Join(t.TempDir(), "run")
			return out, []string{"train", "--data", data, "--loss", "v-dsw", "--amortizer", "la", "--points", "16", "--batch", "5", "--epochs", "6",
				"--slices", "4", "--checkpoint-every", "1", "--backend", "go", "--out", out}
		}, []string{"--resume"}, runFiles},
		"table": {3, func(t *testing.T) (string, []string) {
			store := t.TempDir()
			call := "table run short_reconstruction_result --preset smoke --rows sw,l-v-dsw --backend go --set points=16 --set batch=5 --set epochs=3 " +
				"--set classifier_epochs=3 --set classifier_batch=5 --data " + data + " --out " + store
			return store, strings.Fields(call)
		}, nil, func(t *testing.T, _, out string) any { return timeless(t, out) }},
		"matrix": {2, func(t *testing.T) (string, []string) {
			store := filepath.Join(t.TempDir(), "store")
			return store, []string{"metrics", "--reference", clouds, "--generated", clouds, "--distances", "cd,emd-exact", "--backend", "go", "--store", store}
		}, nil, withoutSeconds},
	} {
		t.Run(name, func(t *testing.T) { w.try(t, times*w.kills) })
	}
}

// try kills the work that many times.
func (w killedWork) try(t *testing.T, kills int) {
	r := rand.New(rand.NewPCG(23, 1))
	store, call := w.begin(t)
	code, out, errs := command(t, append(call, "--format", "json")...)
	if code != 0 {
		t.Fatal(errs)
	}
	want := fmt.Sprint(w.result(t, store, out))
	finished := func(store, out string) {
		t.Helper()
		if got := fmt.Sprint(w.result(t, store, out)); got != want {
			t.Errorf("killed:      %.500s\nundisturbed: %.500s", got, want)
		}
		for _, path := range halfWritten(store) {
			t.Errorf("left: %s", path)
		}
		if left, _ := filepath.Glob(filepath.Join(store, "runs", "*", "run", "checkpoints")); left != nil {
			t.Errorf("left: %v", left)
		}
	}
	store, call = w.begin(t)
	half, ends := 0, 0
	for n := 0; n < kills; {
		args := call
		if _, err := os.Stat(filepath.Join(store, "config.json")); err == nil {
			args = append(args[:len(args):len(args)], w.again...)
		}
		cmd := process(append(args, "--format", "json")...)
		var stdout, stderr bytes.Buffer
		cmd.Stdout, cmd.Stderr = &stdout, &stderr
		must.M(cmd.Start())
		ended := make(chan error, 1)
		go func() { ended <- cmd.Wait() }()
		// In half of all cases no wait: a file has just been created, grown or renamed.
		wait := time.Duration(max(0, r.IntN(20)-10)) * time.Millisecond
		alive := watch(t, store, max(0, r.IntN(24)-2), wait, ended)
		if alive {
			_ = cmd.Process.Kill() // an error if it has just ended
			<-ended
			alive = cmd.ProcessState.ExitCode() == -1
		}
		if !alive {
			if code := cmd.ProcessState.ExitCode(); code != 0 {
				t.Fatalf("exit code %d: %s", code, stderr.String())
			}
			finished(store, stdout.String())
			ends++
			store, call = w.begin(t)
			continue
		}
		n++
		if len(halfWritten(store)) > 0 {
			half++
		}
	}
	if _, err := os.Stat(filepath.Join(store, "config.json")); err == nil {
		call = append(call, w.again...)
	}
	code, out, errs = command(t, append(call, "--format", "json")...)
	if code != 0 {
		t.Fatal(errs)
	}
	finished(store, out)
	t.Logf("%d kills, %d of them while a file was being written, over %d works to their ends", kills, half, ends+1)
}

// watch waits for that many changes in the store and a moment more. It reports whether the process is still alive.
func watch(t *testing.T, store string, changes int, wait time.Duration, ended chan error) (alive bool) {
	t.Helper()
	last := listing(store)
	for deadline := time.Now().Add(2 * time.Minute); changes > 0; {
		select {
		case <-ended:
			return false
		case <-time.After(200 * time.Microsecond):
		}
		if time.Now().After(deadline) {
			t.Fatal("no change for two minutes")
		}
		if now := listing(store); !slices.Equal(now, last) {
			last = now
			changes--
		}
	}
	select {
	case <-ended:
		return false
	case <-time.After(wait):
		return true
	}
}

// listing returns the files of the store with their sizes.
func listing(store string) []string {
	var out []string
	// Files may vanish during the walk.
	_ = filepath.WalkDir(store, func(path string, e fs.DirEntry, err error) error {
		if err == nil {
			if info, err := e.Info(); err == nil && !e.IsDir() {
				out = append(out, fmt.Sprint(path, " ", info.Size()))
			}
		}
		return nil
	})
	return out
}

// halfWritten returns the temporary files and partial downloads of a store.
func halfWritten(store string) []string {
	return slices.DeleteFunc(listing(store), func(line string) bool {
		name := filepath.Base(line)
		return !strings.HasPrefix(name, ".") && !strings.Contains(name, ".part")
	})
}

// runFiles is the log without its times, and the weights, of a run.
func runFiles(t *testing.T, dir, _ string) any {
	var out []string
	for _, line := range logLines(dir) {
		line, _, _ = strings.Cut(line, `,"seconds"`)
		out = append(out, line)
	}
	sums := digests(t, dir)
	for _, name := range slices.Sorted(maps.Keys(sums)) {
		if !strings.HasPrefix(name, "checkpoints") && strings.HasSuffix(name, ".safetensors") {
			out = append(out, name+" "+sums[name])
		}
	}
	return out
}

// withoutSeconds is the object that a call printed, without its time.
func withoutSeconds(t *testing.T, _, out string) any {
	var v map[string]any
	must.M(json.Unmarshal([]byte(out), &v))
	delete(v, "seconds")
	return v
}

// logLines returns the lines of a run's log.
func logLines(dir string) []string {
	raw, _ := os.ReadFile(filepath.Join(dir, "log.jsonl"))
	return strings.Split(strings.TrimSuffix(string(raw), "\n"), "\n")
}

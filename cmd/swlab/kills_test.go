package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"
)

// killedWork is work whose process is killed again and again until it is done.
type killedWork struct {
	share  float64 // of the kills
	begin  func(t *testing.T) (store string, call []string)
	again  []string                                  // flags of the calls after the first kill
	result func(t *testing.T, store, out string) any // everything but times
}

// TestKills: trainings and matrices of distances killed without warning at random moments
// end as undisturbed ones, to the bit, with nothing half-written left. A moment is a number of
// changes to the files after the start of a process, and up to some milliseconds more. make
// test-long sets SWLAB_TEST_KILLS to 100; tables are in TestTableKilled.
func TestKills(t *testing.T) {
	if testing.Short() {
		t.Skip("runs in make check")
	}
	kills := 6
	if text := os.Getenv("SWLAB_TEST_KILLS"); text != "" {
		var err error
		if kills, err = strconv.Atoi(text); err != nil {
			t.Fatalf("SWLAB_TEST_KILLS: %v", err)
		}
	}
	data, clouds := folder(t), cloudFile(t, 3, 40, 16, 3)
	for name, w := range map[string]killedWork{
		"training": {0.7, func(t *testing.T) (string, []string) {
			out := filepath.Join(t.TempDir(), "run")
			return out, []string{"train", "--data", data, "--loss", "v-dsw", "--amortizer", "la", "--points", "16", "--batch", "5", "--epochs", "6",
				"--slices", "4", "--checkpoint-every", "1", "--backend", "go", "--out", out}
		}, []string{"--resume"}, runFiles},
		"matrix": {0.3, func(t *testing.T) (string, []string) {
			store := filepath.Join(t.TempDir(), "store")
			return store, []string{"metrics", "--reference", clouds, "--generated", clouds, "--distances", "cd,emd-exact", "--backend", "go", "--store", store}
		}, nil, withoutSeconds},
	} {
		t.Run(name, func(t *testing.T) {
			w.try(t, max(2, int(w.share*float64(kills))))
		})
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
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		ended := make(chan error, 1)
		go func() { ended <- cmd.Wait() }()
		// In half of all cases no wait: a file has just been created, grown or renamed.
		wait := time.Duration(max(0, r.IntN(20)-10)) * time.Millisecond
		_, alive := watch(t, store, max(0, r.IntN(24)-2), false, wait, ended)
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

// halfWritten returns the temporary files and partial downloads of a store.
func halfWritten(store string) (out []string) {
	// Files may vanish during the walk.
	_ = filepath.WalkDir(store, func(path string, e fs.DirEntry, err error) error {
		if err == nil && (strings.HasPrefix(e.Name(), ".") || strings.Contains(e.Name(), ".part")) {
			out = append(out, path)
		}
		return nil
	})
	return out
}

// runFiles is the log without its times, and the weights, of a run.
func runFiles(t *testing.T, dir, _ string) any {
	var out []string
	for _, line := range logLines(dir) {
		line, _, _ = strings.Cut(line, `,"seconds"`)
		out = append(out, line)
	}
	sums := digests(t, dir)
	for _, name := range []string{"weights.safetensors", "best.safetensors", "amortizer.safetensors"} {
		if sums[name] == "" {
			t.Errorf("no %s", name)
		}
		out = append(out, sums[name])
	}
	return out
}

// withoutSeconds is the object that a call printed, without its time.
func withoutSeconds(t *testing.T, _, out string) any {
	var v map[string]any
	if err := json.Unmarshal([]byte(out), &v); err != nil {
		t.Fatalf("%v in %q", err, out)
	}
	delete(v, "seconds")
	return v
}

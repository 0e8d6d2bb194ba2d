package main

import (
	"errors"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
)

// TestTableKilled: a table whose process is killed without warning at random moments equals the
// table of an undisturbed call, except for seconds, and nothing half-written is left. A moment is a
// number of changes to the store after the start of a process, possibly none, of any files or only
// of those outside trainings, followed by up to some milliseconds. So on a machine of any speed
// some moments are in starts, trainings, evaluations and the writing of files.
func TestTableKilled(t *testing.T) {
	if testing.Short() {
		t.Skip("runs in make check")
	}
	const kills = 8
	data := folder(t)
	call := func(out string) []string {
		args := []string{"table", "run", "short_reconstruction_result", "--preset", "smoke", "--rows", "sw,l-v-dsw", "--data", data, "--out", out, "--backend", "go", "--format", "json"}
		for _, s := range []string{"points=16", "batch=5", "epochs=4", "classifier_epochs=3", "classifier_batch=5"} {
			args = append(args, "--set", s)
		}
		return args
	}
	undisturbed := t.TempDir()
	code, want, errs := command(t, call(undisturbed)...)
	if code != 0 {
		t.Fatal(errs)
	}
	if left := temporary(t, undisturbed); left != nil {
		t.Errorf("left by an undisturbed call: %v", left)
	}
	finished := func(store, got string) {
		t.Helper()
		if timeless(t, got) != timeless(t, want) {
			t.Errorf("killed:      %s\nundisturbed: %s", timeless(t, got), timeless(t, want))
		}
		if left := temporary(t, store); left != nil {
			t.Errorf("left: %v", left)
		}
	}
	r := rand.New(rand.NewPCG(20, 1))
	hit := map[string]int{}
	store := t.TempDir()
	for n := 0; n < kills; {
		changes, untrained := max(0, r.IntN(60)-8), r.IntN(3) == 0
		if untrained {
			changes = 1 + changes/4
		}
		// In half of all cases 0: when a file has just been created or renamed.
		wait := time.Duration(max(0, r.IntN(40)-20)) * time.Millisecond
		cmd := process(call(store)...)
		var stdout strings.Builder
		cmd.Stdout = &stdout
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		ended := make(chan error, 1)
		go func() { ended <- cmd.Wait() }()
		stage, alive := watch(t, store, changes, untrained, wait, ended)
		if alive {
			switch err := cmd.Process.Kill(); {
			case errors.Is(err, os.ErrProcessDone):
				alive = false
			case err != nil:
				t.Fatal(err)
			}
			<-ended
		}
		if !alive { // it finished before the moment: use another store
			if code := cmd.ProcessState.ExitCode(); code != 0 {
				t.Fatalf("exit code %d", code)
			}
			finished(store, stdout.String())
			store = t.TempDir()
			continue
		}
		hit[stage]++
		n++
	}
	t.Logf("killed %v", hit)
	if hit["starting"] > kills/2 || hit["training"] == 0 || hit["using"] == 0 {
		t.Errorf("%d moments, most should have hit work, and all kinds of it: %v", kills, hit)
	}
	code, got, errs := command(t, call(store)...)
	if code != 0 {
		t.Fatal(errs)
	}
	finished(store, got)
}

// watch waits for that many changes in the store, if untrained only of files outside trainings, and
// a moment more. It returns what the process was doing: starting (nothing has changed), training,
// or using what was trained. alive is false if it ended before.
func watch(t *testing.T, store string, changes int, untrained bool, wait time.Duration, ended chan error) (stage string, alive bool) {
	t.Helper()
	stage = "starting"
	last := listing(store)
	for deadline := time.Now().Add(2 * time.Minute); changes > 0; {
		select {
		case <-ended:
			return "", false
		case <-time.After(200 * time.Microsecond):
		}
		if time.Now().After(deadline) {
			t.Fatal("no change for two minutes")
		}
		now := listing(store)
		fresh := slices.DeleteFunc(slices.Clone(now), func(line string) bool { return slices.Contains(last, line) })
		if slices.Equal(now, last) {
			continue
		}
		stage = "using"
		if slices.ContainsFunc(fresh, func(line string) bool { return strings.Contains(line, "train-") }) {
			stage = "training"
		}
		if last = now; stage == "using" && len(fresh) > 0 || !untrained {
			changes--
		}
	}
	select {
	case <-ended:
		return "", false
	case <-time.After(wait):
		return stage, true
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

// temporary returns the files of a store that no finished call leaves: half-written ones and
// checkpoints.
func temporary(t *testing.T, store string) []string {
	t.Helper()
	var out []string
	err := filepath.WalkDir(store, func(path string, e fs.DirEntry, err error) error {
		if err == nil && (strings.HasPrefix(e.Name(), ".") || e.Name() == "checkpoints") {
			out = append(out, path)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return out
}

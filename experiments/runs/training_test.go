package runs

import (
	"bytes"
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/janpfeifer/must"

	"github.com/sliced-wasserstein/lab/swlab/train"
)

// learned lists the files of a training that hold what it has learned.
func learned(t *testing.T, l *Store, r Training) map[string][]byte {
	t.Helper()
	out := map[string][]byte{}
	for _, name := range []string{"weights.safetensors", "best.safetensors"} {
		out[name] = must.M1(os.ReadFile(filepath.Join(l.Folder(r), RunFolder, name)))
	}
	return out
}

// cutOff starts a training and stops it in its second epoch.
func cutOff(t *testing.T, l *Store, r Training) {
	t.Helper()
	ctx, stop := context.WithCancel(context.Background())
	defer stop()
	l.Progress = func(what string, done, _ int) {
		if strings.HasPrefix(what, "training") && done == 5 {
			stop()
		}
	}
	if err := l.Do(ctx, r); !errors.Is(err, context.Canceled) || l.Done(r) {
		t.Fatalf("not interrupted: %v", err)
	}
}

// steps counts the steps that a training still takes.
func steps(t *testing.T, l *Store, r Training) int {
	t.Helper()
	n := 0
	l.Progress = func(what string, _, _ int) {
		if strings.HasPrefix(what, "training") {
			n++
		}
	}
	do(t, l, r)
	return n
}

// TestTraining: a training ends with the same weights whether it was interrupted in the middle,
// after its end, or never.
func TestTraining(t *testing.T) {
	l := in(t)
	r := sw(toy(t, l))
	if n := steps(t, l, r); n != 6 {
		t.Fatalf("%d steps, expected 6", n)
	}
	want := learned(t, l, r)
	var v TrainingResult
	if err := l.Result(r, &v); err != nil || v.Steps != 6 || v.Epochs != 2 || v.Run != RunFolder || v.Backend == "" || !(v.SecondsPerEpoch > 0) || v.SecondsPerEpoch != 3*v.SecondsPerStep {
		t.Errorf("%+v, %v", v, err)
	}
	same := func(what string) {
		t.Helper()
		for name, raw := range learned(t, l, r) {
			if !bytes.Equal(raw, want[name]) {
				t.Errorf("%s: %s differs", what, name)
			}
		}
		if _, err := os.Stat(filepath.Join(l.Folder(r), RunFolder, "checkpoints")); err == nil {
			t.Errorf("%s: checkpoints are left", what)
		}
	}
	same("undisturbed")
	must.M(os.Remove(filepath.Join(l.Folder(r), resultFile)))
	if n := steps(t, l, r); n != 0 {
		t.Errorf("cut off after its end: %d steps again", n)
	}
	var again TrainingResult
	if err := l.Result(r, &again); err != nil || again.Loss != v.Loss || again.Backend != v.Backend || again.SecondsPerEpoch != v.SecondsPerEpoch {
		t.Errorf("cut off after its end: %+v, %v; was %+v", again, err, v)
	}
	l = in(t)
	cutOff(t, l, r)
	if n := steps(t, l, r); n != 1 {
		t.Errorf("cut off after 5 of 6 steps: %d steps more", n)
	}
	same("cut off")
}

// TestMoved: a training resumes if the same clouds have moved, and its folder names the path they
// were last read from.
func TestMoved(t *testing.T) {
	l := in(t)
	places := []string{stored(t, filepath.Join(t.TempDir(), "a"), 1), stored(t, filepath.Join(t.TempDir(), "b"), 1)}
	var rs []Training
	for _, place := range places {
		rs = append(rs, sw(must.M1(l.Data(Data{Path: place, Split: "train", Points: 32}))))
	}
	if l.Folder(rs[0]) != l.Folder(rs[1]) {
		t.Fatal("the same clouds in two places make two runs")
	}
	cutOff(t, l, rs[0])
	other := &Store{Dir: l.Dir} // a later process, which has not read the first place
	if n := steps(t, other, rs[1]); n != 1 {
		t.Errorf("%d steps more, expected 1", n)
	}
	c, err := train.ReadConfig(filepath.Join(l.Folder(rs[1]), RunFolder))
	if err != nil || c.Data != places[1] {
		t.Errorf("trained on %s, expected %s; %v", c.Data, places[1], err)
	}
}

// TestTrainedOn: the clouds of a run in a store are those that the store gave it, without those held
// out, until the file changes.
func TestTrainedOn(t *testing.T) {
	l := in(t)
	place := stored(t, filepath.Join(t.TempDir(), "a"), 1)
	r := sw(must.M1(l.Data(Data{Path: place, Split: "train", Points: 32, Val: 0.25})))
	r.Config.Seed = 7 // not that of the points
	do(t, l, r)
	run := filepath.Join(l.Folder(r), RunFolder)
	c := must.M1(train.ReadConfig(run))
	digest := func() string {
		t.Helper()
		set, err := TrainedOn(run + "/")
		if err != nil || set == nil {
			t.Fatalf("%v, %v", set, err)
		}
		if set.Clouds != c.Clouds {
			t.Errorf("%d clouds, trained on %d", set.Clouds, c.Clouds)
		}
		return set.Digest()[:len(c.DataHash)]
	}
	if found := digest(); found != c.DataHash {
		t.Errorf("the clouds have the hash %s, expected %s", found, c.DataHash)
	}
	stored(t, place, 2)
	if digest() == c.DataHash {
		t.Error("other clouds have the same hash")
	}
	if set, err := TrainedOn(t.TempDir()); set != nil || err != nil {
		t.Errorf("outside of a store: %v, %v", set, err)
	}
	toys := sw(toy(t, l))
	do(t, l, toys)
	if set, err := TrainedOn(filepath.Join(l.Folder(toys), RunFolder)); set != nil || err != nil {
		t.Errorf("on built-in clouds: %v, %v", set, err)
	}
}

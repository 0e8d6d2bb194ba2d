package train

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/janpfeifer/must"

	"github.com/sliced-wasserstein/lab/datasets"
	"github.com/sliced-wasserstein/lab/datasets/format"
	"github.com/sliced-wasserstein/lab/internal/durable/durabletest"
	"github.com/sliced-wasserstein/lab/swlab/engine"
	"github.com/sliced-wasserstein/lab/swlab/weights"
)

// onDisk returns the files below dir.
func onDisk(t *testing.T, dir string) map[string][]byte {
	t.Helper()
	out := map[string][]byte{}
	must.M(filepath.WalkDir(dir, func(path string, e os.DirEntry, err error) error {
		if err != nil || e.IsDir() {
			return err
		}
		out[path], err = os.ReadFile(path)
		return err
	}))
	return out
}

// TestEveryFault: whichever file operation of a run is the first to fail, on a full or read-only
// disk, by a quota, or because the folder is gone: one line says what to do, nothing half-written
// is left, and the resumed run equals an undisturbed one.
func TestEveryFault(t *testing.T) {
	e, c := must.M1(engine.Open("go")), config("v-dsw", "la")
	c.Steps = 2
	o := Options{CheckpointEvery: 1}
	_, whole := finished(t, e, c, o)
	work := func() error {
		o.Out = filepath.Join(t.TempDir(), "run")
		_, err := Run(context.Background(), e, boxes(12, 32), c, o)
		return err
	}
	durabletest.Every(t, work, func(fault string, err error) {
		if err != nil && !durabletest.Explained(err) { // closing the log, which is synced, may fail
			t.Errorf("%s: %v", fault, err)
		}
		for path := range onDisk(t, o.Out) {
			if name := strings.TrimPrefix(path, o.Out); strings.Contains(name, "/.") {
				t.Errorf("%s left %s", fault, name)
			}
		}
		again := o
		_, began := ReadConfig(o.Out)
		again.Resume = began == nil
		finished(t, e, c, again)
		sameRuns(t, o.Out, whole, weightsFile, amortizerFile)
		os.RemoveAll(o.Out)
	})
}

// TestFolderRemoved: a run whose folder is removed ends at its next checkpoint and says so.
func TestFolderRemoved(t *testing.T) {
	c := config("chamfer", "")
	dir := filepath.Join(t.TempDir(), "run")
	_, err := Run(context.Background(), goBackend(t), boxes(12, 32), c,
		Options{Out: dir, Progress: func(Record, int) { os.RemoveAll(dir) }})
	if !durabletest.Explained(err) || !strings.Contains(err.Error(), dir) {
		t.Errorf("%v", err)
	}
	if _, err := os.Stat(dir); err == nil {
		t.Error("the folder is there again")
	}
}

// TestDamaged: with any byte of any file of a run changed, or the file cut short there, resuming
// either gives the undisturbed run or an error that names the file; nothing damaged is read.
func TestDamaged(t *testing.T) {
	e, c := goBackend(t), config("chamfer", "")
	c.Steps = 3
	_, run := finished(t, e, c, Options{CheckpointEvery: 1})
	m := must.M1(c.Model())
	newest := must.M1(listCheckpoints(run))
	checkpoint := func(string) (any, error) { return readCheckpoint(newest[0], m.stateSpecs()) }
	read := map[string]func(path string) (any, error){
		filepath.Join(newest[0], tensorsFile): checkpoint,
		filepath.Join(newest[0], stateFile):   checkpoint,
		filepath.Join(run, weightsFile): func(path string) (any, error) {
			set, err := weights.ReadSafetensors(path)
			if err == nil {
				set, err = set.Match(m.Net.Specs())
			}
			return set, err
		},
		filepath.Join(run, resultFile): func(string) (any, error) { return ReadResult(run) },
		filepath.Join(run, configFile): func(string) (any, error) { return ReadConfig(run) },
		filepath.Join(run, logFile):    func(string) (any, error) { return ReadLog(run) },
	}
	damages, found := 0, 0
	for path, load := range read {
		raw := must.M1(os.ReadFile(path))
		want := must.M1(load(path))
		try := func(what string, content []byte) {
			t.Helper()
			must.M(os.WriteFile(path, content, 0o644))
			got, err := load(path)
			damages++
			if err != nil {
				found++
			}
			// A change of the checksum's own name leaves the content as it was.
			if err == nil && !reflect.DeepEqual(got, want) {
				t.Fatalf("%s, %s: read as if it were whole", filepath.Base(path), what)
			}
		}
		step := max(1, len(raw)/60) | 1
		if filepath.Base(path) == logFile {
			step = 1
		}
		for at := 0; at < len(raw); at += step {
			changed := bytes.Clone(raw)
			changed[at] ^= 1 << (at % 8)
			try(fmt.Sprintf("byte %d changed", at), changed)
			if at%4 == 0 && at < len(raw)-1 {
				try(fmt.Sprintf("cut to %d bytes", at), raw[:at])
			}
		}
		must.M(os.WriteFile(path, raw, 0o644))
	}
	t.Logf("%d damages, %d found", damages, found)
	damagedLogs(t, run, m.stateSpecs())

	// The damaged checkpoint is named, and the one before it is used.
	path := filepath.Join(newest[0], tensorsFile)
	raw := must.M1(os.ReadFile(path))
	raw[len(raw)/2] ^= 1
	must.M(os.WriteFile(path, raw, 0o644))
	var notes []string
	longer := c
	longer.Steps = 4
	_, dir := finished(t, e, longer,
		Options{Out: run, Resume: true, Note: func(text string) { notes = append(notes, text) }})
	_, whole := finished(t, e, longer, Options{})
	sameRuns(t, dir, whole, weightsFile, bestFile)
	if len(notes) != 1 || !strings.Contains(notes[0], path) || !strings.Contains(notes[0], "damaged") ||
		!strings.Contains(notes[0], filepath.Base(newest[1])) {
		t.Errorf("said: %v", notes)
	}
}

// damagedLogs changes every byte of the log of a run with a checkpoint after every step, and cuts it
// short there. The lines until a checkpoint are as they were, or an error names the log.
func damagedLogs(t *testing.T, run string, specs []weights.Spec) {
	t.Helper()
	path := filepath.Join(run, logFile)
	raw := must.M1(os.ReadFile(path))
	write := func(content []byte) { must.M(os.WriteFile(path, content, 0o644)) }
	defer write(raw)
	dirs, err := listCheckpoints(run)
	if err != nil || len(dirs) != 2 {
		t.Fatal(dirs, err)
	}
	lines := bytes.SplitAfter(raw, []byte("\n"))
	tried, found := 0, 0
	for _, dir := range dirs {
		c := must.M1(readCheckpoint(dir, specs))
		whole := bytes.Join(lines[:c.Step], nil)
		for at := range raw {
			changed := bytes.Clone(raw)
			changed[at] ^= 1 << (at % 8)
			for _, content := range [][]byte{changed, raw[:at]} {
				write(content)
				got, err := linesUntil(run, c.progress)
				if tried++; err != nil {
					found++
				}
				if damaged := at < len(whole); damaged != (err != nil) || !damaged && !bytes.Equal(got, whole) ||
					damaged && (!strings.Contains(err.Error(), path) || !strings.HasSuffix(err.Error(), logRemedy)) {
					t.Fatalf("step %d, %q: %q, %v", c.Step, content, got, err)
				}
			}
		}
		// A checkpoint of an earlier version knows nothing of its log: a changed digit is read.
		changed := bytes.Clone(raw)
		changed[bytes.IndexByte(raw, '.')+1] ^= 1
		write(changed)
		c.LogSHA256 = ""
		if got, err := linesUntil(run, c.progress); err != nil || !bytes.Equal(got, changed[:len(whole)]) {
			t.Errorf("without a SHA-256: %q, %v", got, err)
		}
		// Its last line, cut off by one byte, is whole again, for the next record follows it.
		write(whole[:len(whole)-1])
		if got, err := linesUntil(run, c.progress); err != nil || !bytes.Equal(got, whole) {
			t.Errorf("without a SHA-256, cut off by a byte: %q, %v", got, err)
		}
	}
	t.Logf("%d damages of a log of %d bytes with two checkpoints, %d before the checkpoint and found", tried, len(raw),
		found)

	// The first line is that of both checkpoints.
	raw[0] ^= 1
	write(raw)
	raw[0] ^= 1
	refused(t, path, logRemedy)(loadCheckpoint(run, specs, func(text string) { t.Error(text) }))
	if left, err := listCheckpoints(run); err != nil || !slices.Equal(left, dirs) {
		t.Errorf("left %v, %v", left, err)
	}
}

// TestLogChangedMeanwhile: a log that changes under a run is found at its end, and on resuming when
// the run was stopped; steps computed again make it whole.
func TestLogChangedMeanwhile(t *testing.T) {
	e, c := goBackend(t), config("chamfer", "")
	c.Steps = 3
	_, whole := finished(t, e, c, Options{})
	o := Options{Out: filepath.Join(t.TempDir(), "run"), CheckpointEvery: 1}
	path := filepath.Join(o.Out, logFile)
	o.Progress = func(r Record, total int) {
		if r.Step != total {
			return
		}
		raw := must.M1(os.ReadFile(path))
		raw[bytes.LastIndex(raw, []byte("."))+1] ^= 1
		must.M(os.WriteFile(path, raw, 0o644))
	}
	refused(t, path, "SHA-256")(Run(context.Background(), e, boxes(12, 32), c, o))
	if _, err := ReadResult(o.Out); err == nil {
		t.Error("the run has a result")
	}
	var notes []string
	finished(t, e, c, Options{Out: o.Out, Resume: true, Note: func(text string) { notes = append(notes, text) }})
	if len(notes) != 1 || !strings.Contains(notes[0], path) {
		t.Errorf("said: %v", notes)
	}
	sameRuns(t, o.Out, whole, weightsFile, bestFile)
}

// TestNonfinite: a run stops at the step whose loss or gradient is not finite, saves its batch and
// names the checkpoint before; no checkpoint holds a weight that is not finite. Told to skip, it
// leaves out the steps with that cloud and no other, and counts them, interrupted or not.
func TestNonfinite(t *testing.T) {
	e := goBackend(t)
	c := config("v-dsw", "la")
	c.Epochs = 2 // batches of 5, 5, 2
	set, bad := boxes(12, 32), int32(7)
	for k := range set.Cloud(7) {
		set.Cloud(7)[k] = float32(math.Inf(1))
	}
	o := Options{Out: filepath.Join(t.TempDir(), "run"), CheckpointEvery: 1}
	at := func(epoch int) int {
		c := c.On(set)
		return 3*epoch + 1 + slices.IndexFunc(c.batches(epoch), func(rows []int32) bool { return slices.Contains(rows, bad) })
	}
	refused(t, fmt.Sprintf("step %d of ", at(0)), "the loss is NaN", "cloud 7 of boxes has the coordinate +Inf",
		"nonfinite-step-", "--on-nonfinite skip")(Run(context.Background(), e, set, c, o))
	if n := len(values(t, o.Out)); n != at(0)-1 || savedStep(o.Out) != at(0)-1 {
		t.Errorf("%d steps, checkpoint %d, expected %d", n, savedStep(o.Out), at(0)-1)
	}
	batch := filepath.Join(o.Out, fmt.Sprintf("nonfinite-step-%09d.npz", at(0)))
	clouds, err := format.Read(batch, "data")
	if err != nil || len(clouds.Shape) != 3 ||
		!slices.ContainsFunc(clouds.Narrow, func(x float32) bool { return math.IsInf(float64(x), 1) }) {
		t.Errorf("%v %v", clouds, err)
	}
	refused(t, batch)(datasets.Load(batch, datasets.Options{}))

	skip := func(cut int) (Result, string) {
		o := o
		o.Out, o.OnNonfinite = filepath.Join(t.TempDir(), "run"), "skip"
		if cut > 0 {
			cutOff(t, e, set, c, cut, o)
			o.Resume = true
		}
		return must.M1(Run(context.Background(), e, set, c, o)), o.Out
	}
	r, whole := skip(0)
	log := values(t, whole)
	if r.Skipped != 2 || len(log) != 6 || math.IsNaN(r.Loss) || math.IsNaN(r.BestLoss) || math.IsInf(r.BestLoss, 0) {
		t.Errorf("%+v", r)
	}
	for _, rec := range log {
		if skipped := rec.Step == at(rec.Epoch); skipped != (rec.Skipped != "") || skipped != math.IsNaN(rec.Loss) {
			t.Errorf("%+v", rec)
		}
	}
	for cut := 1; cut < 6; cut++ {
		got, dir := skip(cut)
		if got.Skipped != 2 || !sameFile(t, filepath.Join(dir, weightsFile), filepath.Join(whole, weightsFile)) {
			t.Errorf("interrupted after step %d: %+v", cut, got)
		}
	}

	// The loss is finite, the update is not.
	c.LearningRate = 3e38
	o.Out = filepath.Join(t.TempDir(), "run")
	refused(t, "step 1 of ", "a weight is not finite after the update")(
		Run(context.Background(), e, boxes(12, 32), c, o))
	if savedStep(o.Out) != 0 {
		t.Error("a checkpoint of weights that are not finite")
	}
	o.Out, o.OnNonfinite = filepath.Join(t.TempDir(), "run"), "skip"
	refused(t, "no step of epoch 0 was finite")(Run(context.Background(), e, boxes(12, 32), c, o))
	o.OnNonfinite = "never"
	if _, err := Run(context.Background(), e, boxes(12, 32), c, o); !errors.As(err, new(UsageError)) {
		t.Errorf("%v", err)
	}
}

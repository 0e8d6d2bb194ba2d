package runs

import (
	"context"
	"errors"
	"math"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/janpfeifer/must"

	"github.com/sliced-wasserstein/lab/datasets"
	"github.com/sliced-wasserstein/lab/swlab/train"
)

// task is a Task that does what a test wants.
type task struct {
	ID    string                                             `json:"id"`
	needs []Task                                             //
	work  func(ctx context.Context, dir string) (any, error) //
}

func (task) Kind() string    { return "task" }
func (k task) Name() string  { return k.ID }
func (k task) Needs() []Task { return k.needs }
func (task) Clouds() []Data  { return nil }
func (k task) do(ctx context.Context, _ *Store, dir string) (any, error) {
	return k.work(ctx, dir)
}

// TestHash: the hash is pinned. It changes when a training's JSON does, and then every store in use
// would lose its trainings.
func TestHash(t *testing.T) {
	d := Data{Path: "a.npy", Content: "0123", Split: "train", Points: 64}
	base := NewTraining(d, train.DefaultConfig())
	if got, want := Hash(base)[:16], "a2bc72efc930f601"; got != want {
		t.Errorf("the hash of the standard training is %s, was %s: trainings done before will not be found", got, want)
	}
	same := d
	same.Path, same.Key = "elsewhere/b.npz", "clouds"
	said := train.DefaultConfig()
	said.Data, said.DataHash, said.Backend, said.Points, said.Clouds, said.Split, said.Slices, said.P = "a.npy", "ff", "go", 7, 9, "test", 100, 2
	for what, other := range map[string]Training{"another path and key": NewTraining(same, train.DefaultConfig()), "what the data and the loss say": NewTraining(d, said)} {
		if Hash(other) != Hash(base) {
			t.Errorf("%s makes another run", what)
		}
	}
	seen := map[string]string{Hash(base): "base"}
	differs := func(what string, r Task) {
		if old, ok := seen[Hash(r)]; ok {
			t.Errorf("%s has the hash of %s", what, old)
		}
		seen[Hash(r)] = what
	}
	for what, change := range map[string]func(*Data){
		"content": func(d *Data) { d.Content = "0124" }, "split": func(d *Data) { d.Split = "all" }, "points": func(d *Data) { d.Points = 65 },
		"classes": func(d *Data) { d.Classes = []string{"chair"} }, "train": func(d *Data) { d.Train = 1 }, "test": func(d *Data) { d.Test = 1 }, "val": func(d *Data) { d.Val = 0.1 },
	} {
		other := d
		change(&other)
		differs(what, NewTraining(other, train.DefaultConfig()))
	}
	for what, change := range map[string]func(*train.Config){
		"seed": func(c *train.Config) { c.Seed = 2 }, "loss": func(c *train.Config) { c.Loss = "chamfer" }, "slices": func(c *train.Config) { c.Slices = 50 },
		"kappa": func(c *train.Config) { c.Kappa = 2 }, "batch": func(c *train.Config) { c.Batch = 64 }, "epochs": func(c *train.Config) { c.Epochs = 300 },
		"ascent": func(c *train.Config) { c.AscentSteps = 1 }, "rate": func(c *train.Config) { c.AscentLearningRate = 1 }, "dk": func(c *train.Config) { c.DK = 16 },
	} {
		c := train.DefaultConfig()
		change(&c)
		differs(what, NewTraining(d, c))
	}
	val := d.Part("val")
	held := base
	held.Validation = &val
	differs("validation", held)
	differs("scores", Scores{Of: base, State: "best", Data: d})
	differs("scores of the last state", Scores{Of: base, State: "last", Data: d})
	differs("scores with another seed", Scores{Of: base, State: "best", Data: d, Seed: 1})
	if a, b := (&Store{Dir: "x"}).Folder(base), filepath.Join("x", "runs", "train-sw-s1-"+Hash(base)[:12]); a != b {
		t.Errorf("folder %s, want %s", a, b)
	}
}

// TestOnce: what a task needs is done before it, and everything once.
func TestOnce(t *testing.T) {
	l := &Store{Dir: t.TempDir()}
	var did []string
	step := func(id string, needs ...Task) task {
		return task{ID: id, needs: needs, work: func(context.Context, string) (any, error) {
			did = append(did, id)
			return map[string]int{"n": len(did)}, nil
		}}
	}
	base := step("base")
	top, side := step("top", base), step("side", base)
	check := func(want string) {
		t.Helper()
		if got := strings.Join(did, " "); got != want {
			t.Errorf("did %q, want %q", got, want)
		}
		did = nil
	}
	do(t, l, top)
	do(t, l, side)
	check("base top side")
	do(t, l, top)
	check("")
	must.M(os.RemoveAll(l.Folder(base)))
	do(t, l, top) // its own result exists
	check("")
}

// TestOldName: a task whose folder has another name is found, and continues there.
func TestOldName(t *testing.T) {
	dir := t.TempDir()
	before, after := number("before", 7), number("after", 8)
	do(t, &Store{Dir: dir}, before)
	renamed := filepath.Join(dir, "runs", "task-some-old-name-"+Hash(before)[:12])
	begun := filepath.Join(dir, "runs", "task-begun-"+Hash(after)[:12])
	must.M(errors.Join(os.Rename((&Store{Dir: dir}).Folder(before), renamed), os.Mkdir(begun, 0o755)))
	l := &Store{Dir: dir}
	if !l.Done(before) || l.Folder(before) != renamed {
		t.Errorf("the folder is %s, expected %s", l.Folder(before), renamed)
	}
	do(t, l, after)
	if _, err := os.Stat(filepath.Join(begun, resultFile)); err != nil || l.Done(number("other", 9)) {
		t.Errorf("the result is not in %s: %v", begun, err)
	}
}

// TestFailing: a failing task leaves no result, keeps what it needed, and is tried again.
func TestFailing(t *testing.T) {
	l := &Store{Dir: t.TempDir()}
	good := task{ID: "good", work: func(context.Context, string) (any, error) { return 1, nil }}
	sick := errors.New("out of memory")
	var result any = math.NaN()
	bad := task{ID: "bad", needs: []Task{good}, work: func(context.Context, string) (any, error) { return result, sick }}
	// The second: a result that no file can hold.
	for _, says := range []string{"task bad: out of memory", "task bad: json"} {
		if err := l.Do(context.Background(), bad); err == nil || !strings.Contains(err.Error(), says) {
			t.Errorf("error %v, expected %q", err, says)
		}
		if !l.Done(good) || l.Done(bad) {
			t.Error("good is not done, or bad is")
		}
		sick = nil
	}
	left, err := os.ReadDir(l.Folder(bad))
	if err != nil || len(left) != 1 || left[0].Name() != valueFile {
		t.Errorf("left: %v, %v; expected %s alone", left, err, valueFile)
	}
	result = 2
	do(t, l, bad)
	if !l.Done(bad) {
		t.Error("not done the second time")
	}
}

// TestSweep: what a killed process was writing is removed before the next attempt; what it had
// written stays.
func TestSweep(t *testing.T) {
	l := &Store{Dir: t.TempDir()}
	k := task{ID: "k", work: func(_ context.Context, dir string) (any, error) {
		kept, err := os.ReadFile(filepath.Join(dir, "deep", "kept"))
		return string(kept), err
	}}
	deep := filepath.Join(l.Folder(k), "deep")
	must.M(os.MkdirAll(deep, 0o755))
	temporary := []string{filepath.Join(l.Folder(k), ".result.json.123"), filepath.Join(deep, ".generated.npy.9")}
	for _, file := range append(temporary, filepath.Join(deep, "kept")) {
		must.M(os.WriteFile(file, []byte("work"), 0o644))
	}
	do(t, l, k)
	for _, file := range temporary {
		if _, err := os.Stat(file); err == nil {
			t.Errorf("%s is still there", file)
		}
	}
	var v string
	if err := l.Result(k, &v); err != nil || v != "work" {
		t.Errorf("%q, %v", v, err)
	}
}

// TestWaiting: of two Stores on one folder the second waits, says so, and finds the work done; or
// gives up when it is told to.
func TestWaiting(t *testing.T) {
	dir := t.TempDir()
	began, end := make(chan bool), make(chan bool)
	var did atomic.Int32
	k := task{ID: "long", work: func(context.Context, string) (any, error) {
		did.Add(1)
		close(began)
		<-end
		return 1, nil
	}}
	first := make(chan error)
	go func() { first <- (&Store{Dir: dir}).Do(context.Background(), k) }()
	<-began
	impatient, stop := context.WithCancel(context.Background())
	err := (&Store{Dir: dir, Progress: func(string, int, int) { stop() }}).Do(impatient, k)
	if !errors.Is(err, context.Canceled) {
		t.Errorf("the wait was not ended: %v", err)
	}
	waits, heard := make(chan string, 1), ""
	second := make(chan error)
	go func() {
		second <- (&Store{Dir: dir, Progress: func(what string, _, _ int) { waits <- what }}).Do(context.Background(), k)
	}()
	select {
	case heard = <-waits:
	case err := <-second:
		t.Fatalf("the second did not wait: %v", err)
	case <-time.After(time.Minute):
		t.Fatal("the second neither waits nor ends")
	}
	if !strings.Contains(heard, "waiting for another process") || !strings.Contains(heard, "task-long") {
		t.Errorf("heard %q", heard)
	}
	close(end)
	if err := errors.Join(<-first, <-second); err != nil || did.Load() != 1 {
		t.Errorf("done %d times, %v", did.Load(), err)
	}
}

// TestValue: run.json says what was done, and on which clouds.
func TestValue(t *testing.T) {
	l := in(t)
	r := sw(toy(t, l))
	r.Config.Batch = 1000 // cannot be done
	if err := l.Do(context.Background(), r); err == nil || !strings.Contains(err.Error(), "batch: 1000 is larger") {
		t.Errorf("error %v", err)
	}
	raw := must.M1(os.ReadFile(filepath.Join(l.Folder(r), valueFile)))
	for _, says := range []string{`"kind": "train"`, `"data": "` + datasets.ShapesVersion + `"`, `"batch": 1000`, `"paths": [`, `"` + datasets.Builtin + `"`} {
		if !strings.Contains(string(raw), says) {
			t.Errorf("%s lacks %s", raw, says)
		}
	}
}

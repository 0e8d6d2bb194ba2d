package train

import (
	"bytes"
	"context"
	"errors"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/janpfeifer/must"

	"github.com/sliced-wasserstein/lab/datasets"
	"github.com/sliced-wasserstein/lab/swlab/engine"
	"github.com/sliced-wasserstein/lab/swlab/internal/graphtest"
	"github.com/sliced-wasserstein/lab/swlab/weights"
)

// boxes are small clouds that can be told apart: boxes of different proportions.
func boxes(n, m int) *datasets.Set {
	r := rand.New(rand.NewPCG(1, 2))
	s := &datasets.Set{Name: "boxes", Kind: "npy", Clouds: n, Points: m, Dim: 3, Coords: make([]float32, n*m*3)}
	for i := range s.Coords {
		side := 1 + 3*float64((i/(3*m)+i%3)%3)
		s.Coords[i] = float32(side * (r.Float64() - 0.5))
	}
	must.M(s.Normalize())
	return s
}

func config(lossName, amortizer string) Config {
	c := DefaultConfig()
	c.Loss, c.Amortizer, c.Points, c.Batch, c.Epochs, c.Slices, c.DK, c.K, c.AscentSteps = lossName, amortizer, 32, 5, 3,
		8, 8, 8, 2
	return c
}

// refused checks that a call, of which it gets the results, ends with an error that says all of parts.
func refused(t *testing.T, parts ...string) func(results ...any) {
	return func(results ...any) {
		t.Helper()
		err, _ := results[len(results)-1].(error)
		for _, says := range parts {
			if err == nil || !strings.Contains(err.Error(), says) {
				t.Errorf("error %v, expected one that says %q", err, says)
			}
		}
	}
}

// backend is the one under test; in short mode the pure-Go one, which has nothing to compile.
func backend(t *testing.T) *engine.Engine {
	t.Helper()
	if testing.Short() {
		return goBackend(t)
	}
	return graphtest.Engine(t)
}

// goBackend is the pure-Go backend, for tests that need no other.
func goBackend(t *testing.T) *engine.Engine {
	t.Helper()
	graphtest.Once(t)
	return must.M1(engine.Open("go"))
}

// finished runs c to its end on twelve boxes, in a fresh folder unless o names one.
func finished(t *testing.T, e *engine.Engine, c Config, o Options) (Result, string) {
	t.Helper()
	if o.Out == "" {
		o.Out = filepath.Join(t.TempDir(), "run")
	}
	return must.M1(Run(context.Background(), e, boxes(12, 32), c, o)), o.Out
}

// cutOff runs c to step n and cancels it there.
func cutOff(t *testing.T, e *engine.Engine, set *datasets.Set, c Config, n int, o Options) {
	t.Helper()
	ctx, cancel := context.WithCancel(context.Background())
	o.Progress = func(r Record, _ int) {
		if r.Step == n {
			cancel()
		}
	}
	if _, err := Run(ctx, e, set, c, o); !errors.Is(err, context.Canceled) {
		t.Fatalf("interrupted run: %v", err)
	}
}

// sameRuns compares logs, bit for bit and without times, and files.
func sameRuns(t *testing.T, got, want string, files ...string) {
	t.Helper()
	if a, b := values(t, got), values(t, want); !sameLog(a, b) {
		t.Errorf("the logs differ:\n%v\n%v", a, b)
	}
	for _, name := range files {
		if !sameFile(t, filepath.Join(got, name), filepath.Join(want, name)) {
			t.Errorf("%s differs", name)
		}
	}
}

// values are a log without its times.
func values(t *testing.T, dir string) []Record {
	t.Helper()
	log := must.M1(ReadLog(dir))
	for i := range log {
		log[i].Seconds = 0
	}
	return log
}

func sameLog(a, b []Record) bool {
	same := func(p, q *float64) bool { return (p == nil) == (q == nil) && (p == nil || *p == *q) }
	return slices.EqualFunc(a, b, func(x, y Record) bool {
		return x.Step == y.Step && x.Epoch == y.Epoch && x.Loss == y.Loss && same(x.Objective, y.Objective) &&
			same(x.AscentAngle, y.AscentAngle)
	})
}

func sameFile(t *testing.T, a, b string) bool {
	t.Helper()
	return bytes.Equal(must.M1(os.ReadFile(a)), must.M1(os.ReadFile(b)))
}

// TestRunResumes: a run cut off in the middle, with a log that ran ahead of the checkpoint into
// nonsense and a half-written checkpoint lying about, ends the same; for every way to find
// locations.
func TestRunResumes(t *testing.T) {
	for i, c := range []Config{config("sw", ""), config("v-dsw", "la"), config("v-dsw", ""), config("chamfer", "")} {
		t.Run(c.Loss+c.Amortizer, func(t *testing.T) {
			t.Parallel()
			c.Epochs, c.Batch = 2, 4
			e := backend(t)
			if i == 0 { // in short mode too
				e = graphtest.Engine(t)
			}
			_, whole := finished(t, e, c, Options{})
			if n := len(values(t, whole)); n != 6 { // 12 clouds in three batches, twice
				t.Fatalf("%d steps, expected 6", n)
			}

			// Cut off after the 5th step, with a checkpoint at the 4th.
			dir := filepath.Join(t.TempDir(), "run")
			cutOff(t, e, boxes(12, 32), c, 5, Options{Out: dir, CheckpointEvery: 4})
			newest, err := listCheckpoints(dir)
			if err != nil || len(newest) != 2 || !strings.HasSuffix(newest[0], "5") {
				t.Fatalf("checkpoints %v, %v", newest, err)
			}
			// As a crash would leave it: the newest checkpoint broken, the log ahead of the one before, its last line torn.
			must.M(os.Truncate(filepath.Join(newest[0], tensorsFile), 1000))
			f := must.M1(os.OpenFile(filepath.Join(dir, logFile), os.O_APPEND|os.O_WRONLY, 0))
			must.M1(f.WriteString("\x00\x00\n" + `{"step":6,"epo`))
			f.Close()
			finished(t, e, c, Options{Out: dir, Resume: true})
			sameRuns(t, dir, whole, weightsFile, bestFile)
			if left, _ := filepath.Glob(filepath.Join(dir, "*", ".*")); len(left) > 0 {
				t.Errorf("left behind: %v", left)
			}
		})
	}
}

// TestKilledEarly: a run killed after its configuration was written and before its first checkpoint resumes to the same
// end; what the killed process was writing is removed. Killed before that, it left no run, and the folder can be taken.
func TestKilledEarly(t *testing.T) {
	c := config("chamfer", "")
	c.Steps = 2
	_, whole := finished(t, goBackend(t), c, Options{})
	raw := must.M1(os.ReadFile(filepath.Join(whole, configFile)))
	for _, resume := range []bool{true, false} {
		dir := t.TempDir()
		left := []string{filepath.Join(dir, "."+configFile+".123")}
		if resume {
			must.M(os.WriteFile(filepath.Join(dir, configFile), raw, 0o644))
			left = append(left, filepath.Join(dir, "."+weightsFile+".7"),
				filepath.Join(dir, checkpointDir, "."+checkpointPrefix+"000000001.1"))
		}
		for _, path := range left {
			must.M(os.MkdirAll(filepath.Dir(path), 0o755))
			must.M(os.WriteFile(path, []byte("{"), 0o644))
		}
		finished(t, goBackend(t), c, Options{Out: dir, Resume: resume})
		sameRuns(t, dir, whole, weightsFile)
		for _, path := range left {
			if _, err := os.Stat(path); err == nil {
				t.Errorf("resume %v: %s was left behind", resume, filepath.Base(path))
			}
		}
	}
}

// TestBrokenCheckpointsGoAway: a broken checkpoint must not stand where its replacement belongs.
func TestBrokenCheckpointsGoAway(t *testing.T) {
	c := config("chamfer", "")
	c.Steps = 2
	_, dir := finished(t, goBackend(t), c, Options{CheckpointEvery: 1})
	dirs, err := listCheckpoints(dir)
	if err != nil || len(dirs) != 2 {
		t.Fatalf("%v, %v", dirs, err)
	}
	must.M(os.Truncate(filepath.Join(dirs[0], tensorsFile), 100))
	finished(t, goBackend(t), c, Options{Out: dir, Resume: true})
	m := must.M1(c.Model())
	if p, err := readCheckpoint(dirs[0], m.stateSpecs()); err != nil || p.Step != 2 {
		t.Errorf("the newest checkpoint after resuming: %+v, %v", p.progress, err)
	}
	for _, d := range dirs {
		must.M(os.Truncate(filepath.Join(d, tensorsFile), 100))
	}
	refused(t, "holds no checkpoint to resume from", tensorsFile)(
		Run(context.Background(), goBackend(t), boxes(12, 32), c, Options{Out: dir, Resume: true}))
}

// TestOneProcessPerFolder: a run under way is not joined by another.
func TestOneProcessPerFolder(t *testing.T) {
	c := config("chamfer", "")
	c.Steps = 1
	dir := filepath.Join(t.TempDir(), "run")
	finished(t, goBackend(t), c, Options{Out: dir, Progress: func(Record, int) {
		_, err := Run(context.Background(), goBackend(t), boxes(12, 32), c, Options{Out: dir, Resume: true})
		if !errors.As(err, new(UsageError)) || !strings.Contains(err.Error(), "in use by another process") {
			t.Errorf("a second run in the folder: %v", err)
		}
	}})
}

// TestNoBatchOfOne: batch norm over one cloud would make the decoder constant and its running variance too small.
func TestNoBatchOfOne(t *testing.T) {
	for clouds, want := range map[int][]int{11: {5, 6}, 12: {5, 5, 2}, 10: {5, 5}, 6: {6}, 5: {5}} {
		c := Config{Clouds: clouds, Batch: 5, Seed: 1}
		var got []int
		var rows, next []int32
		for _, b := range c.batches(0) {
			got, rows = append(got, len(b)), append(rows, b...)
		}
		if !slices.Equal(got, want) || c.perEpoch() != len(want) {
			t.Errorf("%d clouds in batches of 5: %v, %d a pass, expected %v", clouds, got, c.perEpoch(), want)
		}
		for _, b := range c.batches(1) {
			next = append(next, b...)
		}
		if slices.Equal(rows, next) {
			t.Errorf("%d clouds come in the order %v in both passes", clouds, rows)
		}
		slices.Sort(rows)
		for i, row := range rows {
			if row != int32(i) {
				t.Fatalf("%d clouds: the rows of a pass are %v", clouds, rows)
			}
		}
	}
	c := config("chamfer", "")
	c.Epochs = 1
	if r, err := Run(context.Background(), goBackend(t), boxes(11, 32), c, Options{Out: t.TempDir()}); err != nil ||
		r.Steps != 2 || r.Epochs != 1 {
		t.Errorf("%+v, %v", r, err)
	}
}

func TestTimes(t *testing.T) {
	for median, seconds := range map[float64][]float64{0: nil, 7: {7}, 2: {3, 1}, 4: {9, 4, 1}} {
		var log []Record
		total := 0.0
		for _, s := range seconds {
			log, total = append(log, Record{Seconds: s}), total+s
		}
		if s, m := times(log); s != total || m != median {
			t.Errorf("%v: sum %v, median %v", seconds, s, m)
		}
	}
}

// TestSeedDecides: the same seed gives the same log and weights, bit for bit, also with the programs of
// runs of other seeds and numbers of ascent steps; another seed gives another log.
func TestSeedDecides(t *testing.T) {
	e := backend(t)
	for _, c := range []Config{config("v-dsw", "la"), config("v-dsw", "")} {
		c.Seed, c.Steps, c.AscentSteps, c.Batch = 2, 2, 5, 4
		other := c
		other.Seed, other.AscentSteps = 1, 2
		_, alone := finished(t, e, c, Options{})
		compiled := e.Compilations()
		_, before := finished(t, e, other, Options{})
		_, again := finished(t, e, c, Options{})
		if n := e.Compilations() - compiled; n != 0 {
			t.Errorf("another seed and number of ascent steps compile %d programs", n)
		}
		sameRuns(t, again, alone, weightsFile)
		if sameLog(values(t, before), values(t, alone)) {
			t.Error("another seed gives the same log")
		}
	}
}

// TestRunLearns: the loss falls, the result says what happened, and finished runs resume to themselves at once.
func TestRunLearns(t *testing.T) {
	c, e := config("sw", ""), backend(t)
	c.Epochs, c.LearningRate = 5, 3e-3
	mean := func(rs []Record) (m float64) {
		for _, x := range rs {
			m += x.Loss / float64(len(rs))
		}
		return m
	}
	var r Result
	var dir string
	var log []Record
	best, lowest := 4, 0.0
	for c.Seed = 1; best == 4; c.Seed++ { // a best epoch that is the last says nothing; the rounding decides which seeds have one
		if c.Seed > 8 {
			t.Fatal("the last epoch is the best with every seed")
		}
		r, dir = finished(t, e, c, Options{})
		log, lowest = values(t, dir), math.Inf(1)
		for epoch := range 5 {
			if m := mean(log[3*epoch : 3*epoch+3]); m < lowest {
				best, lowest = epoch, m
			}
		}
	}
	c.Seed--
	if first, last := mean(log[:3]), mean(log[len(log)-3:]); last > 0.8*first {
		t.Errorf("loss %v at first, %v at last", first, last)
	}
	if r.Steps != 15 || r.Epochs != 5 || r.BestEpoch < 1 || r.BestLoss >= mean(log[:3]) || !(r.SecondsPerStep > 0) ||
		r.Run != dir {
		t.Errorf("result %+v", r)
	}
	if r.BestEpoch != best || math.Abs(r.BestLoss-lowest) > 1e-12*lowest {
		t.Errorf("best epoch %d of loss %v, the log says %d and %v", r.BestEpoch, r.BestLoss, best, lowest)
	}
	short := c
	short.Epochs = best + 1
	if _, end := finished(t, e, short, Options{}); !sameFile(t, filepath.Join(dir, bestFile),
		filepath.Join(end, weightsFile)) {
		t.Errorf("%s is not the state after epoch %d", bestFile, best)
	}
	w := must.M1(weights.ReadSafetensors(filepath.Join(dir, weightsFile)))
	must.M1(w.Match(must.M1(c.Model()).Net.Specs()))
	if again, _ := finished(t, e, c, Options{Out: dir, Resume: true}); again.Loss != r.Loss ||
		again.BestEpoch != r.BestEpoch {
		t.Errorf("resuming a finished run: %+v, was %+v", again, r)
	}
}

func TestZeroStepsInitialiseAndSave(t *testing.T) {
	c := config("v-dsw", "la")
	c.Steps = 0
	r, dir := finished(t, backend(t), c, Options{})
	if r.Steps != 0 || r.BestEpoch != -1 || len(values(t, dir)) != 0 {
		t.Errorf("result %+v", r)
	}
	if file, err := WeightsFile(dir, "best"); err != nil || filepath.Base(file) != weightsFile {
		t.Errorf("weights %q, %v", file, err)
	}
	got := must.M1(weights.ReadSafetensors(filepath.Join(dir, amortizerFile)))
	want := weights.Init(must.M1(c.Model()).Loss.Specs(), stream(c.Seed, 0, psiStream))
	for _, n := range want.Names() {
		a, _ := got.Get(n)
		b, _ := want.Get(n)
		if !slices.Equal(a.Data, b.Data) {
			t.Errorf("%s is not at its start", n)
		}
	}
}

// TestWrongCalls: each is refused with a line that names what is wrong, and nothing is written.
func TestWrongCalls(t *testing.T) {
	good := boxes(12, 32)
	flat := &datasets.Set{Name: "flat", Clouds: 4, Points: 32, Dim: 2, Coords: make([]float32, 4*32*2)}
	_, taken := finished(t, goBackend(t), config("sw", ""), Options{})
	before := values(t, taken)
	filled := t.TempDir()
	must.M(os.WriteFile(filepath.Join(filled, "thesis.txt"), []byte("x"), 0o644))
	for name, c := range map[string]struct {
		set    *datasets.Set
		change func(*Config)
		o      Options
		says   string
	}{
		"loss":       {good, func(c *Config) { c.Loss = "wasserstein" }, Options{}, `unknown loss "wasserstein"`},
		"amortizer":  {good, func(c *Config) { c.Amortizer = "x"; c.Loss = "v-dsw" }, Options{}, `unknown amortizer "x"`},
		"dimension":  {flat, func(*Config) {}, Options{}, "dimension 3, found dimension 2"},
		"batch":      {good, func(c *Config) { c.Batch = 13 }, Options{}, "larger than the 12 training clouds"},
		"batch of 1": {good, func(c *Config) { c.Batch = 1 }, Options{}, "batch: expected at least 2"},
		"epochs":     {good, func(c *Config) { c.Epochs = 0 }, Options{}, "epochs"},
		"slices":     {good, func(c *Config) { c.Slices = -1 }, Options{}, "slices"},
		"kappa":      {good, func(c *Config) { c.Loss, c.Kappa = "v-dsw", math.NaN() }, Options{}, "kappa"},
		"rate":       {good, func(c *Config) { c.Loss, c.AscentLearningRate = "v-dsw", 0 }, Options{}, "ascent rate"},
		"taken":      {good, func(*Config) {}, Options{Out: taken}, "holds a run already"},
		"filled":     {good, func(*Config) {}, Options{Out: filled}, "not empty"},
		"another":    {good, func(c *Config) { c.Slices = 9 }, Options{Out: taken, Resume: true}, "slices: 9, the run has 8"},
		"nothing":    {good, func(*Config) {}, Options{Out: filled, Resume: true}, "holds no run"},
	} {
		t.Run(name, func(t *testing.T) {
			cfg := config("sw", "")
			c.change(&cfg)
			if c.o.Out == "" {
				c.o.Out = filepath.Join(t.TempDir(), "run")
			}
			_, err := Run(context.Background(), goBackend(t), c.set, cfg, c.o)
			if !errors.As(err, new(UsageError)) || !strings.Contains(err.Error(), c.says) ||
				strings.Contains(err.Error(), "\n") {
				t.Errorf("error %v, expected a wrong call that says %q", err, c.says)
			}
			if _, err := os.Stat(filepath.Join(c.o.Out, configFile)); err == nil && c.o.Out != taken {
				t.Error("something was written")
			}
		})
	}
	if !sameLog(values(t, taken), before) {
		t.Error("the run that was there has changed")
	}
}

// TestSmallCloudsAreNoted: a training by the approximate EMD says once that its clouds are too
// small for it, and by another loss, or of clouds of radius 1, nothing.
func TestSmallCloudsAreNoted(t *testing.T) {
	for _, c := range []struct {
		loss  string
		size  float32
		notes int
	}{{"emd-approx", 0.02, 1}, {"emd-approx", 1, 0}, {"chamfer", 0.02, 0}} {
		set := boxes(12, 32)
		for i := range set.Coords {
			set.Coords[i] *= c.size
		}
		var notes []string
		o := config(c.loss, "")
		must.M1(Run(context.Background(), goBackend(t), set, o, Options{Out: filepath.Join(t.TempDir(), "run"),
			Note: func(text string) { notes = append(notes, text) }}))
		if len(notes) != c.notes || c.notes > 0 &&
			!strings.Contains(notes[0], "excess: at radius 0.02 the approximate EMD is up to 27.4 times the exact one") {
			t.Errorf("%s of clouds times %g: notes %q", c.loss, c.size, notes)
		}
	}
}

package main

import (
	"bytes"
	"encoding/json"
	"io"
	"math"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/sliced-wasserstein/lab/datasets/catalogue"
	"github.com/sliced-wasserstein/lab/datasets/format"
	"github.com/sliced-wasserstein/lab/swlab/engine"
)

// TestMain lets the test binary be swlab, for tests that must kill it.
func TestMain(m *testing.M) {
	if os.Getenv("SWLAB_TEST_IS_SWLAB") == "1" {
		environment()
		if os.Getenv("SWLAB_TEST_FULL") == "1" {
			if err := fill(); err != nil {
				panic(err)
			}
		}
		os.Exit(run(os.Args[1:]))
	}
	if err := os.Setenv("SWLAB_TEST_IS_SWLAB", "1"); err != nil { // for the processes of --jobs
		panic(err)
	}
	os.Exit(m.Run())
}

// environment applies the variables of tests.
func environment() {
	sourceOf = catalogue.Find
	if os.Getenv("SWLAB_TEST_ANY_CLOUDS") == "1" {
		sourceOf = anyClouds
	}
}

// anyClouds is the catalogue without its numbers of clouds, so that tests can fetch small sets.
func anyClouds(name string) (catalogue.Source, error) {
	s, err := catalogue.Find(name)
	s.Clouds = 0
	return s, err
}

// command runs a call in this process and returns its exit code, standard output and standard error.
func command(t *testing.T, args ...string) (code int, stdout, stderr string) {
	t.Helper()
	environment()
	var files [2]*os.File
	for i := range files {
		f, err := os.CreateTemp("", "swlab-test")
		if err != nil {
			t.Fatal(err)
		}
		defer os.Remove(f.Name())
		defer f.Close()
		files[i] = f
	}
	out, err := os.Stdout, os.Stderr
	defer func() { os.Stdout, os.Stderr = out, err }()
	os.Stdout, os.Stderr = files[0], files[1]
	code = run(args)
	var texts [2]string
	for i, f := range files {
		raw, err := os.ReadFile(f.Name())
		if err != nil {
			t.Fatal(err)
		}
		texts[i] = string(raw)
	}
	return code, texts[0], texts[1]
}

// child runs a call as a process of its own, for the state that is shared within one.
func child(t *testing.T, args ...string) (code int, stdout, stderr string) {
	t.Helper()
	cmd := process(args...)
	var out, err bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &err
	if e := cmd.Run(); e != nil {
		if _, ok := e.(*exec.ExitError); !ok {
			t.Fatal(e)
		}
	}
	return cmd.ProcessState.ExitCode(), out.String(), err.String()
}

func process(args ...string) *exec.Cmd {
	cmd := exec.Command(os.Args[0], args...)
	cmd.Env = append(os.Environ(), "SWLAB_TEST_IS_SWLAB=1")
	return cmd
}

// lastOf drops what a later argument overrides: tests add flags to calls that already have them.
func lastOf(args ...string) []string {
	var out []string
	for i := 0; i < len(args); i++ {
		value := strings.HasPrefix(args[i], "--") && i+1 < len(args) && !strings.HasPrefix(args[i+1], "--")
		again := value && slices.Contains(args[i+1:], args[i]) && args[i] != "--vary" && args[i] != "--set"
		if !again {
			out = append(out, args[i])
		}
		if value {
			i++
			if !again {
				out = append(out, args[i])
			}
		}
	}
	return out
}

// object runs a call that must succeed and returns its JSON object.
func object(t *testing.T, args ...string) map[string]any {
	t.Helper()
	code, out, errs := command(t, append(args, "--format", "json")...)
	if code != 0 {
		t.Fatalf("%v: exit code %d: %s", args, code, errs)
	}
	d := json.NewDecoder(strings.NewReader(out))
	var v map[string]any
	if err := d.Decode(&v); err != nil {
		t.Fatalf("%v: %v in %q", args, err, out)
	}
	if err := d.Decode(new(any)); err != io.EOF {
		t.Fatalf("%v: more than one JSON object in %q", args, out)
	}
	return v
}

// folder makes a folder with 14 clouds of 40 points, 10 of them for training.
func folder(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	r := rand.New(rand.NewPCG(1, 1))
	points, labels, split := make([]float32, 14*40*3), make([]float32, 14), make([]float32, 14)
	for i := range points {
		points[i] = float32((1 + float64(i/120%3)*float64(i%3)) * r.NormFloat64())
	}
	for i := range split {
		labels[i] = float32(i % 3)
		if i >= 10 {
			split[i] = 1
		}
	}
	for name, f := range map[string]func(string) error{
		"points.npy":  func(p string) error { return format.WriteNPY(p, points, 14, 40, 3) },
		"labels.npy":  func(p string) error { return format.WriteNPY(p, labels, 14) },
		"split.npy":   func(p string) error { return format.WriteNPY(p, split, 14) },
		"classes.txt": func(p string) error { return os.WriteFile(p, []byte("ball\nplate\nrod\n"), 0o644) },
	} {
		if err := f(filepath.Join(dir, name)); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

func has(t *testing.T, v map[string]any, keys ...string) {
	t.Helper()
	for _, k := range keys {
		if _, ok := v[k]; !ok {
			t.Errorf("no key %q in %v", k, v)
		}
	}
}

// TestTrainEvaluate: the main job through the command line, trained on XLA if available, also in
// make test.
func TestTrainEvaluate(t *testing.T) {
	batch, steps := "4", 6.0 // 10 clouds in batches of 4, 4, 2
	if testing.Short() {
		batch, steps = "5", 4 // one size to compile
	}
	asked := os.Getenv(engine.Variable)
	t.Setenv(engine.Variable, "auto")
	data, out := folder(t), filepath.Join(t.TempDir(), "run")
	call := []string{"train", "--data", data, "--loss", "v-dsw", "--amortizer", "la", "--points", "32", "--batch", batch, "--epochs", "2", "--slices", "10", "--out", out}
	v := object(t, call...)
	has(t, v, "steps", "epochs", "loss", "best_epoch", "seconds", "seconds_per_step", "run")
	if v["steps"] != steps || v["epochs"] != 2.0 {
		t.Errorf("%v", v)
	}
	if again := object(t, append(call, "--resume")...); again["loss"] != v["loss"] {
		t.Errorf("resuming a finished run: %v, was %v", again["loss"], v["loss"])
	}
	t.Setenv(engine.Variable, asked)
	e := object(t, "evaluate", "--run", out)
	has(t, e, "n", "cd", "sw", "emd_approx")
	if e["n"] != 4.0 {
		t.Errorf("evaluated %v clouds, the test part has 4", e["n"])
	}
	for _, k := range []string{"cd", "sw", "emd_approx"} {
		s := e[k].(map[string]any)
		if m, ok := s["mean"].(float64); !ok || m <= 0 || math.IsNaN(m) {
			t.Errorf("%s: %v", k, s)
		}
		has(t, s, "mean", "stderr")
	}
	if all := object(t, "evaluate", "--run", out, "--split", "all", "--state", "last"); all["n"] != 14.0 {
		t.Errorf("evaluated %v clouds of 14", all["n"])
	}
	if code, _, errs := command(t, call...); code != 2 || !strings.Contains(errs, "holds a run already") {
		t.Errorf("the same folder again: %d, %s", code, errs)
	}
}

func TestDistance(t *testing.T) {
	dir := t.TempDir()
	x, y, theta := filepath.Join(dir, "x.npy"), filepath.Join(dir, "y.npy"), filepath.Join(dir, "theta.npy")
	// K1 of the protocol: F = 0.06 and 0.0344 on these two directions, CD = 0.08.
	for path, v := range map[string][]float32{
		x: {0, 0, 0, .5, 0, 0, 0, .5, 0, 0, 0, .5}, y: {.1, 0, 0, .4, .1, 0, 0, .3, .2, -.2, 0, .6}, theta: {1, 0, 0, .6, 0, .8},
	} {
		if err := format.WriteNPY(path, v, len(v)/3, 3); err != nil {
			t.Fatal(err)
		}
	}
	near := func(what string, got any, want float64) {
		t.Helper()
		if g, ok := got.(float64); !ok || math.Abs(g-want) > 2e-6 {
			t.Errorf("%s: %v, want %v", what, got, want)
		}
	}
	slices, grad := filepath.Join(dir, "f.npy"), filepath.Join(dir, "g.npy")
	v := object(t, "distance", "--loss", "sw", "--x", x, "--y", y, "--directions", theta, "--out-slices", slices, "--out-grad", grad)
	has(t, v, "loss", "value", "per_pair", "stderr", "slices", "convention", "p", "seed", "backend", "seconds")
	near("value", v["value"], (0.06+0.0344)/2)
	near("standard error", v["stderr"], (0.06-0.0344)/2)
	f, shape, err := format.ReadNPY(slices)
	if err != nil || len(shape) != 2 || shape[0] != 1 || shape[1] != 2 || math.Abs(float64(f[1])-0.0344) > 1e-6 {
		t.Errorf("slices %v %v %v", f, shape, err)
	}
	if _, shape, err := format.ReadNPY(grad); err != nil || len(shape) != 3 || shape[1] != 4 {
		t.Errorf("gradient %v %v", shape, err)
	}
	v = object(t, "distance", "--loss", "sw", "--x", x, "--y", y, "--directions", theta, "--reduce", "mean", "--root")
	near("mean and root", v["value"], math.Sqrt((0.06+0.0344)/8))
	near("Chamfer", object(t, "distance", "--loss", "chamfer", "--x", x, "--y", y)["value"], 0.08)
	v = object(t, "distance", "--loss", "v-dsw", "--x", x, "--y", y, "--ascent-steps", "3", "--slices", "7", "--kappa", "5")
	if v["slices"] != 7.0 {
		t.Errorf("%v", v)
	}
	if v := object(t, "distance", "--loss", "max-sw", "--x", x, "--y", y, "--ascent-steps", "1"); v["stderr"] != nil {
		t.Errorf("standard error %v of one slice, expected null", v["stderr"])
	}
}

func TestDataInfoAndDoctor(t *testing.T) {
	dir := folder(t)
	v := object(t, "data", "info", dir)
	has(t, v, "path", "kind", "clouds", "points", "classes")
	if v["clouds"] != 14.0 || v["points"] != 40.0 || v["classes"] != 3.0 || v["kind"] != "folder" || v["train"] != 10.0 {
		t.Errorf("%v", v)
	}
	if v := object(t, "data", "info", "builtin"); v["kind"] != "builtin" || v["classes"].(float64) < 24 {
		t.Errorf("%v", v)
	}
	has(t, object(t, "doctor"), "backend", "ok", "checks")
}

// TestWrongCalls: exit code 1 or 2, one clear line, nothing on standard output, nothing left
// behind.
func TestWrongCalls(t *testing.T) {
	data := folder(t)
	dir := t.TempDir()
	file := func(name string, v []float32, shape ...int) string {
		path := filepath.Join(dir, name)
		if err := format.WriteNPY(path, v, shape...); err != nil {
			t.Fatal(err)
		}
		return path
	}
	random := func(n int) []float32 {
		v := make([]float32, n)
		for i := range v {
			v[i] = float32(math.Sin(float64(i * i)))
		}
		return v
	}
	flat := file("flat.npy", random(6*32*2), 6, 32, 2)
	sick := random(6 * 32 * 3)
	sick[200] = float32(math.NaN())
	nan := file("nan.npy", sick, 6, 32, 3)
	dead := random(6 * 32 * 3)
	clear(dead[2*96 : 3*96])
	zero := file("zero.npy", dead, 6, 32, 3)
	pair := file("pair.npy", random(2*8*3), 2, 8, 3)
	blocked := filepath.Join(dir, "pair.npy", "run") // below a file: cannot be created
	taken := filepath.Join(t.TempDir(), "taken")
	object(t, "train", "--data", data, "--loss", "sw", "--points", "32", "--batch", "4", "--steps", "0", "--out", taken)
	out := filepath.Join(dir, "run")
	train := func(more ...string) []string {
		return lastOf(append([]string{"train", "--loss", "sw", "--points", "32", "--batch", "4", "--epochs", "1", "--out", out}, more...)...)
	}
	distance := func(more ...string) []string {
		return append([]string{"distance", "--loss", "sw", "--x", pair, "--y", pair}, more...)
	}
	for name, c := range map[string]struct {
		args []string
		says string
	}{
		"no such call":    {[]string{"trian"}, `unknown command "trian"`},
		"flag missing":    {[]string{"train", "--loss", "sw"}, "--out is missing"},
		"missing data":    {train("--data", filepath.Join(dir, "none.npy")), "none.npy"},
		"dimension 2":     {train("--data", flat), "dimension 2"},
		"NaN":             {train("--data", nan), "nan.npy"},
		"zero extent":     {train("--data", zero), "zero.npy"},
		"too many points": {train("--data", data, "--points", "41"), "40"},
		"large batch":     {train("--data", data, "--batch", "11"), "10 training clouds"},
		"blocked folder":  {train("--data", data, "--out", blocked), "out"},
		"taken folder":    {train("--data", data, "--out", taken), "holds a run already"},
		"another run":     {train("--data", data, "--out", taken, "--resume", "--slices", "7"), "holds another run"},
		"no run":          {[]string{"evaluate", "--run", dir}, "holds no run"},
		"unequal pairs":   {[]string{"distance", "--loss", "sw", "--x", nan[:len(nan)-7] + "flat.npy", "--y", pair}, "6 in"},
		"directions":      {[]string{"distance", "--loss", "sw", "--x", pair, "--y", pair, "--directions", flat}, "directions: expected shape"},
		"negative mass":   {distance("--reduce", "mean", "--mass-x", file("negative.npy", append([]float32{-1}, random(15)...), 2, 8)), "masses of x: cloud 0, point 0"},
		"no mass":         {distance("--reduce", "mean", "--mass-y", file("none.npy", make([]float32, 16), 2, 8)), "masses of y: cloud 0"},
		"no ascent":       {distance("--ascent-tangent"), "would do nothing"},
	} {
		t.Run(name, func(t *testing.T) {
			code, stdout, stderr := command(t, c.args...)
			lines := strings.Split(strings.TrimSpace(stderr), "\n")
			last := lines[len(lines)-1]
			if code != 2 && (code != 1 || c.args[0] == "distance") {
				t.Errorf("exit code %d", code)
			}
			if stdout != "" || !strings.HasPrefix(last, "swlab: ") || !strings.Contains(last, c.says) || strings.Contains(stderr, "goroutine") {
				t.Errorf("standard output %q, standard error %q; expected a line that says %q", stdout, stderr, c.says)
			}
		})
	}
	t.Cleanup(func() {
		if _, err := os.Stat(out); err == nil {
			t.Error("a run folder was left behind")
		}
	})
}

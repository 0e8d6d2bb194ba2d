package main

import (
	"archive/zip"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/janpfeifer/must"
	"github.com/sliced-wasserstein/lab/datasets/catalogue"
	"github.com/sliced-wasserstein/lab/datasets/format"
	"github.com/sliced-wasserstein/lab/swlab/engine"
)

// TestMain lets the test binary be swlab, for tests that must kill it. The tests run on the pure-Go backend unless they choose another:
// XLA would compile for longer than the small calls take.
func TestMain(m *testing.M) {
	if _, set := os.LookupEnv(engine.Variable); !set {
		must.M(os.Setenv(engine.Variable, "go"))
	}
	if os.Getenv("SWLAB_TEST_IS_SWLAB") == "1" {
		os.Exit(run(os.Args[1:]))
	}
	must.M(os.Setenv("SWLAB_TEST_IS_SWLAB", "1")) // for the processes of --jobs
	os.Exit(m.Run())
}

// anyClouds lets a test fetch small sets: the catalogue does not say how many clouds they have.
func anyClouds(t *testing.T) {
	sourceOf = func(name string) (catalogue.Source, error) {
		s, err := catalogue.Find(name)
		s.Clouds = 0
		return s, err
	}
	t.Cleanup(func() { sourceOf = catalogue.Find })
}

// command runs a call in this process and returns its exit code, standard output and standard error.
func command(t *testing.T, args ...string) (code int, stdout, stderr string) {
	t.Helper()
	stdout, stderr = captured(t, func() { code = run(args) })
	return code, stdout, stderr
}

// captured returns what work writes to standard output and standard error.
func captured(t *testing.T, work func()) (stdout, stderr string) {
	t.Helper()
	var texts [2]string
	for i, std := range []**os.File{&os.Stdout, &os.Stderr} {
		f := must.M1(os.CreateTemp("", "swlab-test"))
		kept := *std
		*std = f
		defer func() {
			*std = kept
			f.Close()
			os.Remove(f.Name())
		}()
		inner := work
		work = func() { inner(); texts[i] = string(content(t, f.Name())) }
	}
	work()
	return texts[0], texts[1]
}

// executed is a call whose error is to be looked at, and what it prints.
func executed(t *testing.T, args ...string) (printed string, err error) {
	t.Helper()
	printed, _ = captured(t, func() {
		root := newRoot()
		root.SetArgs(args)
		err = root.Execute()
	})
	return printed, err
}

// process is a call as a process of its own.
func process(args ...string) *exec.Cmd {
	cmd := exec.Command(os.Args[0], args...)
	cmd.Env = append(os.Environ(), "SWLAB_TEST_IS_SWLAB=1")
	return cmd
}

// with adds flags to a call. They take the place of those that it has.
func with(call []string, more ...string) []string {
	var out []string
	for i := 0; i < len(call); i++ {
		n := 1
		if strings.HasPrefix(call[i], "--") && i+1 < len(call) && !strings.HasPrefix(call[i+1], "--") {
			n = 2
		}
		if n == 1 || call[i] == "--vary" || !slices.Contains(more, call[i]) {
			out = append(out, call[i:i+n]...)
		}
		i += n - 1
	}
	return append(out, more...)
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
	must.M(d.Decode(&v))
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
		must.M(f(filepath.Join(dir, name)))
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

const triangleOFF = "OFF\n3 1 0\n0 0 0\n1 0 0\n0 1 0\n3 0 1 2\n"

// wantCall runs a call that must end with this code, say these things on standard error and nothing
// on standard output.
func wantCall(t *testing.T, code int, args []string, texts ...string) {
	t.Helper()
	got, out, errs := command(t, args...)
	if got != code || out != "" {
		t.Errorf("%v: exit code %d, output %q, expected %d and none", args, got, out, code)
	}
	for _, text := range texts {
		if !strings.Contains(errs, text) {
			t.Errorf("%v: %q, expected %q in it", args, errs, text)
		}
	}
}

// put writes a file, and the folders above it.
func put(t *testing.T, path string, content []byte) {
	t.Helper()
	must.M(errors.Join(os.MkdirAll(filepath.Dir(path), 0o755), os.WriteFile(path, content, 0o644)))
}

// content reads a file.
func content(t *testing.T, path string) []byte {
	t.Helper()
	return must.M1(os.ReadFile(path))
}

// writeZip writes an archive of a compressed file, under several names.
func writeZip(t *testing.T, path, name string, content []byte, more ...string) {
	t.Helper()
	f := must.M1(os.Create(path))
	defer f.Close()
	z := zip.NewWriter(f)
	for _, name := range append([]string{name}, more...) {
		must.M1(must.M1(z.Create(name)).Write(content))
	}
	must.M(z.Close())
}

// cloudFile writes n clouds of m points of dimension d.
func cloudFile(t *testing.T, seed uint64, n, m, d int) string {
	t.Helper()
	r := rand.New(rand.NewPCG(seed, 2))
	v := make([]float32, n*m*d)
	for i := range v {
		v[i] = float32(r.NormFloat64() / 3)
	}
	path := filepath.Join(t.TempDir(), fmt.Sprintf("clouds%d.npy", seed))
	must.M(format.WriteNPY(path, v, n, m, d))
	return path
}

func array(t *testing.T, path string, shape ...int) []float32 {
	t.Helper()
	v, found := must.M2(format.ReadNPY(path))
	if !reflect.DeepEqual(found, shape) {
		t.Fatalf("%s: shape %v, want %v", path, found, shape)
	}
	return v
}

// unitRows requires rows of norm 1.
func unitRows(t *testing.T, v []float32, d int) {
	t.Helper()
	for i := 0; i < len(v); i += d {
		square := 0.0
		for _, x := range v[i : i+d] {
			square += float64(x) * float64(x)
		}
		if math.Abs(square-1) > 1e-5 {
			t.Fatalf("row %d has squared norm %v", i/d, square)
		}
	}
}

// TestTrainEvaluate: the main job through the command line, in make check trained on XLA if available.
func TestTrainEvaluate(t *testing.T) {
	asked := os.Getenv(engine.Variable)
	if !testing.Short() {
		t.Setenv(engine.Variable, "auto")
	}
	data, out := folder(t), filepath.Join(t.TempDir(), "run")
	call := []string{"train", "--data", data, "--loss", "v-dsw", "--amortizer", "la", "--points", "32", "--batch", "5", "--epochs", "2", "--slices", "10", "--out", out}
	v := object(t, call...)
	has(t, v, "steps", "epochs", "loss", "best_epoch", "seconds", "seconds_per_step", "run")
	if v["steps"] != 4.0 || v["epochs"] != 2.0 {
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
		must.M(format.WriteNPY(path, v, len(v)/3, 3))
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

// TestVersion: the version is in its own call, in answers and in result files. Every call has the keys of its answer.
func TestVersion(t *testing.T) {
	v := object(t, "version", "--backend", "go")
	if v["backend"] != "go" {
		t.Errorf("backend %v", v["backend"])
	}
	for call, keys := range map[string]string{"--version": "version commit dirty backend", "vmf stats --kappa 1 --dim 3": "entropy", "data list": "cache sets",
		"data info builtin": "path kind clouds points classes", "table list": "tables presets", "doctor": "backend ok checks"} {
		answer := object(t, strings.Fields(call)...)
		has(t, answer, strings.Fields(keys)...)
		if answer["version"] != v["version"] {
			t.Errorf("%s: version %v, expected %v", call, answer["version"], v["version"])
		}
	}
	if raw := content(t, filepath.Join(misuseFiles(t), "run", "result.json")); !strings.Contains(string(raw), fmt.Sprintf("%q", v["version"])) {
		t.Errorf("result.json of a run: %s", raw)
	}
}

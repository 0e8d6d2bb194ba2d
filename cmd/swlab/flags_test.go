package main

import (
	"archive/zip"
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/sliced-wasserstein/lab/datasets/format"
)

// flagFiles is misuseFiles without links, with more: k.npz (data is x, other is not, labels),
// mass.npy, mesh.off, the logs of short and amortized, and a best epoch of run.
func flagFiles(t *testing.T) string {
	t.Helper()
	dir := misuseFiles(t)
	x, err := os.ReadFile(filepath.Join(dir, "x.npy"))
	if err != nil {
		t.Fatal(err)
	}
	other := make([]float32, 240)
	for i := range other {
		other[i] = float32(i * i % 17)
	}
	scratch := filepath.Join(t.TempDir(), "scratch.npy")
	stored := func(v []float32, shape ...int) []byte {
		if err := format.WriteNPY(scratch, v, shape...); err != nil {
			t.Fatal(err)
		}
		raw, err := os.ReadFile(scratch)
		if err != nil {
			t.Fatal(err)
		}
		return raw
	}
	var b bytes.Buffer
	z := zip.NewWriter(&b)
	for name, content := range map[string][]byte{"data.npy": x, "other.npy": stored(other, 2, 40, 3), "label.npy": stored([]float32{0, 1}, 2)} {
		w, err := z.Create(name)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := w.Write(content); err != nil {
			t.Fatal(err)
		}
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	weights, err := os.ReadFile(filepath.Join(dir, "run", "weights.safetensors"))
	if err != nil {
		t.Fatal(err)
	}
	config, err := os.ReadFile(filepath.Join(dir, "run", "config.json"))
	if err != nil {
		t.Fatal(err)
	}
	for name, more := range map[string]string{"short": "", "amortized": `"ascent": 4, "ascent_angle_deg": 1.5, `} {
		log := ""
		for step := 1; step <= 3; step++ {
			log += fmt.Sprintf("{\"step\": %d, \"epoch\": 0, \"loss\": %d.5, %s\"seconds\": 1}\n", step, 5-step*step/2, more)
		}
		if err := errors.Join(os.Mkdir(filepath.Join(dir, name), 0o755), os.WriteFile(filepath.Join(dir, name, "config.json"), config, 0o644),
			os.WriteFile(filepath.Join(dir, name, "log.jsonl"), []byte(log), 0o644)); err != nil {
			t.Fatal(err)
		}
	}
	mass := make([]float32, 80)
	for i := range mass {
		mass[i] = float32(1 + i%3)
	}
	link := filepath.Join(dir, "link.npy")
	if err := errors.Join(os.Remove(link), os.WriteFile(link, x, 0o644), os.WriteFile(filepath.Join(dir, "k.npz"), b.Bytes(), 0o644),
		os.WriteFile(filepath.Join(dir, "run", "best.safetensors"), weights, 0o644), format.WriteNPY(filepath.Join(dir, "mass.npy"), mass, 2, 40),
		os.WriteFile(filepath.Join(dir, "old.png"), nil, 0o644), os.Mkdir(filepath.Join(dir, "drawn"), 0o755),
		os.WriteFile(filepath.Join(dir, "drawn", "ablation_L-smoke-cd.png"), nil, 0o644),
		os.WriteFile(filepath.Join(dir, "mesh.off"), []byte("OFF\n4 4 0\n0 0 0\n1 0 0\n0 2 0\n0 0 3\n3 0 1 2\n3 0 1 3\n3 0 2 3\n3 1 2 3\n"), 0o644)); err != nil {
		t.Fatal(err)
	}
	return dir
}

// TestVersion: the version is in its own call, in answers and in result files.
func TestVersion(t *testing.T) {
	v := object(t, "version", "--backend", "go")
	has(t, v, "version", "commit", "dirty", "backend")
	if v["backend"] != "go" {
		t.Errorf("backend %v", v["backend"])
	}
	if again := object(t, "--version", "--backend", "go"); again["version"] != v["version"] {
		t.Errorf("swlab --version: %v, swlab version: %v", again, v)
	}
	for _, call := range []string{"vmf stats --kappa 1 --dim 3", "data list", "data info builtin", "table list", "doctor --backend go"} {
		if answer := object(t, strings.Fields(call)...); answer["version"] != v["version"] {
			t.Errorf("%s: version %v, expected %v", call, answer["version"], v["version"])
		}
	}
	run, err := misuseRun()
	if err != nil {
		t.Fatal(err)
	}
	raw, err := os.ReadFile(filepath.Join(run, "result.json"))
	if err != nil || !strings.Contains(string(raw), fmt.Sprintf(`"version": %q`, v["version"])) && !strings.Contains(string(raw), fmt.Sprintf(`"version":%q`, v["version"])) {
		t.Errorf("result.json of a run: %s, %v", raw, err)
	}
}

// TestHugeNumbers: a number of a file that float32 cannot hold is not called infinite.
func TestHugeNumbers(t *testing.T) {
	path := filepath.Join(t.TempDir(), "far.xyz")
	if err := os.WriteFile(path, []byte("1 2 3\n1e60 2 3\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	code, _, stderr := command(t, "data", "sample", path, "--out", filepath.Join(t.TempDir(), "s.npy"), "--points", "2")
	if code == 0 || strings.Contains(stderr, "Inf") {
		t.Errorf("data sample: exit code %d, %s", code, stderr)
	}
	code, _, stderr = command(t, "distance", "--loss", "sw", "--x", path, "--y", path)
	if code != 2 || strings.Contains(stderr, "Inf") || !strings.Contains(stderr, "far.xyz") {
		t.Errorf("distance: exit code %d, %s", code, stderr)
	}
}

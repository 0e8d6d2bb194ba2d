package engine

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/gomlx/compute"
	"github.com/gomlx/gomlx/core/graph"
	"github.com/janpfeifer/must"

	"github.com/sliced-wasserstein/lab/internal/xlaenv"
)

// What is chosen depends on the environment, the working directory and the executable's place, and go-xla reads its
// environment once. So the tests run this test binary again, with childMode set, in the surroundings under test.
const childMode = "SWLAB_ENGINE_TEST_CHILD"

// report is what a child found.
type report struct {
	Name, Why string
	Warnings  []string
	Error     string
	Sum       float32 // 1 + 4 + 9, computed on the backend.
	CPU, CUDA bool    // What go-xla takes the plugin for: it compiles differently for each.
	Fast      bool    // What xlaenv.FastCompile said.
	Flags     string  // XLA_FLAGS after it.
	Again     bool    // A second Open shared the backend, and one after Close works.
}

func TestMain(m *testing.M) {
	switch os.Getenv(childMode) {
	case "":
		os.Exit(m.Run())
	case "open":
		json.NewEncoder(os.Stdout).Encode(openReport(os.Args[1]))
	case "fast":
		fast := xlaenv.FastCompile()
		r := openReport("xla:cpu")
		r.Fast, r.Flags = fast, os.Getenv("XLA_FLAGS")
		json.NewEncoder(os.Stdout).Encode(r)
	}
}

func openReport(want string) (r report) {
	e, err := Open(want)
	if err != nil {
		return report{Error: err.Error()}
	}
	r = report{Name: e.Name, Why: e.Why, Warnings: e.Warnings}
	r.CPU, r.CUDA = xlaKind(e.Backend)
	second, err := Open(want)
	if err != nil {
		return report{Error: "second Open: " + err.Error()}
	}
	r.Again = second.Backend == e.Backend
	e.Close()
	e.Close()
	if r.Sum, err = sumOfSquares(second.Backend); err != nil {
		r.Error = err.Error()
	}
	second.Close()
	third, err := Open(want)
	if err != nil {
		r.Error = "third Open: " + err.Error()
		return r
	}
	sum, err := sumOfSquares(third.Backend)
	r.Again = r.Again && err == nil && sum == r.Sum
	return r
}

func sumOfSquares(b compute.Backend) (float32, error) {
	exec, err := graph.NewExec(b, func(x *graph.Node) *graph.Node { return graph.ReduceAllSum(graph.Mul(x, x)) })
	if err != nil {
		return 0, err
	}
	out, err := exec.Call([]float32{1, 2, 3})
	if err != nil {
		return 0, err
	}
	return out[0].Value().(float32), nil
}

// surroundings of a child process.
type surroundings struct {
	dir string   // Working directory.
	exe string   // Executable; this test binary if empty.
	env []string // Added to a clean environment.
}

// reports runs the child and reads its report.
func (s surroundings) reports(t *testing.T, mode string, args ...string) (r report, stderr string) {
	t.Helper()
	exe := s.exe
	if exe == "" {
		exe = must.M1(os.Executable())
	}
	cmd := exec.Command(exe, args...)
	cmd.Dir = s.dir
	if cmd.Dir == "" {
		cmd.Dir = t.TempDir()
	}
	cmd.Env = append([]string{childMode + "=" + mode, "HOME=" + t.TempDir(), "PATH=" + os.Getenv("PATH")}, s.env...)
	var out, errs bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &errs
	if err := cmd.Run(); err != nil {
		t.Fatalf("%s %q: %v\n%s%s", mode, args, err, out.String(), errs.String())
	}
	if err := json.Unmarshal(out.Bytes(), &r); err != nil {
		t.Fatalf("the standard output is not one JSON object: %v\n%s", err, out.String())
	}
	for _, text := range append(r.Warnings, r.Why, r.Error) {
		for _, dir := range []string{os.TempDir(), xlaenv.Root(), s.dir} {
			if dir != "" && strings.Contains(strings.ReplaceAll(text, "xla:"+dir, ""), dir+"/") {
				t.Errorf("a message holds an absolute path: %s", text)
			}
		}
	}
	return r, errs.String()
}

func (s surroundings) open(t *testing.T, want string) (r report, stderr string) {
	t.Helper()
	return s.reports(t, "open", want)
}

const pluginFile = "pjrt_c_api_cpu_plugin.so"

// repository makes a folder with a go.mod like ours and, under .plugins/cpu, a link to plugin (unless empty).
func repository(t *testing.T, plugin string) string {
	t.Helper()
	root := t.TempDir()
	write(t, filepath.Join(root, "go.mod"), "module github.com/sliced-wasserstein/lab\n")
	if plugin != "" {
		link(t, plugin, filepath.Join(root, ".plugins", "cpu", pluginFile))
	}
	return root
}

func write(t *testing.T, path, text string) {
	t.Helper()
	must.M(os.MkdirAll(filepath.Dir(path), 0o755))
	must.M(os.WriteFile(path, []byte(text), 0o644))
}

func link(t *testing.T, old, path string) {
	t.Helper()
	must.M(os.MkdirAll(filepath.Dir(path), 0o755))
	must.M(os.Symlink(old, path))
}

func expect(t *testing.T, r report, name string) {
	t.Helper()
	if r.Error != "" || r.Name != name || r.Sum != 14 || !r.Again {
		t.Fatalf("got %+v, want %s with sum 14, shared", r, name)
	}
	if cpu := name == kindCPU; r.CPU != cpu || r.CUDA {
		t.Fatalf("go-xla takes %s for CPU %v, CUDA %v", name, r.CPU, r.CUDA)
	}
}

func contains(t *testing.T, text string, parts ...string) {
	t.Helper()
	for _, part := range parts {
		if !strings.Contains(text, part) {
			t.Errorf("%q does not say %q", text, part)
		}
	}
}

func pair(name, value string) string { return fmt.Sprintf("%s=%s", name, value) }

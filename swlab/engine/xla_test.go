//go:build cgo && !noxla && (linux || darwin)

package engine

import (
	"bytes"
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/gomlx/compute"
	"github.com/gomlx/go-xla/compute/xla"
	"github.com/gomlx/go-xla/installer"
	"github.com/sliced-wasserstein/lab/swlab/engine/internal/pluginpath"
)

func noGPU(t *testing.T) {
	t.Helper()
	if installer.HasNvidiaGPU() {
		t.Skip("this machine has an NVIDIA device")
	}
}

func TestPluginByVariable(t *testing.T) {
	file := cpuPlugin(t)
	for _, want := range []string{"", "auto", "xla:cpu"} {
		r, stderr := surroundings{env: []string{pair(pluginpath.Variable, filepath.Dir(file))}}.open(t, want)
		expect(t, r, kindCPU)
		if stderr != "" || len(r.Warnings) > 0 {
			t.Errorf("%q: warnings %q, standard error %q", want, r.Warnings, stderr)
		}
	}
}

func TestPluginFoundFromWorkingDirectory(t *testing.T) {
	noGPU(t)
	root := repository(t, cpuPlugin(t))
	deep := filepath.Join(root, "notebooks", "deep")
	if err := os.MkdirAll(deep, 0o755); err != nil {
		t.Fatal(err)
	}
	for _, dir := range []string{root, deep} {
		r, _ := surroundings{dir: dir}.open(t, "auto")
		expect(t, r, kindCPU)
		contains(t, r.Why, ".plugins/cpu/"+pluginFile, "no NVIDIA device")
	}
}

func TestPluginFoundFromExecutable(t *testing.T) {
	root := repository(t, cpuPlugin(t))
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	exe := filepath.Join(root, ".bin", "program")
	copyFile(t, self, exe, -1, 0o755)
	r, _ := surroundings{exe: exe}.open(t, "auto")
	expect(t, r, kindCPU)
	contains(t, r.Why, ".plugins/cpu/"+pluginFile)
}

// Code must not be loaded from a folder that anyone may have put there.
func TestFolderThatAllMayWriteIsPassedOver(t *testing.T) {
	root := repository(t, cpuPlugin(t))
	deep := filepath.Join(root, "work")
	if err := os.Mkdir(deep, 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.Chmod(root, 0o1777); err != nil {
		t.Fatal(err)
	}
	r, _ := surroundings{dir: deep}.open(t, "auto")
	if strings.Contains(r.Why, ".plugins") {
		t.Errorf("a plugin was loaded from there: %+v", r)
	}
}

func TestNoPluginFallsBackToGoWithOneWarning(t *testing.T) {
	noGPU(t)
	r, stderr := surroundings{env: []string{pair(pluginpath.Variable, t.TempDir())}}.open(t, "auto")
	expect(t, r, kindGo)
	if len(r.Warnings) != 1 {
		t.Fatalf("got the warnings %q, want one", r.Warnings)
	}
	contains(t, r.Warnings[0], "ten times slower", "make setup")
	if strings.Count(stderr, "WARNING") != 1 { // Open was called three times.
		t.Errorf("want one warning on the standard error, got\n%s", stderr)
	}
}

// TestNothingIsDownloaded: without a plugin, and with go-xla's own variable unset, nothing asks the network.
func TestNothingIsDownloaded(t *testing.T) {
	noGPU(t)
	var asked atomic.Int32
	proxy := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { asked.Add(1) }))
	defer proxy.Close()
	root := repository(t, "")
	env := []string{pair(pluginpath.Variable, t.TempDir()), "GOTOOLCHAIN=local"}
	for _, name := range []string{"HTTP_PROXY", "HTTPS_PROXY", "http_proxy", "https_proxy", "ALL_PROXY"} {
		env = append(env, pair(name, proxy.URL))
	}
	s := surroundings{dir: root, env: env}
	r, stderr := s.open(t, "auto")
	expect(t, r, kindGo)
	contains(t, stderr, "make setup", "swlab doctor")
	r, _ = s.open(t, "xla:cpu")
	contains(t, r.Error, "no XLA CPU plugin was found", "make setup")
	s.run(t, "doctor")
	if n := asked.Load(); n != 0 {
		t.Errorf("the network was asked %d times", n)
	}
	if exists(filepath.Join(root, ".plugins")) {
		t.Error("a folder .plugins was made")
	}
}

// TestBrokenPluginIsTriedOnce: a plugin that did not load is not opened again in the same process, even if it would load now.
func TestBrokenPluginIsTriedOnce(t *testing.T) {
	bad := filepath.Join(t.TempDir(), pluginFile)
	write(t, bad, "<html>403</html>")
	s := surroundings{env: []string{pair(pluginpath.Variable, filepath.Dir(bad))}}
	out, _ := s.run(t, "mended", bad, cpuPlugin(t))
	var errs []string
	if err := json.Unmarshal(out, &errs); err != nil {
		t.Fatal(err)
	}
	if len(errs) != 2 || errs[0] != errs[1] || !strings.Contains(errs[0], "not a shared library") {
		t.Errorf("expected one error twice, found %q", errs)
	}
}

func TestBrokenPluginsArePassedOver(t *testing.T) {
	noGPU(t)
	good := cpuPlugin(t)
	for name, spoil := range map[string]func(t *testing.T, path string){
		"text":     func(t *testing.T, path string) { write(t, path, "<html>403</html>") },
		"empty":    func(t *testing.T, path string) { write(t, path, "") },
		"cut":      func(t *testing.T, path string) { copyFile(t, good, path, 1<<20, 0o755) },
		"dangling": func(t *testing.T, path string) { link(t, "gone.so", path) },
		"folder":   func(t *testing.T, path string) { write(t, filepath.Join(path, "x"), "") },
		"library":  func(t *testing.T, path string) { link(t, goodLibrary(t), path) },
	} {
		t.Run(name+" before the good one", func(t *testing.T) {
			t.Parallel()
			bad := t.TempDir()
			spoil(t, filepath.Join(bad, pluginFile))
			r, stderr := surroundings{env: []string{pair(pluginpath.Variable, bad+":"+filepath.Dir(good))}}.open(t, "auto")
			expect(t, r, kindCPU)
			if len(r.Warnings) != 1 || strings.Count(stderr, "WARNING") != 1 {
				t.Errorf("warnings %q, standard error\n%s", r.Warnings, stderr)
			}
		})
		t.Run(name+" beside the good one", func(t *testing.T) {
			t.Parallel()
			root := repository(t, good)
			spoil(t, filepath.Join(root, ".plugins", "cpu", "pjrt_c_api_cpu_old_plugin.so"))
			r, _ := surroundings{dir: root}.open(t, "xla:cpu")
			expect(t, r, kindCPU)
		})
		t.Run(name+" alone", func(t *testing.T) {
			t.Parallel()
			bad := t.TempDir()
			spoil(t, filepath.Join(bad, pluginFile))
			s := surroundings{env: []string{pair(pluginpath.Variable, bad)}}
			r, _ := s.open(t, "auto")
			expect(t, r, kindGo)
			r, _ = s.open(t, "xla:cpu")
			contains(t, r.Error, `"xla:cpu"`, pluginFile, "make setup")
		})
	}
}

// go-xla guesses the kind of a plugin from its path: a folder called after CUDA must not mislead it.
func TestMisleadingFolder(t *testing.T) {
	good := cpuPlugin(t)
	for _, name := range []string{"cuda-course", "a,b"} {
		dir := filepath.Join(t.TempDir(), name, "cpu")
		link(t, good, filepath.Join(dir, pluginFile))
		r, _ := surroundings{env: []string{pair(pluginpath.Variable, dir)}}.open(t, "xla:cpu")
		expect(t, r, kindCPU)
	}
	// With a broken file of the same name before it, go-xla cannot be told its kind: an error that says so.
	bad, dir := t.TempDir(), filepath.Join(t.TempDir(), "cuda-course")
	write(t, filepath.Join(bad, pluginFile), "")
	link(t, good, filepath.Join(dir, pluginFile))
	r, _ := surroundings{env: []string{pair(pluginpath.Variable, bad+":"+dir)}}.open(t, "xla:cpu")
	contains(t, r.Error, "misreads")
}

func TestWhoChooses(t *testing.T) {
	file := cpuPlugin(t)
	path := pair(pluginpath.Variable, filepath.Dir(file))
	for _, c := range []struct{ swlab, gomlx, want, name, because string }{
		{"go", "", "auto", kindGo, Variable},
		{"go", "xla:cpu", "", kindGo, Variable},
		{"", "go", "auto", kindGo, compute.ConfigEnvVar},
		{"auto", "xla:cpu", "auto", kindCPU, compute.ConfigEnvVar},
		{"go", "go", "xla:cpu", kindCPU, ""},
		{"xla:cpu", "", "go", kindGo, ""},
		{"", "xla", "", kindCPU, compute.ConfigEnvVar},
		{"", "xla:" + file, "", kindCPU, compute.ConfigEnvVar},
		{"", "xla:cpu,shared_buffers=false", "", kindCPU, compute.ConfigEnvVar},
	} {
		env := []string{path, pair(Variable, c.swlab), pair(compute.ConfigEnvVar, c.gomlx)}
		r, _ := surroundings{env: env}.open(t, c.want)
		expect(t, r, c.name)
		if said := strings.Contains(r.Why, "environment variable"); said != (c.because != "") || !strings.Contains(r.Why, c.because) {
			t.Errorf("%+v: %s", c, r.Why)
		}
	}
}

func TestChoiceIsObeyedOrAnError(t *testing.T) {
	noGPU(t)
	for _, c := range []struct{ want, env, message string }{
		{"tpu", "", `backend "tpu" is unknown: expected auto, xla:cuda, xla:cpu or go`},
		{"auto", "cpu", "from the environment variable " + Variable},
		{"xla:cuda", "", "no NVIDIA device"},
		{"auto", "xla:cuda", "from the environment variable " + Variable},
		{"xla:cpu", "", "make setup"},
		{"xla", "", "make setup"},
		{"xla:/nowhere/plugin.so", "", "pjrt_c_api_NAME_plugin.so"},
		{"xla:/nowhere/pjrt_c_api_tpu_plugin.so", "", "tpu"},
		{"xla:/nowhere/pjrt_c_api_cpu_plugin.so", "", "leads nowhere"},
		{"go,fast", "", "unknown"},
	} {
		// No plugin is on the path: a fall-back to another backend would be an engine without an error.
		r, stderr := surroundings{env: []string{pair(pluginpath.Variable, t.TempDir()), pair(Variable, c.env)}}.open(t, c.want)
		contains(t, r.Error, c.message)
		if r.Name != "" || strings.Contains(stderr, "panic") {
			t.Errorf("%+v: got %+v\n%s", c, r, stderr)
		}
	}
}

// fakeGPU is a PATH whose nvidia-smi answers, which is how go-xla sees a device where there are no device files.
func fakeGPU(t *testing.T) string {
	t.Helper()
	if runtime.GOOS != "linux" || runtime.GOARCH != "amd64" {
		t.Skip("go-xla looks for NVIDIA devices on 64-bit Linux on x86 only")
	}
	dir := t.TempDir()
	write(t, filepath.Join(dir, "nvidia-smi"), "#!/bin/sh\necho NVIDIA-SMI\n")
	if err := os.Chmod(filepath.Join(dir, "nvidia-smi"), 0o755); err != nil {
		t.Fatal(err)
	}
	return pair("PATH", dir+":"+os.Getenv("PATH"))
}

func TestDeviceWithoutPlugin(t *testing.T) {
	s := surroundings{dir: repository(t, cpuPlugin(t)), env: []string{fakeGPU(t)}}
	r, _ := s.open(t, "auto")
	expect(t, r, kindCPU)
	contains(t, r.Why, "make setup-cuda")
	r, _ = s.open(t, "xla:cuda")
	contains(t, r.Error, "no CUDA plugin", "make setup-cuda")
}

func TestDeviceWithBrokenPlugin(t *testing.T) {
	root := repository(t, cpuPlugin(t))
	write(t, filepath.Join(root, ".plugins", "cuda", "pjrt_c_api_cuda_plugin.so"), "")
	s := surroundings{dir: root, env: []string{fakeGPU(t)}}
	r, stderr := s.open(t, "auto")
	expect(t, r, kindCPU)
	contains(t, r.Why, "the CUDA plugin does not work here")
	if len(r.Warnings) != 1 || strings.Count(stderr, "WARNING") != 1 {
		t.Errorf("warnings %q, standard error\n%s", r.Warnings, stderr)
	}
	r, _ = s.open(t, "xla:cuda")
	contains(t, r.Error, "pjrt_c_api_cuda_plugin.so", "not a shared library")

	out, _ := s.run(t, "doctor")
	var checks []Check
	if err := json.Unmarshal(out, &checks); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"CUDA plugin", "NVIDIA libraries"} {
		if c := find(t, checks, name); c.OK || c.Fix != "make setup-cuda" {
			t.Errorf("%+v", c)
		}
	}
}

// TestCUDAForm: the stand-in for the CUDA plugin, with which make test-cuda-form runs tests, is one of CUDA to go-xla and computes.
func TestCUDAForm(t *testing.T) {
	noGPU(t)
	cpu, dir := cpuPlugin(t), t.TempDir()
	build := exec.Command("../../scripts/cuda/build", dir)
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	env := []string{pair("CUDA_FORM_CPU", cpu)}
	r, stderr := surroundings{env: env}.open(t, "xla:"+filepath.Join(dir, "pjrt_c_api_cuda_plugin.so"))
	if r.Error != "" || r.Name != kindCUDA || !r.CUDA || r.CPU || r.Sum != 14 || !r.Again || stderr != "" {
		t.Errorf("got %+v\n%s", r, stderr)
	}
}

func TestUnknownPluginOptionIsAnError(t *testing.T) {
	file := cpuPlugin(t)
	r, _ := surroundings{env: []string{pair(pluginpath.Variable, filepath.Dir(file))}}.open(t, "xla:cpu,colour=red")
	contains(t, r.Error, "colour")
}

// cpuPlugin returns the repository's XLA CPU plugin, or skips the test.
func cpuPlugin(t *testing.T) string {
	t.Helper()
	for _, p := range findPlugins() {
		if p.isCPU() && p.check() == nil {
			real, err := filepath.EvalSymlinks(p.path)
			if err != nil {
				t.Fatal(err)
			}
			return real
		}
	}
	t.Skip("no XLA CPU plugin here: make setup installs it")
	return ""
}

// xlaKind is what go-xla takes a backend for.
func xlaKind(b compute.Backend) (cpu, cuda bool) {
	x, ok := b.(*xla.Backend)
	return ok && x.IsCPU(), ok && x.IsCUDA()
}

func copyFile(t *testing.T, from, to string, limit int64, mode os.FileMode) {
	t.Helper()
	in, err := os.Open(from)
	if err != nil {
		t.Fatal(err)
	}
	defer in.Close()
	if err := os.MkdirAll(filepath.Dir(to), 0o755); err != nil {
		t.Fatal(err)
	}
	out, err := os.OpenFile(to, os.O_CREATE|os.O_WRONLY, mode)
	if err != nil {
		t.Fatal(err)
	}
	var source io.Reader = in
	if limit >= 0 {
		source = io.LimitReader(in, limit)
	}
	if _, err := io.Copy(out, source); err != nil {
		t.Fatal(err)
	}
	if err := out.Close(); err != nil {
		t.Fatal(err)
	}
}

// goodLibrary is a shared library that loads but is no plugin.
func goodLibrary(t *testing.T) string {
	t.Helper()
	maps, err := os.ReadFile("/proc/self/maps")
	if err != nil {
		t.Skip("no /proc to find a library in")
	}
	for line := range bytes.Lines(maps) {
		if at := bytes.IndexByte(line, '/'); at >= 0 && bytes.Contains(line, []byte("libc.so")) {
			return strings.TrimSpace(string(line[at:]))
		}
	}
	t.Skip("this process has no C library")
	return ""
}

//go:build cgo && !noxla && (linux || darwin)

package engine

import (
	"bytes"
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
	"github.com/janpfeifer/must"

	"github.com/sliced-wasserstein/lab/internal/xlaenv"
)

func noGPU(t *testing.T) {
	t.Helper()
	if Nvidia() {
		t.Skip("this machine has an NVIDIA device")
	}
}

// TestWhereThePluginIs: by the variable, above the working directory, above the executable.
func TestWhereThePluginIs(t *testing.T) {
	noGPU(t)
	file := cpuPlugin(t)
	root := repository(t, file)
	deep := filepath.Join(root, "notebooks", "deep")
	must.M(os.MkdirAll(deep, 0o755))
	self := must.M1(os.Executable())
	exe := filepath.Join(root, ".bin", "program")
	copyFile(t, self, exe, -1, 0o755)
	for _, s := range []surroundings{{env: []string{pair(xlaenv.Variable, filepath.Dir(file))}}, {dir: deep}, {exe: exe}} {
		r, stderr := s.open(t, "auto")
		expect(t, r, kindCPU)
		contains(t, r.Why, pluginFile, "no NVIDIA device")
		if stderr != "" || len(r.Warnings) > 0 {
			t.Errorf("%+v: warnings %q, standard error %q", s, r.Warnings, stderr)
		}
	}
}

// TestNoPlugin: without a plugin the pure-Go backend runs, with one warning, and nothing asks the
// network.
func TestNoPlugin(t *testing.T) {
	noGPU(t)
	var asked atomic.Int32
	proxy := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { asked.Add(1) }))
	defer proxy.Close()
	env := []string{pair(xlaenv.Variable, t.TempDir())}
	for _, name := range []string{"HTTP_PROXY", "HTTPS_PROXY", "http_proxy", "https_proxy", "ALL_PROXY"} {
		env = append(env, pair(name, proxy.URL))
	}
	root := repository(t, "")
	r, stderr := surroundings{dir: root, env: env}.open(t, "auto")
	expect(t, r, kindGo)
	if len(r.Warnings) != 1 || strings.Count(stderr, "WARNING") != 1 { // Open was called three times.
		t.Errorf("warnings %q, standard error\n%s", r.Warnings, stderr)
	}
	contains(t, stderr, "ten times slower", "make setup", "swlab doctor")
	if _, err := os.Stat(filepath.Join(root, ".plugins")); err == nil || asked.Load() > 0 {
		t.Errorf("a folder .plugins was made (%v), or the network was asked %d times", err == nil, asked.Load())
	}
}

// TestBrokenPlugins: files that are no plugin are passed over with one warning; alone, they are an
// error.
func TestBrokenPlugins(t *testing.T) {
	noGPU(t)
	good := cpuPlugin(t)
	for name, spoil := range map[string]func(t *testing.T, path string){
		"text":    func(t *testing.T, path string) { write(t, path, "<html>403</html>") },
		"cut":     func(t *testing.T, path string) { copyFile(t, good, path, 1<<20, 0o755) },
		"folder":  func(t *testing.T, path string) { write(t, filepath.Join(path, "x"), "") },
		"library": func(t *testing.T, path string) { link(t, goodLibrary(t), path) },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			bad := t.TempDir()
			spoil(t, filepath.Join(bad, pluginFile))
			r, stderr := surroundings{env: []string{pair(xlaenv.Variable, bad+":"+filepath.Dir(good))}}.open(t, "auto")
			expect(t, r, kindCPU)
			if len(r.Warnings) != 1 || strings.Count(stderr, "WARNING") != 1 {
				t.Errorf("warnings %q, standard error\n%s", r.Warnings, stderr)
			}
			r, _ = surroundings{env: []string{pair(xlaenv.Variable, bad)}}.open(t, "xla:cpu")
			contains(t, r.Error, `"xla:cpu"`, pluginFile, "make setup")
		})
	}
}

// TestFastCompile: XLA takes the flags and computes; they are never set over the user's own.
func TestFastCompile(t *testing.T) {
	root := repository(t, cpuPlugin(t))
	const own = "--xla_cpu_enable_fast_math=false"
	for flags, fast := range map[string]bool{"": true, own: false} {
		r, _ := surroundings{dir: root, env: []string{pair("XLA_FLAGS", flags)}}.reports(t, "fast")
		expect(t, r, kindCPU)
		if r.Fast != fast || (r.Flags == own) == fast {
			t.Errorf("%q: set %v, XLA_FLAGS %q", flags, r.Fast, r.Flags)
		}
	}
}

// go-xla guesses the kind of a plugin from its path: a folder called after CUDA must not mislead it.
func TestMisleadingFolder(t *testing.T) {
	good := cpuPlugin(t)
	for _, name := range []string{"cuda-course", "a,b"} {
		dir := filepath.Join(t.TempDir(), name, "cpu")
		link(t, good, filepath.Join(dir, pluginFile))
		r, _ := surroundings{env: []string{pair(xlaenv.Variable, dir)}}.open(t, "xla:cpu")
		expect(t, r, kindCPU)
	}
	// With a broken file of the same name before it, go-xla cannot be told its kind: an error that says so.
	bad, dir := t.TempDir(), filepath.Join(t.TempDir(), "cuda-course")
	write(t, filepath.Join(bad, pluginFile), "")
	link(t, good, filepath.Join(dir, pluginFile))
	r, _ := surroundings{env: []string{pair(xlaenv.Variable, bad+":"+dir)}}.open(t, "xla:cpu")
	contains(t, r.Error, "misreads")
}

// fakeGPU is a PATH whose nvidia-smi answers, which is how go-xla sees a device where there are no device files.
func fakeGPU(t *testing.T) string {
	t.Helper()
	if runtime.GOOS != "linux" || runtime.GOARCH != "amd64" {
		t.Skip("go-xla looks for NVIDIA devices on 64-bit Linux on x86 only")
	}
	dir := t.TempDir()
	write(t, filepath.Join(dir, "nvidia-smi"), "#!/bin/sh\necho NVIDIA-SMI\n")
	must.M(os.Chmod(filepath.Join(dir, "nvidia-smi"), 0o755))
	return pair("PATH", dir+":"+os.Getenv("PATH"))
}

// TestDeviceWithoutAWorkingPlugin: XLA runs on the CPU, and the engine says what the GPU lacks.
func TestDeviceWithoutAWorkingPlugin(t *testing.T) {
	root := repository(t, cpuPlugin(t))
	s := surroundings{dir: root, env: []string{fakeGPU(t)}}
	r, _ := s.open(t, "auto")
	expect(t, r, kindCPU)
	contains(t, r.Why, "make setup-cuda")

	write(t, filepath.Join(root, ".plugins", "cuda", "pjrt_c_api_cuda_plugin.so"), "")
	r, stderr := s.open(t, "auto")
	expect(t, r, kindCPU)
	contains(t, r.Why, "the CUDA plugin does not work here")
	if len(r.Warnings) != 1 || strings.Count(stderr, "WARNING") != 1 {
		t.Errorf("warnings %q, standard error\n%s", r.Warnings, stderr)
	}
	r, _ = s.open(t, "xla:cuda")
	contains(t, r.Error, "pjrt_c_api_cuda_plugin.so", "not a shared library")
}

// TestCUDAForm: the stand-in for the CUDA plugin, with which make test-cuda-form runs tests, is one
// of CUDA to go-xla and computes.
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

// cpuPlugin returns the repository's XLA CPU plugin, or skips the test.
func cpuPlugin(t *testing.T) string {
	t.Helper()
	for _, p := range xlaenv.Plugins() {
		if p.IsCPU() && p.Check() == nil {
			return must.M1(filepath.EvalSymlinks(p.Path))
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
	in := must.M1(os.Open(from))
	defer in.Close()
	must.M(os.MkdirAll(filepath.Dir(to), 0o755))
	out := must.M1(os.OpenFile(to, os.O_CREATE|os.O_WRONLY, mode))
	var source io.Reader = in
	if limit >= 0 {
		source = io.LimitReader(in, limit)
	}
	must.M1(io.Copy(out, source))
	must.M(out.Close())
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

package xlaenv

import (
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/janpfeifer/must"
)

// assembler and library make the two files of a CUDA toolkit.
func assembler(t *testing.T, dir string) { command(t, filepath.Join(dir, ptxas)) }
func library(t *testing.T, dir string)   { write(t, filepath.Join(dir, libdevice), "") }

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

// TestPlugins: both spellings of a plugin's file name and that of JAX's wheels are found, in the
// order of the folders; files that are no shared library are refused.
func TestPlugins(t *testing.T) {
	first, second := t.TempDir(), t.TempDir()
	t.Setenv(Variable, first+string(filepath.ListSeparator)+second)
	write(t, filepath.Join(first, "pjrt_c_api_cpu_plugin.so"), "<html>403</html>")
	write(t, filepath.Join(first, "readme.txt"), "")
	link(t, "gone.so", filepath.Join(second, "pjrt-plugin-cpu.so"))
	write(t, filepath.Join(second, "xla_cuda_plugin.so", "x"), "")
	found := Plugins()
	if len(found) != 3 || !found[0].IsCPU() || !found[0].First || !found[1].IsCPU() || found[1].First || !found[2].IsCUDA() || found[2].IsCPU() {
		t.Fatalf("%+v", found)
	}
	for i, says := range []string{"not a shared library", "leads nowhere", "not a file"} {
		if err := found[i].Check(); err == nil || !strings.Contains(err.Error(), says) {
			t.Errorf("%s: %v, expected %q", found[i].Path, err, says)
		}
	}
}

// command makes a program that does nothing.
func command(t *testing.T, path string) {
	t.Helper()
	write(t, path, "#!/bin/sh\n")
	must.M(os.Chmod(path, 0o755))
}

// TestToolkit: where ptxas and libdevice are looked for, which folder wins, what XLA_FLAGS becomes, and what is said to be missing.
func TestToolkit(t *testing.T) {
	const site = "site-packages/jax_plugins/xla_cuda13/xla_cuda_plugin.so"
	both := func(dir string) func(*testing.T, string) {
		return func(t *testing.T, top string) {
			assembler(t, filepath.Join(top, dir))
			library(t, filepath.Join(top, dir))
		}
	}
	for name, c := range map[string]struct {
		files  func(t *testing.T, top string)
		flags  string // XLA_FLAGS, with TOP for the folder of the test.
		dir    string // What is found, below top.
		place  string
		after  string // XLA_FLAGS then.
		errors []string
	}{
		"wheel of CUDA 13": {both("site-packages/nvidia/cu13"), "", "site-packages/nvidia/cu13", "beside the plugin", toolkitFlag + "TOP/site-packages/nvidia/cu13", nil},
		"wheel of CUDA 12": {both("site-packages/nvidia/cuda_nvcc"), "", "site-packages/nvidia/cuda_nvcc", "beside the plugin", toolkitFlag + "TOP/site-packages/nvidia/cuda_nvcc", nil},
		"our links":        {both("site-packages/jax_plugins/nvidia/cu13"), "", "site-packages/jax_plugins/nvidia/cu13", "beside the plugin", toolkitFlag + "TOP/site-packages/jax_plugins/nvidia/cu13", nil},
		"nvcc": {func(t *testing.T, top string) {
			both("cuda-13.0")(t, top)
			command(t, filepath.Join(top, "cuda-13.0", "bin", "nvcc"))
			link(t, filepath.Join(top, "cuda-13.0", "bin", "nvcc"), filepath.Join(top, "path", "nvcc"))
		}, "--xla_dump_to=x", "cuda-13.0", "beside the nvcc on PATH", "--xla_dump_to=x " + toolkitFlag + "TOP/cuda-13.0", nil},
		"system": {both("system"), "", "system", "in ", toolkitFlag + "TOP/system", nil},
		"flag first": {func(t *testing.T, top string) { both("mine")(t, top); both("system")(t, top) },
			toolkitFlag + "TOP/mine", "mine", "where XLA_FLAGS says", toolkitFlag + "TOP/mine", nil},
		"flag of an empty folder": {both("system"), toolkitFlag + "TOP/mine", "system", "in ", toolkitFlag + "TOP/mine", nil},
		"a half folder is passed over": {func(t *testing.T, top string) {
			library(t, filepath.Join(top, "site-packages/nvidia/cu13"))
			both("system")(t, top)
		}, "", "system", "in ", toolkitFlag + "TOP/system", nil},
		"ptxas on PATH": {func(t *testing.T, top string) {
			command(t, filepath.Join(top, "path", "ptxas"))
			library(t, filepath.Join(top, "system"))
		}, "", "system", "in ", toolkitFlag + "TOP/system", nil},
		"nothing":      {func(*testing.T, string) {}, "", "", "", "", []string{"no ptxas and no libdevice", "make setup-cuda", toolkitFlag}},
		"no libdevice": {func(t *testing.T, top string) { assembler(t, filepath.Join(top, "system")) }, "", "", "", "", []string{"no libdevice", "make setup-cuda"}},
		"no ptxas":     {func(t *testing.T, top string) { library(t, filepath.Join(top, "system")) }, "", "", "", "", []string{"no ptxas", "make setup-cuda"}},
		"apart": {func(t *testing.T, top string) {
			assembler(t, filepath.Join(top, "system"))
			library(t, filepath.Join(top, "site-packages/nvidia/cu13"))
		}, "", "", "", "", []string{"different folders", "make setup-cuda"}},
	} {
		t.Run(name, func(t *testing.T) {
			top := must.M1(filepath.EvalSymlinks(t.TempDir()))
			c.files(t, top)
			t.Setenv("PATH", filepath.Join(top, "path"))
			t.Setenv("XLA_FLAGS", strings.ReplaceAll(c.flags, "TOP", top))
			defer func(before []string) { systemToolkits = before }(systemToolkits)
			systemToolkits = []string{filepath.Join(top, "system")}
			p := Plugin{Name: "cuda", Path: filepath.Join(top, site)}
			got, err := p.FindToolkit()
			if used := p.UseToolkit(); (used == nil) != (err == nil) {
				t.Errorf("found: %v, used: %v", err, used)
			}
			if again, _ := p.FindToolkit(); again != got {
				t.Errorf("found %+v, and once XLA_FLAGS says so %+v", got, again)
			}
			if flags := os.Getenv("XLA_FLAGS"); flags != strings.ReplaceAll(c.after, "TOP", top) {
				t.Errorf("XLA_FLAGS is %q, want %q", flags, c.after)
			}
			if c.errors != nil {
				if err == nil {
					t.Fatalf("found %+v, want an error", got)
				}
				for _, part := range c.errors {
					if !strings.Contains(err.Error(), part) {
						t.Errorf("%v does not say %q", err, part)
					}
				}
				return
			}
			if err != nil || got.Dir != filepath.Join(top, c.dir) || !strings.HasPrefix(got.Place, c.place) {
				t.Errorf("got %+v, %v, want %s %s", got, err, c.dir, c.place)
			}
		})
	}
}

// TestTune: XLA's flags for a GPU, the folder they name, and that a user's own stay.
func TestTune(t *testing.T) {
	top := must.M1(filepath.EvalSymlinks(t.TempDir()))
	t.Setenv("XDG_CACHE_HOME", top)
	t.Setenv("HOME", top) // macOS
	plugin := filepath.Join(top, "plugin.so")
	must.M(os.WriteFile(plugin, []byte("123"), 0o644))
	tuned := func(flags string) string {
		t.Setenv("XLA_FLAGS", flags)
		must.M(Plugin{Path: plugin}.Tune())
		return os.Getenv("XLA_FLAGS")
	}
	before, dir, _ := strings.Cut(tuned("--a=b"), tuningFlag)
	if before != "--a=b "+noTriton+" " || !strings.Contains(dir, filepath.Join("swlab", "xla-3-")) || !exists(dir) {
		t.Errorf("flags %q and folder %q", before, dir)
	}
	if again := tuned(""); again != noTriton+" "+tuningFlag+dir {
		t.Errorf("then %q", again)
	}
	if own := "--xla_gpu_enable_triton_gemm=true " + tuningFlag + "mine"; tuned(own) != own {
		t.Errorf("the user's flags became %q", os.Getenv("XLA_FLAGS"))
	}
	if runtime.GOOS == "linux" { // a program that holds the name of the flag, like this one, is taken to know it
		knowing := Plugin{Path: must.M1(os.Executable())}
		t.Setenv("XLA_FLAGS", "")
		must.M(knowing.Tune())
		if got := os.Getenv("XLA_FLAGS"); !strings.HasPrefix(got, noTriton+" "+noFusionTuning+" ") {
			t.Errorf("a plugin that knows the flag: %q", got)
		}
	}
	must.M(os.WriteFile(filepath.Join(top, "file"), nil, 0o644))
	t.Setenv("XDG_CACHE_HOME", filepath.Join(top, "file"))
	t.Setenv("HOME", filepath.Join(top, "file"))
	if got := tuned(""); got != noTriton {
		t.Errorf("without a place for the folder: %q", got)
	}
}

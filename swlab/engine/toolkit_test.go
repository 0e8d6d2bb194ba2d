//go:build cgo && !noxla && (linux || darwin)

package engine

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/sliced-wasserstein/lab/swlab/engine/internal/pluginpath"
)

// assembler and library make the two files of a CUDA toolkit.
func assembler(t *testing.T, dir string) { command(t, filepath.Join(dir, ptxas)) }
func library(t *testing.T, dir string)   { write(t, filepath.Join(dir, libdevice), "") }

// command makes a program that does nothing.
func command(t *testing.T, path string) {
	t.Helper()
	write(t, path, "#!/bin/sh\n")
	if err := os.Chmod(path, 0o755); err != nil {
		t.Fatal(err)
	}
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
			top, err := filepath.EvalSymlinks(t.TempDir())
			if err != nil {
				t.Fatal(err)
			}
			c.files(t, top)
			t.Setenv("PATH", filepath.Join(top, "path"))
			t.Setenv("XLA_FLAGS", strings.ReplaceAll(c.flags, "TOP", top))
			defer func(before []string) { systemToolkits = before }(systemToolkits)
			systemToolkits = []string{filepath.Join(top, "system")}
			p := plugin{name: "cuda", path: filepath.Join(top, site)}
			got, err := p.findToolkit()
			if used := p.useToolkit(); (used == nil) != (err == nil) {
				t.Errorf("found: %v, used: %v", err, used)
			}
			if again, _ := p.findToolkit(); again != got {
				t.Errorf("found %+v, and once XLA_FLAGS says so %+v", got, again)
			}
			if flags := os.Getenv("XLA_FLAGS"); flags != strings.ReplaceAll(c.after, "TOP", top) {
				t.Errorf("XLA_FLAGS is %q, want %q", flags, c.after)
			}
			if c.errors != nil {
				if err == nil {
					t.Fatalf("found %+v, want an error", got)
				}
				contains(t, err.Error(), c.errors...)
				return
			}
			if err != nil || got.dir != filepath.Join(top, c.dir) || !strings.HasPrefix(got.place, c.place) {
				t.Errorf("got %+v, %v, want %s %s", got, err, c.dir, c.place)
			}
		})
	}
}

// TestJAXPlugin: the plugin's file as JAX's wheel names it, in the wheel's folders. Without a toolkit it is refused before it is loaded;
// with one it is loaded (here it is the CPU's, which refuses CUDA's options), and the doctor says what it found.
func TestJAXPlugin(t *testing.T) {
	if _, err := os.Stat(systemToolkits[0]); err == nil {
		t.Skip("there is a CUDA toolkit in " + systemToolkits[0])
	}
	site := t.TempDir()
	file := filepath.Join(site, "jax_plugins", "xla_cuda13", "xla_cuda_plugin.so")
	link(t, cpuPlugin(t), file)
	write(t, filepath.Join(site, "nvidia", "cu13", "lib", "libcublas.so.13"), "")
	s := surroundings{env: []string{fakeGPU(t), pair(pluginpath.Variable, filepath.Dir(file))}}
	doctor := func() []Check {
		out, _ := s.run(t, "doctor")
		var checks []Check
		if err := json.Unmarshal(out, &checks); err != nil {
			t.Fatal(err)
		}
		return checks
	}

	for _, want := range []string{"xla:cuda", "xla:" + file} {
		r, _ := s.open(t, want)
		contains(t, r.Error, "xla_cuda_plugin.so", "no ptxas and no libdevice", "make setup-cuda")
	}
	if c := find(t, doctor(), "CUDA toolkit"); c.OK || c.Fix != "make setup-cuda" || !strings.Contains(c.Found, "no ptxas") {
		t.Errorf("%+v", c)
	}

	assembler(t, filepath.Join(site, "nvidia", "cu13"))
	library(t, filepath.Join(site, "nvidia", "cu13"))
	r, _ := s.open(t, "xla:cuda")
	contains(t, r.Error, "xla_cuda_plugin.so", "preallocate")
	checks := doctor()
	for _, name := range []string{"CUDA plugin", "NVIDIA libraries", "CUDA toolkit"} {
		if c := find(t, checks, name); !c.OK {
			t.Errorf("%+v", c)
		}
	}
	if c := find(t, checks, "CUDA toolkit"); c.Found != "ptxas and libdevice beside the plugin" {
		t.Errorf("%+v", c)
	}
}

package xlaenv

import (
	"bytes"
	"debug/elf"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
)

// toolkitFlag is XLA's flag that names the folder of the CUDA toolkit.
const toolkitFlag = "--xla_gpu_cuda_data_dir="

// XLA needs two files of the CUDA toolkit for the first program that it compiles: NVIDIA's
// assembler, and a library of mathematical functions.
var (
	ptxas     = filepath.Join("bin", "ptxas")
	libdevice = filepath.Join("nvvm", "libdevice", "libdevice.10.bc")
)

// systemToolkits are the folders of an installed CUDA toolkit that XLA tries by itself.
var systemToolkits = []string{"/usr/local/cuda", "/opt/cuda"}

// Toolkit is a folder of the CUDA toolkit, and how to name its place to a reader.
type Toolkit struct{ Dir, Place string }

// nvidia lists the folders in which NVIDIA's wheels lie, seen from the plugin: it looks in these
// itself.
func (p Plugin) nvidia() []string {
	above := filepath.Dir(filepath.Dir(p.Path))
	return []string{filepath.Join(above, "nvidia"), filepath.Join(filepath.Dir(above), "nvidia")}
}

// Libraries lists the folders of NVIDIA's libraries beside the plugin.
func (p Plugin) Libraries() []string {
	for _, dir := range p.nvidia() {
		if found, _ := filepath.Glob(filepath.Join(dir, "*", "lib")); len(found) > 0 {
			return found
		}
	}
	return nil
}

// toolkits lists where a CUDA toolkit may lie, best first: where XLA_FLAGS says, in NVIDIA's wheels
// (those of CUDA 13 and of CUDA 12), around the nvcc on PATH, where the system keeps it. XLA does
// not look beside nvcc, so that place counts only if XLA_FLAGS is free to name it.
func (p Plugin) toolkits() (all []Toolkit) {
	for _, dir := range p.nvidia() {
		all = append(all, Toolkit{filepath.Join(dir, "cu13"), "beside the plugin"}, Toolkit{filepath.Join(dir, "cuda_nvcc"), "beside the plugin"})
	}
	flagged := flaggedToolkit()
	if nvcc, err := exec.LookPath("nvcc"); err == nil {
		if real, err := filepath.EvalSymlinks(nvcc); err == nil {
			if dir := filepath.Dir(filepath.Dir(real)); flagged == "" || flagged == dir {
				all = append(all, Toolkit{dir, "beside the nvcc on PATH"})
			}
		}
	}
	for _, dir := range systemToolkits {
		all = append(all, Toolkit{dir, "in " + dir})
	}
	if flagged == "" {
		return all
	}
	place := "where XLA_FLAGS says"
	if i := slices.IndexFunc(all, func(t Toolkit) bool { return t.Dir == flagged }); i >= 0 {
		place = all[i].Place // UseToolkit may have said so
	}
	return append([]Toolkit{{flagged, place}}, all...)
}

// flaggedToolkit is the folder that XLA_FLAGS names, or "".
func flaggedToolkit() (dir string) {
	for _, flag := range strings.Fields(os.Getenv("XLA_FLAGS")) {
		if value, ok := strings.CutPrefix(flag, toolkitFlag); ok {
			dir = value // The last one counts.
		}
	}
	return dir
}

// FindToolkit returns the first folder that holds both files, or libdevice if ptxas is on PATH. The
// error says what is missing and how to fix it.
func (p Plugin) FindToolkit() (Toolkit, error) {
	_, err := exec.LookPath("ptxas")
	assembler, library := err == nil, false
	for _, t := range p.toolkits() {
		hasLibrary := exists(filepath.Join(t.Dir, libdevice))
		if hasLibrary && (err == nil || exists(filepath.Join(t.Dir, ptxas))) {
			return t, nil
		}
		library = library || hasLibrary
		assembler = assembler || exists(filepath.Join(t.Dir, ptxas))
	}
	var missing string
	switch {
	case assembler && library:
		missing = "ptxas and libdevice lie in different folders"
	case assembler:
		missing = "no libdevice (" + filepath.ToSlash(libdevice) + ")"
	case library:
		missing = "no ptxas"
	default:
		missing = "no ptxas and no libdevice"
	}
	return Toolkit{}, errors.New("XLA needs ptxas and libdevice of the CUDA toolkit to compile: " + missing + " beside the plugin, beside the nvcc on PATH or in " +
		strings.Join(systemToolkits, ", ") + "; `make setup-cuda` installs them, and XLA_FLAGS=" + toolkitFlag + "FOLDER names a toolkit of your own")
}

// UseToolkit tells XLA where the CUDA toolkit is, or returns FindToolkit's error. XLA reads its
// flags when the plugin is loaded.
func (p Plugin) UseToolkit() error {
	t, err := p.FindToolkit()
	if err != nil || flaggedToolkit() != "" || strings.ContainsAny(t.Dir, " \t") {
		return err // A flag cannot hold a blank; XLA may still find the folder by itself.
	}
	return addFlag(toolkitFlag + t.Dir)
}

// XLA's flags that shorten its compilations for a GPU.
const (
	// noTriton leaves matrix products to cuBLAS. XLA times kernels of Triton too, ten times as long as all the
	// rest takes, and for products in FP32 they win nothing (docs/performance.md).
	noTriton = "--xla_gpu_enable_triton_gemm=false"
	// noFusionTuning keeps every other kernel XLA's own. XLA would try Triton there too: it did not end with
	// the approximate EMD and attention of 128 clouds of 2048 points (docs/performance.md).
	noFusionTuning = "--xla_gpu_experimental_enable_fusion_autotuner=false"
	// tuningFlag names the folder for what XLA learns by timing kernels.
	tuningFlag = "--xla_gpu_per_fusion_autotune_cache_dir="
)

// Tune has XLA compile fast for a GPU, and keep in a folder of the user's cache, another one for
// every plugin, which kernels it chose by timing them: so that a later process compiles to the same
// ones and rounds alike. What XLA_FLAGS says stays, and without a place for the folder there is none.
func (p Plugin) Tune() error {
	flags := os.Getenv("XLA_FLAGS")
	for _, flag := range []string{noTriton, noFusionTuning} {
		name, _, _ := strings.Cut(flag, "=")
		if strings.Contains(flags, name) || flag == noFusionTuning && !p.knows(name) {
			continue
		}
		if err := addFlag(flag); err != nil {
			return err
		}
	}
	cache, err := os.UserCacheDir()
	if err != nil || strings.Contains(flags, tuningFlag) {
		return nil
	}
	plugin, err := os.Stat(p.Path)
	if err != nil {
		return err
	}
	dir := filepath.Join(cache, "swlab", fmt.Sprintf("xla-%d-%d", plugin.Size(), plugin.ModTime().Unix()))
	if strings.ContainsAny(dir, " \t") || os.MkdirAll(dir, 0o755) != nil {
		return nil
	}
	return addFlag(tuningFlag + dir)
}

// knows reports whether the plugin's texts hold the name of a flag after its dashes. XLA ends a process
// that sets a flag it does not know, as it may one that is called experimental.
func (p Plugin) knows(flag string) bool {
	file, err := elf.Open(p.Path)
	if err != nil {
		return false
	}
	defer file.Close()
	texts := file.Section(".rodata")
	if texts == nil {
		return false
	}
	data, err := texts.Data()
	return err == nil && bytes.Contains(data, []byte(strings.TrimPrefix(flag, "--")))
}

func addFlag(flag string) error {
	return os.Setenv("XLA_FLAGS", strings.TrimSpace(os.Getenv("XLA_FLAGS")+" "+flag))
}

func exists(path string) bool {
	_, err := os.Stat(path)
	return err == nil
}

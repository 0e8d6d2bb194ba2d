//go:build cgo && !noxla

package xlaenv

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
)

// transparentHugePages is where Linux says whether programs may use huge pages without an
// administrator.
const transparentHugePages = "/sys/kernel/mm/transparent_hugepage/enabled"

const (
	tunables    = "GLIBC_TUNABLES"
	hugeTunable = "glibc.malloc.hugetlb"
	libraryPath = "LD_LIBRARY_PATH"
)

// HugePages restarts the program once, in the same process, with an environment that must be set
// from the start:
//
//   - The C library's allocator asks for huge pages (GLIBC_TUNABLES=glibc.malloc.hugetlb=1), which
//     makes a training step of XLA on the CPU 15 to 30 percent faster. This needs the kernel's
//     permission, and a variable that does not mention it yet (=0 switches it off).
//   - With an NVIDIA device and `make setup-cuda`, the loader knows NVIDIA's libraries, which load
//     one another by name.
//
// Call it first in main. Arguments, standard streams, working directory, process id and ignored
// signals stay as they are. If there is nothing to gain, or the restart fails, it returns and the
// program continues.
func HugePages() {
	enabled, _ := os.ReadFile(transparentHugePages)
	env, changed := restartEnvironment(os.Environ(), string(enabled), nvidiaLibraries())
	if !changed {
		return
	}
	exe, err := os.Executable()
	if err != nil {
		return
	}
	_ = syscall.Exec(exe, os.Args, env) // Returns only if it fails.
}

// restartEnvironment returns env with what HugePages adds, without what this package has set in
// this process. changed is false if a restart would gain nothing.
func restartEnvironment(env []string, enabled string, libraries []string) (_ []string, changed bool) {
	value := func(name string) string {
		for _, pair := range slices.Backward(env) { // The last one counts.
			if v, ok := strings.CutPrefix(pair, name+"="); ok {
				return v
			}
		}
		return ""
	}
	env = slices.DeleteFunc(slices.Clone(env), func(pair string) bool { return added && strings.HasPrefix(pair, Variable+"=") })
	put := func(name, value string) {
		env = slices.DeleteFunc(env, func(pair string) bool { return strings.HasPrefix(pair, name+"=") })
		env, changed = append(env, name+"="+value), true
	}

	allowed := strings.Contains(enabled, "[madvise]") || strings.Contains(enabled, "[always]")
	if now := value(tunables); allowed && !strings.Contains(now, hugeTunable+"=") {
		put(tunables, strings.Trim(now+":"+hugeTunable+"=1", ":"))
	}
	now := filepath.SplitList(value(libraryPath))
	missing := slices.DeleteFunc(slices.Clone(libraries), func(dir string) bool { return slices.Contains(now, dir) })
	if len(missing) > 0 {
		put(libraryPath, strings.Join(append(missing, now...), string(filepath.ListSeparator)))
	}
	return env, changed
}

// nvidiaLibraries lists the folders of NVIDIA's libraries beside the CUDA plugin; none without a
// device.
func nvidiaLibraries() (dirs []string) {
	for _, p := range Plugins() {
		if p.IsCUDA() {
			dirs = p.Libraries()
			break
		}
	}
	if len(dirs) > 0 && !Nvidia() {
		return nil
	}
	return dirs
}

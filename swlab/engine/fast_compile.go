//go:build cgo && !noxla && (linux || darwin)

package engine

import (
	"os"
	"path/filepath"

	"github.com/sliced-wasserstein/lab/swlab/engine/internal/pluginpath"
)

// fastCompile are XLA's flags for programs that are compiled in about three quarters of the time: the older emitter of kernels, few
// passes. (LLVM's level 0 compiles faster yet, but what it compiles is slow: the table ablation_T at the smoke size then took 52 s in place
// of 18.)
const fastCompile = "--xla_backend_extra_options=xla_cpu_disable_new_fusion_emitters --xla_cpu_opt_preset=CPU_OPT_PRESET_FAST_COMPILE"

// FastCompile asks XLA on the CPU to compile fast and not well, for work so small that it is compilation that takes the time: all programs of
// this process may then run slower, and round differently in their last digits. Call it before anything is opened. It says whether it has
// done so: not where the user has set XLA_FLAGS, and only for the plugin that this repository pins, because XLA ends a process that
// sets a flag it does not know.
func FastCompile() bool {
	if os.Getenv("XLA_FLAGS") != "" {
		return false
	}
	found, root := findPlugins(), pluginpath.Root()
	for _, p := range found {
		if rel, err := filepath.Rel(filepath.Join(root, ".plugins", "cpu"), p.path); root == "" || err != nil || !filepath.IsLocal(rel) {
			return false
		}
	}
	return len(found) > 0 && os.Setenv("XLA_FLAGS", fastCompile) == nil
}

package xlaenv

import (
	"os"
	"path/filepath"
)

// fastCompile holds XLA's flags that compile programs in about three quarters of the time: the
// older emitter of kernels, few passes. (LLVM's level 0 compiles faster still, but its code is slow.)
const fastCompile = "--xla_backend_extra_options=xla_cpu_disable_new_fusion_emitters --xla_cpu_opt_preset=CPU_OPT_PRESET_FAST_COMPILE"

// FastCompile asks XLA on the CPU to compile fast rather than well, for work so small that
// compilation dominates. All programs of this process may then run slower, and round differently in
// their last digits. Call it before anything is opened. It reports whether it set the flags: not if
// the user has set XLA_FLAGS, and only for the plugin that this repository pins, because XLA ends a
// process that sets a flag it does not know.
func FastCompile() bool {
	if os.Getenv("XLA_FLAGS") != "" {
		return false
	}
	found, root := Plugins(), Root()
	for _, p := range found {
		if rel, err := filepath.Rel(filepath.Join(root, ".plugins", "cpu"), p.Path); root == "" || err != nil || !filepath.IsLocal(rel) {
			return false
		}
	}
	return len(found) > 0 && os.Setenv("XLA_FLAGS", fastCompile) == nil
}

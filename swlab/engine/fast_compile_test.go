//go:build cgo && !noxla && (linux || darwin)

package engine

import (
	"path/filepath"
	"testing"

	"github.com/sliced-wasserstein/lab/swlab/engine/internal/pluginpath"
)

// TestFastCompile: XLA takes the flags and computes; they are set for the pinned plugin alone, and never over the user's own.
func TestFastCompile(t *testing.T) {
	file := cpuPlugin(t)
	root := repository(t, file)
	const own = "--xla_cpu_enable_fast_math=false"
	for name, c := range map[string]struct {
		surroundings
		fast  bool
		flags string
	}{
		"pinned":      {surroundings{dir: root}, true, fastCompile},
		"user's flag": {surroundings{dir: root, env: []string{pair("XLA_FLAGS", own)}}, false, own},
		"elsewhere":   {surroundings{env: []string{pair(pluginpath.Variable, filepath.Dir(file))}}, false, ""},
	} {
		t.Run(name, func(t *testing.T) {
			r, _ := c.reports(t, "fast")
			expect(t, r, kindCPU)
			if r.Fast != c.fast || r.Flags != c.flags {
				t.Errorf("set %v, XLA_FLAGS %q; want %v, %q", r.Fast, r.Flags, c.fast, c.flags)
			}
		})
	}
}

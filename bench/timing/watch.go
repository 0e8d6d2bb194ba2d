package timing

import (
	"fmt"
	"os"
	"runtime/debug"
	"strings"
)

// Watch begins to measure the memory of some work. The returned function says by how many MB the
// largest resident memory since then exceeds that at the beginning. Only Linux tells, by resetting
// its record of the largest (proc_pid_clear_refs(5)); elsewhere the answer is 0. Read Peak before,
// for it forgets what was before.
func Watch() (above func() float64) {
	debug.FreeOSMemory()
	if err := os.WriteFile("/proc/self/clear_refs", []byte("5"), 0); err != nil {
		return func() float64 { return 0 }
	}
	before := status("VmRSS")
	return func() float64 { return max(0, status("VmHWM")-before) }
}

// status reads a size from /proc/self/status, in MB; 0 if it is not there.
func status(field string) float64 {
	raw, err := os.ReadFile("/proc/self/status")
	if err != nil {
		return 0
	}
	for _, line := range strings.Split(string(raw), "\n") {
		var kB float64
		if rest, ok := strings.CutPrefix(line, field+":"); ok {
			if _, err := fmt.Sscan(rest, &kB); err == nil {
				return kB / 1024
			}
		}
	}
	return 0
}

package memory

import (
	"math"
	"os"
	"strconv"
	"strings"
	"syscall"

	"github.com/KimMachineGun/automemlimit/memlimit"
)

// system returns the limits of a Linux machine: free memory and swap, the smallest limit of this
// process's control groups, and ulimit -v.
func system() []bound {
	var out []bound
	info, _ := os.ReadFile("/proc/meminfo")
	if free := kilobytes(string(info), "MemAvailable:"); free > 0 {
		out = append(out, bound{free + kilobytes(string(info), "SwapFree:"), "what is free on this machine"})
	}
	mapped, resident := used()
	if limit, err := memlimit.FromCgroup(); err == nil && limit < math.MaxInt64/4 { // version 1 writes a huge number for none
		out = append(out, bound{int64(limit) - resident, "limit of the control group"})
	}
	var r syscall.Rlimit
	if syscall.Getrlimit(syscall.RLIMIT_AS, &r) == nil && uint64(r.Cur) < math.MaxInt64/4 {
		out = append(out, bound{int64(r.Cur) - mapped, "ulimit -v"})
	}
	return out
}

// used is the memory of this process in bytes: its address space, and what of it is in memory.
func used() (mapped, resident int64) {
	raw, _ := os.ReadFile("/proc/self/statm")
	if pages := strings.Fields(string(raw)); len(pages) > 1 {
		mapped, _ = strconv.ParseInt(pages[0], 10, 64)
		resident, _ = strconv.ParseInt(pages[1], 10, 64)
	}
	size := int64(os.Getpagesize())
	return mapped * size, resident * size
}

// kilobytes returns the value in bytes of the line that starts with name, in the format of files
// below /proc; 0 without one.
func kilobytes(text, name string) int64 {
	for line := range strings.Lines(text) {
		if rest, ok := strings.CutPrefix(line, name); ok {
			kb, _ := strconv.ParseInt(strings.TrimSuffix(strings.TrimSpace(rest), " kB"), 10, 64)
			return kb << 10
		}
	}
	return 0
}

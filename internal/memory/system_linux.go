package memory

import (
	"math"
	"os"
	"path"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
)

// system returns the limits of a Linux machine.
func system() []bound { return append(machine("/"), addressSpace()...) }

// machine reads the limits from the files below root: free memory and swap of /proc/meminfo, and of
// every control group from that of this process up to the root of its tree.
func machine(root string) []bound {
	info := read(root, "proc/meminfo")
	swap := kilobytes(info, "SwapFree:")
	var out []bound
	if free := kilobytes(info, "MemAvailable:"); free > 0 {
		out = append(out, bound{free + swap, "what is free on this machine"})
	}
	for line := range strings.Lines(read(root, "proc/self/cgroup")) {
		fields := strings.SplitN(strings.TrimSpace(line), ":", 3) // hierarchy:controllers:path
		if len(fields) < 3 {
			continue
		}
		tree := ""
		switch {
		case fields[0] == "0" && fields[1] == "":
			tree = "sys/fs/cgroup"
			if _, err := os.Stat(filepath.Join(root, tree, "unified")); err == nil {
				tree += "/unified" // both versions side by side
			}
		case strings.Contains(","+fields[1]+",", ",memory,"):
			tree = "sys/fs/cgroup/memory"
		default:
			continue
		}
		// In a container the path may be the one outside, and its own group the root of the tree:
		// missing parents have no limit.
		for at := path.Clean("/" + fields[2]); ; at = path.Dir(at) {
			if room := groupRoom(root, path.Join(tree, at), swap); room < math.MaxInt64 {
				out = append(out, bound{room, "limit of the control group " + at})
			}
			if at == "/" {
				break
			}
		}
	}
	return out
}

// groupRoom returns what the limit of a control group, version 2 or 1, leaves; math.MaxInt64
// without a limit. Pages of files that can be dropped do not count as used.
func groupRoom(root, dir string, swap int64) int64 {
	limit, ok := number(root, dir, "memory.max")
	used, _ := number(root, dir, "memory.current")
	files := []string{"inactive_file ", "active_file "}
	if ok {
		if most, set := number(root, dir, "memory.swap.max"); set {
			inUse, _ := number(root, dir, "memory.swap.current")
			swap = min(swap, max(0, most-inUse))
		}
		limit += swap
	} else if limit, ok = number(root, dir, "memory.limit_in_bytes"); ok {
		used, _ = number(root, dir, "memory.usage_in_bytes")
		files = []string{"total_inactive_file ", "total_active_file "}
	}
	if !ok || limit > math.MaxInt64/4 { // version 1 writes a huge number for none
		return math.MaxInt64
	}
	stat := read(root, path.Join(dir, "memory.stat"))
	for line := range strings.Lines(stat) {
		for _, name := range files {
			if rest, found := strings.CutPrefix(line, name); found {
				n, _ := strconv.ParseInt(strings.TrimSpace(rest), 10, 64)
				used -= n
			}
		}
	}
	return limit - max(0, used)
}

// addressSpace returns what RLIMIT_AS (ulimit -v) leaves.
func addressSpace() []bound {
	var r syscall.Rlimit
	if syscall.Getrlimit(syscall.RLIMIT_AS, &r) != nil || uint64(r.Cur) > math.MaxInt64/4 {
		return nil
	}
	pages, _, _ := strings.Cut(read("/", "proc/self/statm"), " ")
	used, err := strconv.ParseInt(pages, 10, 64)
	if err != nil {
		return nil
	}
	return []bound{{int64(r.Cur) - used*int64(os.Getpagesize()), "ulimit -v"}}
}

func read(root, name string) string {
	raw, _ := os.ReadFile(filepath.Join(root, name)) // a missing file means no limit
	return string(raw)
}

// number reads a file of a control group; false if there is none, or it says max.
func number(root, dir, name string) (int64, bool) {
	n, err := strconv.ParseInt(strings.TrimSpace(read(root, path.Join(dir, name))), 10, 64)
	return n, err == nil
}

// kilobytes returns the value in bytes of the line that starts with name, in the format of files
// below /proc; 0 without one.
func kilobytes(text, name string) int64 {
	for line := range strings.Lines(text) {
		if rest, ok := strings.CutPrefix(line, name); ok {
			if fields := strings.Fields(rest); len(fields) > 0 {
				kb, _ := strconv.ParseInt(fields[0], 10, 64)
				return kb << 10
			}
		}
	}
	return 0
}

package memory

import (
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestMachine reads limits from folders that look like /proc and /sys of machines and containers.
func TestMachine(t *testing.T) {
	const gib = int64(1) << 30
	const meminfo = "MemTotal: 33554432 kB\nMemFree: 1048576 kB\nMemAvailable: 16777216 kB\nSwapTotal: 0 kB\nSwapFree: 0 kB\n"
	const none = "9223372036854771712\n"
	for name, c := range map[string]struct {
		files map[string]string
		want  int64
		limit string
	}{
		"a machine without groups": {map[string]string{"proc/meminfo": meminfo}, 16 * gib, "machine"},
		"swap counts":              {map[string]string{"proc/meminfo": strings.Replace(meminfo, "SwapFree: 0", "SwapFree: 4194304", 1)}, 20 * gib, "machine"},
		"version 2": {map[string]string{"proc/meminfo": meminfo, "proc/self/cgroup": "0::/job\n",
			"sys/fs/cgroup/job/memory.max": "4294967296\n", "sys/fs/cgroup/job/memory.current": "1073741824\n"}, 3 * gib, "/job"},
		"version 2, files in the cache are free": {map[string]string{"proc/meminfo": meminfo, "proc/self/cgroup": "0::/job\n",
			"sys/fs/cgroup/job/memory.max": "4294967296\n", "sys/fs/cgroup/job/memory.current": "3221225472\n",
			"sys/fs/cgroup/job/memory.stat": "anon 1073741824\nfile 2147483648\ninactive_file 1073741824\nactive_file 1073741824\n"}, 3 * gib, "/job"},
		"version 2, max": {map[string]string{"proc/meminfo": meminfo, "proc/self/cgroup": "0::/job\n",
			"sys/fs/cgroup/job/memory.max": "max\n", "sys/fs/cgroup/job/memory.current": "1073741824\n"}, 16 * gib, "machine"},
		"version 2, a parent limits": {map[string]string{"proc/meminfo": meminfo, "proc/self/cgroup": "0::/user/job/step\n",
			"sys/fs/cgroup/user/job/step/memory.max": "max\n", "sys/fs/cgroup/user/job/memory.max": "2147483648\n", "sys/fs/cgroup/user/job/memory.current": "0\n",
			"sys/fs/cgroup/user/memory.max": "8589934592\n"}, 2 * gib, "/user/job"},
		"version 2, in a container": {map[string]string{"proc/meminfo": meminfo, "proc/self/cgroup": "0::/\n",
			"sys/fs/cgroup/memory.max": "1073741824\n", "sys/fs/cgroup/memory.current": "0\n"}, gib, "group /"},
		"version 2, no swap allowed": {map[string]string{"proc/meminfo": strings.Replace(meminfo, "SwapFree: 0", "SwapFree: 4194304", 1), "proc/self/cgroup": "0::/job\n",
			"sys/fs/cgroup/job/memory.max": "1073741824\n", "sys/fs/cgroup/job/memory.swap.max": "0\n", "sys/fs/cgroup/job/memory.current": "0\n"}, gib, "/job"},
		"version 1": {map[string]string{"proc/meminfo": meminfo, "proc/self/cgroup": "4:memory:/job\n0::/\n", "sys/fs/cgroup/memory/memory.limit_in_bytes": none,
			"sys/fs/cgroup/memory/job/memory.limit_in_bytes": "4294967296\n", "sys/fs/cgroup/memory/job/memory.usage_in_bytes": "2147483648\n",
			"sys/fs/cgroup/memory/job/memory.stat": "inactive_file 0\ntotal_inactive_file 1073741824\ntotal_active_file 0\n"}, 3 * gib, "/job"},
		"version 1, a container that sees the path outside": {map[string]string{"proc/meminfo": meminfo, "proc/self/cgroup": "9:cpu,memory:/docker/abc\n",
			"sys/fs/cgroup/memory/memory.limit_in_bytes": "1073741824\n", "sys/fs/cgroup/memory/memory.usage_in_bytes": "0\n"}, gib, "group /"},
		"version 1, no limit": {map[string]string{"proc/meminfo": meminfo, "proc/self/cgroup": "4:memory:/job\n",
			"sys/fs/cgroup/memory/job/memory.limit_in_bytes": none, "sys/fs/cgroup/memory/job/memory.usage_in_bytes": "0\n"}, 16 * gib, "machine"},
		"full": {map[string]string{"proc/meminfo": meminfo, "proc/self/cgroup": "0::/job\n",
			"sys/fs/cgroup/job/memory.max": "1073741824\n", "sys/fs/cgroup/job/memory.current": "1073741824\n"}, 0, "/job"},
		"nothing is told": {nil, math.MaxInt64, ""},
	} {
		root := t.TempDir()
		for path, text := range c.files {
			path = filepath.Join(root, path)
			if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
				t.Fatal(err)
			}
		}
		least := bound{math.MaxInt64, ""}
		for _, b := range machine(root) {
			if b.bytes < least.bytes {
				least = b
			}
		}
		if least.bytes != c.want || !strings.Contains(least.name, c.limit) {
			t.Errorf("%s: %d bytes by %q, expected %d by %q", name, least.bytes, least.name, c.want, c.limit)
		}
	}
}

package memory

import (
	"context"
	"os/exec"
	"strconv"
	"strings"
	"sync"
	"time"
)

// Device returns the memory of the smallest NVIDIA device in bytes, in use or not, as nvidia-smi
// says; 0 if it says nothing. It asks once per process.
func Device() int64 { return device() }

var device = sync.OnceValue(func() int64 {
	ctx, cancel := context.WithTimeout(context.Background(), 10*time.Second)
	defer cancel()
	out, err := exec.CommandContext(ctx, "nvidia-smi", "--query-gpu=memory.total", "--format=csv,noheader,nounits").Output()
	if err != nil {
		return 0
	}
	return smallest(string(out))
})

// smallest returns the smallest number of MiB among lines, in bytes; 0 if there is none.
func smallest(lines string) int64 {
	var least int64
	for line := range strings.Lines(lines) {
		if mib, err := strconv.ParseInt(strings.TrimSpace(line), 10, 64); err == nil && mib > 0 && (least == 0 || mib<<20 < least) {
			least = mib << 20
		}
	}
	return least
}

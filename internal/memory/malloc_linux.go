//go:build cgo && !noxla

package memory

/*
#include <malloc.h>

// Of glibc; other C libraries do without.
#pragma weak malloc_trim
#pragma weak mallopt

static void trim(void) {
	if (malloc_trim) malloc_trim(0);
}

// What keep(0) sets are the values up to which glibc raises its thresholds by itself.
static void keep(int on) {
	if (!malloc_trim || !mallopt) return;
	mallopt(M_MMAP_MAX, on ? 0 : 65536);
	mallopt(M_MMAP_THRESHOLD, 32 << 20);
	mallopt(M_TRIM_THRESHOLD, on ? -1 : 64 << 20);
}
*/
import "C"

import (
	"os"
	"strings"
	"sync"
)

// Trim gives back to the system what the C library's allocator holds free. XLA on the CPU takes its
// buffers from there: glibc keeps an arena for each thread, each grows to the largest buffers that
// were ever freed into it, and only malloc_trim(3) gives pages in the middle of an arena back.
func Trim() { C.trim() }

// Keep makes the C library's allocator keep what is freed until release or Trim. By itself glibc gives
// large buffers back at once, and the next step of a training has to have their pages made and zeroed
// anew. Keep does nothing if GLIBC_TUNABLES sets these limits (mmap_max, mmap_threshold, trim_threshold).
func Keep() (release func()) {
	if env := os.Getenv("GLIBC_TUNABLES"); strings.Contains(env, "malloc.mmap_") || strings.Contains(env, "malloc.trim_threshold") {
		return func() {}
	}
	count(1)
	return sync.OnceFunc(func() { count(-1) })
}

var keepers struct {
	sync.Mutex
	n int
}

// count adds to the number of callers of Keep that have not released it.
func count(change int) {
	keepers.Lock()
	defer keepers.Unlock()
	before := keepers.n
	keepers.n += change
	switch {
	case before == 0:
		C.keep(1)
	case keepers.n == 0:
		C.keep(0)
		C.trim()
	}
}

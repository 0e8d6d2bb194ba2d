//go:build cgo && !noxla

package memory

/*
#include <stddef.h>

// Of glibc; other C libraries do without.
extern int malloc_trim(size_t pad) __attribute__((weak));

static void trim(void) {
	if (malloc_trim) malloc_trim(0);
}
*/
import "C"

// Trim gives back to the system what the C library's allocator holds free. XLA on the CPU takes its
// buffers from there: glibc keeps an arena for each thread, each grows to the largest buffers that
// were ever freed into it, and only malloc_trim(3) gives pages in the middle of an arena back.
func Trim() { C.trim() }

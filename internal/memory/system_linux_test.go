package memory

import (
	"math"
	"os"
	"syscall"
	"testing"
)

// TestUsed: memory that is touched counts as used, in the address space and in memory.
func TestUsed(t *testing.T) {
	mapped, resident := used()
	const size = 64 << 20
	block, err := syscall.Mmap(-1, 0, size, syscall.PROT_READ|syscall.PROT_WRITE, syscall.MAP_ANON|syscall.MAP_PRIVATE)
	if err != nil {
		t.Fatal(err)
	}
	defer syscall.Munmap(block)
	for i := 0; i < size; i += os.Getpagesize() {
		block[i] = 1
	}
	mapped2, resident2 := used()
	for what, grew := range map[string]int64{"mapped": mapped2 - mapped, "resident": resident2 - resident} {
		if math.Abs(float64(grew-size)) > size/2 {
			t.Errorf("%s: %d bytes more after %d", what, grew, size)
		}
	}
}

func TestKilobytes(t *testing.T) {
	const info = "MemTotal:       33554432 kB\nMemAvailable:   16777216 kB\nSwapFree:              0 kB\n"
	if n := kilobytes(info, "MemAvailable:"); n != 16<<30 {
		t.Errorf("%d bytes", n)
	}
	if n := kilobytes(info, "Cached:"); n != 0 {
		t.Errorf("%d bytes of what is not there", n)
	}
}

// Package memory compares what a call would need with what is available, before it is allocated: a
// Go program that runs out of memory dies with an unhelpful trace.
//
//	if err := memory.Check("slices: the directions", memory.Bytes(4, clouds, slices, dim)); err != nil {
//		return err
//	}
package memory

import (
	"fmt"
	"math"
	"math/bits"
	"runtime/debug"
	"runtime/metrics"
)

// Unchecked is the size in bytes up to which Check always succeeds.
const Unchecked = 64 << 20

// addressable bounds the memory of any machine: 2^46 bytes, half of what a process can address on
// amd64.
const addressable = 1 << 46

// Error says that something needs more memory than is available.
type Error struct {
	// What needs the memory, with the setting, such as "slices: 5000 directions a pair".
	What      string
	Needed    int64  // estimated bytes; math.MaxInt64: or more
	Available int64  // bytes
	Limit     string // what sets Available, such as "the machine's memory"
}

func (e *Error) Error() string {
	needed := "about " + gigabytes(e.Needed)
	if e.Needed == math.MaxInt64 {
		needed = "more than " + gigabytes(e.Needed)
	}
	return fmt.Sprintf("%s: this needs %s of memory, and %s are available (%s)", e.What, needed, gigabytes(e.Available), e.Limit)
}

// gigabytes formats bytes in GB (10^9 bytes).
func gigabytes(n int64) string {
	switch v := float64(n) / 1e9; {
	case v < 10:
		return fmt.Sprintf("%.2f GB", v)
	default:
		return fmt.Sprintf("%.0f GB", v)
	}
}

// Check returns an *Error if bytes exceeds what is available. It collects garbage before it
// refuses.
func Check(what string, bytes int64) error {
	if bytes <= Unchecked {
		return nil
	}
	if available, _ := Available(); bytes <= available {
		return nil
	}
	debug.FreeOSMemory()
	available, limit := Available()
	if bytes <= available {
		return nil
	}
	return &Error{What: what, Needed: bytes, Available: available, Limit: limit}
}

// Available returns the number of bytes that this process can still use, and what limits it: the
// memory of the machine, a control group or the shell (on Linux), or GOMEMLIMIT. If a system does
// not tell what is free, its whole memory counts.
func Available() (bytes int64, limit string) {
	bytes, limit = addressable, "the address space"
	for _, b := range append(system(), goLimit()) {
		if b.bytes < bytes {
			bytes, limit = max(0, b.bytes), b.name
		}
	}
	return bytes, limit
}

// bound is what one limit leaves.
type bound struct {
	bytes int64
	name  string
}

// goLimit returns what GOMEMLIMIT leaves for Go's allocations.
func goLimit() bound {
	limit := debug.SetMemoryLimit(-1)
	if limit == math.MaxInt64 {
		return bound{limit, ""}
	}
	sample := []metrics.Sample{{Name: "/memory/classes/total:bytes"}, {Name: "/memory/classes/heap/released:bytes"}, {Name: "/memory/classes/heap/free:bytes"}}
	metrics.Read(sample)
	used := sample[0].Value.Uint64() - sample[1].Value.Uint64() - sample[2].Value.Uint64()
	return bound{limit - int64(used), "GOMEMLIMIT"}
}

// Bytes returns the product of sizes, such as 4 for float32, clouds, points and dim. Negative sizes
// count as 0; an overflow gives math.MaxInt64.
func Bytes(sizes ...int) int64 {
	p := uint64(1)
	over := false
	for _, n := range sizes {
		if n <= 0 {
			return 0
		}
		high, low := bits.Mul64(p, uint64(n))
		p, over = low, over || high != 0 || low > math.MaxInt64
	}
	if over {
		return math.MaxInt64
	}
	return int64(p)
}

// Sum adds sizes in bytes; an overflow gives math.MaxInt64.
func Sum(bytes ...int64) int64 {
	var sum int64
	for _, n := range bytes {
		if sum > math.MaxInt64-n {
			return math.MaxInt64
		}
		sum += n
	}
	return sum
}

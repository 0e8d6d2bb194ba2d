package memory

import "golang.org/x/sys/unix"

// system is the machine's memory: macOS compresses and swaps, and has no number of what is free
// that could be trusted.
func system() []bound {
	n, err := unix.SysctlUint64("hw.memsize")
	if err != nil {
		return nil
	}
	return []bound{{int64(n), "this machine's memory"}}
}

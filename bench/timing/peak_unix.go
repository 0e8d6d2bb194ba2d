//go:build unix

package timing

import "syscall"

// Peak returns the largest resident memory so far, in MB.
func Peak() float64 {
	var u syscall.Rusage
	if syscall.Getrusage(syscall.RUSAGE_SELF, &u) != nil {
		return 0
	}
	return float64(u.Maxrss) / 1024
}

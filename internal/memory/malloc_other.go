//go:build !linux || !cgo || noxla

package memory

// Trim does something only where XLA runs on glibc.
func Trim() {}

// Keep does something only where XLA runs on glibc.
func Keep() (release func()) { return func() {} }

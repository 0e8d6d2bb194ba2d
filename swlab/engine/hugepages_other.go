//go:build !linux || !cgo || noxla

package engine

// HugePages does something on Linux only, where there is XLA.
func HugePages() {}

//go:build !linux || !cgo || noxla

package engine

// HugePages does nothing here: it needs Linux and XLA.
func HugePages() {}

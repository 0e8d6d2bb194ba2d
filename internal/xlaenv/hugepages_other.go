//go:build !linux || !cgo || noxla

package xlaenv

// HugePages does nothing here: it needs Linux and XLA.
func HugePages() {}

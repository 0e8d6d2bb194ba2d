//go:build !linux

package engine

// HugePages does something on Linux only.
func HugePages() {}

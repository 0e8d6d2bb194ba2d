//go:build !amd64 || purego

package maxima

// There is no assembly for this processor.
var using kernel

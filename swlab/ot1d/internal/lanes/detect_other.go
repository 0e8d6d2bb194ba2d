//go:build !amd64 || purego

package lanes

// There is no assembly for this processor.
var using64, using32, narrow32 kernel

//go:build !unix && !windows

package main

import "os"

// Elsewhere, in a browser for one, only Ctrl-C is known.
var (
	stopSignals        = []os.Signal{os.Interrupt}
	hangUp, brokenPipe []os.Signal
)

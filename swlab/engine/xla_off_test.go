//go:build !cgo || noxla || !(linux || darwin)

package engine

import "github.com/gomlx/compute"

func xlaKind(compute.Backend) (cpu, cuda bool) { return false, false }

//go:build !purego

package maxima

import "golang.org/x/sys/cpu"

// using is the fastest kernel of this processor.
var using = detect(cpu.X86.HasAVX512F && cpu.X86.HasAVX512VNNI, cpu.X86.HasAVX2 && cpu.X86.HasFMA)

func detect(has512, has256 bool) kernel {
	switch {
	case has512:
		return kernel{lanes: 16, block: 8, largest: largest512, quantise: quantise512, screen: screen512,
			candidates: candidates512, exact: exact512}
	case has256:
		return kernel{lanes: 8, block: 4, largest: largest256, quantise: quantise256, screen: screen256,
			candidates: candidates256, exact: exact256}
	}
	return kernel{}
}

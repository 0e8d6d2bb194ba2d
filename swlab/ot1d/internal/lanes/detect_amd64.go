//go:build !purego

package lanes

import "golang.org/x/sys/cpu"

// using64 and using32 are the widest kernels of this processor. narrow32 is a faster one than using32
// for half as many directions, if there is one.
var using64, using32, narrow32 = detect(cpu.X86.HasAVX512F, cpu.X86.HasAVX2 && cpu.X86.HasFMA, vendor() == intel)

// intel are the first letters of GenuineIntel. Intel's processors issue two 512-bit minima of float32 in the
// time of one of integers, Zen 4 issues one float32 minimum in the time of two of integers.
const intel = 'G' | 'e'<<8 | 'n'<<16 | 'u'<<24

// detect chooses kernels. With floats, AVX-512 compares keys of 32 bits as float32.
func detect(has512, has256, floats bool) (keys64, keys32, half32 kernel) {
	wide32 := avx512x32
	if floats {
		wide32 = avx512f32
	}
	switch {
	case has512 && has256:
		return avx512x64, wide32, avx2x32
	case has512:
		return avx512x64, wide32, kernel{}
	case has256:
		return avx2x64, avx2x32, kernel{}
	}
	return kernel{}, kernel{}, kernel{}
}

const (
	lastFloat = 0x7FEF_FFFF_FFFF_FFFF // the largest float64
	last32    = Last<<32 | Last
)

var (
	avx512x64 = kernel{
		lanes: 8, words: 8, rows: 32, last: lastFloat,
		base: base512x64, merge: merge32of512x64, mergeFar: merge16of512x64, clean: clean32of512x64, cleanFar: clean8of512x64,
		tail:  [6]func(*uint64, int){1: tail1of512x64, 2: tail2of512x64, 3: tail3of512x64, 4: tail4of512x64, 5: tail5of512x64},
		pairs: pairs512x64, mirror: mirror512x64, project: project512x64, cost1: cost1of512x64, cost2: cost2of512x64,
	}
	avx512x32 = kernel{
		lanes: 16, words: 8, rows: 32, last: last32,
		base: base512x32, merge: merge32of512x32, mergeFar: merge16of512x32, clean: clean32of512x32, cleanFar: clean8of512x32,
		tail:  [6]func(*uint64, int){1: tail1of512x32, 2: tail2of512x32, 3: tail3of512x32, 4: tail4of512x32, 5: tail5of512x32},
		pairs: pairs512x32, mirror: mirror512x32, project: project512x32, cost1: cost1of512x32, cost2: cost2of512x32,
	}
	avx512f32 = kernel{
		lanes: 16, words: 8, rows: 32, last: last32,
		base: base512f32, merge: merge32of512f32, mergeFar: merge16of512f32, clean: clean32of512f32, cleanFar: clean8of512f32,
		tail:  [6]func(*uint64, int){1: tail1of512f32, 2: tail2of512f32, 3: tail3of512f32, 4: tail4of512f32, 5: tail5of512f32},
		pairs: pairs512f32, mirror: mirror512f32, project: project512x32, cost1: cost1of512x32, cost2: cost2of512x32,
	}
	avx2x64 = kernel{
		lanes: 4, words: 4, rows: 16, last: lastFloat,
		base: base256x64, merge: merge16of256x64, mergeFar: merge8of256x64, clean: clean16of256x64, cleanFar: clean8of256x64,
		tail:  [6]func(*uint64, int){1: tail1of256x64, 2: tail2of256x64, 3: tail3of256x64, 4: tail4of256x64},
		pairs: pairs256x64, mirror: mirror256x64, project: project256x64, cost1: cost1of256x64, cost2: cost2of256x64,
	}
	avx2x32 = kernel{
		lanes: 8, words: 4, rows: 16, last: last32,
		base: base256x32, merge: merge16of256x32, mergeFar: merge8of256x32, clean: clean16of256x32, cleanFar: clean8of256x32,
		tail:  [6]func(*uint64, int){1: tail1of256x32, 2: tail2of256x32, 3: tail3of256x32, 4: tail4of256x32},
		pairs: pairs256x32, mirror: mirror256x32, project: project256x32, cost1: cost1of256x32, cost2: cost2of256x32,
	}
)

//go:build !goexperiment.simd || !amd64

package ot1d

// simdMissing returns why HostConfig.SIMD is unavailable.
func simdMissing() string {
	return "this program was built without it: GOEXPERIMENT=simd go build, for amd64"
}

type simdScratch struct{}

func newSIMDScratch(int) *simdScratch { panic("ot1d: built without SIMD") }

func (*simdScratch) costs(_, _ [][]float32, _ [simdLanes][]float32, _ float64, _ *[simdLanes]float64) {
}

package vmfviz

import (
	"fmt"
	"math"

	"gonum.org/v1/gonum/stat"
)

// withError writes value ± error, the error with two digits.
func withError(v, e float64) string {
	if !(e > 0) {
		return short(v, 4)
	}
	if big := math.Max(math.Abs(v), e); big >= 1e5 || big < 1e-3 {
		return short(v, 4) + " ± " + short(e, 2)
	}
	dec := max(0, 1-int(math.Floor(math.Log10(e))))
	return minus(fmt.Sprintf("%.*f ± %.*f", dec, v, dec, e))
}

// meanStdErr returns the mean and s/√n, 0 for a single value.
func meanStdErr(v []float64) (mean, stderr float64) {
	mean, sd := stat.MeanStdDev(v, nil)
	if len(v) < 2 {
		return mean, 0
	}
	return mean, stat.StdErr(sd, float64(len(v)))
}

// histogram counts values in equal bins of [lo, hi].
func histogram(v []float64, lo, hi float64, bins int) []int {
	count := make([]int, bins)
	for _, x := range v {
		i := int(float64(bins) * (x - lo) / (hi - lo))
		count[min(max(i, 0), bins-1)]++
	}
	return count
}

func maxInt(v []int) int {
	m := 1
	for _, x := range v {
		m = max(m, x)
	}
	return m
}

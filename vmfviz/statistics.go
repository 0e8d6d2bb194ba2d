package vmfviz

import (
	"fmt"
	"math"
	"strings"

	"gonum.org/v1/gonum/stat"
	"gonum.org/v1/plot/plotter"
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
	return strings.ReplaceAll(fmt.Sprintf("%.*f ± %.*f", dec, v, dec, e), "-", "−")
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
func histogram(v []float64, lo, hi float64, n int) []plotter.HistogramBin {
	bins := make([]plotter.HistogramBin, n)
	for i := range bins {
		bins[i].Min, bins[i].Max = lo+(hi-lo)*float64(i)/float64(n), lo+(hi-lo)*float64(i+1)/float64(n)
	}
	for _, x := range v {
		i := int(float64(n) * (x - lo) / (hi - lo))
		bins[min(max(i, 0), n-1)].Weight++
	}
	return bins
}

// tallest returns the largest number of values in a bin.
func tallest(bins ...[]plotter.HistogramBin) (top float64) {
	for _, b := range bins {
		for _, bin := range b {
			top = math.Max(top, bin.Weight)
		}
	}
	return top
}

// Package timing is what the benchmark's programs share: how they repeat a call and what they
// print.
package timing

import (
	"encoding/json"
	"io"
	"os"
	"runtime"
	"slices"
	"strconv"
	"time"
)

// Result is what every program prints, in Go or Python, as one line of JSON.
type Result struct {
	Program   string `json:"program"`
	Version   string `json:"version"`
	Threads   int    `json:"threads"`
	HugePages bool   `json:"huge_pages"`
	// Seconds of every timed call, per unit of the case.
	Seconds []float64 `json:"seconds"`
	// FirstStep is the seconds from the start of the program to the end of its first step.
	FirstStep float64 `json:"first_step,omitempty"`
	// Compile is the seconds by which the first step exceeds the median of those timed.
	Compile float64 `json:"compile,omitempty"`
	Peak    float64 `json:"peak_mb"` // largest resident memory
	// Above is the memory of the work alone, where a program measures it (Watch).
	Above float64 `json:"above_mb,omitempty"`
	// Value is the computed value, where programs can be compared by it.
	Value float64 `json:"value,omitempty"`
	Error float64 `json:"relative_error,omitempty"`
}

// Print fills in what all Go programs share and writes the line.
func (r Result) Print(w io.Writer) error {
	r.Program, r.Threads, r.HugePages, r.Peak = "swlab", runtime.GOMAXPROCS(0), os.Getenv("GLIBC_TUNABLES") != "", max(r.Peak, Peak())
	return json.NewEncoder(w).Encode(r)
}

// most is the largest number of calls that are timed.
const most = 1000

// Repeat calls f for that many seconds, at least three times (two if the first call took all the
// time) and at most 1000 times. It returns the seconds of every call, or the first error.
func Repeat(seconds float64, f func() error) ([]float64, error) {
	var out []float64
	for sum := 0.0; len(out) < most && sum < seconds || len(out) < 3 && !(len(out) == 2 && out[0] > seconds); {
		began := time.Now()
		if err := f(); err != nil {
			return nil, err
		}
		out = append(out, time.Since(began).Seconds())
		sum += out[len(out)-1]
	}
	return out, nil
}

// Each divides all numbers by n, to turn seconds per call into seconds per item.
func Each(seconds []float64, n float64) []float64 {
	out := slices.Clone(seconds)
	for i := range out {
		out[i] /= n
	}
	return out
}

// Together returns the means of n consecutive calls; a rest of fewer is left out. It compares cheap
// and expensive calls by samples of equal work, because the minimum of many short calls is biased
// low.
func Together(seconds []float64, n int) []float64 {
	var out []float64
	for some := range slices.Chunk(seconds, n) {
		if len(some) < n {
			break
		}
		sum := 0.0
		for _, s := range some {
			sum += s
		}
		out = append(out, sum/float64(n))
	}
	return out
}

// Median returns the median without reordering v.
func Median(v []float64) float64 {
	v = slices.Sorted(slices.Values(v))
	return (v[(len(v)-1)/2] + v[len(v)/2]) / 2
}

// Began returns when the driver started this program, by BENCH_BEGAN in seconds since 1970; without
// it, now.
func Began() time.Time {
	s, err := strconv.ParseFloat(os.Getenv("BENCH_BEGAN"), 64)
	if err != nil {
		return time.Now()
	}
	return time.UnixMicro(int64(1e6 * s))
}

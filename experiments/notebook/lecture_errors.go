package notebook

import (
	"fmt"
	"math"

	"gonum.org/v1/gonum/stat"

	"github.com/sliced-wasserstein/lab/datasets"
	"github.com/sliced-wasserstein/lab/swlab"
)

// SliceError is how far a distance with so many slices lies from the one with all directions.
type SliceError struct {
	Slices  int
	RMS     float64 // root mean square of (value - truth) over the repeats
	Claimed float64 // root mean square of the standard errors that the values came with; NaN where they have none
	Covered float64 // share of the repeats with |value - truth| at most two of its standard errors
}

// SliceErrors computes the sliced distance of that name between x and y, one cloud each, `repeats` times with fresh directions for every
// number of slices, and compares it with truth. o.Slices is not read; o.Seed is that of the directions.
func SliceErrors(name string, x, y *datasets.Set, o swlab.DistanceOptions, truth float64, slices []int, repeats int) ([]SliceError, error) {
	if err := onePair("slice errors", x, y); err != nil {
		return nil, err
	}
	if repeats < 2 {
		return nil, fmt.Errorf("slice errors: expected at least 2 repeats, found %d", repeats)
	}
	rows := make([]int, repeats) // every pair of a batch has directions of its own
	many, others := x.Select(rows), y.Select(rows)
	var out []SliceError
	for _, l := range slices {
		o.Slices = l
		d, err := swlab.Distance(name, many, others, o)
		if err != nil {
			return nil, err
		}
		e := SliceError{Slices: l}
		for b, v := range d.PerPair {
			off, claimed := v-truth, d.PairErrs[b]
			e.RMS += off * off / float64(repeats)
			e.Claimed += claimed * claimed / float64(repeats)
			if math.Abs(off) <= 2*claimed {
				e.Covered += 1 / float64(repeats)
			}
		}
		e.RMS, e.Claimed = math.Sqrt(e.RMS), math.Sqrt(e.Claimed)
		out = append(out, e)
	}
	return out, nil
}

// Order is the exponent r of the power law RMS = c L^r, fitted by least squares to the logarithms.
func Order(errors []SliceError) float64 {
	var x, y []float64
	for _, e := range errors {
		x, y = append(x, math.Log(float64(e.Slices))), append(y, math.Log(e.RMS))
	}
	_, r := stat.LinearRegression(x, y, nil, false)
	return r
}

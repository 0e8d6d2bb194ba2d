package swlab

import (
	"fmt"
	"math"

	"gonum.org/v1/gonum/stat/distuv"

	"github.com/sliced-wasserstein/lab/swlab/loss"
	"github.com/sliced-wasserstein/lab/swlab/slicing"
)

// uncertainty returns the standard errors of every pair and of Value, and half of the confidence
// interval, from the shares [B, L] of the slices (loss.Estimate). A pair's value is the mean of its
// first n shares s_l. With g independent blocks of slices of sizes n_j and means m_j (one slice
// each unless the distribution draws several together) and k fitted coefficients,
//
//	SE^2 = c sum_j (n_j/n)^2 (m_j - mean)^2,   c = (g-1)/(g-1-k) / (1 - sum_j (n_j/n)^2)
//
// which is s^2/n for independent slices, and c = g/(g-1-k) for blocks of one size; a cut last block
// counts as if its slices were independent. The delta method carries it through the root, unless
// the value is not positive. The pairs' errors are independent, SE(Value) = sqrt(sum_b SE_b^2)/B,
// unless the pairs share the directions: then SE(Value) is that of the blocks' means over the
// pairs. The interval is Value +- t SE, with t the 97.5 % point of Student's distribution with
// g-1-k degrees of freedom or, if each pair has its own directions, those of Welch and
// Satterthwaite,
//
//	(g-1-k) (sum_b SE_b^2)^2 / sum_b SE_b^4
//
// One slice of clouds of one dimension is exact. The interval includes neither the spread over
// random starts of an ascent nor the bias of an adaptive number of slices.
func (p problem) uncertainty(l loss.Sliced, e estimate) (pairErrs []float64, stdErr, half float64) {
	perPair := len(e.shares) / len(e.pairs)
	if l.OneDirection(p.x.Dim) && perPair == 1 {
		return make([]float64, len(e.pairs)), 0, 0
	}
	block, shared := 1, false
	if p.Directions == nil {
		block = slicing.BlockSize(l.Slicer.Distribution, perPair, p.width)
		_, shared = l.Slicer.Distribution.(slicing.Shared)
	} else {
		shared = len(p.Directions.Shape) == 2
	}
	n := float64(len(e.pairs))
	blocks := (e.used + block - 1) / block
	spare := blocks - 1 - l.DegreesOfFreedom(p.x.Dim)
	scale := inflation(e.used, block, spare)
	// what each block adds to the deviation of the mean over the pairs
	common := make([]float64, blocks)
	squares, fourths := 0.0, 0.0
	pairErrs = make([]float64, len(e.pairs))
	for b, v := range e.pairs {
		own := deviations(e.shares[b*perPair:b*perPair+e.used], block)
		slope := 1.0
		if p := l.Exponent(); l.Root {
			unit := 1.0
			if e.units != nil {
				unit = e.units[b]
			}
			if slope = unit / (p * math.Pow(v/unit, p-1)); math.IsInf(slope, 0) {
				slope = math.NaN()
			}
		}
		square := 0.0
		for i, v := range own {
			if v == 0 {
				continue // even without a slope
			}
			square += slope * slope * v * v
			common[i] += slope * v / n
		}
		square *= scale
		pairErrs[b] = math.Sqrt(square)
		squares, fourths = squares+square, fourths+square*square
	}
	stdErr = math.Sqrt(squares) / n
	freedom := float64(spare)
	switch {
	case shared:
		square := 0.0
		for _, v := range common {
			square += v * v
		}
		stdErr = math.Sqrt(square * scale)
	case fourths > 0:
		freedom *= squares * squares / fourths
	}
	if spare < 1 {
		return pairErrs, stdErr, math.NaN()
	}
	return pairErrs, stdErr, stdErr * distuv.StudentsT{Mu: 0, Sigma: 1, Nu: freedom}.Quantile(0.975)
}

// slicing names the slicing distribution of a call, and says what its error covers.
func (p problem) slicing(l loss.Sliced) (name, covers string) {
	if p.Directions != nil {
		return "given", "directions"
	}
	if a, is := l.Slicer.Distribution.(slicing.Auto); is {
		return fmt.Sprintf("%s: %s", a.Name(), a.Choice(p.x.Dim)), "directions, at most: the spread of the slices"
	}
	return l.Slicer.Distribution.Name(), "directions"
}

// deviations are (n_j/n)(m_j - mean) of the blocks.
func deviations(shares []float64, block int) []float64 {
	mean := mean(shares)
	out := make([]float64, (len(shares)+block-1)/block)
	for i, s := range shares {
		out[i/block] += (s - mean) / float64(len(shares))
	}
	return out
}

// inflation is c of uncertainty for slices in blocks, the last one cut; NaN if no degree of freedom
// is left.
func inflation(slices, block, spare int) float64 {
	if spare < 1 {
		return math.NaN()
	}
	n, size := float64(slices), float64(block)
	whole := float64(slices / block)
	rest := n - whole*size
	blocks := math.Ceil(n / size)
	return (blocks - 1) / float64(spare) / (1 - (whole*size*size+rest*rest)/(n*n))
}

// SlicesNeeded returns how many slices per pair give a standard error of at most relative times
// Value, judged from the spread in d. The error falls with the root of the number of slices (faster
// for quasi-Monte-Carlo, where this is an upper bound). d needs a standard error and a positive
// value.
func (d *Result) SlicesNeeded(relative float64) (int, error) {
	switch {
	case !(relative > 0) || math.IsInf(relative, 0):
		return 0, fmt.Errorf("relative error: expected a positive number, found %v", relative)
	case d.Costs == nil || d.DualityGap != nil: // the maximum of all directions depends on no slices
		return 0, fmt.Errorf("%s has no slices", d.Loss)
	case math.IsNaN(d.StdErr):
		return 0, fmt.Errorf("%s with %d slices has no standard error to judge from: take more slices", d.Loss, d.Slices)
	case !(d.Value > 0):
		return 0, fmt.Errorf("the value is %v: no number of slices makes its error relative to it", d.Value)
	}
	ratio := d.StdErr / (relative * d.Value)
	need := math.Ceil(float64(d.Slices) * ratio * ratio)
	if need > math.MaxInt32 {
		return 0, fmt.Errorf("more than %d slices would be needed", math.MaxInt32)
	}
	return max(1, int(need)), nil
}

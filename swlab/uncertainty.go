package swlab

import (
	"fmt"
	"math"

	"gonum.org/v1/gonum/stat/distuv"

	"github.com/sliced-wasserstein/lab/swlab/slicing"
)

// uncertainty fills in the standard errors and the confidence interval from the shares [B, L] of the slices (loss.Reduced): a pair's value
// is the mean of its first n shares s_l, and with g independent blocks of slices (of one slice each, unless the law draws several
// together) of sizes n_b and means m_b, k fitted coefficients,
//
//	SE^2 = g/(g-1-k) sum_b (n_b/n)^2 (m_b - mean)^2,   which is s^2/n for independent slices
//
// carried through the root by the delta method. The pairs' errors are independent, SE(Value) = sqrt(sum_b SE_b^2)/B, unless the
// directions are common to them: then it is that of the blocks' means over the pairs. The interval is Value +- t SE, with t the 97.5 % point of
// Student's law with as many degrees of freedom as there are spare blocks. None of it holds the spread over the random starts of an
// ascent, or the bias of an adaptive number of slices.
func (c *slicedCall) uncertainty(shares []float64) {
	d, l := c.d, c.perPair()
	block, shared := 1, false
	if c.o.Directions == nil {
		block = slicing.BlockOf(c.Rule.Law, l, c.x.D)
	} else {
		shared = len(c.o.Directions.Shape) == 2
	}
	used := d.Slices
	blocks := (used + block - 1) / block
	spare := blocks - 1 - c.Fitted(c.x.D)
	common := make([]float64, blocks) // what a block adds to the deviation of the mean over the pairs
	total := 0.0
	d.PairErrs = make([]float64, len(d.PerPair))
	for b, value := range d.PerPair {
		own := deviations(shares[b*l:b*l+used], block)
		slope := 1.0
		if p := c.Exponent(); c.Root && value > 0 {
			slope = 1 / (p * math.Pow(value, p-1))
		}
		square := 0.0
		for i, v := range own {
			square += slope * slope * v * v
			common[i] += slope * v / float64(len(d.PerPair))
		}
		d.PairErrs[b] = math.Sqrt(square * inflation(blocks, spare))
		total += d.PairErrs[b] * d.PairErrs[b]
	}
	n := float64(len(d.PerPair))
	d.StdErr = math.Sqrt(total) / n
	freedom := float64(spare) * n
	if shared {
		square := 0.0
		for _, v := range common {
			square += v * v
		}
		d.StdErr, freedom = math.Sqrt(square*inflation(blocks, spare)), float64(spare)
	}
	d.Low, d.High = math.NaN(), math.NaN()
	if spare > 0 {
		value := 0.0
		for _, v := range d.PerPair {
			value += v / n
		}
		half := d.StdErr * distuv.StudentsT{Mu: 0, Sigma: 1, Nu: freedom}.Quantile(0.975)
		d.Low, d.High = value-half, value+half
	}
}

// deviations are (n_b/n)(m_b - mean) of the blocks.
func deviations(shares []float64, block int) []float64 {
	mean := 0.0
	for _, s := range shares {
		mean += s / float64(len(shares))
	}
	out := make([]float64, (len(shares)+block-1)/block)
	for i, s := range shares {
		out[i/block] += (s - mean) / float64(len(shares))
	}
	return out
}

// inflation is g/(g-1-k); NaN where nothing is left to tell the error from.
func inflation(blocks, spare int) float64 {
	if spare < 1 {
		return math.NaN()
	}
	return float64(blocks) / float64(spare)
}

// SlicesNeeded says how many slices per pair give a standard error of Value of at most relative times Value, judged from the spread in d: the error
// falls with the root of the number of slices (faster for quasi-Monte-Carlo, for which this is an upper bound). It needs a d with a standard error and a positive
// value.
func (d *Distances) SlicesNeeded(relative float64) (int, error) {
	switch {
	case !(relative > 0) || math.IsInf(relative, 0):
		return 0, fmt.Errorf("relative error: expected a positive number, found %v", relative)
	case d.Costs == nil:
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

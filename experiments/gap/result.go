package gap

import (
	"math"

	"github.com/sliced-wasserstein/lab/experiments"
)

// SampleMean is a mean over pairs of means over slices. StdErr includes the variation between pairs
// and between slices, SliceErr only that between slices. So SliceErr is how much two equally good
// methods may differ on the same pairs.
type SampleMean struct {
	Mean     float64 `json:"mean"`
	StdErr   float64 `json:"stderr"`
	SliceErr float64 `json:"slice_stderr"`
}

// sampled combines the pairs' means and their squared standard errors.
func sampled(means, squares []float64) SampleMean {
	m, sum := experiments.NewScore(means), 0.0
	for _, v := range squares {
		sum += v
	}
	return SampleMean{m.Mean, m.StdErr, math.Sqrt(sum) / float64(len(means))}
}

// Result is one row of the study.
type Result struct {
	ID     string `json:"id"` // Config.ID
	Config Config `json:"config"`
	Data   string `json:"data"` // name of the set
	Points int    `json:"points"`
	// Backend runs an amortizer's map; the rest is plain Go.
	Backend    string        `json:"backend"`
	Parameters int           `json:"parameters"` // weights of an amortizer
	Paper      PaperProtocol `json:"paper"`
	Training   VersusOptimum `json:"training"`
	HeldOut    VersusOptimum `json:"held_out"`
	// Times of finding locations: on the pure-Go backend, and on e if that is another.
	Times []LocateTime `json:"times,omitempty"`
}

// PaperProtocol is the paper's measurement: training pairs, Slices fresh samples each from the
// released sampler, F summed over the points, no root. Seconds are for all training pairs on this
// machine, after a first call that compiles the graphs.
type PaperProtocol struct {
	Distance SampleMean `json:"distance"`
	// SearchSeconds is the time of the ascent (of Converged without the expansion) or of training;
	// 0 for a random location.
	SearchSeconds float64 `json:"search_seconds"`
	// PredictSeconds is the time of an amortizer's forward passes after training.
	PredictSeconds  float64 `json:"predict_seconds"`
	EvaluateSeconds float64 `json:"evaluate_seconds"` // sampling and costing the slices
}

// VersusOptimum compares the locations found for some pairs with the best ones. All values are
// means over the pairs, and their standard errors include the variation between pairs. To compare
// two methods use the differences of PerPair.
type VersusOptimum struct {
	Pairs int `json:"pairs"`
	// J from Common slices, with the same noise for all methods
	MonteCarlo  SampleMean        `json:"value_mc"`
	Exact       experiments.Score `json:"value_exact"` // J
	Optimum     experiments.Score `json:"optimum"`     // max J
	Uniform     experiments.Score `json:"uniform"`     // J of a uniform location: SW
	Gap         experiments.Score `json:"gap"`         // max J - J
	RelativeGap experiments.Score `json:"gap_of_optimum"`
	// (max J - J) / (max J - SW): 0 at the best location, 1 for a random one on average
	NormalizedGap experiments.Score `json:"gap_of_range"`
	// AngleToOptimum is the angle to the best location or its antipode, whichever is nearer.
	AngleToOptimum experiments.Score  `json:"off_degrees"`
	AscentAngle    *experiments.Score `json:"turn_degrees,omitempty"`
	// FractionConverged is the share of pairs whose gap is below 1e-4 of its range.
	FractionConverged float64 `json:"reached"`
	// Quadrature and Tail bound the error of J over all pairs and locations, relative to SW: the
	// change from half the resolution, and the most that the degrees left out can hold.
	Quadrature float64   `json:"quadrature_error"`
	Tail       float64   `json:"tail_bound"`
	PerPair    []float64 `json:"per_pair"` // J of every pair, in the order of the study
}

// axial returns the angle between lines.
func axial(a, b [3]float64) float64 {
	angle := experiments.Angle(a[:], b[:])
	return math.Min(angle, 180-angle)
}

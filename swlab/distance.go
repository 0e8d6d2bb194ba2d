// Package swlab is the front door: sliced Wasserstein distances between point clouds in plain Go values, with no graph in
// sight. The packages below it hold the pieces; see docs/architecture.md.
//
//	x, _ := datasets.Load("x.npy", datasets.Options{Raw: true})
//	y, _ := datasets.Load("y.npy", datasets.Options{Raw: true})
//	d, err := swlab.Distance("sw", x, y, swlab.DistanceOptions{Settings: loss.Defaults(), Seed: 1})
//	fmt.Printf("%.4f +- %.4f (%s)\n", d.Value, d.StdErr, d.Convention)
package swlab

import (
	"fmt"
	"math"
	"time"

	"github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/core/tensors"

	"github.com/sliced-wasserstein/lab/datasets"
	"github.com/sliced-wasserstein/lab/swlab/engine"
	"github.com/sliced-wasserstein/lab/swlab/loss"
	"github.com/sliced-wasserstein/lab/swlab/ot1d"
	"github.com/sliced-wasserstein/lab/swlab/slicing"
)

// DistanceOptions of Distance.
type DistanceOptions struct {
	loss.Settings                // slices, kappa, p, per point, root, ascent; loss.Defaults() are the paper's
	Seed          uint64         // of the directions
	Directions    *Directions    // used as given in place of the loss's own; sliced losses only
	Gradient      bool           // also compute the gradient with respect to y
	Engine        *engine.Engine // nil: the best backend found
}

// Directions are unit vectors, [L, d] for all pairs or [B, L, d].
type Directions struct {
	Values []float32
	Shape  []int
}

// Distances is the result of Distance.
type Distances struct {
	Loss       string    // the loss's name in tables
	Convention string    // what the number is: summed or averaged, rooted or not
	Value      float64   // mean over the pairs
	StdErr     float64   // Monte-Carlo standard error of Value over slices; 0 for a loss without random slices, NaN for one slice
	PerPair    []float64 // [B]
	Slices     int       // L, 0 for a loss without slices
	Costs      []float32 // [B, L] cost of every slice before the mean and the root, or nil
	Directions []float32 // [B, L, d], or nil
	Gradient   []float32 // [B, m, d] dValue/dy, if asked for
	Seconds    float64   // compilation included
}

// Distance compares the pairs (x_b, y_b) of two sets of clouds, [B, m, d] each, by the loss of that name (loss.Names).
// The clouds are taken as they are: neither centred nor scaled.
//
// The standard error comes from the spread of the slices' costs: with s_b^2 their sample variance for pair b,
// SE_b = s_b/sqrt(L), carried through the root by the delta method, and SE = sqrt(sum_b SE_b^2)/B. Directions given as
// [L, d] are common to the pairs, whose errors then go together: SE is that of the L means over the pairs. It does not
// hold the spread over the random starts of an ascent.
func Distance(name string, x, y *datasets.Set, o DistanceOptions) (*Distances, error) {
	began := time.Now()
	l, err := prepare(name, x, y, o)
	if err != nil {
		return nil, err
	}
	e := o.Engine
	if e == nil {
		if e, err = engine.Open(""); err != nil {
			return nil, err
		}
	}
	in := []any{tensors.FromFlatDataAndDimensions(x.Points, x.N, x.M, x.D), tensors.FromFlatDataAndDimensions(y.Points, y.N, y.M, y.D)}
	defer func() { // Go's collector does not see what lies on the device
		for _, t := range in {
			t.(*tensors.Tensor).FinalizeAll()
		}
	}()
	rng, err := graph.RNGStateFromSeed(int64(o.Seed))
	if err != nil {
		return nil, err
	}
	in = append(in, rng)
	sliced, isSliced := l.(loss.Sliced)
	ascent := isSliced && sliced.Rule.Ascent != nil
	switch {
	case o.Directions != nil:
		in = append(in, tensors.FromFlatDataAndDimensions(o.Directions.Values, o.Directions.Shape...))
	case ascent:
		climber, err := slicing.NewClimber(e.Backend, *sliced.Rule.Ascent, sliced.Objective(ot1d.Auto))
		if err != nil {
			return nil, err
		}
		defer climber.Close()
		// A seed of its own: from o.Seed the start would be made of the very numbers that the slices are drawn from.
		location, err := climber.Climb(int64(o.Seed^0x9e3779b97f4a7c15), in[0].(*tensors.Tensor), in[1].(*tensors.Tensor))
		if err != nil {
			return nil, err
		}
		in = append(in, location)
	}
	exec, err := graph.NewExec(e.Backend, func(in []*graph.Node) []*graph.Node {
		call := loss.Call{Source: slicing.Seeded(in[2])}
		l := l
		switch {
		case o.Directions != nil:
			s := l.(loss.Sliced)
			s.Rule = slicing.Rule{Law: slicing.Fixed{Directions: in[3]}}
			l = s
		case ascent:
			call.Location = in[3]
		}
		if o.Gradient {
			call.Wrt = ot1d.Y
		}
		r := l.Build(call, in[0], in[1])
		out := []*graph.Node{r.Pairs}
		if isSliced {
			out = append(out, r.Slices, r.Directions)
		}
		if o.Gradient {
			out = append(out, graph.Gradient(graph.ReduceAllMean(r.Pairs), in[1])[0])
		}
		return out
	})
	if err != nil {
		return nil, err
	}
	defer exec.Finalize()
	out, err := exec.Call(in...)
	if err != nil {
		return nil, err
	}
	values := make([][]float32, len(out))
	for i, t := range out {
		values[i], err = tensors.CopyFlatData[float32](t)
		t.FinalizeAll()
		if err != nil {
			return nil, err
		}
	}
	d := &Distances{Loss: l.Name(), Convention: l.Convention()}
	for _, v := range values[0] {
		d.PerPair = append(d.PerPair, float64(v))
		d.Value += float64(v) / float64(len(values[0]))
	}
	if math.IsNaN(d.Value) || math.IsInf(d.Value, 0) {
		return nil, fmt.Errorf("the value is %v: the costs between %s and %s do not fit into float32; scale the clouds or lower p", d.Value, x.Name, y.Name)
	}
	if isSliced {
		d.Costs, d.Directions = values[1], values[2]
		d.Slices = len(d.Costs) / x.N
		shared := o.Directions != nil && len(o.Directions.Shape) == 2
		d.StdErr = standardError(d.Costs, d.PerPair, sliced, shared)
	}
	if o.Gradient {
		d.Gradient = values[len(values)-1]
	}
	d.Seconds = time.Since(began).Seconds()
	return d, nil
}

// CheckDistance returns what is wrong with a call of Distance, before any work.
func CheckDistance(name string, x, y *datasets.Set, o DistanceOptions) error {
	_, err := prepare(name, x, y, o)
	return err
}

// prepare checks the call and returns its loss.
func prepare(name string, x, y *datasets.Set, o DistanceOptions) (loss.Loss, error) {
	l, err := loss.New(name, o.Settings)
	if err != nil {
		return nil, err
	}
	_, chamfer := l.(loss.Chamfer)
	switch {
	case x.N != y.N:
		return nil, fmt.Errorf("expected as many clouds in x as in y, found %d in %s and %d in %s", x.N, x.Name, y.N, y.Name)
	case x.D != y.D:
		return nil, fmt.Errorf("expected clouds of one dimension, found %d in %s and %d in %s", x.D, x.Name, y.D, y.Name)
	case x.M != y.M && !chamfer:
		return nil, fmt.Errorf("loss %q takes clouds of equally many points, found %d in %s and %d in %s", name, x.M, x.Name, y.M, y.Name)
	}
	if d := o.Directions; d != nil {
		if _, ok := l.(loss.Sliced); !ok {
			return nil, fmt.Errorf("directions: loss %q takes none", name)
		}
		n := len(d.Shape)
		if n < 2 || n > 3 || d.Shape[n-1] != x.D || (n == 3 && d.Shape[0] != x.N) || d.Shape[n-2] < 1 {
			return nil, fmt.Errorf("directions: expected shape [L, %d] or [%d, L, %d], found %v", x.D, x.N, x.D, d.Shape)
		}
		for i, v := range d.Values {
			if v := float64(v); math.IsNaN(v) || math.IsInf(v, 0) {
				return nil, fmt.Errorf("directions: value %v in direction %d, expected finite numbers", v, i/x.D)
			}
		}
		return l, nil
	}
	return l, l.Fits(x.M, x.D)
}

// standardError is the standard error of the mean of pairs, from costs [B, L] of slices that are the pairs' own or shared.
func standardError(costs []float32, pairs []float64, s loss.Sliced, shared bool) float64 {
	n := len(costs) / len(pairs)
	share := make([]float64, n) // what slice l contributes to the mean over the pairs
	independent := 0.0
	for b, value := range pairs {
		slope := 1 / float64(len(pairs))
		if p := s.Exponent(); s.Root && value > 0 {
			slope /= p * math.Pow(value, p-1)
		}
		own := make([]float64, n)
		for l, c := range costs[b*n : (b+1)*n] {
			own[l] = slope * float64(c)
			share[l] += own[l]
		}
		independent += errorOfMean(own)
	}
	if shared {
		return math.Sqrt(errorOfMean(share))
	}
	return math.Sqrt(independent)
}

// errorOfMean is the squared standard error of the mean of v; NaN for one value, whose error cannot be told.
func errorOfMean(v []float64) float64 {
	n := float64(len(v))
	mean, square := 0.0, 0.0
	for _, x := range v {
		mean += x / n
	}
	for _, x := range v {
		square += (x - mean) * (x - mean)
	}
	return square / (n - 1) / n
}

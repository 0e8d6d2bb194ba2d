// Package align moves clouds by sliced matching: along each direction, the sorted projections of a cloud
// are matched with those of a target, and the points move by what the directions ask for together. Three
// things follow: the cloud in the middle of many ([Barycenter]), a picture in the colours of another
// ([Colors]), and the rigid motion between two clouds with outliers ([Register]).
package align

import (
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/gonum/mat"

	"github.com/sliced-wasserstein/lab/datasets"
	"github.com/sliced-wasserstein/lab/swlab"
	"github.com/sliced-wasserstein/lab/swlab/internal/vec"
	"github.com/sliced-wasserstein/lab/swlab/loss"
	"github.com/sliced-wasserstein/lab/swlab/ot1d"
	"github.com/sliced-wasserstein/lab/swlab/slicing"
)

// flow moves one cloud down the mean of a sliced loss to others.
type flow struct {
	targets *datasets.Set // [N, m, d]
	name    string        // of the loss
	slicing slicing.Distribution
	o       swlab.DistanceConfig
}

// newFlow returns the flow of a loss to the targets, as a mean over points.
func newFlow(targets *datasets.Set, name string, c loss.Config, seed uint64) (*flow, error) {
	if c.Cost == ot1d.Wasserstein {
		c.Reduce = loss.Mean
	}
	l, err := loss.New(name, c)
	if err != nil {
		return nil, err
	}
	s, ok := l.(loss.Sliced)
	if !ok {
		return nil, fmt.Errorf("loss: expected a sliced one, found %q", name)
	}
	if s.Cost == ot1d.Sphere {
		return nil, fmt.Errorf("loss: %q compares unit vectors, expected a loss of points that are free to move", name)
	}
	o := swlab.DistanceConfig{Config: c, Seed: seed, Path: swlab.HostPath}
	return &flow{targets: targets, name: name, slicing: s.Slicer.Distribution, o: o}, nil
}

// draw draws the directions of the next step, which all targets share, unless each has a single one. Those
// that depend on the clouds are drawn for every target, and the targets take turns to give one.
func (f *flow) draw(cloud []float64) error {
	f.o.Seed, f.o.Directions = f.o.Seed+1, nil
	dim := f.targets.Dim
	if _, single := f.slicing.(slicing.Single); single || dim == 1 {
		return nil
	}
	x, err := datasets.New(make([]float32, dim), 1, dim)
	y := x
	if _, ofClouds := f.slicing.(slicing.CloudDependent); ofClouds || f.slicing.HasLocation() {
		x = f.targets
		y, err = f.partners(cloud)
	}
	if err != nil {
		return err
	}
	d, err := swlab.Distance(f.name, x, y, f.o)
	if err != nil {
		return err
	}
	var values []float32
	each := len(d.Costs) / x.Clouds
	for i := range max(each, x.Clouds) {
		at := (i%x.Clouds*each + i/x.Clouds) * dim
		values = append(values, d.Directions[at:at+dim]...)
	}
	f.o.Directions = &swlab.Directions{Values: values, Shape: []int{len(values) / dim, dim}}
	return nil
}

// partners are a cloud [n, d], once for every target.
func (f *flow) partners(cloud []float64) (*datasets.Set, error) {
	n := f.targets.Clouds
	return datasets.New(slices.Repeat(vec.To[float32](cloud), n), n, len(cloud)/f.targets.Dim, f.targets.Dim)
}

// value is the mean loss of a cloud [n, d] to the targets; the gradient, if asked for, is that in its
// points.
func (f *flow) value(cloud []float64, gradient bool) (*swlab.Result, []float64, error) {
	y, err := f.partners(cloud)
	if err != nil {
		return nil, nil, err
	}
	o := f.o
	o.Gradient = gradient
	d, err := swlab.Distance(f.name, f.targets, y, o)
	if err != nil || !gradient {
		return d, nil, err
	}
	sum := make([]float64, len(cloud))
	for i, g := range d.Gradient {
		sum[i%len(sum)] += float64(g)
	}
	return d, sum, nil
}

// displacement is where a gradient asks the points to go. For p = 2 and the mean over directions theta
// that all targets share, it is the exact minimum with the matching held fixed,
//
//	-A^-1 (n/2) gradient,   A = mean of theta theta'
//
// else a step of about the length of the matching's, without A.
func (f *flow) displacement(d *swlab.Result, gradient []float64) []float64 {
	dim, p := f.targets.Dim, math.Max(1, d.Exponent)
	size := math.Pow(math.Max(d.Value, 1e-300), 1/p)
	factor := -float64(len(gradient)/dim) / (p * math.Max(1, p-1)) * math.Pow(size, 2-p)
	out := slices.Clone(gradient)
	for i := range out {
		out[i] *= factor
	}
	if f.o.Directions == nil {
		return out
	}
	theta := vec.To[float64](d.Directions[:len(d.Directions)/f.targets.Clouds])
	var eigen mat.EigenSym
	var a mat.SymDense
	a.SymOuterK(float64(dim)/float64(len(theta)), mat.NewDense(len(theta)/dim, dim, theta).T())
	if !eigen.Factorize(&a, true) {
		return out
	}
	var q mat.Dense
	eigen.VectorsTo(&q)
	for k, v := range eigen.Values(nil) {
		scale := 0.0 // no direction asks for anything along this axis
		if v > 1e-6 {
			scale = 1 / math.Sqrt(v)
		}
		for i := range dim {
			q.Set(i, k, q.At(i, k)*scale)
		}
	}
	var inverse, moved mat.Dense
	inverse.Mul(&q, q.T())
	moved.Mul(mat.NewDense(len(out)/dim, dim, out), &inverse)
	return moved.RawMatrix().Data
}

// centred are the clouds of a set relative to a point, which is far from 0 in float64 alone.
func centred(s *datasets.Set, centre []float64) (*datasets.Set, error) {
	var all []float64
	for i := range s.Clouds {
		for j, v := range s.Positions(i) {
			all = append(all, v-centre[j%s.Dim])
		}
	}
	out, err := datasets.New(all, s.Clouds, s.Points, s.Dim)
	if err == nil {
		out.Name, out.Rounding = s.Name, 0
		out = out.Rebase(nil)
	}
	return out, err
}

// centroid is the mean of points [n, d].
func centroid(points []float64, dim int) []float64 {
	out := make([]float64, dim)
	for i, v := range points {
		out[i%dim] += v / float64(len(points)/dim)
	}
	return out
}

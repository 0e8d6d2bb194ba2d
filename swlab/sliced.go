package swlab

import (
	"fmt"
	"math"
	"slices"

	"github.com/gomlx/compute/dtypes"
	"github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/core/tensors"

	"github.com/sliced-wasserstein/lab/datasets"
	"github.com/sliced-wasserstein/lab/swlab/engine"
	"github.com/sliced-wasserstein/lab/swlab/internal/vec"
	"github.com/sliced-wasserstein/lab/swlab/loss"
	"github.com/sliced-wasserstein/lab/swlab/ot1d"
	"github.com/sliced-wasserstein/lab/swlab/ot1d/solve"
	"github.com/sliced-wasserstein/lab/swlab/slicing"
	"github.com/sliced-wasserstein/lab/swlab/sphere"
)

// sliced is Distance with a sliced loss.
func (p problem) sliced(l loss.Sliced) (d *Result, err error) {
	if p.Engine, err = p.sortingEngine(l); err != nil {
		return nil, err
	}
	d = &Result{}
	var found []sphere.Maximum
	if p.Certify {
		d.Backend = p.backend()
		found, d.Location, err = p.maximize(l)
	} else {
		err = p.locate(l, d)
	}
	if err != nil {
		return nil, err
	}
	if d.Directions, err = p.draw(l, d.Location); err != nil {
		return nil, err
	}
	d.Work = p.work(l, d.Directions)
	cost := p.costOnHost
	if l.Cost == ot1d.Wasserstein && (p.Path == GraphPath || p.Path == AutoPath && p.onGPU() && p.outlyingInGraph() == nil) {
		cost = p.costInGraph
	}
	e, err := cost(l, d.Directions)
	outside := func(v float64) bool { return p.outside(l, v) }
	if l.Root && l.Cost == ot1d.Wasserstein && p.Path != GraphPath && (err != nil || slices.ContainsFunc(e.pairs, outside)) {
		var warnings []string
		e, warnings, err = p.rescaled(l, d.Directions)
		d.Warnings = append(d.Warnings, warnings...)
	}
	if err != nil {
		return nil, err
	}
	if e.backend != "" {
		d.Backend = e.backend
	}
	d.Warnings = append(d.Warnings, e.warnings...)
	d.PerPair, d.Slices, d.Costs, d.Value = e.pairs, e.used, e.costs, mean(e.pairs)
	d.GradientX, d.Gradient = e.gradX, e.gradY
	d.MarginalCosts, d.DualityGap, d.LineCost = e.marginal, e.gaps, l.Cost
	var half float64
	d.PairErrs, d.StdErr, half = p.uncertainty(l, e)
	d.Low, d.High = d.Value-half, d.Value+half
	d.Slicing, d.Covers = p.slicing(l)
	if p.Population {
		var why string
		if d.Population, why = p.population(d); why != "" {
			d.Warnings = append(d.Warnings, why)
		}
	}
	if p.Certify {
		p.certify(l, found, d)
	}
	return d, nil
}

// minGPUSort is how many projected points justify a GPU if the caller has chosen no backend.
const minGPUSort = 1 << 27

// sortingEngine is the given Engine, else a GPU's if the slices justify opening one, else nil.
func (p problem) sortingEngine(l loss.Sliced) (*engine.Engine, error) {
	sorted := float64(p.x.Clouds) * float64(drawn(l.Slicer)) * float64(p.x.Points+p.y.Points)
	if p.Engine == nil && p.Path == AutoPath && l.Cost == ot1d.Wasserstein && engine.Nvidia() && (sorted > minGPUSort || engine.Chosen()) {
		return engine.Open("")
	}
	return p.Engine, nil
}

func (p problem) onGPU() bool { return p.Engine != nil && p.Engine.IsCUDA() }

// drawn is the number of slices that the slicer draws per pair.
func drawn(slicer slicing.Slicer) int {
	if _, ok := slicer.Distribution.(slicing.Single); ok {
		return 1
	}
	return slicer.Slices
}

// ascends reports whether the call finds its location by ascent.
func (p problem) ascends(l loss.Sliced) bool { return p.Directions == nil && l.Slicer.Ascent != nil }

// work counts the slices of the directions and of the ascent, and their sorts.
func (p problem) work(l loss.Sliced, directions []float32) Work {
	n := len(directions) / p.width
	if p.ascends(l) {
		n += l.Slicer.Ascent.Steps * max(1, l.Slicer.Ascent.Starts) * p.x.Clouds * drawn(l.Slicer)
	}
	return Work{Slices: n, Sorts: 2 * n}
}

// locate predicts the location, finds it by ascent, or both: [B, d], or nil if the directions have
// none. The backend is where it was predicted, else where directions are drawn and costs reduced.
func (p problem) locate(l loss.Sliced, d *Result) (err error) {
	d.Backend = p.backend()
	if l.Slicer.Amortizer != nil && p.Directions == nil {
		predicted, err := Direction(p.Amortizer, p.placed[0], p.placed[1], DirectionConfig{Weights: p.Weights,
			Seed: p.Seed, DK: p.Maps.DK, K: p.Maps.K, Variant: p.Maps.Variant, Engine: p.Engine})
		if err != nil {
			return err
		}
		d.Location, d.Backend, d.Warnings = predicted.Directions, predicted.Backend, predicted.Warnings
	}
	if p.ascends(l) {
		var note string
		if d.Location, d.Starts, note, err = p.ascend(l, d.Location); note != "" {
			d.Warnings = append(d.Warnings, note)
		}
	}
	return err
}

// ascend finds the location by ascent, from the predicted one if there is one. Random numbers differ
// between backends, so it draws them on the pure-Go one, as draw does, and computes the costs in
// plain Go; on a GPU it stays there. starts [B, N] are the values of several ascents, note says that
// one has not moved.
func (p problem) ascend(l loss.Sliced, predicted []float32) (location []float32, starts []float64, note string, err error) {
	e := p.Engine
	if !p.onGPU() {
		if e, err = goBackend(); err != nil {
			return nil, nil, "", err
		}
	}
	var from *tensors.Tensor
	if predicted != nil {
		from = tensors.FromFlatDataAndDimensions(predicted, p.x.Clouds, p.x.Dim)
		defer engine.Free(from)
	}
	x, y := tensor(p.x), tensor(p.y)
	defer engine.Free(x, y)
	maximizer, err := l.Maximizer(e, graphKey{"ascent", p.key()})
	if err != nil {
		return nil, nil, "", err
	}
	seed := int64(p.Seed ^ 0x9e3779b97f4a7c15) // of its own: p.Seed would give the start the same numbers as the slices
	reached, values, err := maximizer.MaximizeAll(seed, from, x, y)
	if err != nil {
		return nil, nil, "", err
	}
	defer engine.Free(reached)
	if location, err = tensors.CopyFlatData[float32](reached); err != nil {
		return nil, nil, "", err
	}
	if i := vec.NotFinite(location); i >= 0 {
		if l.Root && p.units == nil { // the root may have a maximum where the costs leave float32
			if p, err = p.withinRange(l, p.axes()); err != nil {
				return nil, nil, "", err
			}
			return p.ascend(l, predicted)
		}
		return nil, nil, "", fmt.Errorf("pair %d: the ascent on the location ends at %v: the costs between %s and %s do not fit "+
			"into float32; scale the clouds, or lower p or the rate", i/p.x.Dim, location[i], p.x.Name, p.y.Name)
	}
	for b := range p.x.Clouds {
		for _, v := range values {
			starts = append(starts, float64(v[b]))
			if p.units != nil {
				starts[len(starts)-1] *= p.units[b]
			}
		}
	}
	note, err = p.unmoved(l, maximizer, seed, predicted, location)
	return location, starts, note, err
}

// draw makes the directions [B, L, d] on the pure-Go backend, which compiles nothing. Equal seeds
// give equal directions wherever their costs are computed.
func (p problem) draw(l loss.Sliced, location []float32) ([]float32, error) {
	if given := p.Directions; given != nil {
		if len(given.Shape) == 2 {
			return slices.Repeat(given.Values, p.x.Clouds), nil
		}
		return given.Values, nil
	}
	b, err := goBackend()
	if err != nil {
		return nil, err
	}
	rng, err := graph.RNGStateFromSeed(int64(p.Seed))
	if err != nil {
		return nil, err
	}
	if d, ok := l.Slicer.Distribution.(slicing.HostDrawer); ok {
		return d.DrawOnHost(tensors.MustCopyFlatData[uint64](rng), p.x.Clouds, l.Slicer.Slices, p.width), nil
	}
	in := values{Noise: rng, X: tensor(p.x), Y: tensor(p.y)}
	if p.width != p.x.Dim { // for the sizes: these directions do not depend on clouds
		in.X = tensors.FromFlatDataAndDimensions(make([]float32, p.x.Clouds*p.width), p.x.Clouds, 1, p.width)
		in.Y = in.X
	}
	if location != nil {
		in.Location = tensors.FromFlatDataAndDimensions(location, p.x.Clouds, p.x.Dim)
	}
	slicer := l.Slicer
	slicer.Amortizer = nil
	out, err := call(b, "directions", p.key(), in, func(in nodes) nodes {
		src := slicing.Seeded(in.Noise)
		return nodes{Directions: slicer.Draw(src, slicer.Location(src, nil, in.Location, in.X, in.Y), in.X, in.Y)}
	})
	if err != nil {
		return nil, err
	}
	return tensors.CopyFlatData[float32](out.Directions)
}

// estimate is the result of reducing the costs of the slices.
type estimate struct {
	pairs, shares []float64 // [B], and [B, L]: loss.Estimate
	used          int       // how many of the first slices count
	costs         []float32 // [B, L]
	gradX, gradY  []float32 // [B, m, d] and [B, n, d], or nil
	units         []float64 // [B] units of length in whose powers shares and costs are; nil: 1
	backend       string    // where the costs were computed; "" on the host
	warnings      []string  // of the graph

	marginal [][]float64 // Result.MarginalCosts, or nil
	gaps     []float64   // Result.DualityGap, or nil
}

// perPair is L, the number of directions per pair.
func (p problem) perPair(directions []float32) int { return len(directions) / (p.x.Clouds * p.width) }

// outside reports whether the costs behind a root may have left the numbers that hold them.
func (p problem) outside(l loss.Sliced, root float64) bool {
	least := 0x1p-900
	if p.onGPU() {
		least = 0x1p-100
	}
	return !(math.Pow(root, l.Exponent()) >= least) || math.IsInf(root, 1)
}

// rescaled is costOnHost for a loss with a root whose costs do not fit into the numbers, although
// their roots do. The gradients are those of the clouds as they are.
func (p problem) rescaled(l loss.Sliced, directions []float32) (e estimate, warnings []string, err error) {
	if p, err = p.withinRange(l, directions); err != nil {
		return e, nil, err
	}
	e, err = p.costOnHost(l, directions)
	e.units = p.units
	for b := range e.pairs {
		e.pairs[b] *= p.units[b]
		if p.units[b] != 1 && warnings == nil {
			warnings = []string{fmt.Sprintf("the costs of slices do not fit into float32, although their root does: "+
				"those of pair %d are in units of %g to the power of %g", b, p.units[b], l.Exponent())}
		}
	}
	return e, warnings, err
}

// withinRange divides the clouds by the largest difference of their pair along the directions, rounded
// up to a power of 2, if its power p is large or small. Costs are between 2^-p and 1 then, which
// float64 holds up to p = 1000.
func (p problem) withinRange(l loss.Sliced, directions []float32) (problem, error) {
	largest, err := ot1d.HostLargest(clouds(p.x, p.MassX), clouds(p.y, p.MassY), directions, p.perPair(directions))
	if err != nil {
		return p, err
	}
	x, y := *p.x, *p.y
	x.Coords, y.Coords = slices.Clone(x.Coords), slices.Clone(y.Coords)
	p.x, p.y, p.units = &x, &y, make([]float64, len(largest))
	for b, size := range largest {
		p.units[b] = 1
		exponent := math.Ceil(math.Log2(size))
		if size == 0 || math.Abs(exponent*l.Exponent()) < 100 {
			continue
		}
		p.units[b] = math.Ldexp(1, int(exponent))
		for _, s := range []*datasets.Set{&x, &y} {
			for i, v := range s.Cloud(b) {
				s.Cloud(b)[i] = float32(float64(v) / p.units[b])
			}
		}
	}
	return p, nil
}

// axes are the directions of the coordinates, for every pair.
func (p problem) axes() []float32 {
	one := make([]float32, p.x.Dim*p.x.Dim)
	for i := range p.x.Dim {
		one[i*p.x.Dim+i] = 1
	}
	return slices.Repeat(one, p.x.Clouds)
}

// costOnHost computes the costs in plain Go and reduces them on the pure-Go backend, both in
// float64.
func (p problem) costOnHost(l loss.Sliced, directions []float32) (e estimate, err error) {
	x, y := clouds(p.x, p.MassX), clouds(p.y, p.MassY)
	n, perPair := p.x.Clouds, p.perPair(directions)
	options := l.CostConfig()
	options.Fast = p.Path == AutoPath
	var solved *reports
	if l.Cost == ot1d.Partial || l.Cost == ot1d.Unbalanced {
		solved = &reports{make([][]float64, n*perPair), make([]float64, n*perPair)}
		options.Report = func(pair, slice int, r solve.Result) {
			solved.marginal[pair*perPair+slice], solved.gaps[pair*perPair+slice] = r.Marginal, r.Gap
		}
	}
	pairs, err := ot1d.NewCoster(x, y, options)
	if err != nil {
		return e, err
	}
	wrt := p.wrt()
	gradient := func(upstream []float64) (costs []float64, grad ot1d.Gradients, err error) {
		return pairs.Gradients(directions, perPair, upstream, wrt)
	}
	var costs []float64
	var grad ot1d.Gradients
	// the derivative in each cost does not depend on the costs: one call gives both
	wanted := wrt != ot1d.None
	known := wanted && l.Linear()
	if known {
		costs, grad, err = gradient(slices.Repeat([]float64{1 / float64(n*perPair)}, n*perPair))
	} else {
		costs, err = pairs.Costs(directions, perPair)
	}
	if err != nil {
		return e, err
	}
	e, inCosts, own, err := p.reduce(l, costs, directions, wanted && !known)
	if err != nil {
		return e, err
	}
	switch l.Cost {
	case ot1d.Partial:
		e.marginal = solved.marginals(n)
	case ot1d.Unbalanced:
		e.gaps = solved.meanGaps(l, e.pairs)
	}
	if e.costs, err = narrow("costs of slices", costs); err != nil || !wanted {
		return e, err
	}
	if !known {
		if _, grad, err = gradient(inCosts); err != nil {
			return e, err
		}
	}
	if p.GradientX {
		if e.gradX, err = narrow("gradient", add(grad.X, own.X)); err != nil {
			return e, err
		}
	}
	if p.Gradient {
		e.gradY, err = narrow("gradient", add(grad.Y, own.Y))
	}
	return e, err
}

// reports are what package solve says of every pair and slice.
type reports struct {
	marginal [][]float64
	gaps     []float64
}

// marginals are the means over the slices of each pair.
func (r *reports) marginals(pairs int) [][]float64 {
	out := make([][]float64, pairs)
	perPair := len(r.marginal) / pairs
	for task, costs := range r.marginal {
		b := task / perPair
		if out[b] == nil {
			out[b] = make([]float64, len(costs))
		}
		for k, c := range costs {
			out[b][k] += c / float64(perPair)
		}
	}
	return out
}

// meanGaps bound the distance of the pairs' values from the optimum.
func (r *reports) meanGaps(l loss.Sliced, pairs []float64) []float64 {
	out, perPair := make([]float64, len(pairs)), len(r.gaps)/len(pairs)
	for b, value := range pairs {
		out[b] = mean(r.gaps[b*perPair : (b+1)*perPair])
		if p := l.Exponent(); l.Root {
			out[b] = value - math.Pow(max(0, math.Pow(value, p)-out[b]), 1/p)
		}
	}
	return out
}

// add adds b, if there is one, to a.
func add(a, b []float64) []float64 {
	for i, v := range b {
		a[i] += v
	}
	return a
}

// reduce turns costs into values, in float64 on the pure-Go backend. With derivative it also
// returns the derivatives of their mean in the costs and, if the estimator reads the clouds, its own
// in x and y.
func (p problem) reduce(l loss.Sliced, costs []float64, directions []float32, derivative bool) (
	e estimate, inCosts []float64, own ot1d.Gradients, err error) {
	b, err := goBackend()
	if err != nil {
		return e, nil, own, err
	}
	n, perPair, dim, points := p.x.Clouds, p.perPair(directions), p.x.Dim, p.x.Points
	in := values{
		Costs:      tensors.FromFlatDataAndDimensions(costs, n, perPair),
		Directions: tensors.FromFlatDataAndDimensions(vec.To[float64](directions), n, perPair, p.width),
	}
	if l.NeedsClouds() {
		in.X = tensors.FromFlatDataAndDimensions(vec.To[float64](p.x.Coords), n, points, dim)
		in.Y = tensors.FromFlatDataAndDimensions(vec.To[float64](p.y.Coords), n, p.y.Points, dim)
	}
	if p.units != nil {
		powers := make([]float64, n)
		for b, unit := range p.units {
			powers[b] = max(0x1p-1000, min(math.Pow(unit, l.Exponent()), 0x1p1000))
		}
		in.Units = tensors.FromFlatDataAndDimensions(powers, n, 1)
	}
	key := p.key()
	key.points = points
	out, err := call(b, "reduction", key, in, func(in nodes) nodes {
		r := l.Finish(in.Costs, in.Directions, in.X, in.Y, in.Units, points)
		out := outputs(r, perPair)
		if !derivative {
			return out
		}
		mean := graph.ReduceAllMean(r.Pairs)
		if in.X == nil {
			out.GradCosts = graph.Gradient(mean, in.Costs)[0]
			return out
		}
		g := graph.Gradient(mean, in.Costs, in.X, in.Y)
		out.GradCosts, out.GradX, out.GradY = g[0], g[1], g[2]
		return out
	})
	if err != nil {
		return e, nil, own, err
	}
	return read(out), numbers(out.GradCosts), ot1d.Gradients{X: numbers(out.GradX), Y: numbers(out.GradY)}, nil
}

// costInGraph computes and reduces the costs in a graph on XLA, by its sort. Clouds of different sizes
// or with masses are the host's, and so are all without XLA.
func (p problem) costInGraph(l loss.Sliced, directions []float32) (estimate, error) {
	e, err := choose(p.Engine, math.Inf(1))
	if err != nil {
		return estimate{}, err
	}
	if !e.IsXLA() || p.x.Points != p.y.Points || p.MassX != nil || p.MassY != nil {
		return p.costOnHost(l, directions)
	}
	if err := p.inFloat32(); err != nil {
		return estimate{}, err
	}
	n, perPair := p.x.Clouds, p.perPair(directions)
	l.Slicer.Slices = perPair
	in := values{X: tensor(p.x), Y: tensor(p.y)}
	in.Directions = tensors.FromFlatDataAndDimensions(directions, n, perPair, p.x.Dim)
	defer engine.Free(in)
	wrt := p.wrt()
	out, err := call(e, "slices", p.key(), in, func(in nodes) nodes {
		fixed := l
		fixed.Slicer = slicing.Slicer{Distribution: slicing.Fixed{Directions: in.Directions}, Slices: perPair}
		r := fixed.Build(loss.BuildArgs{Wrt: wrt}, in.X, in.Y)
		out := outputs(r, perPair)
		out.Costs = r.Slices
		out.GradX, out.GradY = gradients(r.Pairs, wrt, in.X, in.Y)
		return out
	})
	if err != nil {
		return estimate{}, err
	}
	defer engine.Free(out)
	r := read(out)
	r.warnings = p.outlyingInGraph()
	r.backend, r.costs, r.gradX, r.gradY = e.Name, float32s(out.Costs), float32s(out.GradX), float32s(out.GradY)
	return r, nil
}

// outlyingInGraph warns of pairs whose outliers leave the other points few digits in float32.
func (p problem) outlyingInGraph() (warnings []string) {
	const ratio = 0x1p-10 // of 24 bits
	pairs, err := ot1d.NewHostPairs(clouds(p.x, nil), clouds(p.y, nil), ot1d.Config{Reduce: ot1d.Mean})
	for b := range p.x.Clouds {
		if err == nil && pairs.Outlying(b, ratio) {
			return []string{fmt.Sprintf("pair %d: outliers of %s and %s lie more than %g times farther from 0 than other "+
				"points, whose costs lose digits in float32 in the graph; the host's path loses none (--path host, in Go "+
				"HostPath)", b, p.x.Name, p.y.Name, 1/ratio)}
		}
	}
	return nil
}

// outputs are pairs, shares and the number of slices used, for read.
func outputs(r loss.Result, perPair int) nodes {
	used := r.Used
	if used == nil {
		used = graph.Scalar(r.Pairs.Graph(), dtypes.Int32, perPair)
	}
	return nodes{Pairs: r.Pairs, Shares: r.Shares, Used: used}
}

func read(out values) estimate {
	return estimate{pairs: numbers(out.Pairs), shares: numbers(out.Shares), used: int(out.Used.Value().(int32))}
}

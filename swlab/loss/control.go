package loss

import (
	"fmt"
	"maps"
	"math"
	"slices"

	"github.com/gomlx/gomlx/core/graph"
)

// Control reduces the variance of the mean over slices by control variates: functions of the
// direction that follow the cost and have a known expectation under the uniform distribution
// (Nguyen and Ho 2024). With mu, Sigma the mean and covariance of a cloud,
//
//	Lower  C(theta) = (theta'(mu_X - mu_Y))^2,  the cost of the means alone
//	Upper  C(theta) = (theta'(mu_X - mu_Y))^2 + theta'(Sigma_X + Sigma_Y) theta, the cost of independent coupling
//	value = mean F - gamma (mean C - E C),   gamma = cov(F, C)/var(C) over the slices
//
// Harmonics (Leluc et al. 2024) is the intercept of the least-squares fit of F by all quadratic
// functions theta_i theta_j - delta_ij/d, of which the two above are special cases. Every direction
// must be uniform. The bias from gamma is of order 1/L.
type Control int

const (
	Lower Control = iota + 1
	Upper
	Harmonics
)

// Controls are the names of the control variates.
var Controls = map[string]Control{"lower": Lower, "upper": Upper, "harmonics": Harmonics}

// ControlNames lists the names of the control variates.
func ControlNames() []string { return slices.Sorted(maps.Keys(Controls)) }

func (k Control) word() string {
	for name, other := range Controls {
		if other == k {
			return name
		}
	}
	return fmt.Sprintf("Control(%d)", int(k))
}

func (k Control) Name() string { return "mean over slices with control variate " + k.word() }

// NeedsClouds marks Control as reading the clouds' means and covariances.
func (Control) NeedsClouds() {}

func (k Control) Check(slices, dim int) error {
	return needSlices("the control variate "+k.word(), k.DegreesOfFreedom(dim)+2, slices)
}

// DegreesOfFreedom is the number of fitted coefficients.
func (k Control) DegreesOfFreedom(dim int) int {
	if k == Harmonics {
		return dim*(dim+1)/2 - 1
	}
	return 1
}

func (k Control) Estimate(c Costs) Estimate {
	switch {
	case c.Directions.Shape().Dimensions[2] == 1: // on the line all quadratic functions are constant
		return SliceMean{}.Estimate(c)
	case k == Harmonics:
		return harmonics(c.Values, graph.StopGradient(c.Directions))
	}
	return k.moments(c)
}

func (k Control) moments(c Costs) Estimate {
	dim := float64(c.Directions.Shape().Dimensions[2])
	meanX, meanY := graph.ReduceAndKeep(c.X, graph.ReduceMean, 1), graph.ReduceAndKeep(c.Y, graph.ReduceMean, 1)
	gap := graph.Sub(meanX, meanY) // [batch, 1, dim]
	// mean over the points of (theta'v)^2, and its expectation [batch, 1]
	quad := func(v *graph.Node) (at, mean *graph.Node) {
		n := float64(v.Shape().Dimensions[1])
		along := graph.Einsum("bmd,bld->blm", v, c.Directions)
		at = graph.DivScalar(graph.ReduceSum(graph.Mul(along, along), 2), n)
		mean = graph.DivScalar(graph.ReduceSum(graph.ReduceSum(graph.Mul(v, v), 2), 1), n*dim)
		return at, graph.InsertAxes(mean, -1)
	}
	at, expected := quad(gap)
	if k == Upper {
		atX, expectedX := spread(c.X, meanX, c.Directions)
		atY, expectedY := spread(c.Y, meanY, c.Directions)
		at = graph.Add(at, graph.Add(atX, atY))
		expected = graph.Add(expected, graph.Add(expectedX, expectedY))
	}
	f, meanC := c.Values, graph.ReduceAndKeep(at, graph.ReduceMean, 1)
	// C in units of its mean, because squares of small numbers underflow.
	unit := graph.StopGradient(meanC)
	unit = graph.Where(graph.GreaterThan(unit, graph.ZerosLike(unit)), unit, graph.OnesLike(unit))
	at, expected, meanC = graph.Div(at, unit), graph.Div(expected, unit), graph.Div(meanC, unit)
	df, dc := graph.Sub(f, graph.ReduceAndKeep(f, graph.ReduceMean, 1)), graph.Sub(at, meanC)
	cov := graph.ReduceAndKeep(graph.Mul(df, dc), graph.ReduceMean, 1)
	variance := graph.ReduceAndKeep(graph.Mul(dc, dc), graph.ReduceMean, 1)
	// Where C does not vary (equal means), there is nothing to correct.
	varies := graph.GreaterThan(variance, graph.MulScalar(graph.OnesLike(variance), 1e-12))
	safe := graph.Where(varies, variance, graph.OnesLike(variance))
	gamma := graph.Where(varies, graph.Div(cov, safe), graph.ZerosLike(cov))
	shares := graph.Sub(f, graph.Mul(gamma, graph.Sub(at, expected)))
	return Estimate{Pairs: graph.ReduceMean(shares, 1), Shares: shares}
}

// spread is theta' Sigma theta [batch, slices] and its expectation tr(Sigma)/d [batch, 1].
func spread(x, mean, directions *graph.Node) (at, expected *graph.Node) {
	points, dim := x.Shape().Dimensions[1], x.Shape().Dimensions[2]
	centred := graph.Sub(x, mean)
	sigma := graph.DivScalar(graph.Einsum("bmc,bmd->bcd", centred, centred), float64(points))
	at = graph.ReduceSum(graph.Mul(directions, graph.Einsum("blc,bcd->bld", directions, sigma)), 2)
	trace := graph.DivScalar(graph.ReduceSum(graph.ReduceSum(graph.Mul(centred, centred), 2), 1), float64(points*dim))
	return at, graph.InsertAxes(trace, -1)
}

// harmonics is the intercept of the fit of f [batch, slices] by the quadratic functions of the
// directions. With Q an orthonormal basis of those functions' values and r what Q leaves of the
// vector of ones, intercept = r'f / r'r. It is linear in f.
func harmonics(f, directions *graph.Node) Estimate {
	d := directions.Shape().Dimensions
	batch, slices, dim := d[0], d[1], d[2]
	coordinate := func(i int) *graph.Node {
		return graph.Slice(directions, graph.AxisRange(), graph.AxisRange(), graph.AxisElem(i))
	}
	var q *graph.Node                                        // [batch, slices, functions]
	unit := func(v *graph.Node) (*graph.Node, *graph.Node) { // what q leaves of v [batch, slices, 1], and its length
		for range 2 {
			if q != nil {
				v = graph.Sub(v, graph.Einsum("blk,bkj->blj", q, graph.Einsum("blk,blj->bkj", q, v)))
			}
		}
		length := graph.Sqrt(graph.MaxScalar(graph.ReduceAndKeep(graph.Mul(v, v), graph.ReduceSum, 1), 1e-30))
		return graph.Div(v, length), length
	}
	for i := range dim {
		for j := i; j < dim; j++ {
			if i == dim-1 {
				continue // the squares sum to 1
			}
			h := graph.Mul(coordinate(i), coordinate(j))
			if i == j {
				h = graph.AddScalar(h, -1/float64(dim))
			}
			v, _ := unit(h)
			if q == nil {
				q = v
			} else {
				q = graph.Concatenate([]*graph.Node{q, v}, 2)
			}
		}
	}
	r, length := unit(graph.OnesLike(coordinate(0)))
	r = graph.Reshape(r, batch, slices)
	along := graph.ReduceAndKeep(graph.Mul(r, f), graph.ReduceSum, 1) // r'f / |r|
	value := graph.Div(along, graph.Reshape(length, batch, 1))
	fitted := graph.Einsum("blk,bk->bl", q, graph.Einsum("blk,bl->bk", q, f))
	residual := graph.Sub(graph.Sub(f, fitted), graph.Mul(r, along))
	// The intercept's variance is that of the residuals divided by r'r, not by the number of slices.
	residual = graph.Mul(residual, graph.MulScalar(graph.Reciprocal(graph.Reshape(length, batch, 1)),
		math.Sqrt(float64(slices))))
	return Estimate{Pairs: graph.Squeeze(value, 1), Shares: graph.StopGradient(graph.Add(residual, value))}
}

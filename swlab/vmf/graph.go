package vmf

import (
	"math"

	"github.com/gomlx/compute/dtypes"
	"github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/support/exceptions"
)

// FromNoise builds samples of vMF(location, kappa) on the ordinary sphere (d = 3) from given noise.
//
//	location [B,3]    unit vectors, one distribution each
//	u        [B,L]    uniform draws in [0, 1): the component along the location, by the closed form
//	normals  [B,L,2]  standard normals: the direction across it, after division by their norm
//	kappa             concentration in [0, MaxKappa], 0 being uniform; the same for the whole batch
//	returns  [B,L,3]  directions; unit vectors unless refl is Released
//
//	omega = 1 + log(u + (1-u) exp(-2 kappa)) / kappa,   h = (omega, sqrt(1-omega^2) v),   theta = h - 2 (h.r) r,
//
// with r from refl. All arguments have one dtype, float32 or float64. The result is differentiable
// in location through r only; u and normals carry no gradient. The gradient is finite at
// location = e1.
//
// As usual in GoMLX, it panics with the shapes while the graph is built if a shape, a dtype, kappa
// or refl is not as above. graph.Exec turns that into an error.
func FromNoise(location, u, normals *graph.Node, kappa float64, refl Reflection) *graph.Node {
	checkShapes("FromNoise", location, u, normals, refl)
	if dims := location.Shape().Dimensions; dims[1] != 3 {
		exceptions.Panicf("vmf.FromNoise: location has shape %s, expected [B,3]; use vmf.FromWood in other dimensions",
			location.Shape())
	}
	if err := CheckKappa(kappa); err != nil {
		exceptions.Panicf("vmf.FromNoise: %v", err)
	}
	omega, sine2 := angleGraph(u, kappa)
	return place(location, omega, sine2, normals, refl)
}

// FromOmega builds samples of a distribution on S^{d-1}, any d >= 2, from given components along
// the location: drawn on the host with Omega, whose result depends on (d, kappa) alone, or of
// another distribution.
//
//	location [B,d]      unit vectors
//	omega    [B,L]      components along the location, in [-1, 1]
//	normals  [B,L,d-1]  standard normals: the direction across it, after division by their norm
//	returns  [B,L,d]    directions; unit vectors unless refl is Released
//
// Dtypes, gradient and panics are those of FromNoise. In float32, sqrt(1-omega^2) inherits the
// rounding of omega, a relative error of 1e-7 kappa, which FromNoise and FromWood avoid.
func FromOmega(location, omega, normals *graph.Node, refl Reflection) *graph.Node {
	checkShapes("FromOmega", location, omega, normals, refl)
	sine2 := graph.Mul(graph.OneMinus(omega), graph.OnePlus(omega))
	return place(location, omega, graph.MaxScalar(sine2, 0.0), normals, refl)
}

// UniformFromNormals divides standard normals [..., d] by their norm over the last axis: uniform
// directions on S^{d-1}, of the same shape. No epsilon is added; a row of zeros becomes e1 instead
// of NaN. It carries no gradient. It panics while the graph is built if normals is a scalar or not
// float32 or float64.
func UniformFromNormals(normals *graph.Node) *graph.Node {
	checkFloat("UniformFromNormals", "normals", normals)
	if normals.Rank() < 1 {
		exceptions.Panicf("vmf.UniformFromNormals: normals has shape %s, expected [..., d]", normals.Shape())
	}
	x := graph.StopGradient(normals)
	square := graph.ReduceAndKeep(graph.Square(x), graph.ReduceSum, -1)
	ok := graph.GreaterThan(square, graph.Scalar(x.Graph(), x.DType(), tinySquare))
	okAll := graph.BroadcastToDims(ok, x.Shape().Dimensions...)
	e1 := graph.BroadcastToDims(firstAxis(x, x.Rank()), x.Shape().Dimensions...)
	norm := graph.Sqrt(graph.Where(ok, square, graph.OnesLike(square)))
	return graph.Where(okAll, graph.Div(x, norm), e1)
}

// closedFormSwitch is the concentration up to which the graph writes the closed form with log(1+x),
// precise for small kappa, and above which with a log-sum-exp, which cannot overflow.
const closedFormSwitch = 1.0

// angleGraph is angleFromUniform for u [B,L]: omega and 1-omega^2, both [B,L].
func angleGraph(u *graph.Node, kappa float64) (omega, sine2 *graph.Node) {
	var below, above *graph.Node // 1-omega, 1+omega
	switch {
	case kappa == 0:
		below, above = graph.MulScalar(graph.OneMinus(u), 2.0), graph.MulScalar(u, 2.0)
	case kappa <= closedFormSwitch:
		down := graph.Log1p(graph.MulScalar(graph.OneMinus(u), math.Expm1(-2*kappa)))
		up := graph.Log1p(graph.MulScalar(u, math.Expm1(2*kappa)))
		below, above = graph.MulScalar(down, -1/kappa), graph.MulScalar(up, 1/kappa)
	default:
		// Log-sum-exp of log(u) and log(1-u)-2 kappa, with u = 0 put in afterwards: omega = -1
		// there.
		positive := graph.GreaterThan(u, graph.ScalarZero(u.Graph(), u.DType()))
		logU := graph.Log(graph.Where(positive, u, graph.OnesLike(u)))
		logV := graph.Log1p(graph.Neg(u))
		down := logAddExpGraph(logU, graph.AddScalar(logV, -2*kappa))
		up := logAddExpGraph(logV, graph.AddScalar(logU, 2*kappa))
		below = graph.Where(positive, graph.MulScalar(down, -1/kappa), graph.MulScalar(graph.OnesLike(u), 2.0))
		above = graph.Where(positive, graph.MulScalar(up, 1/kappa), graph.ZerosLike(u))
	}
	below, above = graph.MaxScalar(below, 0.0), graph.MaxScalar(above, 0.0)
	near := graph.LessThan(below, graph.ScalarOne(u.Graph(), u.DType()))
	return graph.Where(near, graph.OneMinus(below), graph.MinusOne(above)), graph.Mul(below, above)
}

// logAddExpGraph is log(exp(a) + exp(b)) if at least one of the two is finite.
func logAddExpGraph(a, b *graph.Node) *graph.Node {
	return graph.Add(graph.Max(a, b), graph.Log1p(graph.Exp(graph.Neg(graph.Abs(graph.Sub(a, b))))))
}

// place is the common last step of the samplers: h from (omega, sine2 = 1-omega^2), then the
// reflection.
func place(location, omega, sine2, normals *graph.Node, refl Reflection) *graph.Node {
	if refl == Released {
		sine2 = graph.MaxScalar(sine2, releasedFloor)
	}
	across := graph.Mul(graph.InsertAxes(graph.Sqrt(sine2), -1), UniformFromNormals(normals)) // [B,L,d-1]
	r, sign := reflector(location, refl)
	if sign != nil {
		omega = graph.Mul(omega, sign)
	}
	// The noise carries no gradient, even if u or omega comes from another part of the graph.
	h := graph.StopGradient(graph.Concatenate([]*graph.Node{graph.InsertAxes(omega, -1), across}, -1)) // [B,L,d]
	r = graph.InsertAxes(r, 1)                                                                         // [B,1,d]
	dot := graph.ReduceAndKeep(graph.Mul(h, r), graph.ReduceSum, -1)                                   // [B,L,1]
	return graph.Sub(h, graph.MulScalar(graph.Mul(dot, r), 2.0))
}

// reflector returns r [B,d] and, for Stable, the sign of omega in h, [B,1] (nil: always +1).
func reflector(location *graph.Node, refl Reflection) (r, sign *graph.Node) {
	g, dtype := location.Graph(), location.DType()
	pole := firstAxis(location, 2) // [1,d]
	if refl == Stable {
		first := graph.Slice(location, graph.AxisRange(), graph.AxisRange(0, 1))
		one := graph.OnesLike(first)
		sign = graph.Where(graph.GreaterThan(first, graph.ScalarZero(g, dtype)), graph.Neg(one), one)
		pole = graph.Mul(pole, sign)
	}
	away := graph.Sub(pole, location)
	square := graph.ReduceAndKeep(graph.Square(away), graph.ReduceSum, -1) // [B,1]
	ok := graph.GreaterThan(square, graph.Scalar(g, dtype, tinySquare))
	norm := graph.Sqrt(graph.Where(ok, square, graph.OnesLike(square)))
	if refl == Released {
		norm = graph.Where(ok, norm, graph.ZerosLike(norm))
		return graph.Div(away, graph.AddScalar(norm, releasedEpsilon)), nil
	}
	inverse := graph.Where(ok, graph.Reciprocal(norm), graph.ZerosLike(norm))
	return graph.Mul(away, inverse), sign
}

// firstAxis is e1 = (1,0,..,0) of the last axis of like, with the given rank: [1,..,1,d].
func firstAxis(like *graph.Node, rank int) *graph.Node {
	dims := like.Shape().Dimensions
	d := dims[len(dims)-1]
	e1 := make([]float64, d)
	if d > 0 {
		e1[0] = 1
	}
	shape := make([]int, rank)
	for i := range shape {
		shape[i] = 1
	}
	shape[rank-1] = d
	return graph.Reshape(graph.ConstAsDType(like.Graph(), like.DType(), e1), shape...)
}

// checkShapes panics unless location is [B,d] with d >= 2, along is [B,L] and normals is [B,L,d-1],
// of one dtype.
func checkShapes(fn string, location, along, normals *graph.Node, refl Reflection) {
	checkFloat(fn, "location", location)
	a, b, c := location.Shape(), along.Shape(), normals.Shape()
	if a.DType != b.DType || a.DType != c.DType {
		exceptions.Panicf("vmf.%s: arguments have shapes %s, %s, %s, expected one dtype", fn, a, b, c)
	}
	if a.Rank() != 2 || b.Rank() != 2 || c.Rank() != 3 || a.Dimensions[1] < 2 ||
		b.Dimensions[0] != a.Dimensions[0] || c.Dimensions[0] != a.Dimensions[0] ||
		c.Dimensions[1] != b.Dimensions[1] || c.Dimensions[2] != a.Dimensions[1]-1 {
		exceptions.Panicf("vmf.%s: location %s, component along it %s, normals %s; expected [B,d] with d >= 2, [B,L], [B,L,d-1]",
			fn, a, b, c)
	}
	if refl < Released || refl > Stable {
		exceptions.Panicf("vmf.%s: unknown reflection %d, expected Released, Exact or Stable", fn, int(refl))
	}
}

// checkFloat panics unless x is float32 or float64: the constants of the package underflow in
// shorter types.
func checkFloat(fn, name string, x *graph.Node) {
	if dtype := x.DType(); dtype != dtypes.Float32 && dtype != dtypes.Float64 {
		exceptions.Panicf("vmf.%s: %s has shape %s, expected float32 or float64", fn, name, x.Shape())
	}
}

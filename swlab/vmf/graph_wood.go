package vmf

import (
	"math"

	"github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/support/exceptions"
)

// WoodProposals is the number K of proposals that FromWood draws per sample. A proposal is accepted
// with probability at least 0.6577 (d = 2, kappa to infinity; more everywhere else), so all K are
// rejected with probability at most 0.3423^26 = 8e-13: less than one sample in 10^12 is then a
// proposal, not a draw of the distribution.
const WoodProposals = 26

// FromWood builds samples of vMF(location, kappa) on S^{d-1}, any d >= 2, from given noise: Wood's
// rejection with the true envelope and a fixed number of proposals. It takes the first accepted
// proposal, or the last if all are rejected.
//
//	location [B,d]       unit vectors, one distribution each
//	u        [B,L,K,3]   uniform draws in [0, 1), K = WoodProposals: two for the symmetric beta, one for the acceptance
//	normals  [B,L,d-1]   standard normals: the direction across the location, after division by their norm
//	kappa                concentration in [0, MaxKappa], 0 being uniform; the same for the whole batch
//	returns  [B,L,d]     directions; unit vectors unless refl is Released
//
// With psi of Beta((d-1)/2, (d-1)/2), b of wood and q = 1 - psi + b psi a proposal is
//
//	1-omega = 2 b psi/q,   1+omega = 2 (1-psi)/q,   accepted when (d-1) (log(1+x) - x) > log u_3,   1+x = (1+b)/(2q),
//
// which is wood.propose without the terms that cancel. omega and sqrt(1-omega^2) both keep their
// relative accuracy at every kappa, also in float32.
//
// Dtypes, gradient (in location only) and panics are those of FromNoise, which is simpler at d = 3:
// one uniform per sample.
func FromWood(location, u, normals *graph.Node, kappa float64, refl Reflection) *graph.Node {
	checkFloat("FromWood", "u", u)
	if s := u.Shape(); s.Rank() != 4 || s.Dimensions[2] != WoodProposals || s.Dimensions[3] != 3 {
		exceptions.Panicf("vmf.FromWood: u has shape %s, expected [B,L,%d,3]", s, WoodProposals)
	}
	if err := CheckKappa(kappa); err != nil {
		exceptions.Panicf("vmf.FromWood: %v", err)
	}
	u = graph.StopGradient(u)
	first := graph.Squeeze(graph.Slice(u, graph.AxisRange(), graph.AxisRange(), graph.AxisElem(0), graph.AxisElem(0)),
		2, 3)
	checkShapes("FromWood", location, first, normals, refl)

	wood := newWood(location.Shape().Dimensions[1], kappa)
	near, far := betaGraph(uniform(u, 0), uniform(u, 1), wood.dim) // 2 psi, 2 (1-psi), [B,L,K]
	q := graph.Add(far, graph.MulScalar(near, wood.b))             // 2q
	x := graph.Div(graph.MulScalar(graph.Sub(near, far), (1-wood.b)/2), q)
	ratio := graph.MulScalar(graph.Sub(graph.Log1p(x), x), float64(wood.dim-1))
	accept := graph.GreaterThan(ratio, graph.Log(uniform(u, 2)))

	below := graph.Div(graph.MulScalar(near, 2*wood.b), q) // 1-omega
	above := graph.Div(graph.MulScalar(far, 2.0), q)       // 1+omega
	below, above = firstAccepted(accept, below, above)
	isNear := graph.LessThan(below, graph.OnesLike(below))
	omega := graph.Where(isNear, graph.OneMinus(below), graph.MinusOne(above))
	return place(location, omega, graph.Mul(below, above), normals, refl)
}

// uniform is u[..., i].
func uniform(u *graph.Node, i int) *graph.Node {
	return graph.Squeeze(graph.Slice(u, graph.AxisRange().Spacer(), graph.AxisElem(i)), -1)
}

// betaGraph is symmetricBeta: 2 psi and 2 (1-psi) from the uniforms v and w. With r^2 = 1 - s,
// s = (1-w)^(2/(d-2)),
//
//	2 psi = 1 - r cos(2 pi v) = 2 sin^2(pi v) + cos(2 pi v) s/(1+r),   2 (1-psi) = 2 cos^2(pi v) - cos(2 pi v) s/(1+r),
//
// so that neither loses digits where it is small. At d = 2 s is 0.
func betaGraph(v, w *graph.Node, d int) (near, far *graph.Node) {
	angle := graph.MulScalar(v, math.Pi)
	sine2 := graph.MulScalar(graph.Square(graph.Sin(angle)), 2.0)
	cosine2 := graph.MulScalar(graph.Square(graph.Cos(angle)), 2.0)
	if d == 2 {
		return sine2, cosine2
	}
	logS := graph.MulScalar(graph.Log1p(graph.Neg(w)), 2/float64(d-2))
	r := graph.Sqrt(graph.Neg(graph.Expm1(logS)))
	shift := graph.Div(graph.Mul(graph.OneMinus(sine2), graph.Exp(logS)), graph.OnePlus(r))
	return graph.Add(sine2, shift), graph.Sub(cosine2, shift)
}

// firstAccepted picks, per sample, the pair of values [B,L] of the first accepted of K proposals
// [B,L,K], or of the last if none is accepted.
func firstAccepted(accept, a, b *graph.Node) (firstA, firstB *graph.Node) {
	at := func(x *graph.Node, k int) *graph.Node {
		return graph.Squeeze(graph.Slice(x, graph.AxisRange(), graph.AxisRange(), graph.AxisElem(k)), 2)
	}
	last := accept.Shape().Dimensions[2] - 1
	firstA, firstB = at(a, last), at(b, last)
	for k := last - 1; k >= 0; k-- {
		ok := at(accept, k)
		firstA, firstB = graph.Where(ok, at(a, k), firstA), graph.Where(ok, at(b, k), firstB)
	}
	return firstA, firstB
}

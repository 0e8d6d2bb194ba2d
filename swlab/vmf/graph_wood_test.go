package vmf

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/gomlx/compute/dtypes"
	"github.com/gomlx/gomlx/core/graph"

	"github.com/sliced-wasserstein/lab/swlab/internal/graphtest"
)

// woodBatch is noise for FromWood: along holds u [B,L,K,3].
func woodBatch(seed uint64, b, l, d int) batch {
	x := randomBatch(seed, b, l, d, func(*rand.Rand) float64 { return 0 })
	src := rand.New(rand.NewPCG(seed, 100))
	x.along = make([]float64, b*l*WoodProposals*3)
	for i := range x.along {
		x.along[i] = src.Float64()
	}
	return x
}

// wood runs FromWood and returns theta and the gradient of sum(coefficients * theta) with respect
// to location, u and normals.
func (x batch) wood(t *testing.T, dtype dtypes.DType, kappa float64, refl Reflection) (theta, location, u,
	normals []float64) {
	t.Helper()
	out := run(t, func(in []*graph.Node) []*graph.Node {
		theta := FromWood(in[0], in[1], in[2], kappa, refl)
		loss := graph.ReduceAllSum(graph.Mul(theta, in[3]))
		return append([]*graph.Node{theta}, graph.Gradient(loss, in[0], in[1], in[2])...)
	}, tensorOf(dtype, x.location, x.b, x.d), tensorOf(dtype, x.along, x.b, x.l, WoodProposals, 3),
		tensorOf(dtype, x.normals, x.b, x.l, x.d-1), tensorOf(dtype, x.coefficients, x.b, x.l, x.d))
	return out[0], out[1], out[2], out[3]
}

// hostAngles are omega and sqrt(1-omega^2) of the first accepted proposal of every sample, by
// wood.propose in float64 on the noise rounded to dtype.
func (x batch) hostAngles(t *testing.T, dtype dtypes.DType, kappa float64) (omega, sine []float64) {
	t.Helper()
	wood := newWood(x.d, kappa)
	for i := 0; i < x.b*x.l; i++ {
		found := false
		for k := 0; k < WoodProposals && !found; k++ {
			u := x.along[(i*WoodProposals+k)*3:]
			psi := betaFromUniform(x.d, asDType(dtype, u[0]), asDType(dtype, u[1]))
			if _, _, found = wood.propose(psi, asDType(dtype, u[2])); found {
				w, s := wood.angle(psi)
				omega, sine = append(omega, w), append(sine, s)
			}
		}
		if !found {
			t.Fatalf("d=%d kappa=%g: none of %d proposals accepted", x.d, kappa, WoodProposals)
		}
	}
	return omega, sine
}

// place is the host's samples of location b from given angles.
func (x batch) place(location []float64, b int, omega, sine []float64, refl Reflection) []float64 {
	mirror := newMirror(location, refl)
	theta := make([]float64, x.l*x.d)
	for l := 0; l < x.l; l++ {
		row, i := theta[l*x.d:(l+1)*x.d], b*x.l+l
		copy(row[1:], x.normals[i*(x.d-1):(i+1)*(x.d-1)])
		unit(row[1:])
		s := sine[i]
		if refl == Released {
			s = math.Sqrt(math.Max(s*s, releasedFloor))
		}
		mirror.carry(row, omega[i], s)
	}
	return theta
}

// The graph takes the very proposals that the host accepts first, in float32 too, from kappa = 0 to MaxKappa.
func TestFromWoodAgreesWithHost(t *testing.T) {
	for _, d := range []int{2, 3, 4, 5, 10, 50} {
		for i, kappa := range []float64{0, 0.1, 1, 10, 100, 1e6, MaxKappa} {
			refl := Reflection(i % 3)
			x := woodBatch(71, 3, 40, d)
			for _, dtype := range []dtypes.DType{dtypes.Float32, dtypes.Float64} {
				omega, sine := x.hostAngles(t, dtype, kappa)
				theta, _, _, _ := x.wood(t, dtype, kappa, refl)
				tol := map[dtypes.DType]float64{dtypes.Float32: 3e-6, dtypes.Float64: 1e-12}[dtype]
				for b := 0; b < x.b; b++ {
					graphtest.Close(t, fmt.Sprintf("%s %s d=%d kappa=%g location %d", dtype, refl, d, kappa, b),
						theta[b*x.l*d:(b+1)*x.l*d],
						x.place(x.location[b*d:(b+1)*d], b, omega, sine, refl), tol)
				}
			}
		}
	}
}

// At -e1 the sample is (-omega, sine v), so that float32 shows omega and sqrt(1-omega^2) as they
// are drawn: the distribution of the angle, and its relative accuracy at every kappa.
func TestFromWoodDistribution(t *testing.T) {
	const n = 4000
	for _, d := range []int{2, 3, 4, 5, 10, 50} {
		x := woodBatch(72, 1, n, d)
		clear(x.location)
		x.location[0] = -1
		for i, kappa := range []float64{0, 0.1, 1, 10, 100, 1e6} {
			theta, _, _, _ := x.wood(t, dtypes.Float32, kappa, []Reflection{Exact, Stable}[i%2])
			omega, sine := x.hostAngles(t, dtypes.Float32, kappa)
			along := make([]float64, n)
			for l := range along {
				across := norm2(theta[l*d+1 : (l+1)*d])
				if relative(across, sine[l], 0.02/math.Sqrt(1+kappa)) > 1e-4 {
					t.Fatalf("d=%d kappa=%g: sqrt(1-omega^2) = %g, want %g (omega %g)", d, kappa, across, sine[l], omega[l])
				}
				along[l] = math.Cos(math.Atan2(across, -theta[l*d]))
			}
			if err := fits(along, d, kappa); err != nil {
				t.Error(err)
			}
		}
	}
}

// The gradient in the location against central differences of the host; none in the noise.
func TestFromWoodGradient(t *testing.T) {
	const h, kappa = 1e-6, 5.0
	for _, refl := range []Reflection{Released, Exact, Stable} {
		for _, d := range []int{2, 3, 6} {
			x := woodBatch(74, 3, 5, d)
			omega, sine := x.hostAngles(t, dtypes.Float64, kappa)
			_, grad, u, normals := x.wood(t, dtypes.Float64, kappa, refl)
			for _, g := range slices.Concat(u, normals) {
				if g != 0 {
					t.Fatalf("%s d=%d: gradient %g in the noise", refl, d, g)
				}
			}
			for b := 0; b < x.b; b++ {
				value := func(k int, step float64) float64 {
					location := slices.Clone(x.location[b*d : (b+1)*d])
					location[k] += step
					sum := 0.0
					for i, v := range x.place(location, b, omega, sine, refl) {
						sum += v * x.coefficients[b*x.l*d+i]
					}
					return sum
				}
				for k := 0; k < d; k++ {
					want := (value(k, h) - value(k, -h)) / (2 * h)
					if math.Abs(grad[b*d+k]-want) > 1e-6*(1+math.Abs(want)) {
						t.Errorf("%s d=%d: gradient[%d,%d] = %.9g, central difference %.9g", refl, d, b, k, grad[b*d+k], want)
					}
				}
			}
		}
	}
}

func TestFirstAccepted(t *testing.T) {
	out := run(t, func(in []*graph.Node) []*graph.Node {
		a, b := firstAccepted(graph.GreaterThan(in[0], graph.ZerosLike(in[0])), in[1], graph.Neg(in[1]))
		return []*graph.Node{a, b}
	}, tensorOf(dtypes.Float32, []float64{1, 1, 1, 0, 1, 1, 0, 0, 1, 0, 0, 0}, 1, 4, 3),
		tensorOf(dtypes.Float32, []float64{1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12}, 1, 4, 3))
	if want := []float64{1, 5, 9, 12}; !slices.Equal(out[0], want) || out[1][1] != -5 {
		t.Errorf("%v, want %v and its negative", out, want)
	}
}

// WoodProposals is the least number that leaves 1e-12, at the worst concentration and dimension.
func TestWoodProposals(t *testing.T) {
	worst := 1.0
	for _, d := range []int{2, 3, 4, 5, 10, 64, 1000} {
		for _, kappa := range []float64{0, 0.1, 1, 3, 10, 100, 1e4, 1e6, MaxKappa} {
			w := newWood(d, kappa)
			// Acceptance E[exp(logRatio)] over psi = sin^2(phi), whose density is (sin cos)^(d-2) in phi.
			const n = 20_000
			mass, accepted := 0.0, 0.0
			for i := 0; i < n; i++ {
				sin, cos := math.Sincos((float64(i) + 0.5) / n * math.Pi / 2)
				f := math.Pow(2*sin*cos, float64(d-2))
				_, ratio, _ := w.propose(sin*sin, 0.5)
				mass, accepted = mass+f, accepted+f*math.Exp(ratio)
			}
			worst = math.Min(worst, accepted/mass)
		}
	}
	if miss := math.Pow(1-worst, WoodProposals); !(miss < 1e-12 && miss/(1-worst) > 1e-12) {
		t.Errorf("least acceptance %.5f: %d proposals miss with probability %g", worst, WoodProposals, miss)
	}
}

package vmf

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/gomlx/compute/dtypes"
	"github.com/gomlx/gomlx/core/graph"
	"github.com/janpfeifer/must"

	"github.com/sliced-wasserstein/lab/swlab/internal/graphtest"
)

// batch is noise for B locations with L samples each.
type batch struct {
	b, l, d                  int
	location, along, normals []float64
	coefficients             []float64 // [B,L,d], for the gradient of sum(coefficients * theta)
}

func randomBatch(seed uint64, b, l, d int, along func(src *rand.Rand) float64) batch {
	src := rand.New(rand.NewPCG(seed, 99))
	x := batch{b: b, l: l, d: d, location: Uniform(src, d, b)}
	for i := 0; i < b*l; i++ {
		x.along = append(x.along, along(src))
		for k := 0; k < d; k++ {
			x.coefficients = append(x.coefficients, src.NormFloat64())
			if k > 0 {
				x.normals = append(x.normals, src.NormFloat64())
			}
		}
	}
	return x
}

// sample runs a sampler: theta [B,L,d] and the gradient of sum(coefficients * theta) with respect to location [B,d].
func (x batch) sample(t *testing.T, dtype dtypes.DType,
	fn func(location, along, normals *graph.Node) *graph.Node) (theta, grad []float64) {
	t.Helper()
	out := run(t, func(in []*graph.Node) []*graph.Node {
		theta := fn(in[0], in[1], in[2])
		loss := graph.ReduceAllSum(graph.Mul(theta, in[3]))
		return []*graph.Node{theta, graph.Gradient(loss, in[0])[0]}
	}, tensorOf(dtype, x.location, x.b, x.d), tensorOf(dtype, x.along, x.b, x.l),
		tensorOf(dtype, x.normals, x.b, x.l, x.d-1), tensorOf(dtype, x.coefficients, x.b, x.l, x.d))
	return out[0], out[1]
}

func noiseSampler(kappa float64, refl Reflection) func(location, u, normals *graph.Node) *graph.Node {
	return func(location, u, normals *graph.Node) *graph.Node {
		return FromNoise(location, u, normals, kappa, refl)
	}
}

func omegaSampler(refl Reflection) func(location, omega, normals *graph.Node) *graph.Node {
	return func(location, omega, normals *graph.Node) *graph.Node {
		return FromOmega(location, omega, normals, refl)
	}
}

// goldenBatch is the reference set's noise, the same for its eight locations.
func goldenBatch(g map[string][]float64) batch {
	x := batch{b: 8, l: 16, d: 3, location: g["loc"]}
	for range 8 {
		x.along = append(x.along, g["u"]...)
		x.normals = append(x.normals, g["normals"]...)
		x.coefficients = append(x.coefficients, g["coef"]...)
	}
	return x
}

func TestFromNoiseGolden(t *testing.T) {
	g := golden(t)
	x := goldenBatch(g)
	for _, dtype := range []dtypes.DType{dtypes.Float32, dtypes.Float64} {
		// The tolerances of the reference set: float32, and 1e-8 for float64.
		tolTheta, tolGrad := 1e-5, 2e-5
		if dtype == dtypes.Float64 {
			tolTheta, tolGrad = 1e-8, 1e-8
		}
		for k, kappa := range g["kappa"] {
			for _, refl := range []Reflection{Released, Exact} {
				suffix := map[Reflection]string{Released: "", Exact: "_exact"}[refl]
				theta, grad := x.sample(t, dtype, noiseSampler(kappa, refl))
				name := fmt.Sprintf("%s, kappa %g, theta%s", dtype, kappa, suffix)
				want := g["theta"+suffix][k*8*16*3 : (k+1)*8*16*3]
				for i := range want {
					tol := tolTheta
					if s := i / 3 % 16; s >= 14 { // u = 0 and 1-2^-24: sqrt(1-omega^2) at its floor
						tol = 5e-3
						if dtype == dtypes.Float64 && refl == Released {
							tol = 1e-7
						}
					}
					if !(math.Abs(theta[i]-want[i]) <= tol) {
						t.Fatalf("%s[loc %d, sample %d] = %.10g, want %.10g", name, i/48, i/3%16, theta[i], want[i])
					}
				}
				for l := 0; l < 8; l++ {
					if refl == Exact && l == 0 {
						continue // at e1: 0 by convention, checked below
					}
					at := (k*8 + l) * 3
					graphtest.Close(t, fmt.Sprintf("%s, kappa %g, grad_loc%s, location %d", dtype, kappa, suffix, l),
						grad[3*l:3*l+3], g["grad_loc"+suffix][at:at+3], tolGrad)
				}
				if !slices.Equal(grad[:3], []float64{0, 0, 0}) {
					t.Errorf("%s: gradient at e1 is %v, want 0", name, grad[:3])
				}
			}
		}
	}
}

// The graph and the host are one formula, for every reflection, concentration and dimension.
func TestGraphAgreesWithHost(t *testing.T) {
	for _, refl := range []Reflection{Released, Exact, Stable} {
		for _, kappa := range []float64{0, 1e-9, 0.1, 1, 1.5, 40, 1e6, 1e12} {
			x := randomBatch(7, 5, 40, 3, (*rand.Rand).Float64)
			for l := 0; l < x.b; l++ {
				x.along[l*x.l] = 0
			}
			for _, dtype := range []dtypes.DType{dtypes.Float32, dtypes.Float64} {
				theta, _ := x.sample(t, dtype, noiseSampler(kappa, refl))
				tol := map[dtypes.DType]float64{dtypes.Float32: 2e-6, dtypes.Float64: 1e-13}[dtype]
				x.compare(t, fmt.Sprintf("%s %s kappa %g", dtype, refl, kappa), theta, refl, tol, func(u float64) float64 {
					return OmegaFromUniform(kappa, float64(asDType(dtype, u)))
				})
			}
		}
		for _, d := range []int{2, 3, 4, 10, 33} {
			x := randomBatch(8, 4, 30, d, func(src *rand.Rand) float64 { return omegas(src, d, 3, 1)[0] })
			theta, _ := x.sample(t, dtypes.Float64, omegaSampler(refl))
			x.compare(t, fmt.Sprintf("%s d %d", refl, d), theta, refl, 1e-14, func(omega float64) float64 { return omega })
			short, _ := x.sample(t, dtypes.Float32, omegaSampler(refl))
			x.compare(t, fmt.Sprintf("float32 %s d %d", refl, d), short, refl, 2e-6,
				func(omega float64) float64 { return asDType(dtypes.Float32, omega) })
		}
	}
}

func asDType(dtype dtypes.DType, x float64) float64 {
	if dtype == dtypes.Float32 {
		return float64(float32(x))
	}
	return x
}

// compare checks theta against Place, with omega computed on the host from each entry of along.
// Where sqrt(1-omega^2) is lost in the float64 omega itself (Place has nothing else) its error,
// sqrt of the rounding of omega, is allowed.
func (x batch) compare(t *testing.T, name string, theta []float64, refl Reflection, tol float64,
	omega func(along float64) float64) {
	t.Helper()
	for b := 0; b < x.b; b++ {
		omegas := make([]float64, x.l)
		for l := range omegas {
			omegas[l] = omega(x.along[b*x.l+l])
		}
		want := Place(x.location[b*x.d:(b+1)*x.d], omegas, x.normals[b*x.l*(x.d-1):(b+1)*x.l*(x.d-1)], refl)
		for i, w := range want {
			lost := 2e-16 / math.Sqrt(math.Max(1-math.Abs(omegas[i/x.d]), 1e-16))
			if got := theta[b*x.l*x.d+i]; !(math.Abs(got-w) <= tol+lost) {
				t.Fatalf("%s: theta[%d,%d] = %.17g, want %.17g (omega %g)", name, b, i, got, w, omegas[i/x.d])
			}
		}
	}
}

// The gradients with respect to the location, of the graph and of the host, against central differences of the host
// formula, in general dimension.
func TestGradientFiniteDifference(t *testing.T) {
	const h = 1e-6
	for _, refl := range []Reflection{Released, Exact, Stable} {
		for _, d := range []int{2, 3, 6} {
			x := randomBatch(17, 4, 6, d, func(src *rand.Rand) float64 { return 2*src.Float64() - 1 })
			_, grad := x.sample(t, dtypes.Float64, omegaSampler(refl))
			for b := 0; b < x.b; b++ {
				omega, normals := x.along[b*x.l:(b+1)*x.l], x.normals[b*x.l*(d-1):(b+1)*x.l*(d-1)]
				c := x.coefficients[b*x.l*d : (b+1)*x.l*d]
				value := func(location []float64) (sum float64) {
					for i, v := range Place(location, omega, normals, refl) {
						sum += v * c[i]
					}
					return sum
				}
				host := PlaceGradient(x.location[b*d:(b+1)*d], omega, normals, refl, c)
				for k := 0; k < d; k++ {
					location := slices.Clone(x.location[b*d : (b+1)*d])
					location[k] += h
					up := value(location)
					location[k] -= 2 * h
					down := value(location)
					want := (up - down) / (2 * h)
					for _, got := range []float64{grad[b*d+k], host[k]} {
						if math.Abs(got-want) > 1e-6*(1+math.Abs(want)) {
							t.Errorf("%s d=%d: gradient[%d,%d] = %.9g, difference %.9g", refl, d, b, k, got, want)
						}
					}
				}
			}
		}
	}
}

// The noise carries no gradient.
func TestNoGradientThroughNoise(t *testing.T) {
	x := randomBatch(67, 2, 4, 3, (*rand.Rand).Float64)
	for name, fn := range map[string]func(location, along, normals *graph.Node) *graph.Node{
		"FromNoise": noiseSampler(1, Exact), "FromOmega": omegaSampler(Exact),
	} {
		out := run(t, func(in []*graph.Node) []*graph.Node {
			loss := graph.ReduceAllSum(graph.Mul(fn(in[0], in[1], in[2]), in[3]))
			return graph.Gradient(loss, in[1], in[2])
		}, tensorOf(dtypes.Float64, x.location, 2, 3), tensorOf(dtypes.Float64, x.along, 2, 4),
			tensorOf(dtypes.Float64, x.normals, 2, 4, 2), tensorOf(dtypes.Float64, x.coefficients, 2, 4, 3))
		for _, v := range slices.Concat(out...) {
			if v != 0 {
				t.Fatalf("%s: gradients %v, want 0", name, out)
			}
		}
	}
}

// T20: unit norms and finite gradients at and around e1, where the released sampler shrinks.
func TestNearE1(t *testing.T) {
	angles, locations := nearE1()
	x := randomBatch(27, len(angles), 64, 3, (*rand.Rand).Float64)
	x.location = slices.Concat(locations...)
	for _, dtype := range []dtypes.DType{dtypes.Float32, dtypes.Float64} {
		tol := map[dtypes.DType]float64{dtypes.Float32: 5e-7, dtypes.Float64: 1e-14}[dtype]
		for _, refl := range []Reflection{Released, Exact, Stable} {
			theta, grad := x.sample(t, dtype, noiseSampler(1, refl))
			for i := 0; i < len(theta); i += 3 {
				norm := norm2(theta[i : i+3])
				if refl != Released && !(math.Abs(norm-1) <= tol) || !(norm <= 1+tol) {
					t.Errorf("%s %s at angle %g: norm %.9g", dtype, refl, angles[i/3/x.l], norm)
					break
				}
			}
			largest := 0.0
			for i, v := range grad {
				if math.IsNaN(v) || math.IsInf(v, 0) {
					t.Errorf("%s %s at angle %g: gradient %g", dtype, refl, angles[i/3], v)
				}
				largest = math.Max(largest, math.Abs(v))
			}
			if refl == Stable && largest > 4*64*3 { // |d theta/d mu| <= 4/sqrt(2) for each sample
				t.Errorf("%s stable: gradient of size %g", dtype, largest)
			}
		}
	}
}

// In float32 too the spread at kappa = 1e6 is right: it is not computed from 1-omega^2.
func TestFromNoiseConcentratedFloat32(t *testing.T) {
	const n = 5000
	x := randomBatch(47, 1, n, 3, (*rand.Rand).Float64)
	x.location = []float64{-1, 0, 0} // reflection: theta = (-omega, sine v), so the spread is not lost in rounding
	theta, _ := x.sample(t, dtypes.Float32, noiseSampler(1e6, Exact))
	for l := 0; l < n; l++ {
		_, want := angleFromUniform(1e6, asDType(dtypes.Float32, x.along[l]))
		if got := math.Hypot(theta[3*l+1], theta[3*l+2]); relative(got, want, 1e-5) > 1e-4 {
			t.Fatalf("u = %g: distance to the axis %g, want %g", x.along[l], got, want)
		}
	}
}

func TestUniformFromNormals(t *testing.T) {
	values := []float64{3, 0, 4, 0, 0, 0, 1e-10, 0, 0, -2e10, 0, 0, 1, 1, 1, 0, -1e-3, 0}
	want := []float64{0.6, 0, 0.8, 1, 0, 0, 1, 0, 0, -1, 0, 0, 1 / math.Sqrt(3), 1 / math.Sqrt(3), 1 / math.Sqrt(3), 0, -1,
		0}
	for _, dims := range [][]int{{6, 3}, {2, 3, 3}, {1, 2, 3, 3}} {
		out := run(t, func(in []*graph.Node) []*graph.Node {
			x := UniformFromNormals(in[0])
			return []*graph.Node{x, graph.Gradient(graph.ReduceAllSum(graph.Square(graph.Add(x, in[0]))), in[0])[0]}
		}, tensorOf(dtypes.Float32, values, dims...))
		graphtest.Close(t, fmt.Sprint(dims), out[0], want, 1e-6)
		for _, g := range out[1] {
			if math.IsNaN(g) {
				t.Fatalf("gradient %v", out[1])
			}
		}
	}
	one := run(t, func(in []*graph.Node) []*graph.Node { return []*graph.Node{UniformFromNormals(in[0])} },
		tensorOf(dtypes.Float64, []float64{-0.5, 0.25}, 2))
	graphtest.Close(t, "rank 1", one[0], []float64{-2 / math.Sqrt(5), 1 / math.Sqrt(5)}, 1e-15)
}

// Wrong shapes, dtypes and parameters end graph building; graph.Exec returns the message as an error.
func TestGraphRejects(t *testing.T) {
	f32 := func(dims ...int) any {
		n := 1
		for _, d := range dims {
			n *= d
		}
		return tensorOf(dtypes.Float32, make([]float64, n), dims...)
	}
	noise := func(kappa float64, refl Reflection) func(in []*graph.Node) *graph.Node {
		return func(in []*graph.Node) *graph.Node { return FromNoise(in[0], in[1], in[2], kappa, refl) }
	}
	omega := func(in []*graph.Node) *graph.Node { return FromOmega(in[0], in[1], in[2], Exact) }
	const k = WoodProposals
	wood := func(kappa float64) func(in []*graph.Node) *graph.Node {
		return func(in []*graph.Node) *graph.Node { return FromWood(in[0], in[1], in[2], kappa, Exact) }
	}
	uniform := func(in []*graph.Node) *graph.Node { return UniformFromNormals(in[0]) }
	for _, c := range []struct {
		fn   func(in []*graph.Node) *graph.Node
		args []any
		want string
	}{
		{noise(1, Released), []any{f32(2, 4), f32(2, 5), f32(2, 5, 3)}, "expected [B,3]"},
		{noise(1, Released), []any{f32(2, 3), f32(3, 5), f32(2, 5, 2)}, "expected [B,d]"},
		{noise(1, Released), []any{f32(2, 3), f32(2, 5), f32(2, 4, 2)}, "[B,L,d-1]"},
		{noise(1, Released), []any{f32(3), f32(2, 5), f32(2, 5, 2)}, "[B,L,d-1]"},
		{noise(1, Released), []any{f32(2, 3), tensorOf(dtypes.Float64, make([]float64, 10), 2, 5), f32(2, 5, 2)},
			"one dtype"},
		{noise(-1, Released), []any{f32(2, 3), f32(2, 5), f32(2, 5, 2)}, "kappa is -1"},
		{noise(math.NaN(), Released), []any{f32(2, 3), f32(2, 5), f32(2, 5, 2)}, "kappa is NaN"},
		{noise(1, Reflection(3)), []any{f32(2, 3), f32(2, 5), f32(2, 5, 2)}, "unknown reflection 3"},
		{omega, []any{f32(2, 1), f32(2, 5), f32(2, 5, 0)}, "d >= 2"},
		{omega, []any{f32(2, 4), f32(2, 5), f32(2, 5, 2)}, "[B,L,d-1]"},
		{wood(1), []any{f32(2, 4), f32(2, 5), f32(2, 5, 3)}, "expected [B,L,26,3]"},
		{wood(1), []any{f32(2, 4), f32(2, 5, k-1, 3), f32(2, 5, 3)}, "expected [B,L,26,3]"},
		{wood(1), []any{f32(2, 4), f32(3, 5, k, 3), f32(2, 5, 3)}, "[B,L,d-1]"},
		{wood(1), []any{f32(2, 1), f32(2, 5, k, 3), f32(2, 5, 0)}, "d >= 2"},
		{wood(1), []any{f32(2, 4), tensorOf(dtypes.Float64, make([]float64, 10*k*3), 2, 5, k, 3), f32(2, 5, 3)},
			"one dtype"},
		{wood(-1), []any{f32(2, 4), f32(2, 5, k, 3), f32(2, 5, 3)}, "kappa is -1"},
		{uniform, []any{float32(1)}, "expected [..., d]"},
		{uniform, []any{[]int32{1, 2}}, "expected float32 or float64"},
	} {
		exec := must.M1(graph.NewExec(testBackend(t),
			func(in []*graph.Node) []*graph.Node { return []*graph.Node{c.fn(in)} }))
		if _, err := exec.Call(c.args...); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("want an error with %q, got %v", c.want, err)
		}
		exec.Finalize()
	}
}

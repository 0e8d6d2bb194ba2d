package slicing

import (
	"fmt"
	"math"
	"math/rand/v2"

	"github.com/gomlx/gomlx/core/graph"
	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat/distmv"
	"gonum.org/v1/gonum/stat/samplemv"

	"github.com/sliced-wasserstein/lab/swlab/vmf"
)

// QMC spreads the directions evenly over the sphere and randomises the whole set. Every direction
// is uniform by itself, and the mean over slices is unbiased with an error that falls faster than
// 1/sqrt(L) (Nguyen, Bariletto and Ho 2024):
//
//	d = 2  angles 2 pi U + pi l (n+1)/n, one uniform U per set: around the whole circle, no two opposite
//	       (theta and -theta cost the same)
//	d = 3  generalised spiral points z_l = 1 - (2l+1)/n, azimuth 1.8 sqrt(n) acos(z_l), rotated at random once per set
//	d > 3  a Halton set (Owen-scrambled once) shifted by one uniform vector modulo 1 per set, mapped to
//	       normals (Box-Muller) and normalised
//
// The slices are divided into Replicates independent sets, whose means give the standard error; one
// set is the most accurate and has none. 0 stands for 4 sets from 64 slices on, and 1 below.
type QMC struct{ Replicates int }

func (QMC) Name() string      { return "qmc" }
func (QMC) HasLocation() bool { return false }

func (q QMC) Check(dim int) error {
	if q.Replicates < 0 {
		return fmt.Errorf("qmc: replicates: expected at least 0, found %d", q.Replicates)
	}
	return atLeastTwo("qmc", dim)
}

func (q QMC) Block(slices, _ int) int {
	sets := min(q.Replicates, slices)
	if sets == 0 {
		sets = 1
		if slices >= 64 {
			sets = 4
		}
	}
	return (slices + sets - 1) / sets
}

func (q QMC) Draw(r Request) *graph.Node {
	batch, dim := r.Batch(), r.Dim()
	n := q.Block(r.Slices, dim)
	sets := (r.Slices + n - 1) / n
	var all *graph.Node // [batch, sets, n, dim]
	switch dim {
	case 2:
		all = evenAngles(r.Source.Uniform(batch, sets, 1), n)
	case 3:
		all = turnedSpiral(r.Source.Normal(batch, sets, 4), n)
	default:
		all = shiftedHalton(r.Source.Uniform(batch, sets, 1, dim+dim%2), n, dim)
	}
	all = graph.Reshape(all, batch, sets*n, dim)
	return graph.Slice(all, graph.AxisRange(), graph.AxisRange(0, r.Slices))
}

// evenAngles: u [batch, sets, 1] -> [batch, sets, n, 2].
func evenAngles(u *graph.Node, n int) *graph.Node {
	step := make([]float32, n)
	for l := range step {
		step[l] = float32(math.Mod(math.Pi*float64(l)*float64(n+1)/float64(n), 2*math.Pi))
	}
	d := u.Shape().Dimensions
	l := graph.Reshape(graph.Const(u.Graph(), step), 1, 1, n)
	angle := graph.Add(graph.BroadcastToDims(l, d[0], d[1], n), graph.MulScalar(u, 2*math.Pi))
	return graph.Stack([]*graph.Node{graph.Cos(angle), graph.Sin(angle)}, -1)
}

// turnedSpiral turns the n spiral points by the rotation of the quaternion q [batch, sets, 4]
// (normals) -> [batch, sets, n, 3].
func turnedSpiral(q *graph.Node, n int) *graph.Node {
	points := make([][]float32, n)
	for l := range points {
		z := 1 - (2*float64(l)+1)/float64(n)
		azimuth := math.Mod(1.8*math.Sqrt(float64(n))*math.Acos(z), 2*math.Pi)
		s := math.Sqrt(1 - z*z)
		points[l] = []float32{float32(s * math.Cos(azimuth)), float32(s * math.Sin(azimuth)), float32(z)}
	}
	q = Unit(q)
	at := func(i int) *graph.Node {
		return graph.Slice(q, graph.AxisRange(), graph.AxisRange(), graph.AxisElem(i))
	}
	w, x, y, z := at(0), at(1), at(2), at(3)
	two := func(a, b, c, d *graph.Node, sign float64) *graph.Node { // 2 (a b + sign c d)
		return graph.MulScalar(graph.Add(graph.Mul(a, b), graph.MulScalar(graph.Mul(c, d), sign)), 2)
	}
	rotation := graph.Concatenate([]*graph.Node{
		graph.OneMinus(two(y, y, z, z, 1)), two(x, y, w, z, -1), two(x, z, w, y, 1),
		two(x, y, w, z, 1), graph.OneMinus(two(x, x, z, z, 1)), two(y, z, w, x, -1),
		two(x, z, w, y, -1), two(y, z, w, x, 1), graph.OneMinus(two(x, x, y, y, 1)),
	}, -1)
	d := q.Shape().Dimensions
	return graph.Einsum("nc,bsoc->bsno", graph.Const(q.Graph(), points), graph.Reshape(rotation, d[0], d[1], 3, 3))
}

// shiftedHalton shifts n Halton points by u [batch, sets, 1, even] modulo 1 -> [batch, sets, n,
// dim].
func shiftedHalton(u *graph.Node, n, dim int) *graph.Node {
	even := u.Shape().Dim(-1)
	set := mat.NewDense(n, even, nil)
	uniform, random := distmv.NewUnitUniform(even, nil), rand.NewPCG(1, uint64(even))
	samplemv.Halton{Kind: samplemv.Owen, Q: uniform, Src: random}.Sample(set)
	base := make([]float32, n*even)
	for i := range base {
		base[i] = float32(set.At(i/even, i%even))
	}
	g, d := u.Graph(), u.Shape().Dimensions
	points := graph.Reshape(graph.Const(g, base), 1, 1, n, even)
	v := graph.Add(graph.BroadcastToDims(points, d[0], d[1], n, even), u)
	v = graph.Sub(v, graph.Floor(v))
	part := func(v *graph.Node, from, to int) *graph.Node {
		return graph.Slice(v, graph.AxisRange().Spacer(), graph.AxisRange(from, to))
	}
	// Box-Muller; 1 - v lies in (0, 1].
	radius := graph.Sqrt(graph.MulScalar(graph.Log(graph.MaxScalar(graph.OneMinus(part(v, 0, even/2)), 1e-9)), -2))
	angle := graph.MulScalar(part(v, even/2, even), 2*math.Pi)
	cos, sin := graph.Mul(radius, graph.Cos(angle)), graph.Mul(radius, graph.Sin(angle))
	return vmf.UniformFromNormals(part(graph.Concatenate([]*graph.Node{cos, sin}, -1), 0, dim))
}

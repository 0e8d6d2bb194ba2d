package ot1d

import (
	"fmt"
	"math"
	"math/big"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/janpfeifer/must"
)

// exactly is the cost of one pair and direction, and its gradient in y, from projections without
// rounding: W_p^p with the given masses.
func exactly(x, y Clouds, theta []float32, p int) (cost float64, grad []float64) {
	project := func(c Clouds) (all []*big.Float, order []int, mass []*big.Float) {
		total := new(big.Float).SetPrec(2000)
		for i := range c.Points {
			sum := new(big.Float).SetPrec(2000)
			for j, t := range theta {
				v := new(big.Float).SetPrec(2000).SetFloat64(float64(c.Coords[i*c.Dim+j]))
				sum.Add(sum, v.Mul(v, big.NewFloat(float64(t))))
			}
			w := big.NewFloat(1)
			if c.Mass != nil {
				w = big.NewFloat(c.Mass[i])
			}
			w = new(big.Float).SetPrec(2000).Set(w)
			total.Add(total, w)
			all, order, mass = append(all, sum), append(order, i), append(mass, w)
		}
		for _, w := range mass {
			w.Quo(w, total)
		}
		slices.SortFunc(order, func(i, j int) int { return all[i].Cmp(all[j]) })
		return all, order, mass
	}
	a, byX, massX := project(x)
	b, byY, massY := project(y)
	sum := new(big.Float).SetPrec(2000)
	slope := make([]*big.Float, y.Points)
	for i := range slope {
		slope[i] = new(big.Float).SetPrec(2000)
	}
	left, right := new(big.Float).Set(massX[byX[0]]), new(big.Float).Set(massY[byY[0]])
	negligible := big.NewFloat(1e-300)
	for i, j := 0, 0; i < x.Points && j < y.Points; {
		step := new(big.Float).Set(left)
		if right.Cmp(left) < 0 {
			step.Set(right)
		}
		d := new(big.Float).Sub(a[byX[i]], b[byY[j]])
		size := new(big.Float).Abs(d)
		power := new(big.Float).SetPrec(2000).SetInt64(1)
		for range p - 1 {
			power.Mul(power, size)
		}
		rate := new(big.Float).Mul(power, step)
		rate.Mul(rate, big.NewFloat(float64(p)))
		if d.Sign() > 0 {
			rate.Neg(rate)
		}
		if d.Sign() != 0 {
			slope[byY[j]].Add(slope[byY[j]], rate)
		}
		sum.Add(sum, power.Mul(power.Mul(power, size), step))
		left.Sub(left, step)
		right.Sub(right, step)
		if left.Cmp(negligible) < 0 {
			if i++; i < x.Points {
				left.Set(massX[byX[i]])
			}
		}
		if right.Cmp(negligible) < 0 {
			if j++; j < y.Points {
				right.Set(massY[byY[j]])
			}
		}
	}
	cost, _ = sum.Float64()
	for _, s := range slope {
		v, _ := s.Float64()
		for _, t := range theta {
			grad = append(grad, v*float64(t))
		}
	}
	return cost, grad
}

// TestOutliers: outliers of any size, in one cloud or shared by both, erase nothing: neither costs nor
// gradients, for few directions and many, on the fast path and the exact one.
func TestOutliers(t *testing.T) {
	const dim = 3
	r := rand.New(rand.NewPCG(3, 4))
	cloud := func(n int, apart float64) Clouds {
		c := Clouds{Batch: 1, Points: n, Dim: dim}
		for range n * dim {
			c.Coords = append(c.Coords, float32(apart+r.NormFloat64()))
		}
		return c
	}
	for _, far := range []float64{1e3, 1e4, 1e5, 1e6, 1e8, 1e12, 1e16, 1e24, 1e30, 1e38} {
		for _, kind := range []string{"one", "shared", "half", "masses", "unequal"} {
			m, n := 20, 20
			if kind == "unequal" {
				n = 13
			}
			x, y := cloud(m, 0), cloud(n, 0.25)
			out := []float32{float32(far), float32(-far / 2), float32(far / 4)}
			copy(x.Coords, out)
			switch kind {
			case "one":
			case "half":
				for i := range m / 2 {
					copy(x.Coords[i*dim:], out)
					copy(y.Coords[i*dim:], out)
				}
			default:
				copy(y.Coords, out)
			}
			if kind == "masses" {
				for range m {
					x.Mass, y.Mass = append(x.Mass, 0.5+r.Float64()), append(y.Mass, 0.5+r.Float64())
				}
			}
			for _, p := range []int{1, 2, 3} {
				if p*int(math.Log10(far)) > 300 {
					continue
				}
				for _, slices := range []int{1, 5, 40} {
					var directions []float32
					for range slices * dim {
						directions = append(directions, float32(r.NormFloat64()))
					}
					o := Config{P: float64(p), Reduce: Mean}
					fast := o
					fast.Fast = true
					ups := make([]float64, slices)
					for i := range ups {
						ups[i] = 1
					}
					exact := must.M1(HostCosts(x, y, directions, slices, o))
					quick := must.M1(HostCosts(x, y, directions, slices, fast))
					costs, g := must.M2(HostGradients(x, y, directions, slices, ups, Y, o))
					want := make([]float64, len(y.Coords))
					for l := range slices {
						c, grad := exactly(x, y, directions[l*dim:][:dim], p)
						for _, v := range []struct {
							got, tolerance float64
						}{{exact[l], 1e-8}, {costs[l], 1e-8}, {quick[l], 1e-6}} {
							if !(math.Abs(v.got-c) <= v.tolerance*c) {
								t.Fatalf("outlier %g, %s, p = %d, %d slices: %v, expected %v", far, kind, p, slices, v.got, c)
							}
						}
						for i, v := range grad {
							want[i] += v
						}
					}
					for i := 0; i < len(want); i += dim {
						size := math.Abs(want[i]) + math.Abs(want[i+1]) + math.Abs(want[i+2])
						for j := i; j < i+dim; j++ {
							if math.Abs(g.Y[j]-want[j]) > 1e-6*size+1e-12 {
								t.Fatalf("outlier %g, %s, p = %d, %d slices: gradient of point %d: %v, expected %v",
									far, kind, p, slices, i/dim, g.Y[i:i+dim], want[i:i+dim])
							}
						}
					}
				}
			}
		}
	}
}

// TestSmallestDifference: what lies below the units of keys is found, along with its gradients, also where
// no point is near 0.
func TestSmallestDifference(t *testing.T) {
	theta := []float32{0.6, 0.8}
	for _, c := range []struct {
		x, y []float32
		want float64
	}{
		{[]float32{0, 0, 0, 0x1p56}, []float32{1, 0, 2, 0x1p56}, 1.80000007},
		{[]float32{0, 0, 0, 0x1p56}, []float32{0, 0, 2, 0x1p56}, 1.20000005},
		{[]float32{0, 0x1p56, 0, -0x1p56}, []float32{2, 0x1p56, 0, -0x1p56}, 1.20000005},
	} {
		x, y := Clouds{Coords: c.x, Batch: 1, Points: 2, Dim: 2}, Clouds{Coords: c.y, Batch: 1, Points: 2, Dim: 2}
		for _, o := range []Config{{P: 1}, {P: 1, Fast: true}} {
			got := must.M1(HostCosts(x, y, theta, 1, o))
			if math.Abs(got[0]-c.want) > 1e-8 {
				t.Errorf("%v and %v: %.10g, expected %.10g", c.x, c.y, got[0], c.want)
			}
		}
		got, g := must.M2(HostGradients(x, y, theta, 1, []float64{1}, X|Y|Directions, Config{P: 1}))
		along := float64(theta[0])*g.Directions[0] + float64(theta[1])*g.Directions[1]
		if math.Abs(got[0]-c.want) > 1e-8 || math.Abs(along-c.want) > 1e-8 {
			t.Errorf("%v and %v: %.10g, along the direction %.10g, expected %.10g", c.x, c.y, got[0], along, c.want)
		}
		_, turned := must.M2(HostGradients(x, y, theta, 1, []float64{1}, Directions, Config{P: 1}))
		if fmt.Sprint(turned.Directions) != fmt.Sprint(g.Directions) {
			t.Errorf("%v and %v: gradients of the direction %v and %v", c.x, c.y, turned.Directions, g.Directions)
		}
	}
}

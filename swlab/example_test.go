package swlab_test

import (
	"fmt"
	"math/rand/v2"

	"github.com/janpfeifer/must"

	"github.com/sliced-wasserstein/lab/datasets"
	"github.com/sliced-wasserstein/lab/swlab"
	"github.com/sliced-wasserstein/lab/swlab/loss"
	"github.com/sliced-wasserstein/lab/swlab/vmf"
)

// square and shifted are two clouds of four points in space.
func square() *datasets.Set {
	x, err := datasets.FromSlices([][][]float32{{{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {1, 1, 0}}})
	if err != nil {
		panic(err)
	}
	return x
}

func shifted() *datasets.Set {
	y, err := datasets.FromSlices([][][]float32{{{0, 0, 3}, {1, 0, 3}, {0, 1, 3}, {1, 1, 3}}})
	if err != nil {
		panic(err)
	}
	return y
}

// The squared sliced Wasserstein distance of a cloud and its translation by v is |v|^2/3 in space:
// here 3, up to its standard error.
func ExampleDistance() {
	o := swlab.DistanceConfig{Config: loss.Defaults(), Seed: 1}
	o.Slices, o.Reduce = 10000, loss.Mean
	d, err := swlab.Distance("sw", square(), shifted(), o)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Printf("%.1f, the interval holds 3: %t\n", d.Value, d.Low < 3 && 3 < d.High)
	// Output: 3.0, the interval holds 3: true
}

// Samples of von Mises-Fisher distributions around two poles lie half a circle apart on great circles; the
// wider they are, the nearer.
func ExampleDistance_sphere() {
	around := func(kappa, z float64) *datasets.Set {
		d, err := vmf.New([]float64{0, 0, z}, kappa)
		if err != nil {
			panic(err)
		}
		points := d.Rand(rand.New(rand.NewPCG(1, 2)), 2000)
		set, err := datasets.New(points, 1, 2000, 3)
		if err != nil {
			panic(err)
		}
		return set
	}
	o := swlab.DistanceConfig{Config: loss.Defaults(), Seed: 1}
	o.Root = true
	for _, kappa := range []float64{1, 10, 1000} {
		d, err := swlab.Distance("ssw", around(kappa, 1), around(kappa, -1), o)
		if err != nil {
			fmt.Println(err)
			return
		}
		fmt.Printf("kappa = %g: %.2f\n", kappa, d.Value)
	}
	// Output:
	// kappa = 1: 0.13
	// kappa = 10: 0.38
	// kappa = 1000: 0.49
}

// Four points on a line against N(0, 1).
func ExampleNormality() {
	s, err := swlab.Normality([]float64{-1, 0, 1, 2}, 1, swlab.NormalityConfig{})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Printf("%.8f\n", s.Value)
	// Output: 0.55819035
}

// An amortizer with fresh weights predicts some unit direction; training makes it a good one.
func ExampleDirection() {
	p, err := swlab.Direction("la", square(), shifted(), swlab.DirectionConfig{Seed: 1})
	if err != nil {
		fmt.Println(err)
		return
	}
	square := 0.0
	for _, v := range p.Directions {
		square += float64(v) * float64(v)
	}
	fmt.Printf("%s, %d coordinates, length %.3f\n", p.Amortizer, len(p.Directions), square)
	// Output: la, 3 coordinates, length 1.000
}

// Bounds of W2 from the directions of a distance.
func ExampleBracket() {
	x, y := must.M1(datasets.New([]float32{3, 3, 1, 1}, 2, 2)), must.M1(datasets.New([]float32{2, 2.5, 3, 2}, 2, 2))
	d := must.M1(swlab.Distance("sw", x, y, swlab.DistanceConfig{Seed: 1, Bracket: true}))
	fmt.Printf("W2 between %.3f and %.3f\n", d.Bracket.Low, d.Bracket.High)
	// Output: W2 between 1.414 and 1.458
}

// Six evenly spread directions in space average every quadratic function without error, such as the cost
// of a translation.
func ExampleDistance_auto() {
	o := swlab.DistanceConfig{Seed: 1}
	o.Slices, o.Slicing, o.Reduce = 6, "auto", loss.Mean
	d, err := swlab.Distance("sw", square(), shifted(), o)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Printf("%.4f, %s\n", d.Value, d.Slicing)
	// Output: 3.0000, auto: qmc
}

// A coordinate in other units hides the first, unless both are divided by their standard deviations.
func ExampleDistance_scale() {
	x := must.M1(datasets.New([]float64{0, 0, 2, 2e5}, 2, 2))
	y := must.M1(datasets.New([]float64{1, 0, 3, 2e5}, 2, 2))
	d, err := swlab.Distance("sw", x, y, swlab.DistanceConfig{Seed: 1, Scale: true})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(d.Scale)
	// Output: [1 100000]
}

// The interval of the squared distance between the two distributions, 1, includes the sampling of the points.
func ExamplePopulation() {
	r := rand.New(rand.NewPCG(1, 1))
	x, y := make([]float64, 900), make([]float64, 900)
	for i := range x {
		x[i], y[i] = r.NormFloat64(), r.NormFloat64()+1
	}
	o := swlab.DistanceConfig{Seed: 1, Population: true}
	o.Reduce = loss.Mean
	d, err := swlab.Distance("sw", must.M1(datasets.New(x, 300, 3)), must.M1(datasets.New(y, 300, 3)), o)
	if err != nil {
		fmt.Println(err)
		return
	}
	p := d.Population
	fmt.Printf("the interval holds 1: %t, wider than that of the directions: %t\n", p.Low < 1 && 1 < p.High, p.StdErr > d.StdErr)
	// Output: the interval holds 1: true, wider than that of the directions: true
}

package vmfviz_test

import (
	"fmt"
	"math"
	"strings"

	"github.com/sliced-wasserstein/lab/vmfviz"
)

// circle returns n directions around the z axis at a polar angle.
func circle(n int, polar float64) []float32 {
	var d []float32
	for i := range n {
		s, c := math.Sincos(2 * math.Pi * float64(i) / float64(n))
		d = append(d, float32(c*math.Sin(polar)), float32(s*math.Sin(polar)), float32(math.Cos(polar)))
	}
	return d
}

// helix returns a cloud of n points with the y axis upwards.
func helix(n int, radius float64) []float32 {
	var p []float32
	for i := range n {
		t := float64(i) / float64(n)
		s, c := math.Sincos(6 * math.Pi * t)
		p = append(p, float32(radius*c), float32(2*t-1), float32(radius*s))
	}
	return p
}

func ExampleSphere() {
	north := []float32{0, 0, 1}
	p, err := vmfviz.Sphere(vmfviz.SphereOptions{Title: "Directions around ε"},
		vmfviz.SpherePanel{Caption: "wide", Points: circle(40, 1), Location: north},
		vmfviz.SpherePanel{Caption: "narrow", Points: circle(40, 0.3), Location: north},
	)
	fmt.Println(p.Alt, err) // p.Save("sphere.png") writes it
	// Output: Directions around ε: 2 unit sphere(s) with directions <nil>
}

func ExampleVMF() {
	noise := make([]float32, 2*400)
	for i := range 400 { // a lattice in the place of random numbers
		noise[2*i] = (float32(i) + 0.5) / 400
		noise[2*i+1] = float32(math.Mod(0.618034*float64(i), 1))
	}
	panel := vmfviz.SpherePanel{VMF: &vmfviz.VMF{Kappa: 10, Noise: noise}, Location: []float32{0.6, 0, 0.8}}
	p, err := vmfviz.Sphere(vmfviz.SphereOptions{}, panel) // the picture, κ = 10
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(p.Alt)
	page, err := vmfviz.SphereHTML(vmfviz.SphereOptions{}, panel) // the same with a slider of κ
	fmt.Println(strings.Contains(page, "kappa"), len(page) < 40_000, err)
	// Output:
	// 1 unit sphere(s) with directions
	// true true <nil>
}

func ExampleHeat() {
	// Compute the function in one batch on the grid ...
	grid := vmfviz.SphereGrid(30)
	values := make([]float64, len(grid)/3)
	for i := range values {
		x, y := float64(grid[3*i]), float64(grid[3*i+1])
		values[i] = x*x + 0.5*y*y
	}
	// ... and draw it.
	p, err := vmfviz.Sphere(vmfviz.SphereOptions{},
		vmfviz.SpherePanel{Heat: &vmfviz.Heat{Values: values, Label: "F(θ), mean over points"}})
	svg, err := p.SVG()
	fmt.Println(strings.Contains(string(svg), "<svg"), err)
	// Output: true <nil>
}

func ExampleClouds() {
	p, err := vmfviz.Clouds(vmfviz.CloudsOptions{Columns: []string{"narrow", "wide"}},
		vmfviz.CloudRow{Caption: "input", Clouds: [][]float32{helix(300, 0.3), helix(300, 0.8)}},
		vmfviz.CloudRow{Caption: "SW", Clouds: [][]float32{helix(200, 0.32), helix(200, 0.75)}},
	)
	fmt.Println(p.Alt, err)
	// Output: 2 rows of 2 point clouds <nil>
}

func ExampleGallery() {
	clouds, err := vmfviz.Split(append(helix(300, 0.3), helix(300, 0.8)...), 2)
	p, err := vmfviz.Gallery(vmfviz.GalleryOptions{Captions: []string{"narrow", "wide"}}, clouds...)
	fmt.Println(p.Alt, err)
	// Output: 2 point clouds <nil>
}

func ExampleSlice() {
	x, y := helix(100, 0.3), helix(100, 0.8)
	theta := []float32{0.6, 0.8, 0}
	costs := []float64{0.10, 0.12, 0.07, 0.15, 0.11} // of other directions, drawn at random: standard error 0.013
	p, err := vmfviz.Slice(vmfviz.SliceOptions{Convention: vmfviz.MeanOverPoints, StdErr: 0.013}, x, y, theta, costs)
	w, _ := p.Size()
	fmt.Println(w, err)
	// Output: 900 <nil>
}

func ExampleCurves() {
	p, err := vmfviz.Curves(vmfviz.CurvesOptions{Title: "Training"}, vmfviz.CurvePanel{
		XLabel: "step", YLabel: "SW² (sum over points)", LogY: true, Smooth: 0.5,
		Series: []vmfviz.Series{{Label: "SW", Y: []float64{8, 4, 3, 2, 1.5}}, {Label: "LA v-DSW", Y: []float64{7, 4, 2, 1.5, 1}}},
	})
	p.Plots[0][0].Y.Max = 10 // plots are those of gonum/plot
	fmt.Println(p.Alt, err)
	// Output: Training: curves in 1 plot(s) <nil>
}

func ExampleDots() {
	_, err := vmfviz.Dots(vmfviz.DotsOptions{XLabel: "SW (rooted, mean over points)"},
		vmfviz.Estimate{Label: "L = 10", Value: 0.21, StdErr: 0.03},
		vmfviz.Estimate{Label: "L = 100", Value: 0.198, StdErr: 0.009, Paper: 0.2},
		vmfviz.Estimate{Label: "wrong", Value: math.NaN()},
	)
	fmt.Println(err)
	// Output: vmfviz: estimates[2].Value is NaN, expected a finite number of at most 1e+150
}

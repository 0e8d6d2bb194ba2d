package vmfviz_test

import (
	"fmt"
	"image/color"
	"math"

	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg/draw"
	"gonum.org/v1/plot/vg/vgimg"

	"github.com/sliced-wasserstein/lab/vmfviz"
)

func ExampleSplit() {
	clouds, err := vmfviz.Split(make([]float32, 2*5*3), 2) // [2, 5, 3]
	fmt.Println(len(clouds), len(clouds[0]), err)
	_, err = vmfviz.Split(make([]float32, 10), 2)
	fmt.Println(err)
	// Output:
	// 2 15 <nil>
	// vmfviz: points has length 10, expected a multiple of 3·n for n = 2 clouds of equally many points
}

// A picture is plots of gonum/plot: change them before you write it.
func ExamplePicture() {
	p, err := vmfviz.Curves(vmfviz.CurvesOptions{}, vmfviz.CurvePanel{Series: []vmfviz.Series{{Label: "SW", Y: []float64{3, 2, 1}}}})
	if err != nil {
		fmt.Println(err)
		return
	}
	q := p.Plots[0][0]
	q.Title.Text = "My run"
	q.Y.Max = 4
	q.Add(plotter.NewFunction(func(x float64) float64 { return 4 - x }))
	fmt.Println(q.Y.Max, p.Save("/nonexistent/curves.pdf") != nil)
	// Output: 4 true
}

func ExamplePicture_Draw() {
	p, err := vmfviz.Curves(vmfviz.CurvesOptions{}, vmfviz.CurvePanel{Series: []vmfviz.Series{{Y: []float64{3, 2, 1}}}})
	if err != nil {
		fmt.Println(err)
		return
	}
	page := vgimg.New(p.Width, 2*p.Height) // two pictures on one page
	tiles := draw.Tiles{Cols: 1, Rows: 2}
	p.Draw(tiles.At(draw.New(page), 0, 0))
	p.Draw(tiles.At(draw.New(page), 0, 1))
	fmt.Println(page.Image().Bounds().Dx())
	// Output: 900
}

func ExampleTheme_NewPlot() {
	theme := vmfviz.DefaultTheme()
	theme.Input = color.RGBA{R: 0xAA, A: 0xFF}
	q := theme.NewPlot() // an empty plot that looks like the others
	q.Add(plotter.NewFunction(math.Sin))
	p, err := vmfviz.Curves(vmfviz.CurvesOptions{Theme: theme}, vmfviz.CurvePanel{Series: []vmfviz.Series{{Y: []float64{3, 2, 1}, Role: vmfviz.Input}}})
	if err != nil {
		fmt.Println(err)
		return
	}
	p.Plots[0] = append(p.Plots[0], q)
	_, err = p.PNG()
	fmt.Println(len(p.Plots[0]), err)
	// Output: 2 <nil>
}

// A plotter of your own on a sphere: View says where a direction lies.
func ExampleView_Sphere() {
	view := vmfviz.From(20, 30)
	p, err := vmfviz.Sphere(vmfviz.SphereOptions{View: view}, vmfviz.SpherePanel{Points: circle(40, 0.5)})
	if err != nil {
		fmt.Println(err)
		return
	}
	var mine plotter.XYs
	for _, d := range [][3]float64{{1, 0, 0}, {0, 0, 1}, {-1, 0, 0}} {
		if x, y, near := view.Sphere(d); near {
			mine = append(mine, plotter.XY{X: x, Y: y})
		}
	}
	s, err := plotter.NewScatter(mine)
	if err != nil {
		fmt.Println(err)
		return
	}
	p.Plots[0][0].Add(s)
	fmt.Printf("%d of 3 on the near side, the first at (%.2f, %.2f)\n", len(mine), mine[0].X, mine[0].Y)
	// Output: 2 of 3 on the near side, the first at (-0.34, -0.47)
}

package vmfviz

import (
	"fmt"
	"image/color"
	"math"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/vg/draw"
)

// testDistances are the distances of n places in the plane.
func testDistances(n int) [][]float64 {
	r := testRand(8)
	x, y := make([]float64, n), make([]float64, n)
	for i := range n {
		x[i], y[i] = r.Float64(), r.Float64()
	}
	d := make([][]float64, n)
	for i := range d {
		d[i] = make([]float64, n)
		for j := range d[i] {
			d[i][j] = math.Hypot(x[i]-x[j], y[i]-y[j])
		}
	}
	return d
}

// TestMatrixCells: the pixel at the middle of each cell has the colour of its
// number, whatever the shape of the table.
func TestMatrixCells(t *testing.T) {
	for _, c := range []struct{ rows, cols int }{{1, 1}, {3, 3}, {2, 9}, {30, 4}} {
		v := make([][]float64, c.rows)
		var names []string
		for i := range v {
			names = append(names, fmt.Sprint("row ", i))
			for j := range c.cols {
				v[i] = append(v[i], float64(i*c.cols+j))
			}
		}
		p, err := Matrix(MatrixOptions{Rows: names}, v)
		if err != nil {
			t.Fatal(err)
		}
		img, err := p.Image(1)
		if err != nil {
			t.Fatal(err)
		}
		q := p.Plots[0][0]
		m, err := newColorMap(DefaultTheme().Map, 0, math.Max(1, float64(c.rows*c.cols-1)))
		if err != nil {
			t.Fatal(err)
		}
		for i := range c.rows {
			for j := range c.cols {
				// A corner of the cell: numbers stand in the middle.
				x, y := place(p, q, float64(j)-0.35, 0.35-float64(i))
				at, err := m.At(v[i][j])
				if err != nil {
					t.Fatal(err)
				}
				want := color.NRGBAModel.Convert(at).(color.NRGBA)
				r, g, b, _ := img.At(x, y).RGBA()
				for _, d := range []int{int(r>>8) - int(want.R), int(g>>8) - int(want.G), int(b>>8) - int(want.B)} {
					if c.rows*c.cols > 1 && (d > 3 || d < -3) {
						t.Fatalf("[%d, %d]: cell %d %d is %d %d %d, expected %v", c.rows, c.cols, i, j, r>>8, g>>8, b>>8, want)
					}
				}
			}
		}
		x0, y0 := place(p, q, 0, 0)
		x1, y1 := place(p, q, 10, 10)
		if d := (x1 - x0) - (y0 - y1); d < -2 || d > 2 {
			t.Errorf("[%d, %d]: ten cells are %d pixels wide and %d high, expected squares", c.rows, c.cols, x1-x0, y0-y1)
		}
	}
}

// place returns the pixel of a place of the only plot of a picture with a bar.
func place(p *Picture, q *plot.Plot, x, y float64) (px, py int) {
	c := draw.Crop(draw.NewCanvas(nil, p.Width, p.Height), cardEdge, -cardEdge-barRoom, cardEdge, -cardEdge-titleRoom(p.Title))
	data := q.DataCanvas(c)
	(&equalAspect{}).Plot(data, q)
	fx, fy := q.Transforms(&data)
	return int(fx(x).Dots(96)), int((p.Height - fy(y)).Dots(96))
}

// TestMatrixNumbers: the numbers that stand in the cells are the values, row by
// row, to half a unit of their last digit; here distances of which the largest
// says how many digits there are.
func TestMatrixNumbers(t *testing.T) {
	for _, factor := range []float64{1, 30, 4000, 1e-5} {
		values := testDistances(5)
		for i := range values {
			for j := range values[i] {
				values[i][j] *= factor
			}
		}
		p, err := Matrix(MatrixOptions{}, values)
		if err != nil {
			t.Fatal(err)
		}
		p.Bar = nil // its numbers come first
		svg, err := p.SVG()
		if err != nil {
			t.Fatal(err)
		}
		// A power of ten is two texts, 1.2·10 and −5.
		texts := regexp.MustCompile(`>([^<>]*)</text>`).FindAllStringSubmatch(string(svg), -1)
		k := 0
		for i := range values {
			for j, want := range values[i] {
				text := strings.ReplaceAll(texts[k][1], "−", "-")
				k++
				if m, ok := strings.CutSuffix(text, "·10"); ok {
					text = m + "e" + strings.ReplaceAll(texts[k][1], "−", "-")
					k++
				}
				got, err := strconv.ParseFloat(text, 64)
				if err != nil || math.Abs(got-want) > 5.1e-3*factor || want > 0.01*factor && math.Abs(got/want-1) > 0.05 || want == 0 && got != 0 {
					t.Errorf("factor %g: cell %d %d says %q, expected %g (%v)", factor, i, j, text, want, err)
				}
			}
		}
	}
}

package vmfviz

import (
	_ "embed" // for the page
	"fmt"
	"math"

	"github.com/sliced-wasserstein/lab/internal/canvas"
)

//go:embed slicing.html
var slicingPage string

// slicingData is what the script of the page reads.
type slicingData struct {
	Title     string     `json:"title,omitempty"`
	Replace   bool       `json:"replace,omitempty"`
	Alt       string     `json:"alt"`
	Dim       int        `json:"dim"`
	X         string     `json:"x"`
	Y         string     `json:"y"`
	Unit      float64    `json:"unit"`      // of the coordinates
	Azimuth   float64    `json:"azimuth"`   // of theta, in degrees
	Elevation float64    `json:"elevation"` // above the plane of the first two coordinates
	Camera    [2]float64 `json:"camera"`    // azimuth and elevation in radians; the second coordinate points up
	Sum       bool       `json:"sum"`
	Map       []byte     `json:"map,omitempty"` // from 0 for low to 255 for high
	Rows      int        `json:"rows,omitempty"`
	Colors    []byte     `json:"colors,omitempty"` // 256 × RGB
	Low       float64    `json:"low"`
	High      float64    `json:"high"`
	Mean      float64    `json:"mean"`
}

// SliceHTML returns the idea of [Slice] as a piece of HTML in which the reader turns the direction,
// by dragging or with the arrow keys, from theta on: the clouds with the direction, the matching of
// all sorted projections, F(θ), and its place among the values of all directions, with their mean.
// The page projects, sorts and sums the points by itself, with coordinates rounded to 16 bits. It
// needs no library and no network and holds no element ids; 1000 points take 16 kB.
//
// values are the costs F of all directions, counted as Convention says. In the plane they belong to
// the angles 2πj/len(values), in space to the directions of SphereGrid(rows). Their mean weights
// each circle of latitude by its length. nil leaves them out. Options.Quantiles is not used.
//
// Where scripts do not run, a line of text says so and points to the picture above: show the PNG of
// Slice first. Options.Replace hides it where scripts do run.
func SliceHTML(o SliceOptions, x, y, theta []float32, values []float64) (string, error) {
	if err := checkSlice(x, y, theta); err != nil {
		return "", err
	}
	view := o.View.or(From(-60, 18))
	d := slicingData{
		Title: o.Title, Replace: o.Replace, Alt: altText(o.Title,
			"two clouds, a slicing direction, and their sorted projections matched"),
		Dim: len(theta), Unit: extent(x, y), Sum: o.Convention == SumOverPoints,
		Camera:  [2]float64{view.azimuth * math.Pi / 180, view.elevation * math.Pi / 180},
		Azimuth: math.Atan2(float64(theta[1]), float64(theta[0])) * 180 / math.Pi,
	}
	if d.Dim == 3 {
		d.Elevation = math.Asin(min(1, max(-1, float64(theta[2])))) * 180 / math.Pi
	}
	d.X, d.Y = canvas.Pack(x, d.Unit), canvas.Pack(y, d.Unit)
	if values != nil {
		if err := d.setMap(values); err != nil {
			return "", err
		}
	}
	return canvas.Page(slicingPage, "This direction turns where scripts run: run the cell, or trust the notebook. The picture above shows one.", d)
}

// extent is the largest size of a coordinate, 1 if all are 0.
func extent(clouds ...[]float32) float64 {
	most := 0.0
	for _, cloud := range clouds {
		for _, v := range cloud {
			most = max(most, math.Abs(float64(v)))
		}
	}
	if most == 0 {
		return 1
	}
	return most
}

// setMap sets the values of all directions.
func (d *slicingData) setMap(values []float64) error {
	if err := checkFinite("values", values); err != nil {
		return err
	}
	rows, columns := 1, len(values)
	if d.Dim == 3 {
		rows = (&Heat{Values: values}).rows()
		columns = 2 * rows
		d.Rows = rows
		if rows < 4 || rows*columns != len(values) {
			return fmt.Errorf("vmfviz: values has length %d, expected one number for each direction of SphereGrid(rows)",
				len(values))
		}
	}
	d.Low, d.High = values[0], values[0]
	var weights float64
	for i, v := range values {
		d.Low, d.High = min(d.Low, v), max(d.High, v)
		w := math.Sin(math.Pi * (float64(i/columns) + 0.5) / float64(rows)) // 1 in the plane
		d.Mean, weights = d.Mean+w*v, weights+w
	}
	d.Mean /= weights
	for _, v := range values {
		d.Map = append(d.Map, byte(255*scaleTo(d.Low, d.High, v)+0.5))
	}
	if d.Dim == 2 {
		return nil
	}
	m := newColorMap(theme.Map, 0, 1)
	for i := range 256 {
		c := nrgba(colorAt(m, float64(i)/255))
		d.Colors = append(d.Colors, c.R, c.G, c.B)
	}
	return nil
}

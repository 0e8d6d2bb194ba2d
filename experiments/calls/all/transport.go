package all

import (
	"encoding/json"
	"fmt"
	"image"
	"image/color"
	"slices"

	"github.com/sliced-wasserstein/lab/datasets"
	"github.com/sliced-wasserstein/lab/experiments/calls"
	"github.com/sliced-wasserstein/lab/vmfviz"
)

// names are the labels.
func (s pictureSettings) names() (out []string, err error) {
	if s.Labels != "" {
		if err = json.Unmarshal([]byte(s.Labels), &out); err != nil {
			err = fmt.Errorf("labels: %w", err)
		}
	}
	return out, err
}

// titles are the labels of the panels, as many as there are.
func (s pictureSettings) titles(panels int) ([]string, error) {
	out, err := s.names()
	return append(out, make([]string, max(0, panels-len(out)))...)[:panels], err
}

// drawPlans draws the plans plan0, plan1, ... between clouds x0 and y0, x1 and y1, ... of the plane, with the directions
// theta0, theta1, ... where they have one.
func drawPlans(r *calls.Request, s pictureSettings) (*vmfviz.Picture, error) {
	count := 0
	for r.Array(fmt.Sprintf("plan%d", count)) != nil {
		count++
	}
	titles, err := s.titles(count)
	if err != nil {
		return nil, err
	}
	var panels []vmfviz.PlanPanel
	for i, title := range titles {
		x, y, err := r.Pair(fmt.Sprintf("x%d", i), fmt.Sprintf("y%d", i))
		if err != nil {
			return nil, err
		}
		if x, y = datasets.Aligned(x, y); x.Dim != 2 || y.Dim != 2 {
			return nil, fmt.Errorf("plans: expected clouds of the plane, found dimensions %d and %d", x.Dim, y.Dim)
		}
		p := vmfviz.PlanPanel{Title: title, X: x.Cloud(0), Y: y.Cloud(0)}
		p.Direction, _ = r.Wide(fmt.Sprintf("theta%d", i))
		flat, _ := r.Wide(fmt.Sprintf("plan%d", i))
		for row := range slices.Chunk(flat, 3) {
			p.Rows = append(p.Rows, [3]float64(row))
		}
		panels = append(panels, p)
	}
	return vmfviz.Plans(s.Title, panels...)
}

// colorsOf are the pixels of a picture [height, width, 3].
func colorsOf(r *calls.Request, name string) (flat []float64, height, width int, err error) {
	flat, shape := r.Wide(name)
	if len(shape) != 3 || shape[2] != 3 {
		return nil, 0, 0, fmt.Errorf("%s: expected a picture [height, width, 3], found shape %v", name, shape)
	}
	return flat, shape[0], shape[1], nil
}

// drawImages draws pictures [height, width, 3] of numbers from 0 to 1.
func drawImages(r *calls.Request, s pictureSettings) (*vmfviz.Picture, error) {
	titles, err := s.titles(len(r.Arrays))
	if err != nil {
		return nil, err
	}
	var panels []vmfviz.ImagePanel
	for i, title := range titles {
		flat, height, width, err := colorsOf(r, r.Arrays[i].Name)
		if err != nil {
			return nil, err
		}
		const most = 480 // pixels of a side, about those of the screen
		img := image.NewNRGBA(image.Rect(0, 0, width, height))
		if max(width, height) > most {
			return nil, fmt.Errorf("%s: expected a picture of at most %d pixels a side, found %d × %d", r.Arrays[i].Name, most, width, height)
		}
		for k := range height * width {
			var c [3]uint8
			for j, v := range flat[3*k : 3*k+3] {
				c[j] = uint8(255*min(1, max(0, v)) + 0.5)
			}
			img.SetNRGBA(k%width, k/width, color.NRGBA{c[0], c[1], c[2], 255})
		}
		panels = append(panels, vmfviz.ImagePanel{Title: title, Image: img})
	}
	return vmfviz.Images(s.Title, panels...)
}

// drawSinogram draws the projections of clouds of the plane or of space; of several in one set, by the means of their lists.
func drawSinogram(r *calls.Request, s pictureSettings) (*vmfviz.Picture, error) {
	titles, err := s.titles(len(r.Arrays))
	if err != nil {
		return nil, err
	}
	sets := make([][][]float32, len(r.Arrays))
	for i, a := range r.Arrays {
		x, err := r.Clouds(a.Name)
		if err != nil {
			return nil, err
		}
		if x.Dim != 2 && x.Dim != 3 {
			return nil, fmt.Errorf("%s: expected clouds of dimension 2 or 3, found %d", a.Name, x.Dim)
		}
		for k := range x.Clouds {
			sets[i] = append(sets[i], inSpace(x.Cloud(k), x.Dim))
		}
	}
	return vmfviz.Sinogram(vmfviz.SinogramOptions{Title: s.Title, Titles: titles}, sets...)
}

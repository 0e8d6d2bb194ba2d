package flow

import (
	_ "embed" // embeds the page
	"fmt"
	"math"
	"slices"

	"github.com/sliced-wasserstein/lab/internal/canvas"
)

//go:embed animation.html
var animationPage string

// Film is a named flow to a target.
type Film struct {
	Caption string
	Target  []float32 // [n, 3]
	Flow    *Flow
}

// animationData is what the script of the page reads.
type animationData struct {
	// Azimuth is in degrees, as in vmfviz.From: 0 on the z axis, 90 on the x axis, y up.
	Azimuth   float64         `json:"azimuth"`
	Elevation float64         `json:"elevation"`
	Steps     []int           `json:"steps"`
	Films     []animationFilm `json:"films"`
}

type animationFilm struct {
	Caption string    `json:"caption"`
	Target  string    `json:"target"`
	EMD     []float64 `json:"emd"`
	Frames  []string  `json:"frames"`
}

// Animation returns HTML in which clouds of dimension 3 flow side by side, each with W_2 to its
// target below it. They play, stop, and turn by dragging; a slider goes through the frames. All
// films must have frames of the same steps. It needs no library and no network and has no element
// ids. A point takes 8 bytes per frame. Without scripts it shows a line of text, so show a picture
// of some frames first.
func Animation(films ...Film) (string, error) {
	d := animationData{Azimuth: 142, Elevation: 24}
	radius, plane := 0.0, true
	for k, f := range films {
		radius, plane = max(radius, extent(f.Target)), plane && flat(f.Target)
		var steps []int
		for _, frame := range f.Flow.Frames {
			steps = append(steps, frame.Step)
			radius, plane = max(radius, extent(frame.Points)), plane && flat(frame.Points)
		}
		if k == 0 {
			d.Steps = steps
		} else if !slices.Equal(steps, d.Steps) {
			return "", fmt.Errorf("film %d, %q: expected frames of the steps %v, those of the first film", k, f.Caption, d.Steps)
		}
	}
	if !(radius > 0) || math.IsInf(radius, 0) {
		return "", fmt.Errorf("expected points, finite and not all 0, found the radius %v", radius)
	}
	if plane { // seen from in front
		d.Azimuth, d.Elevation = 0, 0
	}
	for _, f := range films {
		film := animationFilm{Caption: f.Caption, Target: canvas.Pack(f.Target, radius)}
		for _, frame := range f.Flow.Frames {
			film.EMD = append(film.EMD, math.Round(1e4*frame.EMD)/1e4)
			film.Frames = append(film.Frames, canvas.Pack(frame.Points, radius))
		}
		d.Films = append(d.Films, film)
	}
	return canvas.Page(animationPage, "These clouds move where scripts run: run the cell, or trust the notebook. The picture above shows some of the frames.", d)
}

// flat reports whether all points lie in the plane z = 0.
func flat(points []float32) bool {
	for i := 2; i < len(points); i += 3 {
		if points[i] != 0 {
			return false
		}
	}
	return true
}

// extent is the largest distance of a point from the origin.
func extent(points []float32) (radius float64) {
	for i := 0; i < len(points); i += 3 {
		x, y, z := float64(points[i]), float64(points[i+1]), float64(points[i+2])
		radius = max(radius, math.Sqrt(x*x+y*y+z*z))
	}
	return radius
}

package flow

import (
	_ "embed" // embeds the page
	"fmt"
	"math"

	"github.com/sliced-wasserstein/lab/internal/canvas"
)

//go:embed animation.html
var animationPage string

// Film is a named flow.
type Film struct {
	Caption string
	Flow    *Flow
}

// animationData is what the script of the page reads.
type animationData struct {
	// Azimuth is in degrees, as in vmfviz.From: 0 on the z axis, 90 on the x axis, y up.
	Azimuth   float64         `json:"azimuth"`
	Elevation float64         `json:"elevation"`
	Steps     []int           `json:"steps"`
	Target    string          `json:"target"`
	Films     []animationFilm `json:"films"`
}

type animationFilm struct {
	Caption string    `json:"caption"`
	EMD     []float64 `json:"emd"`
	Frames  []string  `json:"frames"`
}

// Animation returns HTML in which clouds of dimension 3 flow to the target [n, 3] side by side,
// with W_2 to it below each. They play, stop, and turn by dragging. It needs no library and no
// network and has no element ids. A point takes 8 bytes per frame. Without scripts it shows a line
// of text, so show a picture of some frames first.
func Animation(target []float32, films ...Film) (string, error) {
	if len(films) == 0 {
		return "", fmt.Errorf("films: expected at least one, found none")
	}
	if len(target) == 0 || len(target)%3 != 0 {
		return "", fmt.Errorf("target: expected points of 3 coordinates, found %d numbers", len(target))
	}
	d := animationData{Azimuth: 142, Elevation: 24}
	radius := 0.0
	grow := func(points []float32) {
		for i := range len(points) / 3 {
			x, y, z := float64(points[3*i]), float64(points[3*i+1]), float64(points[3*i+2])
			radius = math.Max(radius, math.Sqrt(x*x+y*y+z*z))
		}
	}
	grow(target)
	for k, f := range films {
		if f.Flow == nil || len(f.Flow.Frames) == 0 {
			return "", fmt.Errorf("film %d, %q: expected at least one frame, found none", k, f.Caption)
		}
		for i, frame := range f.Flow.Frames {
			if k == 0 {
				d.Steps = append(d.Steps, frame.Step)
			} else if i >= len(d.Steps) || d.Steps[i] != frame.Step || len(f.Flow.Frames) != len(d.Steps) {
				return "", fmt.Errorf("film %d, %q: expected frames of the steps %v, those of the first film", k, f.Caption, d.Steps)
			}
			if len(frame.Points) == 0 || len(frame.Points)%3 != 0 {
				return "", fmt.Errorf("film %d, %q: expected points of 3 coordinates, found %d numbers in frame %d", k, f.Caption, len(frame.Points), i)
			}
			grow(frame.Points)
		}
	}
	if !(radius > 0) || math.IsInf(radius, 0) {
		return "", fmt.Errorf("expected finite coordinates that are not all 0, found the radius %v", radius)
	}
	d.Target = canvas.Pack(target, radius)
	for _, f := range films {
		film := animationFilm{Caption: f.Caption}
		for _, frame := range f.Flow.Frames {
			film.EMD = append(film.EMD, math.Round(1e4*frame.EMD)/1e4)
			film.Frames = append(film.Frames, canvas.Pack(frame.Points, radius))
		}
		d.Films = append(d.Films, film)
	}
	return canvas.Page(animationPage, "These clouds move where scripts run: run the cell, or trust the notebook. The picture above shows some of the frames.", d)
}

package main

import (
	"fmt"
	"math"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"github.com/sliced-wasserstein/lab/datasets"
	"github.com/sliced-wasserstein/lab/vmfviz"
)

func newPlot(c *common) *cobra.Command {
	cmd := &cobra.Command{
		Use:     "plot",
		Short:   "Draw clouds, one slice, a sinogram, directions on the sphere, or training curves",
		Example: "  swlab plot clouds clouds.npy --out clouds.png",
	}
	cmd.AddCommand(newPlotClouds(c), newPlotSlice(c), newPlotSinogram(c), newPlotSphere(c), newPlotCurves(c))
	return group(cmd)
}

// picture is what all calls of plot write.
type picture struct {
	Out string `flag:"out" need:"x" unit:"FILE" writes:".png .svg .pdf" group:"Output" help:"picture to write: .png, .svg or .pdf"`
}

// drawn is the answer of all calls of plot.
type drawn struct {
	Out    saved  `json:"out"`
	Width  int    `json:"width"`
	Height int    `json:"height"`
	Alt    string `json:"alt"`
}

func (d drawn) String() string {
	return lines(d.Out.row(fmt.Sprintf("%d x %d pixels", d.Width, d.Height)), [2]string{"shows", d.Alt})
}

// draw saves a picture.
func draw(out string, p *vmfviz.Picture) drawn {
	width, height := p.Size()
	return drawn{save("out", out, p.Save), int(width), int(height), p.Alt}
}

// parseView reads AZIMUTH,ELEVATION; "" is the zero View.
func parseView(text string) (vmfviz.View, error) {
	if text == "" {
		return vmfviz.View{}, nil
	}
	var angles [2]float64
	parts := strings.Split(text, ",")
	for i := range angles {
		v := math.NaN()
		if len(parts) == 2 {
			if parsed, err := strconv.ParseFloat(strings.TrimSpace(parts[i]), 64); err == nil {
				v = parsed
			}
		}
		if !(math.Abs(v) <= 360) {
			return vmfviz.View{}, usageError(fmt.Errorf("--view: expected two angles from -360 to 360 degrees, such as 35,22, found %q", text))
		}
		angles[i] = v
	}
	return vmfviz.From(angles[0], angles[1]), nil
}

// captioned returns a caption for every input: those given, or the inputs' base names.
func captioned(captions, inputs []string) ([]string, error) {
	if len(captions) == 0 {
		for _, in := range inputs {
			captions = append(captions, filepath.Base(in))
		}
	}
	if len(captions) != len(inputs) {
		return nil, usageError(fmt.Errorf("--caption: expected one for each of %d inputs, found %d", len(inputs), len(captions)))
	}
	return captions, nil
}

// inSpace returns clouds of dimension 2 or 3 as clouds of dimension 3, those in the plane at z = 0.
func inSpace(set *datasets.Set) [][]float32 {
	out := make([][]float32, set.Clouds)
	for i := range out {
		out[i] = set.Cloud(i)
		if set.Dim == 2 {
			flat := out[i]
			out[i] = make([]float32, 0, 3*set.Points)
			for k := range set.Points {
				out[i] = append(out[i], flat[2*k], flat[2*k+1], 0)
			}
		}
	}
	return out
}

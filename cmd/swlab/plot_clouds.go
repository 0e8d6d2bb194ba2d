package main

import (
	"errors"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/sliced-wasserstein/lab/datasets"
	"github.com/sliced-wasserstein/lab/vmfviz"
)

type plotClouds struct {
	*common
	X         []string `flag:"x" arg:"CLOUDS..." need:"x" unit:"FILE|DIR" reads:"clouds" help:"clouds of dimension 2 or 3: a file, a folder or builtin; several are rows"`
	Captions  []string `flag:"caption" unit:"TEXT" help:"caption of a row, one for each file (default: the file's name)"`
	Clouds    int      `flag:"clouds" range:"1.." help:"clouds to draw, spread over the file (default: at most 24 of one file, 6 of several)"`
	Normalize string   `flag:"normalize" unit:"NAME" words:"none unit" help:"none: coordinates as stored, in one scale; unit: every cloud centred, with largest radius 1"`
	Errors    bool     `flag:"errors" help:"colour the points of further rows by their distance to the nearest point of the first row's cloud"`
	View      string   `flag:"view" unit:"AZIMUTH,ELEVATION" help:"where the reader stands, in degrees (default 142,24, and 0,0 for clouds in the plane); y is up, azimuth 0 is on the z axis"`
	sampling
	picture
}

func newPlotClouds(c *common) *cobra.Command {
	cmd := c.command("clouds CLOUDS... --out FILE", "Draw the clouds of a file or folder, or of several side by side", `swlab plot clouds clouds.npy --out clouds.png
swlab plot clouds clouds.npy y.npy --caption input --caption LA --errors --out reconstructions.pdf`, &plotClouds{common: c, Normalize: "none"})
	cmd.Long = "Draws the clouds of one file side by side. Of several files each is a row, and cloud j of every row stands in column j, in one\n" +
		"scale and one frame: inputs and their reconstructions, for example."
	return cmd
}

func (p *plotClouds) unused(flag string) (string, error) {
	switch {
	case flag == "errors" && len(p.X) < 2:
		return "it compares several files", nil
	case flag == "caption" && len(p.X) < 2:
		return "rows have captions, and the clouds of one file fill several", nil
	}
	return "", nil
}

type cloudsAnswer struct {
	drawn
	Clouds []int `json:"clouds"`
}

func (p *plotClouds) run() error {
	captions, err := captioned(p.Captions, p.X)
	if err != nil {
		return err
	}
	var sets []*datasets.Set
	for i, path := range p.X {
		set, err := p.openWith("x", "x", path, "all", datasets.Options{Points: p.Points, Seed: p.Seed + uint64(i), Key: p.Key, Raw: p.Normalize == "none"})
		if err != nil {
			return err
		}
		sets = append(sets, set)
		if set.Dim != 2 && set.Dim != 3 {
			return usageError(fmt.Errorf("--x: expected clouds of dimension 2 or 3, found %d in %s", set.Dim, set.Name))
		}
		if first := sets[0]; set.Dim != first.Dim || set.Clouds != first.Clouds {
			return usageError(fmt.Errorf("--x: expected %d clouds of dimension %d as in %s, found %d of dimension %d in %s",
				first.Clouds, first.Dim, first.Name, set.Clouds, set.Dim, set.Name))
		}
	}
	if n := sets[0].Clouds; p.given("clouds") && p.Clouds > n {
		return usageError(fmt.Errorf("--clouds: expected at most %d, as many as %s has, found %d", n, sets[0].Name, p.Clouds))
	}
	view, err := parseView(p.View)
	if err != nil {
		return err
	}
	if p.View == "" && sets[0].Dim == 2 {
		view = vmfviz.From(0, 0)
	}
	most := 24
	if len(sets) > 1 {
		most = 6
	}
	rows, columns := p.chosen(sets[0], most)
	for i, s := range sets {
		sets[i] = s.Select(rows)
	}
	var picture *vmfviz.Picture
	if together := datasets.Together(sets...); len(sets) == 1 {
		picture, err = vmfviz.Gallery(vmfviz.GalleryOptions{Captions: columns, View: view}, inSpace(together[0])...)
	} else {
		var lines []vmfviz.CloudRow
		for i, set := range together {
			lines = append(lines, vmfviz.CloudRow{Caption: captions[i], Clouds: inSpace(set), Errors: p.Errors && i > 0})
		}
		picture, err = vmfviz.Clouds(vmfviz.CloudsOptions{Columns: columns, View: view}, lines...)
	}
	if err != nil {
		return err
	}
	a := cloudsAnswer{draw(p.Out, picture), rows}
	return errors.Join(p.print(a), a.Out.err)
}

// chosen returns the clouds to draw, at most so many by default, with their numbers and classes as
// captions.
func (p *plotClouds) chosen(h *datasets.Set, most int) (rows []int, captions []string) {
	for row := range h.Clouds {
		rows = append(rows, row)
	}
	if p.given("clouds") {
		most = p.Clouds
	}
	rows = spread(rows, most)
	for _, row := range rows {
		caption := fmt.Sprintf("cloud %d", row)
		if h.Labels != nil {
			caption = fmt.Sprintf("%d: %s", row, className(h.Classes, int(h.Labels[row])))
		}
		captions = append(captions, caption)
	}
	return rows, captions
}

// spread keeps at most n rows, evenly spaced.
func spread(rows []int, n int) []int {
	if len(rows) <= n {
		return rows
	}
	out := make([]int, n)
	for i := range out {
		out[i] = rows[i*len(rows)/n]
	}
	return out
}

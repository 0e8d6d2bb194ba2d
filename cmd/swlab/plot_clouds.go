package main

import (
	"fmt"

	"github.com/spf13/cobra"

	"github.com/sliced-wasserstein/lab/datasets"
	"github.com/sliced-wasserstein/lab/vmfviz"
)

type plotClouds struct {
	*common
	x, captions            []string
	key, normal, view, out string
	points, clouds         int
	errors                 bool
}

func newPlotClouds(c *common) *cobra.Command {
	p := &plotClouds{common: c}
	cmd := &cobra.Command{
		Use:   "clouds --x F [--x F2 ...] --out P",
		Short: "clouds of a file or folder; several side by side, cloud by cloud",
		Long: "Draws the clouds of one --x as a contact sheet. With several --x each is a row, and cloud j of every row stands in column j, in one\n" +
			"scale and one frame: inputs and their reconstructions, for example.",
		Args: cobra.NoArgs,
		RunE: func(*cobra.Command, []string) error { return p.run() },
	}
	f := cmd.Flags()
	f.StringArrayVar(&p.x, "x", nil, "clouds of dimension 2 or 3: a file, a folder or builtin; repeat it for more rows")
	f.StringArrayVar(&p.captions, "caption", nil, "caption of a row, one per --x; default: the file's name")
	f.StringVar(&p.key, "key", "", "array in a .npz or .h5 file (default data)")
	f.IntVar(&p.points, "points", 0, "points to sample on a mesh, or seeded subset of a cloud's; 0: as stored, and 2048 of a mesh")
	f.IntVar(&p.clouds, "clouds", 0, "clouds to draw, spread over the file: by default at most 24 of one --x, 6 of several")
	f.StringVar(&p.normal, "normalize", "none", "none: coordinates as stored, in one scale; unit: every cloud centred, with largest radius 1")
	f.BoolVar(&p.errors, "errors", false, "colour the points of further rows by their distance to the nearest point of the first row's cloud")
	viewFlag(f, &p.view, "default 142,24, and 0,0 for clouds in the plane; y is up, azimuth 0 is on the z axis")
	f.StringVar(&p.out, "out", "", "picture to write: .png, .svg or .pdf")
	reads(cmd, "x")
	writes(cmd, "out", picture...)
	return required(refuse(cmd, func(flag string) (string, error) {
		switch {
		case flag == "key":
			return unkeyed(p.x...), nil
		case flag == "errors" && len(p.x) < 2:
			return "it compares several --x", nil
		case flag == "caption" && len(p.x) < 2:
			return "rows have captions, and one --x is a sheet", nil
		}
		return "", nil
	}), "x", "out")
}

func (p *plotClouds) run() error {
	captions, err := captioned(p.captions, p.x)
	if err != nil {
		return err
	}
	var sets []*datasets.Set
	for i, path := range p.x {
		set, err := p.openWith("x", "x", path, "all", datasets.Options{Points: p.points, Seed: p.seed + uint64(i), Key: p.key, Raw: p.normal == "none"})
		if err != nil {
			return err
		}
		first := set
		if i > 0 {
			first = sets[0]
		}
		if set.Dim != 2 && set.Dim != 3 {
			return usageError(fmt.Errorf("--x: expected clouds of dimension 2 or 3, found %d in %s", set.Dim, set.Name))
		}
		if set.Dim != first.Dim || set.Clouds != first.Clouds {
			return usageError(fmt.Errorf("--x: expected %d clouds of dimension %d as in %s, found %d of dimension %d in %s",
				first.Clouds, first.Dim, first.Name, set.Clouds, set.Dim, set.Name))
		}
		sets = append(sets, set)
	}
	if n := sets[0].Clouds; p.given("clouds") && p.clouds > n {
		return usageError(fmt.Errorf("--clouds: expected at most %d, as many as %s has, found %d", n, sets[0].Name, p.clouds))
	}
	draw := p.sheet
	if len(sets) > 1 {
		draw = p.rows
	}
	view, err := parseView(p.view)
	if err != nil {
		return err
	}
	if p.view == "" && sets[0].Dim == 2 {
		view = vmfviz.From(0, 0)
	}
	picture, drawn, err := draw(sets, captions, view)
	if err != nil {
		return err
	}
	return p.savePicture(p.out, picture, map[string]any{"clouds": drawn})
}

// sheet draws one set as a contact sheet.
func (p *plotClouds) sheet(sets []*datasets.Set, _ []string, view vmfviz.View) (*vmfviz.Picture, []int, error) {
	rows, captions := p.chosen(sets[0], 24)
	set := datasets.Together(sets[0].Select(rows))[0]
	picture, err := vmfviz.Gallery(vmfviz.GalleryOptions{Captions: captions, View: view}, inSpace(set)...)
	return picture, rows, err
}

// rows draws several sets below each other.
func (p *plotClouds) rows(sets []*datasets.Set, captions []string, view vmfviz.View) (*vmfviz.Picture, []int, error) {
	rows, columns := p.chosen(sets[0], 6)
	chosen := make([]*datasets.Set, len(sets))
	for i, s := range sets {
		chosen[i] = s.Select(rows)
	}
	var lines []vmfviz.CloudRow
	for i, set := range datasets.Together(chosen...) {
		lines = append(lines, vmfviz.CloudRow{Caption: captions[i], Clouds: inSpace(set), Errors: p.errors && i > 0})
	}
	picture, err := vmfviz.Clouds(vmfviz.CloudsOptions{Columns: columns, View: view}, lines...)
	return picture, rows, err
}

// chosen returns the clouds to draw, at most so many by default, with their numbers and classes as
// captions.
func (p *plotClouds) chosen(h *datasets.Set, most int) (rows []int, captions []string) {
	for row := range h.Clouds {
		rows = append(rows, row)
	}
	if p.given("clouds") {
		most = p.clouds
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

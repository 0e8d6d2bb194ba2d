package main

import (
	"image"
	_ "image/png" // the format of the pictures
	"os"
	"path/filepath"
	"slices"

	"golang.org/x/image/draw"
	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"

	"github.com/sliced-wasserstein/lab/vmfviz"
)

const contactName = "contact.png"

// Size of a cell of the contact sheet, in points.
const cellWidth, cellHeight = 203.0, 135.0

// contact returns a sheet of all pictures in the subfolders of docs, each with its file as its
// title.
func contact(docs string) (*vmfviz.Picture, error) {
	files, err := filepath.Glob(filepath.Join(docs, "*", "*.png"))
	if err != nil {
		return nil, err
	}
	files = slices.DeleteFunc(files, func(f string) bool { return filepath.Base(f) == contactName })
	const cols = 3
	sheet := &vmfviz.Picture{Alt: "all pictures of the documentation"}
	for i, file := range files {
		if i%cols == 0 {
			sheet.Plots = append(sheet.Plots, make([]*plot.Plot, cols))
		}
		if sheet.Plots[i/cols][i%cols], err = cell(docs, file); err != nil {
			return nil, err
		}
	}
	sheet.Width, sheet.Height = vg.Length(675), vg.Length(33+(cellHeight+24)*len(sheet.Plots))
	return sheet, nil
}

// cell returns a picture, made smaller, as a plot.
func cell(docs, file string) (*plot.Plot, error) {
	f, err := os.Open(file)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	img, _, err := image.Decode(f)
	if err != nil {
		return nil, err
	}
	size := img.Bounds().Size()
	scale := min(cellWidth/float64(size.X), cellHeight/float64(size.Y))
	w, h := scale*float64(size.X), scale*float64(size.Y)
	const fine = 8.0 / 3 // pixels of the sheet for a point
	small := image.NewNRGBA(image.Rect(0, 0, int(fine*w), int(fine*h)))
	draw.CatmullRom.Scale(small, small.Bounds(), img, img.Bounds(), draw.Over, nil)

	p := vmfviz.DefaultTheme().NewPlot()
	p.HideAxes()
	name, err := filepath.Rel(docs, file)
	if err != nil {
		return nil, err
	}
	p.Title.Text = filepath.ToSlash(name)
	p.Title.TextStyle.Font.Size = 6.5
	p.Add(plotter.NewImage(small, -w/2, -h/2, w/2, h/2))
	p.X.Min, p.X.Max, p.Y.Min, p.Y.Max = -cellWidth/2, cellWidth/2, -cellHeight/2, cellHeight/2
	return p, nil
}

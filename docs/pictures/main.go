// Command pictures draws the pictures of the documentation into the folder it is started in.
package main

import (
	"fmt"
	"math/rand/v2"
	"os"

	"github.com/sliced-wasserstein/lab/datasets"
	"github.com/sliced-wasserstein/lab/experiments/notebook"
	"github.com/sliced-wasserstein/lab/swlab"
	"github.com/sliced-wasserstein/lab/swlab/loss"
	"github.com/sliced-wasserstein/lab/swlab/vmf"
	"github.com/sliced-wasserstein/lab/vmfviz"
)

//go:generate go run .

func main() {
	if err := drawAll(); err != nil {
		fmt.Fprintln(os.Stderr, "pictures:", err)
		os.Exit(1)
	}
}

func drawAll() error {
	set, err := datasets.Load("builtin", datasets.Options{})
	if err != nil {
		return err
	}
	test, err := set.Part("test")
	if err != nil {
		return err
	}
	if err := classes(test); err != nil {
		return err
	}
	if err := slice(test); err != nil {
		return err
	}
	if err := architecture(); err != nil {
		return err
	}
	if err := invariance(); err != nil {
		return err
	}
	return spheres()
}

// classes shows one test shape of every class.
func classes(test *datasets.Set) error {
	rows, names := notebook.OnePerClass(test, len(test.Classes))
	var sheet [][]float32
	for _, r := range rows {
		sheet = append(sheet, test.Cloud(r))
	}
	p, err := vmfviz.Gallery(vmfviz.GalleryOptions{Captions: names}, sheet...)
	if err != nil {
		return err
	}
	return p.Save("classes.png")
}

// slice shows what a sliced distance is, between a chair and a person.
func slice(test *datasets.Set) error {
	var pair [2]*datasets.Set
	for i, name := range []string{"chair", "person"} {
		for row, l := range test.Labels {
			if test.Classes[l] == name {
				pair[i] = test.Select([]int{row})
				break
			}
		}
		if pair[i] == nil {
			return fmt.Errorf("no class %q among the built-in shapes", name)
		}
	}
	o := swlab.DistanceConfig{Config: loss.Defaults(), Seed: 4}
	o.Slices, o.Reduce = 1000, loss.Mean
	d, err := swlab.Distance("sw", pair[0], pair[1], o)
	if err != nil {
		return err
	}
	values := make([]float64, len(d.Costs))
	for i, c := range d.Costs {
		values[i] = float64(c)
	}
	p, err := vmfviz.Slice(vmfviz.SliceOptions{Convention: vmfviz.MeanOverPoints}, pair[0].Coords, pair[1].Coords, oblique(d.Directions), values)
	if err != nil {
		return err
	}
	return p.Save("slice.png")
}

// oblique is the direction that is nearest to one that is neither level nor upright.
func oblique(directions []float32) []float32 {
	best, top := 0, float32(-1)
	for i := 0; i < len(directions); i += 3 {
		if dot := 0.7*directions[i] + 0.6*directions[i+1] - 0.4*directions[i+2]; dot > top {
			best, top = i, dot
		}
	}
	return directions[best : best+3]
}

// spheres shows the von Mises-Fisher distribution at several concentrations.
func spheres() error {
	location := []float64{0.6, 0.48, 0.64}
	var panels []vmfviz.SpherePanel
	for i, kappa := range []float64{0, 1, 10, 100} {
		d, err := vmf.New(location, kappa)
		if err != nil {
			return err
		}
		panels = append(panels, vmfviz.SpherePanel{Caption: fmt.Sprintf("κ = %g, mean length %.3f", kappa, d.MeanResultantLength()),
			Points: d.Rand32(rand.New(rand.NewPCG(1, uint64(i))), 400), Location: []float32{0.6, 0.48, 0.64}})
	}
	p, err := vmfviz.Sphere(vmfviz.SphereOptions{}, panels...)
	if err != nil {
		return err
	}
	return p.Save("vmf.png")
}

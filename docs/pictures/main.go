// Command pictures draws the pictures of the documentation anew, those of the tables from their recorded numbers.
package main

import (
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"

	"gonum.org/v1/gonum/stat"

	"github.com/sliced-wasserstein/lab/datasets"
	"github.com/sliced-wasserstein/lab/experiments/notebook"
	"github.com/sliced-wasserstein/lab/experiments/reproduce"
	"github.com/sliced-wasserstein/lab/swlab"
	"github.com/sliced-wasserstein/lab/swlab/loss"
	"github.com/sliced-wasserstein/lab/swlab/vmf"
	"github.com/sliced-wasserstein/lab/vmfviz"
)

//go:generate go run .

func main() {
	for _, err := range []error{stills("."), film("turning.gif"), tables("../results")} {
		if err != nil {
			fmt.Fprintln(os.Stderr, "pictures:", err)
			os.Exit(1)
		}
	}
}

// stills draws all pictures but the film and those of the tables into a folder.
func stills(folder string) error {
	set, err := datasets.Load("builtin", datasets.Options{})
	if err != nil {
		return err
	}
	test, err := set.Part("test")
	if err != nil {
		return err
	}
	for name, picture := range map[string]func(test *datasets.Set) (*vmfviz.Picture, error){
		"classes": classes, "slice": oneSlice, "vmf": spheres,
	} {
		p, err := picture(test)
		if err != nil {
			return err
		}
		if err := p.Save(filepath.Join(folder, name+".png")); err != nil {
			return err
		}
	}
	return nil
}

// tables draws the pictures of the recorded tables that their pages in a folder show, beside them.
func tables(folder string) error {
	pages, err := filepath.Glob(filepath.Join(folder, "*.md"))
	if err != nil {
		return err
	}
	for _, page := range pages {
		shown, err := reproduce.PagePictures(page, reproduce.View{})
		if err != nil {
			return err
		}
		for _, p := range shown {
			if err := p.Picture.Save(filepath.Join(folder, p.File)); err != nil {
				return err
			}
		}
	}
	return nil
}

// classes shows one test shape of every class.
func classes(test *datasets.Set) (*vmfviz.Picture, error) {
	rows, names := notebook.OnePerClass(test, len(test.Classes))
	var sheet [][]float32
	for _, r := range rows {
		sheet = append(sheet, test.Cloud(r))
	}
	return vmfviz.Gallery(vmfviz.GalleryOptions{Captions: names}, sheet...)
}

// oneSlice shows what a sliced distance is, between a chair and a person.
func oneSlice(test *datasets.Set) (*vmfviz.Picture, error) {
	rows, names := notebook.OnePerClass(test, len(test.Classes))
	one := func(class string) *datasets.Set { return test.Select([]int{rows[slices.Index(names, class)]}) }
	x, y := one("chair"), one("person")
	o := swlab.DistanceConfig{Config: loss.Defaults(), Seed: 4}
	o.Slices, o.Reduce = 1000, loss.Mean
	d, err := swlab.Distance("sw", x, y, o)
	if err != nil {
		return nil, err
	}
	values := make([]float64, len(d.Costs))
	for i, c := range d.Costs {
		values[i] = float64(c)
	}
	theta := telling(d.Directions, values)
	return vmfviz.Slice(vmfviz.SliceOptions{Convention: vmfviz.MeanOverPoints, StdErr: d.StdErr}, x.Coords, y.Coords, theta, values)
}

// telling is, of the directions that cost more than twice the mean, the one nearest to one that is
// neither level nor upright.
func telling(directions []float32, costs []float64) []float32 {
	mean := stat.Mean(costs, nil)
	best, top := 0, float32(-1)
	for i, cost := range costs {
		d := directions[3*i:][:3]
		if dot := 0.7*d[0] + 0.6*d[1] - 0.4*d[2]; cost > 2*mean && dot > top {
			best, top = 3*i, dot
		}
	}
	return directions[best:][:3]
}

// spheres shows the von Mises-Fisher distribution at several concentrations.
func spheres(*datasets.Set) (*vmfviz.Picture, error) {
	location := []float64{0.6, 0.48, 0.64}
	var panels []vmfviz.SpherePanel
	for i, kappa := range []float64{0, 1, 10, 100} {
		d, err := vmf.New(location, kappa)
		if err != nil {
			return nil, err
		}
		panels = append(panels, vmfviz.SpherePanel{Caption: fmt.Sprintf("κ = %g, mean length %.3f", kappa, d.MeanResultantLength()),
			Points: d.Rand32(rand.New(rand.NewPCG(1, uint64(i))), 400), Location: []float32{0.6, 0.48, 0.64}})
	}
	return vmfviz.Sphere(vmfviz.SphereOptions{}, panels...)
}

package main

import (
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/sliced-wasserstein/lab/datasets"
)

type dataInfo struct {
	*common
	Path    string   `arg:"PATH" need:"x" unit:"FILE|DIR" reads:"clouds" help:"clouds: a file, a folder, or builtin"`
	Key     string   `flag:"key" unit:"NAME" help:"array in a .npz or .h5 file (default data)"`
	Points  int      `flag:"points" range:"0.." help:"points per cloud: of meshes 2048 by default, of others as stored"`
	Classes []string `flag:"classes" unit:"NAMES" help:"only these classes: names or label numbers, separated by commas"`
	Val     float64  `flag:"val" help:"fraction of the clouds to draw as validation part, by --seed; replaces the stored parts"`
	Test    float64  `flag:"test" help:"fraction of the clouds to draw as test part, by --seed; replaces the stored parts"`
}

func newDataInfo(c *common) *cobra.Command {
	return c.command("info PATH", "Describe clouds: a file, a folder, or builtin", "swlab data info clouds.npz", &dataInfo{common: c})
}

type infoAnswer struct {
	Path      string  `json:"path"`
	Kind      string  `json:"kind"`
	Classes   int     `json:"classes"`
	SplitSeed *uint64 `json:"split_seed"`
	datasets.Summary
	set    *datasets.Set
	chosen bool // some classes
}

func (d *dataInfo) run() error {
	o := datasets.Options{Raw: true, NonFinite: true, Seed: d.Seed, Key: d.Key, Points: d.Points, Classes: d.Classes, Val: d.Val, Test: d.Test}
	set, err := datasets.Load(d.Path, o)
	if err != nil {
		return usageError(err)
	}
	s := set.Summary()
	d.warnOf(set)
	if s.NonFinite > 0 {
		d.warn("%s: coordinates that are NaN, infinite or larger than 3.4e38, the largest number of float32: %d; other calls refuse these clouds", d.Path, s.NonFinite)
	}
	a := infoAnswer{Path: d.Path, Kind: set.Kind, Classes: countClasses(s, o), Summary: s, set: set, chosen: o.Classes != nil}
	if set.SplitDraw != nil {
		a.SplitSeed = &set.SplitDraw.Seed
	}
	return d.print(a)
}

// countClasses counts the named classes; without names, or if some were chosen, those that have
// clouds.
func countClasses(s datasets.Summary, o datasets.Options) int {
	if s.Classes != nil && o.Classes == nil {
		return len(s.Classes)
	}
	n := 0
	for _, clouds := range s.PerClass {
		if clouds > 0 {
			n++
		}
	}
	return n
}

func (a infoAnswer) String() string {
	parts := "unknown"
	if a.set.Split != nil {
		parts = fmt.Sprintf("%d, %d, %d", a.Train, a.Test, a.Val)
	}
	if a.SplitSeed != nil {
		parts += fmt.Sprintf(", drawn with seed %d", *a.SplitSeed)
	}
	rows := [][2]string{
		{"path", a.Path},
		{"kind", a.Kind},
		{"clouds", fmt.Sprint(a.Clouds)},
		{"points, dim", fmt.Sprintf("%d, %d", a.Points, a.Dim)},
		{"train, test, val", parts},
	}
	digits := 6
	if a.set.Origins != nil { // far from 0
		digits = 12
	}
	for k := range a.Dim {
		axis := fmt.Sprintf("axis %d", k)
		if a.Dim <= 3 {
			axis = "xyz"[k : k+1]
		}
		rows = append(rows, [2]string{axis, fmt.Sprintf("%.*g to %.*g", digits, a.Min[k], digits, a.Max[k])})
	}
	rows = append(rows,
		[2]string{"radius of clouds", fmt.Sprintf("%.6g to %.6g", a.MinRadius, a.MaxRadius)},
		[2]string{"duplicate points", fmt.Sprint(a.Duplicates)},
		[2]string{"NaN or over 3.4e38", fmt.Sprint(a.NonFinite)})
	if a.set.DegenerateFaces != nil {
		rows = append(rows, [2]string{"faces without area", fmt.Sprintf("%d, left out", a.DegenerateFaces)})
	}
	rows = append(rows, [2]string{"classes", fmt.Sprint(a.Classes)})
	for l, n := range a.PerClass {
		if n > 0 || !a.chosen {
			rows = append(rows, [2]string{"  " + className(a.Summary.Classes, l), fmt.Sprint(n)})
		}
	}
	return lines(rows...)
}

func className(classes []string, label int) string {
	if label < len(classes) {
		return strings.ReplaceAll(classes[label], "\t", " ")
	}
	return fmt.Sprintf("class %d", label)
}

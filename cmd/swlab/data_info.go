package main

import (
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/sliced-wasserstein/lab/datasets"
)

func newDataInfo(c *common) *cobra.Command {
	o := datasets.Options{Raw: true, NonFinite: true}
	cmd := &cobra.Command{
		Use:   "info PATH",
		Short: "describe clouds: a file, a folder, or builtin",
		Args:  cobra.ExactArgs(1),
		RunE: func(_ *cobra.Command, args []string) error {
			o.Seed = c.seed
			set, err := datasets.Load(args[0], o)
			if err != nil {
				return usageError(err)
			}
			s := set.Summary()
			c.warnOf(set)
			if s.NonFinite > 0 {
				c.warn("%s: coordinates that are NaN, infinite or larger than 3.4e38, the largest number of float32: %d; other calls refuse these clouds", args[0], s.NonFinite)
			}
			v := map[string]any{
				"path": args[0], "kind": set.Kind, "clouds": set.Clouds, "points": set.Points, "dim": set.Dim, "classes": countClasses(s, o),
				"class_names": set.Classes, "per_class": s.PerClass, "train": s.Train, "test": s.Test, "val": s.Val, "split_seed": nil,
				"min": s.Min, "max": s.Max, "min_radius": s.MinRadius, "max_radius": s.MaxRadius,
				"duplicates": s.Duplicates, "non_finite": s.NonFinite, "degenerate_faces": s.DegenerateFaces,
			}
			if set.SplitDraw != nil {
				v["split_seed"] = set.SplitDraw.Seed
			}
			return c.print(v, infoRows(args[0], set, s, o)...)
		},
	}
	f := cmd.Flags()
	f.StringVar(&o.Key, "key", "", "array in a .npz or .h5 file (default data)")
	f.IntVar(&o.Points, "points", 0, "points per cloud: of meshes 2048 by default, of others as stored")
	f.StringSliceVar(&o.Classes, "classes", nil, "only these classes: names or label numbers, separated by commas")
	f.Float64Var(&o.Val, "val", 0, "fraction of the clouds to draw as validation part, by --seed; replaces the stored parts")
	f.Float64Var(&o.Test, "test", 0, "the same for the test part")
	readsArguments(cmd)
	return refuse(cmd, func(flag string) (string, error) {
		if flag == "key" {
			return unkeyed(cmd.Flags().Arg(0)), nil
		}
		return "", nil
	})
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

// infoRows is the description as text.
func infoRows(path string, set *datasets.Set, s datasets.Summary, o datasets.Options) [][2]string {
	parts := "unknown"
	if set.Split != nil {
		parts = fmt.Sprintf("%d, %d, %d", s.Train, s.Test, s.Val)
	}
	if set.SplitDraw != nil {
		parts += fmt.Sprintf(", drawn with seed %d", set.SplitDraw.Seed)
	}
	rows := [][2]string{
		{"path", path},
		{"kind", set.Kind},
		{"clouds", fmt.Sprint(set.Clouds)},
		{"points, dim", fmt.Sprintf("%d, %d", set.Points, set.Dim)},
		{"train, test, val", parts},
	}
	digits := 6
	if set.Origins != nil { // far from 0
		digits = 12
	}
	for k := range set.Dim {
		axis := fmt.Sprintf("axis %d", k)
		if set.Dim <= 3 {
			axis = "xyz"[k : k+1]
		}
		rows = append(rows, [2]string{axis, fmt.Sprintf("%.*g to %.*g", digits, s.Min[k], digits, s.Max[k])})
	}
	rows = append(rows,
		[2]string{"radius of clouds", fmt.Sprintf("%.6g to %.6g", s.MinRadius, s.MaxRadius)},
		[2]string{"duplicate points", fmt.Sprint(s.Duplicates)},
		[2]string{"NaN or over 3.4e38", fmt.Sprint(s.NonFinite)})
	if set.DegenerateFaces != nil {
		rows = append(rows, [2]string{"faces without area", fmt.Sprintf("%d, left out", s.DegenerateFaces)})
	}
	rows = append(rows, [2]string{"classes", fmt.Sprint(countClasses(s, o))})
	for l, n := range s.PerClass {
		if n > 0 || o.Classes == nil {
			rows = append(rows, [2]string{"  " + className(set.Classes, l), fmt.Sprint(n)})
		}
	}
	return rows
}

func className(classes []string, label int) string {
	if label < len(classes) {
		return strings.ReplaceAll(classes[label], "\t", " ")
	}
	return fmt.Sprintf("class %d", label)
}

package main

import (
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/sliced-wasserstein/lab/datasets"
	"github.com/sliced-wasserstein/lab/swlab"
	"github.com/sliced-wasserstein/lab/swlab/amortizer"
	"github.com/sliced-wasserstein/lab/swlab/loss"
	"github.com/sliced-wasserstein/lab/swlab/weights"
)

func newDirection(c *common) *cobra.Command {
	var name, x, y, key, out, file string
	var points int
	var o swlab.DirectionConfig
	var cmd *cobra.Command
	cmd = &cobra.Command{
		Use:   "direction --amortizer NAME --x FILE --y FILE --out FILE.npy",
		Short: "predict a slicing direction per pair of clouds",
		Long: "Predicts one unit direction per pair of clouds by an amortizer, with the weights of a file or with initial ones drawn from --seed.\n" +
			"The clouds are not normalised.",
		Args: cobra.NoArgs,
		RunE: func(*cobra.Command, []string) error {
			began := time.Now()
			if file != "" {
				w, err := weights.Read(file)
				if err != nil {
					return usageError(fmt.Errorf("--weights: %w", err))
				}
				o.Weights = w
			}
			a, err := rawClouds("x", x, key, points, c.seed)
			if err != nil {
				return err
			}
			b := a
			if !sameSource(x, y) {
				if b, err = rawClouds("y", y, key, points, c.seed+1); err != nil {
					return err
				}
			}
			o.Seed = c.seed
			if err := swlab.CheckDirection(name, a, b, o); err != nil {
				if file != "" {
					err = fmt.Errorf("--weights %s: %w", file, err)
				}
				return usageError(err)
			}
			if o.Engine, err = c.chosenEngine(); err != nil {
				return err
			}
			p, err := swlab.Direction(name, a, b, o)
			if err != nil {
				return err
			}
			for _, w := range p.Warnings {
				c.warn("%s", w)
			}
			written := saveNPY("out", out, p.Directions, a.Clouds, a.Dim)
			source := file
			if file == "" {
				source = fmt.Sprintf("initial, seed %d", c.seed)
			}
			return errors.Join(c.print(map[string]any{
				"amortizer": name, "parameters": p.Parameters, "out": written, "shape": []int{a.Clouds, a.Dim}, "dk": p.DK, "k": p.K,
				"weights": file, "seed": c.seed, "backend": p.Backend, "seconds": time.Since(began).Seconds(),
			},
				[2]string{"amortizer", fmt.Sprintf("%s, %d parameters", name, p.Parameters)},
				[2]string{"weights", source},
				[2]string{"backend", p.Backend},
				written.row(fmt.Sprintf("[%d %d]", a.Clouds, a.Dim))), written.err)
		},
	}
	f := cmd.Flags()
	f.StringVar(&name, "amortizer", "", strings.Join(amortizer.Names(), ", "))
	f.StringVar(&x, "x", "", "first clouds")
	f.StringVar(&y, "y", "", "second clouds")
	f.StringVar(&key, "key", "", "array in a .npz or .h5 file (default data)")
	f.IntVar(&points, "points", 0, "points to sample on a mesh, or seeded subset of a cloud's; 0: as stored")
	f.StringVar(&out, "out", "", "write the directions, [B,d]")
	f.StringVar(&file, "weights", "", ".safetensors, .pth or .pt file; none: initial weights from --seed")
	f.IntVar(&o.DK, "dk", 0, "width of queries and keys (default: the weights', or 64)")
	f.IntVar(&o.K, "k", 0, "projected keys of la (default: the weights', or 64)")
	variantFlag(f, &o.Variant)
	reads(cmd, "x", "y", "weights")
	writes(cmd, "out", ".npy")
	cmd = refuse(cmd, func(flag string) (string, error) {
		switch {
		case flag == "key":
			return unkeyed(x, y), nil
		case setting(flag) != "":
			s := loss.Defaults()
			s.Amortizer, s.Maps = name, amortizer.Config{DK: o.DK, K: o.K, Variant: o.Variant}
			return unread("v-dsw", s, false, setting(flag))
		}
		return "", nil
	})
	return required(cmd, "amortizer", "x", "y", "out")
}

// rawClouds loads the clouds of a flag without normalising them.
func rawClouds(flag, path, key string, points int, seed uint64) (*datasets.Set, error) {
	set, err := datasets.Load(path, datasets.Options{Points: points, Seed: seed, Key: key, Raw: true})
	if err != nil {
		return nil, usageError(fmt.Errorf("--%s: %w", flag, err))
	}
	return set, nil
}

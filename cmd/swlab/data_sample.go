package main

import (
	"errors"
	"fmt"
	"syscall"

	"github.com/spf13/cobra"

	"github.com/sliced-wasserstein/lab/datasets"
	"github.com/sliced-wasserstein/lab/internal/durable"
)

func newDataSample(c *common) *cobra.Command {
	var out string
	var o datasets.Options
	cmd := &cobra.Command{
		Use:   "sample MESHES --out F.npy|DIR",
		Short: "sample meshes, or the built-in shapes, uniformly by area into clouds",
		Args:  cobra.ExactArgs(1),
		RunE: func(_ *cobra.Command, args []string) error {
			if o.Points < 1 {
				return usageError(fmt.Errorf("--points: expected at least 1, found %d", o.Points))
			}
			o.Seed = c.seed
			bar := newBar("sampling")
			s, err := datasets.SampleMeshes(args[0], out, o, func(done, total int) { bar(done, total, "") })
			if errors.As(err, new(*durable.Error)) { // the meshes are valid
				return fmt.Errorf("--out: %w", err)
			}
			if errors.Is(err, syscall.ENOSPC) || errors.Is(err, syscall.EIO) {
				return err
			}
			if err != nil {
				return usageError(err)
			}
			kind := "folder"
			if datasets.IsArray(out) {
				kind = "npy"
			}
			return c.print(map[string]any{
				"path": out, "kind": kind, "source": args[0], "clouds": s.Clouds, "points": s.Points, "classes": len(s.Classes), "class_names": s.Classes,
				"train": s.Parts[datasets.TrainPart], "test": s.Parts[datasets.TestPart], "val": s.Parts[datasets.ValPart], "raw": o.Raw, "seed": c.seed,
			},
				[2]string{"path", out},
				[2]string{"clouds, points", fmt.Sprintf("%d, %d", s.Clouds, s.Points)},
				[2]string{"classes", fmt.Sprint(len(s.Classes))},
				[2]string{"train, test, val", fmt.Sprintf("%d, %d, %d", s.Parts[datasets.TrainPart], s.Parts[datasets.TestPart], s.Parts[datasets.ValPart])})
		},
	}
	f := cmd.Flags()
	f.StringVar(&out, "out", "", "F.npy, or a new folder: points.npy, and labels.npy, classes.txt, split.npy where the folders of the meshes name them")
	f.IntVar(&o.Points, "points", 2048, "points per cloud")
	f.BoolVar(&o.Raw, "raw", false, "keep the files' coordinates: no centring, no scaling")
	readsArguments(cmd)
	writes(cmd, "out", ".npy", newFolder)
	return required(cmd, "out")
}

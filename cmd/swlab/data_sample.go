package main

import (
	"errors"
	"fmt"
	"syscall"

	"github.com/spf13/cobra"

	"github.com/sliced-wasserstein/lab/datasets"
	"github.com/sliced-wasserstein/lab/internal/durable"
)

type dataSample struct {
	*common
	Meshes string `arg:"MESHES" need:"x" unit:"FILE|DIR" reads:"clouds" help:"a mesh, a folder of meshes, or builtin"`
	Out    string `flag:"out" need:"x" unit:"FILE|DIR" writes:".npy new folder" group:"Output" help:"F.npy, or a new folder: points.npy, and labels.npy, classes.txt, split.npy where the folders of the meshes name them"`
	Points int    `flag:"points" range:"1.." help:"points per cloud"`
	Raw    bool   `flag:"raw" help:"keep the files' coordinates: no centring, no scaling"`
}

func newDataSample(c *common) *cobra.Command {
	return c.command("sample MESHES --out F.npy|DIR", "Sample meshes, or the built-in shapes, uniformly by area into clouds",
		"swlab data sample meshes/ --points 2048 --out clouds", &dataSample{common: c, Points: 2048})
}

type sampleAnswer struct {
	Path       string   `json:"path"`
	Kind       string   `json:"kind"`
	Source     string   `json:"source"`
	Clouds     int      `json:"clouds"`
	Points     int      `json:"points"`
	Classes    int      `json:"classes"`
	ClassNames []string `json:"class_names"`
	Train      int      `json:"train"`
	Test       int      `json:"test"`
	Val        int      `json:"val"`
	Raw        bool     `json:"raw"`
	Seed       uint64   `json:"seed"`
}

func (a sampleAnswer) String() string {
	return lines([2]string{"path", a.Path}, [2]string{"clouds, points", fmt.Sprintf("%d, %d", a.Clouds, a.Points)},
		[2]string{"classes", fmt.Sprint(a.Classes)}, [2]string{"train, test, val", fmt.Sprintf("%d, %d, %d", a.Train, a.Test, a.Val)})
}

func (d *dataSample) run() error {
	bar := newBar("sampling")
	o := datasets.Options{Points: d.Points, Seed: d.Seed, Raw: d.Raw}
	s, err := datasets.SampleMeshes(d.Meshes, d.Out, o, func(done, total int) { bar(done, total, "") })
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
	if datasets.IsArray(d.Out) {
		kind = "npy"
	}
	return d.print(sampleAnswer{d.Out, kind, d.Meshes, s.Clouds, s.Points, len(s.Classes), s.Classes, s.Parts[datasets.TrainPart], s.Parts[datasets.TestPart],
		s.Parts[datasets.ValPart], d.Raw, d.Seed})
}

package main

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"github.com/sliced-wasserstein/lab/internal/memory"
	"github.com/sliced-wasserstein/lab/swlab/vmf"
)

func newVMF(c *common) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "vmf",
		Short: "the von Mises-Fisher distribution: samples and closed forms",
	}
	cmd.AddCommand(newVMFSample(c), newVMFStats(c))
	return group(cmd)
}

func newVMFSample(c *common) *cobra.Command {
	var kappa float64
	var location, out string
	var n int
	cmd := &cobra.Command{
		Use:   "sample --kappa K --location X,Y,... --n N --out FILE.npy",
		Short: "draw directions",
		Args:  cobra.NoArgs,
		RunE: func(*cobra.Command, []string) error {
			mu, err := parseLocation(location)
			if err != nil {
				return usageError(fmt.Errorf("--location: %w", err))
			}
			if err := vmf.CheckKappa(kappa); err != nil {
				return usageError(fmt.Errorf("--kappa: %w", err))
			}
			if n < 1 {
				return usageError(fmt.Errorf("--n: expected at least 1 sample, found %d", n))
			}
			if err := memory.Check(fmt.Sprintf("--n: %d samples of dimension %d", n, len(mu)), memory.Bytes(4, n, len(mu))); err != nil {
				return usageError(err)
			}
			dist, err := vmf.New(mu, kappa)
			if err != nil {
				return usageError(err)
			}
			samples, length := drawSamples(dist, c.seed, n)
			written := saveNPY("out", out, samples, n, len(mu))
			return errors.Join(c.print(map[string]any{
				"n": n, "dim": len(mu), "mean_resultant_length": length, "mean_resultant_length_expected": dist.MeanResultantLength(),
				"kappa": kappa, "location": mu, "seed": c.seed, "out": written,
			},
				written.row(fmt.Sprintf("[%d %d]", n, len(mu))),
				[2]string{"location", fmt.Sprintf("%.6g", mu)},
				[2]string{"mean resultant length", fmt.Sprintf("%.6g, expected %.6g", length, dist.MeanResultantLength())}), written.err)
		},
	}
	f := cmd.Flags()
	f.Float64Var(&kappa, "kappa", 0, fmt.Sprintf("concentration, 0 (uniform) to %g", float64(vmf.MaxKappa)))
	f.StringVar(&location, "location", "", "at least two numbers, comma-separated; divided by their norm")
	f.IntVar(&n, "n", 0, "number of samples")
	f.StringVar(&out, "out", "", "write the samples, [N,d] float32")
	writes(cmd, "out", ".npy")
	return required(cmd, "kappa", "location", "n", "out")
}

// drawSamples draws n samples, [n, d], and returns the length of their mean with them. Memory is
// that of the float32 result.
func drawSamples(dist *vmf.Dist, seed uint64, n int) (samples []float32, length float64) {
	const part = 1 << 16
	src := rand.New(rand.NewPCG(seed, 0))
	d := dist.Dim()
	samples = make([]float32, 0, n*d)
	mean := make([]float64, d)
	for at := 0; at < n; at += part {
		for i, v := range dist.Rand(src, min(part, n-at)) {
			samples = append(samples, float32(v))
			mean[i%d] += v / float64(n)
		}
	}
	square := 0.0
	for _, v := range mean {
		square += v * v
	}
	return samples, math.Sqrt(square)
}

// parseLocation reads comma-separated numbers and divides them by their norm.
func parseLocation(text string) ([]float64, error) {
	var mu []float64
	largest := 0.0
	for _, part := range strings.Split(text, ",") {
		v, err := strconv.ParseFloat(strings.TrimSpace(part), 64)
		if err != nil || math.IsNaN(v) || math.IsInf(v, 0) {
			return nil, fmt.Errorf("expected finite numbers separated by commas, found %q", part)
		}
		mu, largest = append(mu, v), math.Max(largest, math.Abs(v))
	}
	if len(mu) < 2 {
		return nil, fmt.Errorf("expected at least 2 coordinates, found %d in %q", len(mu), text)
	}
	if largest == 0 {
		return nil, fmt.Errorf("expected a direction, found the zero vector %q", text)
	}
	norm := 0.0
	for i := range mu {
		mu[i] /= largest // first, so that no square overflows or underflows
		norm += mu[i] * mu[i]
	}
	for i := range mu {
		mu[i] /= math.Sqrt(norm)
	}
	return mu, nil
}

func newVMFStats(c *common) *cobra.Command {
	var kappa float64
	var dim int
	cmd := &cobra.Command{
		Use:   "stats --kappa K --dim D",
		Short: "closed forms: mean resultant length, log normalizer, entropy, divergence from uniform",
		Args:  cobra.NoArgs,
		RunE: func(*cobra.Command, []string) error {
			if err := vmf.CheckKappa(kappa); err != nil {
				return usageError(fmt.Errorf("--kappa: %w", err))
			}
			if dim < 2 {
				return usageError(fmt.Errorf("--dim: expected at least 2, found %d", dim))
			}
			keys := []struct {
				name  string
				value float64
			}{
				{"mean_resultant_length", vmf.MeanResultantLength(dim, kappa)}, {"mean_cos2", vmf.MeanCos2(dim, kappa)},
				{"log_normalizer", vmf.LogNormalizer(dim, kappa)}, {"entropy", vmf.Entropy(dim, kappa)}, {"kl_uniform", vmf.KLUniform(dim, kappa)},
			}
			object := map[string]any{"kappa": kappa, "dim": dim}
			var rows [][2]string
			for _, k := range keys {
				object[k.name] = number(k.value)
				unit := ""
				if !strings.HasPrefix(k.name, "mean") {
					unit = " nats"
				}
				rows = append(rows, [2]string{strings.ReplaceAll(k.name, "_", " "), fmt.Sprintf("%.10g%s", k.value, unit)})
			}
			return c.print(object, rows...)
		},
	}
	f := cmd.Flags()
	f.Float64Var(&kappa, "kappa", 0, fmt.Sprintf("concentration, 0 (uniform) to %g", float64(vmf.MaxKappa)))
	f.IntVar(&dim, "dim", 0, "dimension d of the space, >= 2")
	return required(cmd, "kappa", "dim")
}

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
		Use:     "vmf",
		Short:   "Sample the von Mises-Fisher distribution, or print its closed forms",
		Example: "  swlab vmf stats --kappa 10 --dim 3",
	}
	cmd.AddCommand(
		c.command("sample --kappa K --location X,Y,... --n N --out FILE", "Draw directions", "swlab vmf sample --kappa 10 --location 0,0,1 --n 1000 --out s.npy",
			&vmfSample{common: c}),
		c.command("stats --kappa K --dim D", "Print closed forms: mean resultant length, log normalizer, entropy, divergence from uniform",
			"swlab vmf stats --kappa 10 --dim 3", &vmfStats{common: c}))
	return group(cmd)
}

// concentration is that of vMF.
type concentration struct {
	Kappa float64 `flag:"kappa" need:"x" help:"concentration, 0 (uniform) to 1e15"`
}

func (k concentration) check() error {
	if err := vmf.CheckKappa(k.Kappa); err != nil {
		return fmt.Errorf("--kappa: %w", err)
	}
	return nil
}

type vmfSample struct {
	*common
	concentration
	Location string `flag:"location" need:"x" unit:"X,Y,..." help:"location: at least two numbers, divided by their norm"`
	N        int    `flag:"n" need:"x" range:"1.." help:"number of samples"`
	Out      string `flag:"out" need:"x" unit:"FILE" writes:".npy" group:"Output" help:"write the samples, [N,d] float32"`
}

type vmfSampleAnswer struct {
	N        int       `json:"n"`
	Dim      int       `json:"dim"`
	Length   float64   `json:"mean_resultant_length"`
	Expected float64   `json:"mean_resultant_length_expected"`
	Kappa    float64   `json:"kappa"`
	Location []float64 `json:"location"`
	Seed     uint64    `json:"seed"`
	Out      saved     `json:"out"`
}

func (a vmfSampleAnswer) String() string {
	return lines(a.Out.row(fmt.Sprintf("[%d %d]", a.N, a.Dim)), [2]string{"location", fmt.Sprintf("%.6g", a.Location)},
		[2]string{"mean resultant length", fmt.Sprintf("%.6g, expected %.6g", a.Length, a.Expected)})
}

func (s *vmfSample) run() error {
	mu, err := parseLocation(s.Location)
	if err != nil {
		return usageError(fmt.Errorf("--location: %w", err))
	}
	if err := s.check(); err != nil {
		return usageError(err)
	}
	if err := memory.Check(fmt.Sprintf("--n: %d samples of dimension %d", s.N, len(mu)), memory.Bytes(4, s.N, len(mu))); err != nil {
		return usageError(err)
	}
	dist, err := vmf.New(mu, s.Kappa)
	if err != nil {
		return usageError(err)
	}
	samples, length := drawSamples(dist, s.Seed, s.N)
	written := saveNPY("out", s.Out, samples, s.N, len(mu))
	return errors.Join(s.print(vmfSampleAnswer{s.N, len(mu), length, dist.MeanResultantLength(), s.Kappa, mu, s.Seed, written}), written.err)
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

type vmfStats struct {
	*common
	concentration
	Dim int `flag:"dim" need:"x" range:"2.." help:"dimension d of the space, at least 2"`
}

type vmfStatsAnswer struct {
	Kappa   float64 `json:"kappa"`
	Dim     int     `json:"dim"`
	Length  number  `json:"mean_resultant_length"`
	Cos2    number  `json:"mean_cos2"`
	Log     number  `json:"log_normalizer"`
	Entropy number  `json:"entropy"`
	KL      number  `json:"kl_uniform"`
}

func (a vmfStatsAnswer) String() string {
	return fmt.Sprintf("mean resultant length  %.10g\nmean cos2              %.10g\nlog normalizer         %.10g nats\nentropy                %.10g nats\nkl uniform             %.10g nats\n",
		a.Length, a.Cos2, a.Log, a.Entropy, a.KL)
}

func (s *vmfStats) run() error {
	if err := s.check(); err != nil {
		return usageError(err)
	}
	d, k := s.Dim, s.Kappa
	return s.print(vmfStatsAnswer{k, d, number(vmf.MeanResultantLength(d, k)), number(vmf.MeanCos2(d, k)), number(vmf.LogNormalizer(d, k)),
		number(vmf.Entropy(d, k)), number(vmf.KLUniform(d, k))})
}

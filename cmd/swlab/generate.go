package main

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/sliced-wasserstein/lab/datasets"
	"github.com/sliced-wasserstein/lab/swlab"
	"github.com/sliced-wasserstein/lab/swlab/engine"
	"github.com/sliced-wasserstein/lab/swlab/latent"
	"github.com/sliced-wasserstein/lab/swlab/metric"
	"github.com/sliced-wasserstein/lab/swlab/pointnet"
)

type generateCall struct {
	latentCall
	out     string
	clouds  int
	config  latent.GeneratorConfig
	metrics metric.Config
}

func newGenerate(c *common) *cobra.Command {
	g := &generateCall{latentCall: latentCall{common: c}, config: latent.DefaultGenerator()}
	cmd := &cobra.Command{
		Use:   "generate --run DIR [--data TRAIN] [--test TEST] --out FILE.npy",
		Short: "new clouds from a generator of the latents of a trained run, and their metrics",
		Long: "Trains a generator of codes on the codes of --data, decodes some of its codes with the autoencoder of the run, writes these clouds,\n" +
			"and compares them with the clouds of --test as `swlab metrics` does.",
		Args: cobra.NoArgs,
		RunE: func(*cobra.Command, []string) error { return g.work() },
	}
	f := cmd.Flags()
	g.flags(cmd)
	f.StringVar(&g.out, "out", "", "write the generated clouds, [n,m,3]")
	f.IntVar(&g.clouds, "clouds", 0, "how many to generate; 0: as many as test clouds")
	f.IntVar(&g.config.Epochs, "epochs", g.config.Epochs, "epochs of the generator")
	f.StringVar(&g.config.Sinkhorn, "sinkhorn", g.config.Sinkhorn, "log: in logarithms, gradient with the plan held fixed; released: the released code's loop, back-propagated")
	f.StringSliceVar(&g.metrics.Distances, "distances", metric.PaperDistances(), "some of "+strings.Join(metric.Distances(), ", "))
	f.StringVar(&g.metrics.Store, "store", "", "folder that keeps distances, so that an interrupted call resumes; default: none")
	writes(cmd, "out", ".npy")
	writes(cmd, "store", workFolder)
	return required(cmd, "run", "out")
}

func (g *generateCall) work() error {
	switch {
	case g.clouds < 0:
		return usageError(fmt.Errorf("--clouds: expected at least 0, found %d", g.clouds))
	case g.config.Epochs < 1:
		return usageError(fmt.Errorf("--epochs: expected at least 1, found %d", g.config.Epochs))
	case !slices.Contains(latent.Sinkhorns, g.config.Sinkhorn):
		return usageError(fmt.Errorf("--sinkhorn: expected %s, found %q", strings.Join(latent.Sinkhorns, " or "), g.config.Sinkhorn))
	}
	for _, name := range g.metrics.Distances {
		if !slices.Contains(metric.Distances(), name) {
			return usageError(fmt.Errorf("--distances: expected some of %s, found %q", strings.Join(metric.Distances(), ", "), name))
		}
	}
	sets, err := g.open()
	if err != nil {
		return err
	}
	n := g.clouds
	if n == 0 {
		n = sets.test.Clouds
	}
	made := &datasets.Set{Name: g.out, Clouds: n, Points: sets.net.Points, Dim: pointnet.Dim}
	if err := metric.Check(sets.test, made, g.metrics); err != nil {
		return usageError(err)
	}
	sets.warn(g.common, g.run)
	e, err := g.engine()
	if err != nil {
		return err
	}
	codes, err := sets.encode(e, sets.train)
	if err != nil {
		return err
	}
	ctx, stop := interruptible()
	defer stop()
	trained, err := g.generate(ctx, e, sets.net, codes, made)
	if err != nil {
		return interrupted(err)
	}
	written := saveNPY("out", g.out, made.Coords, made.Clouds, made.Points, made.Dim)
	bars := passes()
	g.metrics.Progress = func(what string, done, total int) { bars("comparing by "+what, done, total) }
	r, err := metric.Compare(ctx, e, sets.test, made, g.metrics)
	if err != nil {
		return errors.Join(interrupted(err), written.err)
	}
	return errors.Join(g.print(struct {
		*metric.Report
		Out      saved   `json:"out"`
		NTrain   int     `json:"n_train"`
		Epochs   int     `json:"epochs"`
		Sinkhorn string  `json:"sinkhorn"`
		Loss     float64 `json:"loss"` // of the generator, mean over its last epoch
		Seed     uint64  `json:"seed"`
		State    string  `json:"state"`
		Backend  string  `json:"backend"`
	}{r, written, codes.N, g.config.Epochs, g.config.Sinkhorn, trained.Losses[len(trained.Losses)-1], g.seed, sets.file, e.Name}, g.rows(r, made, written)...), written.err)
}

// generate trains the generator and fills made with decoded codes.
func (g *generateCall) generate(ctx context.Context, e *engine.Engine, net *swlab.Network, codes latent.Codes, made *datasets.Set) (*latent.TrainedGenerator, error) {
	bar := newBar("training the generator")
	g.config.Seed = g.seed
	trained, err := latent.TrainGenerator(ctx, e, codes, g.config, func(done, total int, loss float64) { bar(done, total, fmt.Sprintf("loss %.4f", loss)) })
	if err != nil {
		return nil, err
	}
	if trained.Short > 0 {
		g.warn("in %d steps the released Sinkhorn loop ended on an absorption, and cost and gradient of n codes were n^2 times too small", trained.Short)
	}
	z, err := latent.Generate(e, trained.Weights, made.Clouds, g.seed)
	if err != nil {
		return nil, err
	}
	made.Coords, err = net.Decode(z, swlab.NetworkOptions{Engine: e})
	return trained, err
}

// rows is the report as text.
func (g *generateCall) rows(r *metric.Report, made *datasets.Set, written saved) [][2]string {
	rows := [][2]string{
		written.row(fmt.Sprintf("%d clouds of %d points", made.Clouds, made.Points)),
		{"against", fmt.Sprintf("%d clouds", r.NReference)},
		{"JSD, of clouds times 1/2", fmt.Sprintf("%.4g, %.4g", r.JSD, r.JSDScaled)},
	}
	for _, name := range g.metrics.Distances {
		s := r.Scores(name)
		rows = append(rows, [2]string{name, fmt.Sprintf("MMD %.4g (standard %.4g), COV %.4g (standard %.4g), 1-NNA %.4g", s.MMDPaper, s.MMDStandard, s.COVPaper, s.COVStandard, s.NNA) + "; " + r.Conventions[name]})
	}
	return rows
}

// interrupted is the one-word error of work stopped from outside.
func interrupted(err error) error {
	if errors.Is(err, context.Canceled) {
		return errors.New("interrupted")
	}
	return err
}

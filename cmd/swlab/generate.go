package main

import (
	"context"
	"errors"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/sliced-wasserstein/lab/datasets"
	"github.com/sliced-wasserstein/lab/swlab"
	"github.com/sliced-wasserstein/lab/swlab/engine"
	"github.com/sliced-wasserstein/lab/swlab/latent"
	"github.com/sliced-wasserstein/lab/swlab/metric"
	"github.com/sliced-wasserstein/lab/swlab/pointnet"
)

type generateCall struct {
	*common
	latentFlags
	Clouds   int    `flag:"clouds" range:"0.." help:"how many clouds to generate; 0: as many as test clouds"`
	Epochs   int    `flag:"epochs" range:"1.." help:"epochs of the generator"`
	Sinkhorn string `flag:"sinkhorn" unit:"NAME" help:"log: in logarithms, with the plan held fixed in the gradient; released: the released code's loop, back-propagated"`
	measures
	Out string `flag:"out" need:"x" unit:"FILE" writes:".npy" group:"Output" help:"write the generated clouds, [n,m,3]"`
}

func newGenerate(c *common) *cobra.Command {
	d := latent.DefaultGenerator()
	cmd := c.command("generate RUN --out FILE", "Generate new clouds from the latents of a trained run, and measure them", `swlab generate runs/chairs --out chairs.npy`,
		&generateCall{common: c, latentFlags: newLatentFlags(), Epochs: d.Epochs, Sinkhorn: d.Sinkhorn, measures: measures{Distances: metric.PaperDistances()}})
	cmd.Long = "Trains a generator of codes on the codes of --data, decodes some of its codes with the autoencoder of the run, writes these clouds,\n" +
		"and compares them with the clouds of --test as `swlab metrics` does."
	return cmd
}

type generateAnswer struct {
	*metric.Report
	Out      saved   `json:"out"`
	NTrain   int     `json:"n_train"`
	Epochs   int     `json:"epochs"`
	Sinkhorn string  `json:"sinkhorn"`
	Loss     float64 `json:"loss"` // of the generator, mean over its last epoch
	Seed     uint64  `json:"seed"`
	State    string  `json:"state"`
	Backend  string  `json:"backend"`
	made     *datasets.Set
	names    []string
}

func (a generateAnswer) String() string {
	rows := [][2]string{
		a.Out.row(fmt.Sprintf("%d clouds of %d points", a.made.Clouds, a.made.Points)),
		{"against", fmt.Sprintf("%d clouds", a.NReference)},
		{"JSD, of clouds times 1/2", fmt.Sprintf("%.4g, %.4g", a.JSD, a.JSDScaled)},
	}
	for _, name := range a.names {
		s := a.Scores(name)
		rows = append(rows, [2]string{name, fmt.Sprintf("MMD %.4g (standard %.4g), COV %.4g (standard %.4g), 1-NNA %.4g; %s",
			s.MMDPaper, s.MMDStandard, s.COVPaper, s.COVStandard, s.NNA, a.Conventions[name])})
	}
	return lines(rows...)
}

func (g *generateCall) run() error {
	sets, err := g.open(g.common)
	if err != nil {
		return err
	}
	made := &datasets.Set{Name: g.Out, Clouds: g.Clouds, Points: sets.net.Points, Dim: pointnet.Dim}
	if g.Clouds == 0 {
		made.Clouds = sets.test.Clouds
	}
	bars := bars()
	o := metric.Config{Distances: g.Distances, Store: g.Store, Progress: func(what string, done, total int) { bars("comparing by "+what, done, total) }}
	if err := metric.Check(sets.test, made, o); err != nil {
		return usageError(err)
	}
	sets.warn(g.common, g.Run)
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
	written := saveNPY("out", g.Out, made.Coords, made.Clouds, made.Points, made.Dim)
	r, err := metric.Compare(ctx, e, sets.test, made, o)
	if err != nil {
		return errors.Join(interrupted(err), written.err)
	}
	return errors.Join(g.print(generateAnswer{r, written, codes.N, g.Epochs, g.Sinkhorn, trained.Losses[len(trained.Losses)-1], g.Seed, sets.file, e.Name,
		made, g.Distances}), written.err)
}

// generate trains the generator and fills made with decoded codes.
func (g *generateCall) generate(ctx context.Context, e *engine.Engine, net *swlab.Network, codes latent.Codes, made *datasets.Set) (*latent.TrainedGenerator, error) {
	bar, config := newBar("training the generator"), latent.DefaultGenerator()
	config.Epochs, config.Sinkhorn, config.Seed = g.Epochs, g.Sinkhorn, g.Seed
	trained, err := latent.TrainGenerator(ctx, e, codes, config, func(done, total int, loss float64) { bar(done, total, fmt.Sprintf("loss %.4f", loss)) })
	if err != nil {
		return nil, err
	}
	if trained.Short > 0 {
		g.warn("in %d steps the released Sinkhorn loop ended on an absorption, and cost and gradient of n codes were n^2 times too small", trained.Short)
	}
	z, err := latent.Generate(e, trained.Weights, made.Clouds, g.Seed)
	if err != nil {
		return nil, err
	}
	made.Coords, err = net.Decode(z, swlab.NetworkOptions{Engine: e})
	return trained, err
}

// interrupted is the one-word error of work stopped from outside.
func interrupted(err error) error {
	if errors.Is(err, context.Canceled) {
		return errors.New("interrupted")
	}
	return err
}

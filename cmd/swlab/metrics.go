package main

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/spf13/cobra"

	"github.com/sliced-wasserstein/lab/swlab/metric"
)

// measures says how sets of clouds are compared.
type measures struct {
	Distances []string `flag:"distances" unit:"NAMES" words:"distances" help:"distances between clouds: some of %s; EMDs are per point"`
	Store     string   `flag:"store" unit:"DIR" writes:"work folder" group:"Output" help:"folder that keeps finished blocks of distances, so that an interrupted call resumes"`
}

type metricsCall struct {
	*common
	Reference string `flag:"reference" arg:"REFERENCE" need:"x" unit:"FILE|DIR" reads:"clouds" help:"reference clouds, such as those of the test part"`
	Generated string `flag:"generated" arg:"GENERATED" need:"x" unit:"FILE|DIR" reads:"clouds" help:"generated clouds"`
	measures
	sampling
	Normalize string `flag:"normalize" unit:"NAME" words:"none unit" help:"emd-approx: unit centres both clouds of a pair together, scales them to radius 1, and the distance back; none takes clouds as they are"`
}

func newMetrics(c *common) *cobra.Command {
	cmd := c.command("metrics REFERENCE GENERATED", "Compare a set of generated clouds with a reference set: JSD, MMD, COV, 1-NNA",
		`swlab metrics test.npy new.npy --store runs/metrics`,
		&metricsCall{common: c, measures: measures{Distances: metric.PaperDistances()}, Normalize: "none"})
	cmd.Long = "Compares every cloud with every other one, of both sets: (R + G)^2 distances, less what is symmetric. With --store an interrupted\n" +
		"call resumes. Clouds are not normalised; the paper's are centred and of radius 1."
	return cmd
}

func (m *metricsCall) unused(flag string) (string, error) {
	if flag == "normalize" && !slices.Contains(m.Distances, "emd-approx") {
		return "emd-approx is not among the --distances, and others take clouds as they are", nil
	}
	return "", nil
}

type metricsAnswer struct {
	*metric.Report
	Seed    uint64  `json:"seed"`
	Backend string  `json:"backend"`
	Seconds float64 `json:"seconds"`
	names   []string
}

func (a metricsAnswer) String() string {
	rows := [][2]string{
		{"clouds", fmt.Sprintf("%d generated, %d reference", a.NGenerated, a.NReference)},
		{"JSD", fmt.Sprintf("%.6g; clouds times 1/2: %.6g", a.JSD, a.JSDScaled)},
	}
	for _, name := range a.names {
		s := a.Scores(name)
		rows = append(rows,
			[2]string{name, a.Conventions[name]},
			[2]string{name + " MMD", fmt.Sprintf("%.6g as in the paper; standard: %.6g", s.MMDPaper, s.MMDStandard)},
			[2]string{name + " COV", fmt.Sprintf("%.6g as in the paper; standard: %.6g", s.COVPaper, s.COVStandard)},
			[2]string{name + " 1-NNA", fmt.Sprintf("%.6g; of the generated: %.6g, of the reference: %.6g", s.NNA, s.NNAGenerated, s.NNAReference)})
	}
	return lines(rows...)
}

func (m *metricsCall) run() error {
	began := time.Now()
	reference, generated, err := m.loadPair(m.sampling, [2]string{"reference", "generated"}, m.Reference, m.Generated)
	if err != nil {
		return err
	}
	m.warnOf(reference, generated)
	o := metric.Config{Distances: m.Distances, Store: m.Store, Normalize: m.Normalize == "unit", Progress: bars()}
	if err := metric.Check(reference, generated, o); err != nil {
		return usageError(err)
	}
	e, err := m.engine()
	if err != nil {
		return err
	}
	ctx, stop := interruptible()
	defer stop()
	r, err := metric.Compare(ctx, e, reference, generated, o)
	switch {
	case errors.Is(err, context.Canceled) && m.Store == "":
		return errors.New("interrupted; with --store such a call can resume")
	case err != nil:
		return stopped(err)
	}
	for _, w := range r.Warnings {
		m.warn("%s", w)
	}
	if r.EMDApprox != nil && r.EMDMatchedMass < 0.99 {
		m.warn("emd-approx: only %.3g %% of a pair's mass is matched, and the rest costs nothing: its scales are for clouds of radius 1", 100*r.EMDMatchedMass)
	}
	return m.print(metricsAnswer{r, m.Seed, e.Name, time.Since(began).Seconds(), m.Distances})
}

package main

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/sliced-wasserstein/lab/datasets"
	"github.com/sliced-wasserstein/lab/swlab/metric"
)

type metricsCall struct {
	*common
	reference, generated, key string
	normalize                 string
	points                    int
	options                   metric.Config
}

func newMetrics(c *common) *cobra.Command {
	m := &metricsCall{common: c}
	cmd := &cobra.Command{
		Use:   "metrics --reference R --generated G",
		Short: "compare a set of generated clouds with a reference set: JSD, MMD, COV, 1-NNA",
		Long: "Every cloud is compared with every other one, of both sets: (R + G)^2 distances, less what is symmetric. With --store a call that was\n" +
			"interrupted resumes. Clouds are not normalised; the paper's are centred and of radius 1.",
		Args: cobra.NoArgs,
		RunE: func(*cobra.Command, []string) error { return m.run() },
	}
	f := cmd.Flags()
	f.StringVar(&m.reference, "reference", "", "reference clouds, such as those of the test part")
	f.StringVar(&m.generated, "generated", "", "generated clouds")
	f.StringSliceVar(&m.options.Distances, "distances", metric.PaperDistances(), strings.Join(metric.Distances(), ", ")+"; EMDs are per point")
	f.StringVar(&m.options.Store, "store", "", "folder that keeps finished blocks of distances, for these and other calls")
	f.StringVar(&m.normalize, "normalize", "none", "emd-approx: unit: centre both clouds of a pair together and scale them to radius 1, and the distance back; none: clouds as they are")
	f.StringVar(&m.key, "key", "", "array in .npz or .h5 files (default data)")
	f.IntVar(&m.points, "points", 0, "points to sample on a mesh, or seeded subset of a cloud's; 0: as stored")
	reads(cmd, "reference", "generated")
	writes(cmd, "store", workFolder)
	cmd = refuse(cmd, func(flag string) (string, error) {
		switch {
		case flag == "key":
			return unkeyed(m.reference, m.generated), nil
		case flag == "normalize" && !slices.Contains(m.options.Distances, "emd-approx"):
			return "emd-approx is not among the --distances, and others take clouds as they are", nil
		}
		return "", nil
	})
	return required(cmd, "reference", "generated")
}

func (m *metricsCall) run() error {
	began := time.Now()
	var sets [2]*datasets.Set
	for i, from := range []struct{ flag, path string }{{"reference", m.reference}, {"generated", m.generated}} {
		if i == 1 && sameSource(m.reference, m.generated) {
			sets[1] = sets[0]
			break
		}
		set, err := datasets.Load(from.path, datasets.Options{Points: m.points, Seed: m.seed + uint64(i), Key: m.key, Raw: true})
		if err != nil {
			return usageError(fmt.Errorf("--%s: %w", from.flag, err))
		}
		m.warnOf(set)
		sets[i] = set
	}
	reference, generated := sets[0], sets[1]
	m.options.Progress = passes()
	m.options.Normalize = m.normalize == "unit"
	if err := metric.Check(reference, generated, m.options); err != nil {
		return usageError(err)
	}
	e, err := m.engine()
	if err != nil {
		return err
	}
	ctx, stop := interruptible()
	defer stop()
	r, err := metric.Compare(ctx, e, reference, generated, m.options)
	switch {
	case errors.Is(err, context.Canceled) && m.options.Store != "":
		return errors.New("interrupted; the same command resumes")
	case errors.Is(err, context.Canceled):
		return errors.New("interrupted; with --store such a call can resume")
	case err != nil:
		return err
	}
	rows := [][2]string{
		{"clouds", fmt.Sprintf("%d generated, %d reference", r.NGenerated, r.NReference)},
		{"JSD", fmt.Sprintf("%.6g; clouds times 1/2: %.6g", r.JSD, r.JSDScaled)},
	}
	for _, name := range m.options.Distances {
		s := r.Scores(name)
		rows = append(rows,
			[2]string{name, r.Conventions[name]},
			[2]string{name + " MMD", fmt.Sprintf("%.6g as in the paper; standard: %.6g", s.MMDPaper, s.MMDStandard)},
			[2]string{name + " COV", fmt.Sprintf("%.6g as in the paper; standard: %.6g", s.COVPaper, s.COVStandard)},
			[2]string{name + " 1-NNA", fmt.Sprintf("%.6g; of the generated: %.6g, of the reference: %.6g", s.NNA, s.NNAGenerated, s.NNAReference)})
	}
	for _, w := range r.Warnings {
		m.warn("%s", w)
	}
	if r.EMDApprox != nil && r.EMDMatchedMass < 0.99 {
		m.warn("the match of emd-approx assigns only %.3g of a pair's mass, and the rest costs nothing: its scales are for clouds of radius 1", r.EMDMatchedMass)
	}
	return m.print(struct {
		*metric.Report
		Seed    uint64  `json:"seed"`
		Backend string  `json:"backend"`
		Seconds float64 `json:"seconds"`
	}{r, m.seed, e.Name, time.Since(began).Seconds()}, rows...)
}

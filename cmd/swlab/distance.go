package main

import (
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"github.com/sliced-wasserstein/lab/datasets"
	"github.com/sliced-wasserstein/lab/datasets/format"
	"github.com/sliced-wasserstein/lab/experiments/calls"
	"github.com/sliced-wasserstein/lab/swlab"
	"github.com/sliced-wasserstein/lab/swlab/loss"
	"github.com/sliced-wasserstein/lab/swlab/weights"
)

// mapFlags are the settings of amortizers.
type mapFlags struct{ calls.MapSettings }

// read returns the weights of the file, nil without one, and the settings for them.
func (m mapFlags) read() (swlab.DirectionConfig, error) {
	o := swlab.DirectionConfig{DK: m.DK, K: m.K, Variant: m.Variant}
	if m.Weights == "" {
		return o, nil
	}
	var err error
	if o.Weights, err = weights.Read(m.Weights); err != nil {
		return o, usageError(fmt.Errorf("--weights: %w", err))
	}
	return o, nil
}

// check returns an error for weights that do not fit the amortizer and the clouds.
func (m mapFlags) check(name string, x, y *datasets.Set, o swlab.DirectionConfig) error {
	err := swlab.CheckDirection(name, x, y, o)
	if err != nil && m.Weights != "" {
		err = fmt.Errorf("--weights %s: %w", m.Weights, err)
	}
	return usageError(err)
}

type distanceCall struct {
	*common
	pair
	calls.DistanceSettings
	OutSlices     string `flag:"out-slices" unit:"FILE" writes:".npy" group:"Output" help:"write the cost of every slice, [B,L]"`
	OutGrad       string `flag:"out-grad" unit:"FILE" writes:".npy" group:"Output" help:"write the gradient of the value with respect to y, [B,m,d]"`
	OutDirections string `flag:"out-directions" unit:"FILE" writes:".npy" group:"Output" help:"write the directions, [B,L,d]"`
}

func newDistance(c *common) *cobra.Command {
	d := &distanceCall{common: c, DistanceSettings: calls.NewDistanceSettings("sw")}
	return c.command("distance X Y", "Compare two clouds, or two sets of them pair by pair", `swlab distance a.npy b.npy
swlab distance a.npy b.npy -L 1000 --reduce mean --root
swlab distance a.npy b.npy --loss v-dsw --amortizer la --weights runs/first/amortizer.safetensors
swlab distance a.npy b.npy --loss emd-exact --reduce mean`, d, unflagged{"ascent_sgd"})
}

func (d *distanceCall) unused(flag string) (why string, err error) {
	if why, err = d.Unused(strings.ReplaceAll(flag, "-", "_"), d.Directions != ""); why != "" || err != nil {
		return why, err
	}
	if what := setting(flag); what != "" {
		return "", tooLong(d.Loss, d.LossConfig(), what)
	}
	l, err := loss.New(d.Loss, d.LossConfig())
	if err != nil {
		return "", err
	}
	_, sliced := l.(loss.Sliced)
	_, approximate := l.(loss.ApproximateEMD)
	switch {
	case slices.Contains([]string{"path", "out-slices", "out-directions"}, flag) && !sliced:
		return fmt.Sprintf("loss %q takes no slices", d.Loss), nil
	case flag == "normalize" && !approximate:
		return fmt.Sprintf("loss %q takes clouds as they are", d.Loss), nil
	case flag == "labelled" && !d.Bracket:
		return "it belongs to --bracket", nil
	}
	return "", nil
}

func (d *distanceCall) run() error {
	if _, err := loss.New(d.Loss, d.LossConfig()); err != nil {
		return usageError(err)
	}
	x, y, err := d.load(d.common)
	if err != nil {
		return err
	}
	o, err := d.options(x, y)
	if err != nil {
		return err
	}
	r, err := swlab.Distance(d.Loss, x, y, o)
	if err != nil {
		return err
	}
	if r.MatchedMass != nil {
		if least := slices.Min(r.MatchedMass); least < 0.99 {
			d.warn("--loss %s: only %.3g %% of a pair's mass is matched, and the rest costs nothing: its scales are for clouds of radius 1", d.Loss, 100*least)
		}
	}
	for _, w := range r.Warnings {
		d.warn("%s", w)
	}
	unwritten := d.save(x, y, r) // reported after the numbers
	answer := newDistanceAnswer(r, d.Seed)
	if r.Costs != nil {
		answer.LineCost = r.LineCost.String()
	}
	return errors.Join(d.print(answer), unwritten)
}

// options reads what the call takes besides the clouds.
func (d *distanceCall) options(x, y *datasets.Set) (o swlab.DistanceConfig, err error) {
	if o, err = d.Configure(d.Seed); err != nil {
		return o, usageError(err)
	}
	o.Gradient = d.OutGrad != ""
	if d.Directions != "" {
		v, shape, err := format.ReadNPY(d.Directions)
		if err != nil {
			return o, usageError(fmt.Errorf("--directions: %w", err))
		}
		o.Directions = &swlab.Directions{Values: v, Shape: shape}
	}
	maps := mapFlags{d.MapSettings}
	direction, err := maps.read()
	if err != nil {
		return o, err
	}
	o.Weights = direction.Weights
	if o.MassX, err = masses("mass-x", d.MassX, x); err != nil {
		return o, err
	}
	if o.MassY, err = masses("mass-y", d.MassY, y); err != nil {
		return o, err
	}
	if err := swlab.CheckDistance(d.Loss, x, y, o); err != nil {
		return o, usageError(err)
	}
	if o.Weights != nil {
		if err := maps.check(d.Amortizer, x, y, direction); err != nil {
			return o, err
		}
	}
	if o.Engine, err = d.chosenEngine(); err != nil || d.Labelled == "" {
		return o, err
	}
	pairs, err := d.labelled()
	if err == nil {
		o.Estimator, err = swlab.FitEstimator(d.Loss, pairs, o)
	}
	return o, usageError(err)
}

// labelled reads the pairs of --labelled. Files that are not found lie beside the list.
func (d *distanceCall) labelled() (pairs []swlab.Labelled, err error) {
	file, err := os.Open(d.Labelled)
	if err != nil {
		return nil, fmt.Errorf("labelled: %w", err)
	}
	defer file.Close()
	rows := csv.NewReader(file)
	rows.FieldsPerRecord, rows.TrimLeadingSpace, rows.Comment = 3, true, '#'
	for line := 1; ; line++ {
		row, err := rows.Read()
		if errors.Is(err, io.EOF) {
			return pairs, nil
		}
		if err != nil {
			return nil, fmt.Errorf("labelled: %s: %w", d.Labelled, err)
		}
		w2, err := strconv.ParseFloat(strings.TrimSpace(row[2]), 64)
		switch {
		case err != nil && line == 1:
			continue // a header
		case err != nil:
			return nil, fmt.Errorf("labelled: %s: row %d: expected x file, y file, W2, found %q", d.Labelled, line, row)
		}
		for i, name := range row[:2] {
			beside := filepath.Join(filepath.Dir(d.Labelled), name)
			if _, err := os.Stat(name); err != nil && !filepath.IsAbs(name) {
				if _, err := os.Stat(beside); err == nil {
					row[i] = beside
				}
			}
		}
		x, y, err := d.loadPair(d.sampling, [2]string{"labelled", "labelled"}, row[0], row[1])
		if err != nil {
			return nil, err
		}
		pairs = append(pairs, swlab.Labelled{X: x, Y: y, W2: w2})
	}
}

// masses reads the masses of a set's points.
func masses(flag, path string, set *datasets.Set) ([]float64, error) {
	if path == "" {
		return nil, nil
	}
	v, shape, err := format.ReadNPYFloat64(path)
	if err != nil {
		return nil, usageError(fmt.Errorf("--%s: %w", flag, err))
	}
	one := len(shape) == 1 && set.Clouds == 1 && shape[0] == set.Points
	if !one && !slices.Equal(shape, []int{set.Clouds, set.Points}) {
		return nil, usageError(fmt.Errorf("--%s: expected shape [%d, %d] like the clouds of %s, found %v", flag, set.Clouds, set.Points, set.Name, shape))
	}
	return v, nil
}

// save writes the files of the call.
func (d *distanceCall) save(x, y *datasets.Set, r *swlab.Result) (unwritten error) {
	drawn := len(r.Costs) / x.Clouds
	for _, out := range []struct {
		flag, path string
		values     []float32
		shape      []int
	}{
		{"out-slices", d.OutSlices, r.Costs, []int{x.Clouds, drawn}},
		{"out-directions", d.OutDirections, r.Directions, []int{x.Clouds, drawn, len(r.Directions) / max(1, x.Clouds*drawn)}},
		{"out-grad", d.OutGrad, r.Gradient, []int{y.Clouds, y.Points, y.Dim}},
	} {
		switch {
		case out.path == "":
		case out.values == nil:
			unwritten = errors.Join(unwritten, usageError(fmt.Errorf("--%s: loss %q has none to write", out.flag, d.Loss)))
		default:
			unwritten = errors.Join(unwritten, saveNPY(out.flag, out.path, out.values, out.shape...).err)
		}
	}
	return unwritten
}

type distanceAnswer struct {
	Loss           string            `json:"loss"`
	Value          number            `json:"value"`
	PerPair        []number          `json:"per_pair"`
	StdErr         number            `json:"stderr"`
	StdErrPerPair  []number          `json:"stderr_per_pair"`
	Confidence     []number          `json:"confidence_95"`
	Covers         string            `json:"covers,omitempty"`
	Scale          []float64         `json:"scale,omitempty"` // by what the coordinates were divided
	Population     *swlab.Population `json:"population"`      // null if not asked for, or not known
	Slicing        string            `json:"slicing,omitempty"`
	Slices         int               `json:"slices"`
	SlicesNeeded   *int              `json:"slices_for_one_percent"`
	Convention     string            `json:"convention"`
	LineCost       string            `json:"line_cost,omitempty"` // of a direction, if the loss is sliced
	P              float64           `json:"p"`
	OptimalityGap  []number          `json:"optimality_gap"` // certificate, if the loss is an optimum
	Starts         [][]number        `json:"ascent_starts"`  // [B,N] what several ascents reached
	Bracket        *bracket          `json:"bracket,omitempty"`
	MarginalCosts  any               `json:"marginal_costs,omitempty"` // of partial-sw: a list per pair, or that of the only pair
	Assigned       []float32         `json:"assigned"`                 // matched mass, if the loss may leave some out
	Seed           uint64            `json:"seed"`
	Backend        string            `json:"backend"`
	Seconds        float64           `json:"seconds"`
	Ledger         swlab.Work        `json:"ledger"`
	withoutSlicing bool
}

// bracket are bounds of W2 and, with --labelled, an estimate: means over the pairs, and of each pair.
type bracket struct {
	Low             number   `json:"low"`
	High            number   `json:"high"`
	Estimate        *number  `json:"estimate,omitempty"`
	LowPerPair      []number `json:"low_per_pair"`
	HighPerPair     []number `json:"high_per_pair"`
	EstimatePerPair []number `json:"estimate_per_pair,omitempty"`
}

func newBracket(b *swlab.Bracket) *bracket {
	if b == nil {
		return nil
	}
	out := &bracket{Low: number(b.Low), High: number(b.High), LowPerPair: numbers(b.PairLows), HighPerPair: numbers(b.PairHighs)}
	if b.PairEstimates != nil {
		out.Estimate, out.EstimatePerPair = new(number(b.Estimate)), numbers(b.PairEstimates)
	}
	return out
}

func newDistanceAnswer(r *swlab.Result, seed uint64) distanceAnswer {
	a := distanceAnswer{
		Loss: r.Loss, Value: number(r.Value), PerPair: numbers(r.PerPair), StdErr: number(r.StdErr), StdErrPerPair: numbers(r.PairErrs),
		Confidence: numbers([]float64{r.Low, r.High}), Covers: r.Covers, Population: r.Population, Scale: r.Scale, Slicing: r.Slicing, Slices: r.Slices, Convention: r.Convention, P: r.Exponent,
		Bracket: newBracket(r.Bracket), Assigned: r.MatchedMass, Seed: seed, Backend: r.Backend, Seconds: r.Work.Seconds, Ledger: r.Work, withoutSlicing: r.Costs == nil,
	}
	if r.DualityGap != nil {
		a.OptimalityGap = numbers(r.DualityGap)
	}
	if starts := numbers(r.Starts); len(starts) > 0 {
		a.Starts = slices.Collect(slices.Chunk(starts, len(starts)/len(r.PerPair)))
	}
	switch {
	case len(r.MarginalCosts) == 1:
		a.MarginalCosts = r.MarginalCosts[0]
	case r.MarginalCosts != nil:
		a.MarginalCosts = r.MarginalCosts
	}
	if n, err := r.SlicesNeeded(0.01); err == nil {
		a.SlicesNeeded = &n
	}
	return a
}

func (a distanceAnswer) String() string {
	value := fmt.Sprintf("%.6g +- %.2g, 95 %% between %.6g and %.6g (%s)", a.Value, a.StdErr, a.Confidence[0], a.Confidence[1], a.Covers)
	switch {
	case a.withoutSlicing || a.OptimalityGap != nil:
		value = fmt.Sprintf("%.8g", a.Value)
	case math.IsNaN(float64(a.StdErr)):
		value = fmt.Sprintf("%.6g, error unknown: too few independent slices, or the root of 0", a.Value)
	}
	rows := [][2]string{
		{a.Loss, value},
		{"convention", a.Convention},
		{"pairs, slices", fmt.Sprintf("%d, %d %s", len(a.PerPair), a.Slices, a.Slicing)},
		{"backend", fmt.Sprintf("%s, %.2f s", a.Backend, a.Seconds)},
	}
	if b := a.Bracket; b != nil {
		text := fmt.Sprintf("between %.6g and %.6g", b.Low, b.High)
		if b.Estimate != nil {
			text += fmt.Sprintf(", estimate %.6g", *b.Estimate)
		}
		rows = append(rows, [2]string{"W2 (root, mean)", text})
	}
	if a.Scale != nil {
		rows = append(rows, [2]string{"divided by", strings.Trim(fmt.Sprintf("%.4g", a.Scale), "[]")})
	}
	if p := a.Population; p != nil {
		rows = append(rows, [2]string{"population", fmt.Sprintf("+- %.2g, 95 %% between %.6g and %.6g (directions and points)", p.StdErr, p.Low, p.High)})
	}
	if a.OptimalityGap != nil {
		rows = append(rows, [2]string{"optimality gap", fmt.Sprintf("at most %.2g", slices.Max(a.OptimalityGap))})
	}
	if a.Starts != nil {
		below := 0.0
		for _, values := range a.Starts {
			below = max(below, float64(1-slices.Min(values)/slices.Max(values)))
		}
		spread := fmt.Sprintf("%d, the worst %.2g %% below the best", len(a.Starts[0]), 100*below)
		rows = append(rows, [2]string{"ascents", spread})
	}
	if a.SlicesNeeded != nil {
		rows = append(rows, [2]string{"slices for 1 %", fmt.Sprint(*a.SlicesNeeded)})
	}
	return lines(rows...)
}

package reproduce

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/sliced-wasserstein/lab/experiments/gap"
	"github.com/sliced-wasserstein/lab/experiments/runs"
	"github.com/sliced-wasserstein/lab/experiments/table"
)

// With adds our own rows and columns to a table of the paper, for comparison (protocol section 8), and
// to its rows the settings that the table does not print: the ascent steps among which the paper
// chooses, the widths of the gap study.
func (p Preset) With(t table.Table) table.Table {
	t.Rows = slices.Clone(t.Rows)
	for i := range t.Rows {
		p.complete(&t.Rows[i], t)
	}
	switch t.Study {
	case "reconstruction":
		t.Columns = append(t.Columns,
			like(t, "emd", "emd_exact", "EMD exact", "earth mover's distance of an optimal assignment, unsquared, summed over points"),
			like(t, "cd", "cd_last", "CD last", "CD after the last epoch, in place of the best epoch"),
			like(t, "sw", "sw_last", "SW last", "SW after the last epoch"),
			like(t, "emd", "emd_last", "EMD last", "EMD after the last epoch"))
		if slices.ContainsFunc(t.Columns, func(c table.Column) bool { return c.Key == "acc" }) {
			t.Columns = append(t.Columns, like(t, "acc", "acc_svm", "Acc SVM",
				"% of the test clouds classified correctly by linear support vector machines on their codes, C by cross-validation"))
		}
	case "generation":
		t.Columns = append(t.Columns,
			like(t, "jsd", "jsd_half", "JSD half", "Jensen-Shannon divergence of the clouds times 1/2; real ones then fit into the grid"),
			like(t, "mmd_cd", "mmd_cd_std", "MMD-CD std", "mean over real clouds of the CD to the nearest generated one: the usual orientation"),
			like(t, "mmd_emd", "mmd_emd_std", "MMD-EMD std", "the same by EMD per point"),
			like(t, "cov_cd", "cov_cd_std", "COV-CD std", "% of the real clouds that are nearest to some generated one by CD: the usual orientation"),
			like(t, "cov_emd", "cov_emd_std", "COV-EMD std", "the same by EMD"))
	case "gap":
		distance := "mean squared cost summed over points, exact expectation, of "
		t.Columns = append(t.Columns,
			like(t, "distance", "training", "E training", distance+"the training pairs"),
			like(t, "distance", "held_out", "E held out", distance+"pairs held out"),
			like(t, "distance", "gap", "Gap", "the largest value any location has, minus E held out"),
			like(t, "distance", "range", "Gap/range", "Gap as a part of the range from a random location (1) to the best one (0)"),
			like(t, "distance", "off", "Off", "degrees between the location and the best one, pairs held out"),
			locate("locate_go", "Locate, Go", "plain Go"),
			locate("locate_xla", "Locate, XLA", "XLA"))
		for i, c := range t.Columns {
			switch c.Key {
			case "gap", "range", "off":
				t.Columns[i].Better = table.Down
			}
			if c.Key == "range" {
				t.Columns[i].Scale = 100
			}
		}
	}
	t.Rows = append(t.Rows, p.rows(t)...)
	return t
}

// complete adds the settings of a row of t that the table does not print.
func (p Preset) complete(r *table.Row, t table.Table) {
	searched := func(r table.Row) bool {
		return r.Overrides["amortizer"] == nil && (r.Overrides["loss"] == "max-sw" || r.Overrides["loss"] == "v-dsw")
	}
	alike := 0 // rows of the same loss
	for _, other := range t.Rows {
		if searched(other) && other.Overrides["loss"] == r.Overrides["loss"] {
			alike++
		}
	}
	switch {
	case t.Study == "gap":
		for _, c := range gap.PaperRows(p.gap()) {
			if c.ID() == r.ID {
				r.Overrides, r.Note = widths(r.Overrides, c), guessed(c)
			}
		}
	case (t.Study == "reconstruction" || t.Study == "generation") && searched(*r) && alike == 1:
		r.Candidates = map[string][]int{"ascent_steps": {1, 10, 50}}
	}
}

// guessed is the note of the rows of A and EA with the width of the released script.
func guessed(c gap.Config) string {
	if c.DK == 1 {
		return "d_k = 1 is a guess: the released script lacks the argument"
	}
	return ""
}

// widths adds the widths of an amortizer to the settings of its row.
func widths(overrides map[string]any, c gap.Config) map[string]any {
	out := maps.Clone(overrides)
	for name, width := range map[string]int{"dk": c.DK, "k": c.K} {
		if width > 0 {
			out[name] = width
		}
	}
	return out
}

// locate returns a column of the time of an ascent or a map on one backend.
func locate(key, name, backend string) table.Column {
	return table.Column{Key: key, Name: name, Better: table.Down, Scale: 1, Decimals: 3, Ours: true,
		Unit: "milliseconds to find the location of one pair, by an ascent or a trained map, both in " + backend + ": the median of repeated batches without the first"}
}

// like returns a column of ours beside one of the paper's.
func like(t table.Table, key, ownKey, name, unit string) table.Column {
	i := slices.IndexFunc(t.Columns, func(c table.Column) bool { return c.Key == key })
	c := table.Column{Better: table.Down, Scale: 1, Decimals: 2}
	if i >= 0 {
		c = t.Columns[i]
	}
	c.Key, c.Name, c.Unit, c.Ours = ownKey, name, unit, true
	return c
}

// moving is the learning rate at which an ascent without the radial part of the gradient finds a
// maximum.
const moving = 0.05

// rows returns our rows. Equal ids in several tables are the same runs.
func (p Preset) rows(t table.Table) []table.Row {
	group := 0
	for _, r := range t.Rows {
		group = max(group, r.Group)
	}
	group++
	type set = map[string]any
	row := func(id, name string, overrides set, note string) table.Row {
		r := newOwnRow(id, name, overrides, note)
		r.Group = group
		return r
	}
	candidates := map[string][]int{} // those of the paper's LA, for ours to be selected alike
	if i := slices.IndexFunc(t.Rows, func(r table.Row) bool { return r.ID == "la-v-dsw" }); i >= 0 {
		candidates = t.Rows[i].Candidates
	}
	vDSW := func(steps int, note string) table.Row {
		return row(fmt.Sprintf("v-dsw-T%d-moving", steps), fmt.Sprintf("v-DSW (T = %d), moving", steps),
			set{"loss": "v-dsw", "ascent_steps": steps, "slices": 100, "kappa": 1, "ascent_rate": moving, "ascent_tangent": true}, note)
	}
	summed := row("chamfer-summed", "CD x m", set{"loss": "chamfer", "reduce": "sum"}, "CD summed over points, a gradient as large as the other losses' (deviation T1)")
	maxSW := row("max-sw-T50-moving", "Max-SW (T = 50), moving", set{"loss": "max-sw", "ascent_steps": 50, "ascent_rate": moving, "ascent_tangent": true},
		"tangent ascent of rate 0.05, which turns the direction (deviation T2)")
	located := vDSW(p.MovingSteps, "tangent ascent of rate 0.05, which turns the location (deviation T2)")
	control := row("la-v-dsw-kappa0.1", "LAv-DSW, kappa = 0.1", set{"loss": "v-dsw", "amortizer": "la", "slices": 100, "kappa": 0.1}, "negative control: within 0.1 % of SW for any location (deviation T3)")
	invariant := row("la-sorted-v-dsw", "LAv-DSW, sorted", set{"loss": "v-dsw", "amortizer": "la-sorted", "slices": 100, "kappa": 1}, "LA of points in canonical order, so that their order does not matter (deviation T17)")
	control.Candidates, invariant.Candidates = candidates, candidates
	sw := row("sw", "SW", set{"loss": "sw", "slices": 100}, "kappa = 0")
	switch t.Name {
	case "short_reconstruction_result":
		return append([]table.Row{summed, maxSW, located, control, invariant}, p.effort(row)...)
	case "full_reconstruction_result":
		ours := append([]table.Row{summed, maxSW, located, control, invariant}, p.effort(row)...)
		return slices.Concat(ours, inThePaper(row), oneDirection(row), p.controls(row, t.Name))
	case "full_reconstruction_quantitative":
		return []table.Row{summed, located, invariant}
	case "ablation_T":
		return append([]table.Row{located, sw}, p.controls(row, t.Name)...)
	case "ablation_kappa":
		return append([]table.Row{sw, invariant}, p.controls(row, t.Name)...)
	case "ablation_L":
		return []table.Row{control}
	case "short_generation_result", "full_generation_result":
		return append([]table.Row{summed, vDSW(10, "tangent ascent of rate 0.05 (deviation T2)"), invariant}, p.generators(row, t)...)
	case "vDSW_approximation":
		var out []table.Row
		for _, c := range gap.OurRows(p.gap(), p.GapPasses) {
			out = append(out, row(c.ID(), gapName(c), widths(set{"loss": "v-dsw", "slices": c.Slices, "kappa": c.Kappa}, c), guessed(c)))
		}
		return out
	}
	return nil
}

// newRow makes a row of ours.
type newRow func(id, name string, overrides map[string]any, note string) table.Row

func newOwnRow(id, name string, overrides map[string]any, note string) table.Row {
	return table.Row{ID: id, Name: name, Overrides: overrides, Ours: true, Note: note}
}

// effort returns what the selection of LA's widths compares with: one width, and as many groups of
// seeds of it as there are widths. Without a selection the row la-v-dsw is that width.
func (p Preset) effort(row newRow) []table.Row {
	if p.Select == selectNone {
		return nil
	}
	la := map[string]any{"loss": "v-dsw", "amortizer": "la", "slices": 100, "kappa": 1}
	width := fmt.Sprintf("d_k = %d, k = %d", p.DK, p.K)
	seeds := row("la-v-dsw-seeds", "LAv-DSW, best seeds", la, width+" in every run: what selection alone is worth")
	seeds.Candidates = map[string][]int{"seed": nil}
	for i := range laWidths {
		seeds.Candidates["seed"] = append(seeds.Candidates["seed"], i*seedStride)
	}
	return []table.Row{row("la-v-dsw-one", "LAv-DSW, one width", la, width+", nothing selected"), seeds}
}

// laWidths is the number of settings of LA of which the paper prints the best.
const laWidths = 8

// inThePaper returns LAv-DSW with the training of the paper's text in place of the released code's,
// one difference at a time and all together (docs/deviations.md).
func inThePaper(row newRow) []table.Row {
	var out []table.Row
	all := map[string]any{}
	la := func(id, name string, written map[string]any, note string) {
		maps.Copy(all, written)
		overrides := map[string]any{"loss": "v-dsw", "amortizer": "la", "slices": 100, "kappa": 1}
		maps.Copy(overrides, written)
		out = append(out, row("la-v-dsw-"+id, "LAv-DSW, "+name, overrides, "as in the paper: "+note))
	}
	la("root", "root", map[string]any{"root": true}, "the root of every pair's value (D1)")
	la("mean", "mean", map[string]any{"reduce": "mean"}, "the mean over points (D2)")
	la("simultaneous", "simultaneous", map[string]any{"simultaneous": true, "common_slices": true}, "one evaluation, on the same slices, updates amortizer and autoencoder (D4)")
	la("location-gradient", "location gradient", map[string]any{"location_gradient": true}, "the autoencoder's gradient also passes through the location (D5)")
	la("paper-map", "paper's map", map[string]any{"variant": "paper"}, "the map without biases, with sums over points (D9, D10)")
	la("as-in-the-paper", "as in the paper", maps.Clone(all), "all of these differences")
	return out
}

// oneDirection returns controls for the failure of amortized Max-SW, whose networks see one
// direction per pair: SW with one direction that never changes, one new direction per step for all
// pairs of the batch, and one new direction per step and pair.
func oneDirection(row newRow) []table.Row {
	return []table.Row{
		row("sw-fixed", "SW, one fixed direction", map[string]any{"loss": "sw", "slices": 1, "slicing": "fixed"}, "one slice: the same direction for all pairs, steps and runs"),
		row("sw-common", "SW, one direction per step", map[string]any{"loss": "sw", "slices": 1, "slicing": "common"}, "one slice: a new direction in every step, the same for all pairs of the batch"),
		row("sw-L1", "SW (L = 1)", map[string]any{"loss": "sw", "slices": 1}, "one slice: a new direction in every step for every pair"),
	}
}

// controls returns what separates the causes behind some claims, with the preset desk only.
func (p Preset) controls(row newRow, name string) (out []table.Row) {
	type set = map[string]any
	switch {
	case p.Name != "desk":
	case name == "full_reconstruction_result":
		return []table.Row{
			row("l-v-dsw-L1", "Lv-DSW (L = 1)", set{"loss": "v-dsw", "amortizer": "l", "slices": 1, "kappa": 1}, "one slice, as in amortized Max-SW"),
			row("emd-mean", "EMD / m", set{"loss": "emd-approx", "reduce": "mean"}, "EMD as a mean over points"),
		}
	case name == "ablation_kappa":
		return []table.Row{row("la-v-dsw-kappa0", "LAv-DSW, kappa = 0", set{"loss": "v-dsw", "amortizer": "la", "slices": 100, "kappa": 0}, "negative control: SW on other random directions")}
	case name == "ablation_T":
		out = append(out, row("la-v-dsw-untrained", "LAv-DSW, untrained", set{"loss": "v-dsw", "amortizer": "la", "slices": 100, "kappa": 1, "amortizer_learning_rate": 1e-30},
			"the amortizer keeps its initial weights: its rate is 1e-30"),
			row("la-v-dsw-other-location", "LAv-DSW, another pair's location", set{"loss": "v-dsw", "amortizer": "la", "slices": 100, "kappa": 1, "other_location": true},
				"every pair has the location of the next pair of the batch"))
		for _, rate := range []float64{1e-3, 1e-2, 1e-1} {
			out = append(out, row(fmt.Sprintf("v-dsw-T10-rate%g", rate), fmt.Sprintf("v-DSW (T = 10), rate %g", rate),
				set{"loss": "v-dsw", "ascent_steps": 10, "slices": 100, "kappa": 1, "ascent_rate": rate}, "the released ascent at another rate; its own is 0.0001 (deviation T2)"))
		}
	}
	return out
}

// generatedFrom is the setting of a row of a generation table that says where its clouds come from:
// [runs.Generation].From.
const generatedFrom = "generated_from"

// generators returns what bounds the scores of the generation tables, with the preset desk only:
// clouds of the training set, and what the autoencoders of three rows make of their codes. The
// former are as good as any generator's, the latter as good as any generator's of these codes. The
// long table also gets the losses whose results the paper calls too bad to report.
func (p Preset) generators(row newRow, t table.Table) []table.Row {
	if p.Name != "desk" {
		return nil
	}
	out := []table.Row{row("clouds", "training clouds", map[string]any{"loss": "sw", generatedFrom: runs.FromClouds}, "clouds of the training set in place of generated ones: a perfect generator")}
	for _, r := range t.Rows {
		if slices.Contains([]string{"emd-approx", "sw", "la-v-dsw"}, r.ID) {
			overrides := maps.Clone(r.Overrides)
			overrides[generatedFrom] = runs.FromCodes
			out = append(out, row(r.ID+"-codes", r.Name+", training codes", overrides, "decoded codes of training clouds: a perfect generator of codes"))
		}
	}
	if t.Name == "full_generation_result" {
		for _, a := range []string{"l", "g", "n"} {
			out = append(out, row(a+"-max-sw", strings.ToUpper(a)+"-Max-SW", map[string]any{"loss": "max-sw", "amortizer": a}, "the paper leaves it out as too bad"))
		}
	}
	return out
}

func gapName(c gap.Config) string {
	names := map[string]string{"l": "Lv-DSW", "g": "Gv-DSW", "n": "Nv-DSW", "a": "Av-DSW", "ea": "EAv-DSW", "la": "LAv-DSW", "la-sorted": "LAv-DSW, sorted"}
	switch {
	case c.Method == gap.Uniform:
		return "random location"
	case c.Method == gap.Constant:
		return "best constant location"
	case c.Method == gap.Converged:
		return "v-DSW, converged"
	case c.Optimiser == gap.Adam:
		return names[c.Method] + ", trained"
	case c.K == 0 && c.DK > 1:
		return fmt.Sprintf("%s, d_k = %d", names[c.Method], c.DK)
	}
	return names[c.Method]
}

// gap returns the study at the preset's size.
func (p Preset) gap() gap.Config {
	c := gap.Paper()
	c.Batches, c.Pairs, c.HeldOut, c.Common = p.GapBatches, p.GapPairs, p.GapHeldOut, p.GapCommon
	return c
}

package reproduce

import (
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"

	"github.com/janpfeifer/must"

	"github.com/sliced-wasserstein/lab/experiments"
	"github.com/sliced-wasserstein/lab/experiments/runs"
	"github.com/sliced-wasserstein/lab/experiments/table"
	"github.com/sliced-wasserstein/lab/internal/settings"
	"github.com/sliced-wasserstein/lab/swlab/train"
)

// Selections lists how a row with candidates, widths of A, EA and LA and ascent steps T of Max-SW and
// v-DSW, gets its numbers: from the preset's width and the row's T (none), or from the candidate of
// the lowest EMD, approximate and averaged over the seeds, on held out training clouds (validation)
// or, as in the paper, on the test clouds (test). Of equal ones that of the lowest SW is taken.
var Selections = []string{selectNone, selectValidation, selectTest}

const (
	selectNone       = "none"
	selectValidation = "validation"
	selectTest       = "test"

	// criterion is the key of the number by which candidates are compared, secondary of that by which
	// equal ones are; no column has them.
	criterion, secondary = "criterion", "secondary criterion"
	// validationShare of the training clouds, at least, is held out to compare candidates.
	validationShare = 0.05
	// seedStride separates the groups of seeds of a row whose candidates differ in the seed.
	seedStride = 1000
)

// checkSelection rejects an unknown selection, and seeds that two groups of a row would share.
func (p Preset) checkSelection() error {
	if !slices.Contains(Selections, p.Select) {
		return fmt.Errorf("select: expected %s, found %q", strings.Join(Selections, ", "), p.Select)
	}
	if top := slices.Max(p.Seeds); p.Select != selectNone && top >= seedStride {
		return fmt.Errorf("seeds: with a selection expected numbers below %d, found %d", seedStride, top)
	}
	return nil
}

// heldOut is the share of the training clouds that no training sees.
func (p Preset) heldOut() float64 {
	if p.Select == selectValidation {
		return max(p.Val, validationShare)
	}
	return p.Val
}

// Selects reports whether the table has a row with several candidates.
func Selects(t table.Table) bool {
	return slices.ContainsFunc(t.Rows, func(r table.Row) bool { return len(Preset{Select: selectTest}.candidates(r)) > 1 })
}

// selection describes a selection that is not the paper's.
func (p Preset) selection() string {
	s := fmt.Sprintf("select %s (paper: %s)", p.Select, paper().Select)
	if p.Select == selectValidation {
		s += fmt.Sprintf(": %g %% of the training clouds are held out of every run", 100*p.heldOut())
	}
	return s
}

// setRow is a row with the settings of one of its candidates.
type setRow struct {
	table.Row
	candidate map[string]int // nil: the row has one setting
}

// set changes the row's training to the candidate's. Its seed is added to the table's.
func (r setRow) set(c *train.Config) {
	c.Seed += uint64(r.candidate["seed"])
	for name, v := range r.candidate {
		if name != "seed" {
			must.M(settings.Of(c, "help").Apply(map[string]any{name: v}))
		}
	}
}

// candidates lists every combination of the row's Candidates, or nil alone if there is one or the
// preset selects none.
func (p Preset) candidates(r table.Row) []map[string]int {
	out := []map[string]int{nil}
	if p.Select == selectNone {
		return out
	}
	for _, name := range slices.Sorted(maps.Keys(r.Candidates)) {
		if len(r.Candidates[name]) < 2 {
			continue
		}
		var grid []map[string]int
		for _, c := range out {
			for _, v := range r.Candidates[name] {
				next := map[string]int{name: v}
				maps.Copy(next, c)
				grid = append(grid, next)
			}
		}
		out = grid
	}
	return out
}

// judged is the reading of EMD and SW by which a candidate is selected.
func judged(t runs.Training, on runs.Data) Reading {
	return NewReading(runs.Scores{Of: t, State: "best", Data: on, Seed: 1}, judgement)
}

func judgement(v experiments.Scores) map[string]float64 {
	return map[string]float64{criterion: v.EMD.Mean, secondary: v.SW.Mean}
}

// measured are the numbers of a candidate, by column and seed.
type measured struct {
	candidate map[string]int
	values    map[string][]float64
}

// choose returns the numbers of the candidate with the lowest mean criterion, and says in the row
// which one it is. While runs of any candidate are missing there is no choice, and no number.
func (p Preset) choose(r *table.Row, all []measured, missing []string) map[string][]float64 {
	if len(all) == 1 {
		return all[0].values
	}
	if missing != nil || all == nil {
		return nil
	}
	means := make([]float64, len(all))
	best := 0
	for i, m := range all {
		means[i] = table.NewCell(m.values[criterion]...).Mean
		less := func(other int) bool {
			return table.NewCell(m.values[secondary]...).Mean < table.NewCell(all[other].values[secondary]...).Mean
		}
		if means[i] < means[best] || math.IsNaN(means[best]) || means[i] == means[best] && less(best) {
			best = i
		}
	}
	r.Selected = all[best].candidate
	what, clouds := settingsText(r.Selected, "%s = %d", ", "), map[string]string{selectValidation: "held out training clouds", selectTest: "test clouds"}[p.Select]
	if from, ok := r.Selected["seed"]; ok {
		what = fmt.Sprintf("seeds %d + the table's", from)
	}
	note := fmt.Sprintf("%s: of %d candidates the lowest mean EMD on the %s, %.5g; over all candidates it is %.5g on average", what, len(all), clouds, means[best], table.NewCell(means...).Mean)
	r.Note = strings.Join(slices.DeleteFunc([]string{r.Note, note}, func(s string) bool { return s == "" }), "; ")
	return all[best].values
}

// setting is the candidate and the seed of the item, for people.
func (j Item) setting() string {
	if j.Candidate == nil {
		return fmt.Sprintf("seed %d", j.Seed)
	}
	return fmt.Sprintf("%s, seed %d", settingsText(j.Candidate, "%s = %d", ", "), j.Seed)
}

// settingsText writes settings in the order of their names.
func settingsText(s map[string]int, format, separator string) string {
	var out []string
	for _, name := range slices.Sorted(maps.Keys(s)) {
		out = append(out, fmt.Sprintf(format, name, s[name]))
	}
	return strings.Join(out, separator)
}

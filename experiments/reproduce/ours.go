package reproduce

import (
	_ "embed"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/janpfeifer/must"

	"github.com/sliced-wasserstein/lab/experiments/gap"
	"github.com/sliced-wasserstein/lab/experiments/table"
)

// oursJSON holds our columns, by study, and our rows. In rows, {T}, {dk} and {k} stand for the
// preset's moving steps and widths.
//
//go:embed ours.json
var oursJSON string

type ours struct {
	Columns map[string][]json.RawMessage // what differs from the column Like of the table; without that, there is none
	Rows    []struct {
		table.Row
		In   []string // tables
		When string   // desk: only in that preset; select: only where candidates are selected
		As   string   // a row of the table that has the same candidates
	}
}

// With adds our own rows and columns to a table of the paper, for comparison (protocol section 8), and
// to the rows of the gap study the widths that it does not print. Equal ids in several tables are the same runs.
func (p Preset) With(t table.Table) table.Table {
	t.Rows = slices.Clone(t.Rows)
	group := 1
	for i, r := range t.Rows {
		for _, c := range gap.PaperRows(p.gap()) {
			if t.Study == "gap" && c.ID() == r.ID {
				t.Rows[i].Overrides, t.Rows[i].Note = widths(r.Overrides, c), guessed(c)
			}
		}
		group = max(group, r.Group+1)
	}
	var own ours
	text := strings.NewReplacer(`"{T}"`, fmt.Sprint(p.MovingSteps), "{T}", fmt.Sprint(p.MovingSteps), "{dk}", fmt.Sprint(p.DK), "{k}", fmt.Sprint(p.K))
	must.M(json.Unmarshal([]byte(text.Replace(oursJSON)), &own))
	for _, raw := range own.Columns[t.Study] {
		var c struct {
			table.Column
			Like string
		}
		must.M(json.Unmarshal(raw, &c))
		i := slices.IndexFunc(t.Columns, func(of table.Column) bool { return of.Key == c.Like })
		if i < 0 && c.Like != "" {
			continue
		}
		if i >= 0 {
			c.Column = t.Columns[i]
			must.M(json.Unmarshal(raw, &c))
		}
		c.Ours = true
		t.Columns = append(t.Columns, c.Column)
	}
	for _, r := range own.Rows {
		if !slices.Contains(r.In, t.Name) || r.When == "desk" && p.Name != "desk" || r.When == "select" && p.Select == selectNone {
			continue
		}
		if i := slices.IndexFunc(t.Rows, func(of table.Row) bool { return of.ID == r.As }); i >= 0 {
			r.Candidates = t.Rows[i].Candidates
		}
		r.Ours, r.Group = true, group
		t.Rows = append(t.Rows, r.Row)
	}
	if t.Study == "gap" {
		for _, c := range gap.OurRows(p.gap(), p.GapPasses) {
			overrides := widths(map[string]any{"loss": "v-dsw", "slices": c.Slices, "kappa": c.Kappa}, c)
			t.Rows = append(t.Rows, table.Row{ID: c.ID(), Name: gapName(c), Overrides: overrides, Ours: true, Group: group, Note: guessed(c)})
		}
	}
	return t
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

// generatedFrom is the setting of a row of a generation table that says where its clouds come from:
// [runs.Generation].From.
const generatedFrom = "generated_from"

func gapName(c gap.Config) string {
	names := map[string]string{"l": "Lv-DSW", "g": "Gv-DSW", "n": "Nv-DSW", "a": "Av-DSW", "ea": "EAv-DSW", "la": "LAv-DSW", "la-sorted": "LAv-DSW, sorted"}
	switch {
	case c.Method == gap.Uniform:
		return "random location"
	case c.Method == gap.Constant:
		return "constant location"
	case c.Method == gap.Converged:
		return "v-DSW, converged"
	case c.LearningRate == gap.Untrained:
		return names[c.Method] + ", untrained"
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

package table

import (
	"fmt"
	"maps"
	"slices"
	"strings"
)

// about says where the numbers come from, and what was reduced.
func (f Results) about() []string {
	which := fmt.Sprintf("The paper's table %s (%s)", f.Table.Name, f.Table.Section)
	if f.empty() {
		return []string{which + " as printed, no numbers of ours"}
	}
	parts := []string{which, "preset " + f.Preset}
	for _, p := range [][2]string{{"seeds ", f.seeds(", ")}, {"backend ", f.Backend}, {"data ", f.Data}} {
		if p[1] != "" {
			parts = append(parts, p[0]+p[1])
		}
	}
	reduced := strings.Join(f.Settings, "; ")
	if reduced == "" {
		reduced = "nothing"
	}
	return []string{strings.Join(parts, "; "), "Reduced or overridden: " + reduced}
}

func (f Results) seeds(separator string) string {
	text := make([]string, len(f.Seeds))
	for i, s := range f.Seeds {
		text[i] = fmt.Sprint(s)
	}
	return strings.Join(text, separator)
}

// legend returns what a reader has to know about the numbers.
func (f Results) legend(marks map[string]map[string]Mark) []string {
	var out []string
	ours := slices.ContainsFunc(f.Table.Rows, func(r Row) bool { return r.Ours })
	n := f.usualRuns()
	others := ""
	if f.any(func(_ Row, _ Column, c Cell) bool { return c.N != n }) {
		others = ", or as many as stand in brackets"
	}
	switch {
	case n == 1 && others == "":
		out = append(out, "Ours: one run, so there is no spread. Below it the paper's number.")
	case n > 0:
		out = append(out, fmt.Sprintf("Ours: mean ± sample standard deviation (dividing by n - 1) over n runs, n = %d%s. Below it the paper's number.", n, others))
	}
	if slices.ContainsFunc(f.Table.Rows, func(r Row) bool {
		return slices.ContainsFunc(slices.Collect(maps.Values(r.Paper)), func(p Printed) bool { return p.SD != nil })
	}) {
		out = append(out, fmt.Sprintf("Paper: mean ± standard deviation over %d seeds as printed, dividing by n; times %.4f it divides by n - 1.", PaperRuns, SampleSD(1, PaperRuns)))
	}
	if f.absent() {
		out = append(out, nothing+": no number.")
	}
	if n > 0 {
		rule := "Best and second best are marked only beyond the noise: the best row differs significantly from every other row (Welch's t-test, two-sided, 5 %), the second best from every row but the best."
		if ours {
			rule += " Rows with " + dagger + " take no part."
		}
		switch {
		case len(marks) > 0:
		case f.any(func(r Row, _ Column, c Cell) bool { return !r.Ours && c.N < 2 }):
			rule += " Nothing is marked where a row has fewer than two runs."
		default:
			rule += " Here this marks nothing."
		}
		out = append(out, rule)
	}
	if ours || slices.ContainsFunc(f.Table.Columns, func(c Column) bool { return c.Ours }) {
		out = append(out, dagger+": not in the paper.")
	}
	return out
}

// usualRuns returns the number of runs that most cells have, the larger of two; 0 without cells.
func (f Results) usualRuns() int {
	count, usual := map[int]int{}, 0
	f.any(func(_ Row, _ Column, c Cell) bool { count[c.N]++; return false })
	for n, cells := range count {
		if cells > count[usual] || cells == count[usual] && n > usual {
			usual = n
		}
	}
	return usual
}

// any reports whether test holds for one of our measured cells.
func (f Results) any(test func(r Row, c Column, cell Cell) bool) bool {
	for _, r := range f.Table.Rows {
		for _, c := range f.Table.Columns {
			if cell, ok := f.cell(r, c); ok && c.Better != None && test(r, c, cell) {
				return true
			}
		}
	}
	return false
}

// absent reports whether a cell shows that there is no number.
func (f Results) absent() bool {
	return slices.ContainsFunc(f.Table.Rows, func(r Row) bool {
		return slices.ContainsFunc(f.Table.Columns, func(c Column) bool {
			our, their := f.entries(r, c)
			return our.Mean == nothing || their.Mean == nothing
		})
	})
}

// units explains the columns, grouped by unit.
func units(columns []Column) []string {
	var out []string
	for i, c := range columns {
		same := func(d Column) bool { return c.Unit == d.Unit && c.Scale == d.Scale && c.Better == d.Better }
		if c.Unit == "" || slices.ContainsFunc(columns[:i], same) {
			continue
		}
		var names []string
		for _, d := range columns[i:] {
			if same(d) {
				names = append(names, d.label())
			}
		}
		text := strings.Join(names, ", ")
		if s := c.factor(); s != "" {
			text += " (" + s + ")"
		}
		out = append(out, text+": "+c.Unit)
	}
	return out
}

// label returns the column's name, with a dagger if it is ours.
func (c Column) label() string {
	if c.Ours {
		return c.Name + dagger
	}
	return c.Name
}

// heading returns the label with the direction in which the column improves.
func (c Column) heading() string {
	return c.label() + map[Better]string{Up: " ↑", Down: " ↓"}[c.Better]
}

// factor returns the scale as printed, "" for 1.
func (c Column) factor() string {
	if c.Scale == 1 {
		return ""
	}
	return "×" + full(c.Scale)
}

// scaledColumns reports whether one of the columns has a factor.
func scaledColumns(columns []Column) bool {
	return slices.ContainsFunc(columns, func(c Column) bool { return c.Scale != 1 })
}

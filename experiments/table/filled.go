package table

import (
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"
)

// Cell is what the runs of one row gave in one column, in natural units (fractions, distances without factors).
type Cell struct {
	Mean   float64
	SD     *float64  // over runs, dividing by N - 1; nil where N is 1
	N      int       // runs
	Values []float64 // per run, in the order of Filled.Seeds; may be nil
	Note   string    // a footnote
}

// NewCell is the cell of the runs' values: mean and sample deviation sqrt(sum (v - mean)^2 / (n - 1)).
func NewCell(values ...float64) Cell {
	c := Cell{N: len(values), Values: values}
	if c.N == 0 {
		return c
	}
	sum := 0.0
	for _, v := range values {
		sum += v - values[0] // equal values have no deviation, not one from rounding
	}
	c.Mean = values[0] + sum/float64(c.N)
	if c.N < 2 {
		return c
	}
	sum = 0
	for _, v := range values {
		sum += (v - c.Mean) * (v - c.Mean)
	}
	sd := math.Sqrt(sum / float64(c.N-1))
	c.SD = &sd
	return c
}

// SampleSD turns a deviation over n runs that divides by n, as those in the paper do, into the one that divides by n - 1.
func SampleSD(population float64, n int) float64 {
	return population * math.Sqrt(float64(n)/float64(n-1))
}

// Filled is a table with numbers of one's own. Without any (Cells and Failed are empty) it is written as the paper has it.
type Filled struct {
	Table    Table
	Preset   string
	Settings []string // what was reduced or overridden against the paper; printed with the result always
	Seeds    []uint64
	Backend  string
	Data     string
	Cells    map[string]map[string]Cell // by row id and column key
	Failed   map[string]string          // by row id: why cells are missing
}

// empty says that there is nothing but the paper's numbers.
func (f Filled) empty() bool { return len(f.Cells) == 0 && len(f.Failed) == 0 }

// cell is the row's cell in the column, if there is one.
func (f Filled) cell(r Row, c Column) (Cell, bool) {
	cell, ok := f.Cells[r.ID][c.Key]
	return cell, ok
}

// check finds numbers that no row or column takes, and cells that contradict themselves.
func (f Filled) check() error {
	t := f.Table
	if !f.empty() && f.Preset == "" {
		return fmt.Errorf("table %s: preset: expected a name, found none", t.Name)
	}
	for _, id := range slices.Sorted(maps.Keys(f.Failed)) {
		if !t.row(id) {
			return t.unknownRow("failed", id)
		}
	}
	for _, id := range slices.Sorted(maps.Keys(f.Cells)) {
		if !t.row(id) {
			return t.unknownRow("cells", id)
		}
		for _, key := range slices.Sorted(maps.Keys(f.Cells[id])) {
			if !t.column(key) {
				return fmt.Errorf("table %s: cells of row %s: unknown column %q, expected one of %s", t.Name, id, key, strings.Join(t.keys(), ", "))
			}
			c := f.Cells[id][key]
			switch {
			case c.N < 1:
				return fmt.Errorf("table %s: row %s, column %s: expected at least one run, found %d", t.Name, id, key, c.N)
			case c.Values != nil && len(c.Values) != c.N:
				return fmt.Errorf("table %s: row %s, column %s: expected the values of %d runs, found %d", t.Name, id, key, c.N, len(c.Values))
			case c.SD != nil && c.N < 2:
				return fmt.Errorf("table %s: row %s, column %s: one run has no deviation, found %g", t.Name, id, key, *c.SD)
			}
		}
	}
	return nil
}

func (t Table) unknownRow(where, id string) error {
	ids := make([]string, len(t.Rows))
	for i, r := range t.Rows {
		ids[i] = r.ID
	}
	return fmt.Errorf("table %s: %s: unknown row %q, expected one of %s", t.Name, where, id, strings.Join(ids, ", "))
}

func (t Table) keys() []string {
	keys := make([]string, len(t.Columns))
	for i, c := range t.Columns {
		keys[i] = c.Key
	}
	return keys
}

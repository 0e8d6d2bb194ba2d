// Package table holds the nine tables of the paper as data, and writes them filled with numbers of
// one's own: for the terminal, for pages and notebooks, for LaTeX and for programs. It runs
// nothing.
package table

import "slices"

// Table is one table of the paper: what is compared, in which units, and what the paper prints.
type Table struct {
	Name    string // the paper's label
	Title   string
	Section string // main or appendix
	// reconstruction, shapes, gap or generation: rows of one id in tables of one study are one run
	Study     string
	RowHeader string // heading of the column of names
	Columns   []Column
	Rows      []Row
	Notes     []string // what in the printed table is inconsistent or not said
}

// Column is a number reported of every run, or a setting (Better is None).
type Column struct {
	Key  string `json:"key"`
	Name string `json:"name"`
	Unit string `json:"unit"`
	// printed = natural value x Scale: 100 for fractions and small distances; 0: as it is
	Scale    float64 `json:"scale"`
	Better   Better  `json:"better"`
	Decimals int     `json:"decimals"` // printed after the point
	Ours     bool    `json:"ours"`     // not in the paper
}

// Better is the direction in which a column improves.
type Better string

// None is that of settings.
const (
	None Better = ""
	Up   Better = "up"
	Down Better = "down"
)

// Row is a run, with the paper's numbers by column key.
type Row struct {
	ID    string `json:"id"`
	Name  string `json:"name"`  // as printed, without the paper's "(ours)"
	Group int    `json:"group"` // from 1: the block between two rules
	Ours  bool   `json:"ours"`  // not in the paper
	// Overrides are the settings that make the run, by their names in the JSON of train.Config.
	Overrides map[string]any `json:"run"`
	// Candidates are values of settings of which the paper prints the best run, and does not say
	// which; a single one is the paper's.
	Candidates map[string][]int   `json:"candidates,omitempty"`
	Paper      map[string]Printed `json:"-"`
	Note       string             `json:"note,omitempty"` // a footnote
}

// Printed is a number as the paper prints it: on the printed scale, SD over PaperRuns training
// seeds dividing by their number.
type Printed struct {
	Mean float64
	SD   *float64 // nil: none is printed
	Bold bool
}

// PaperRuns is the number of training seeds behind every deviation in the paper.
const PaperRuns = 3

// WithoutOurs is the table without rows and columns that the paper does not have.
func (t Table) WithoutOurs() Table {
	t.Columns = slices.DeleteFunc(slices.Clone(t.Columns), func(c Column) bool { return c.Ours })
	t.Rows = slices.DeleteFunc(slices.Clone(t.Rows), func(r Row) bool { return r.Ours })
	return t
}

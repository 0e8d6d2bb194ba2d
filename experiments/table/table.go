// Package table holds the nine tables of the paper as data, and writes them filled with other
// numbers: for the terminal, for pages and notebooks, for LaTeX and for programs. It runs nothing.
package table

import (
	"slices"
	"strings"
)

// Table is one table of the paper: what is compared, in which units, and the printed numbers.
type Table struct {
	Name    string // the paper's label
	Title   string
	Section string // main or appendix
	// Study is reconstruction, shapes, gap or generation; rows with equal ids in tables of one
	// study are the same run.
	Study     string
	RowHeader string // heading of the column of names
	Columns   []Column
	Rows      []Row
	Notes     []string // what is inconsistent or missing in the printed table
}

// Column is a number reported for every run, or a setting (Better is None).
type Column struct {
	Key  string `json:"key"`
	Name string `json:"name"`
	Unit string `json:"unit"`
	// Scale gives the printed value, natural value x Scale: 100 for fractions and small distances,
	// 1 for the others.
	Scale    float64 `json:"scale"`
	Better   Better  `json:"better"`
	Decimals int     `json:"decimals"` // printed after the point
	Ours     bool    `json:"ours"`     // not in the paper
}

// isTime reports whether the column holds seconds or milliseconds.
func (c Column) isTime() bool {
	return strings.HasPrefix(c.Unit, "seconds ") || strings.HasPrefix(c.Unit, "milliseconds ")
}

// Better is the direction in which a column improves.
type Better string

// None is for settings.
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
	// Overrides are the settings of the run, by their JSON names in train.Config.
	Overrides map[string]any `json:"run"`
	// Candidates are values of settings of which the paper prints the best run without saying
	// which; a single value is the paper's.
	Candidates map[string][]int `json:"candidates,omitempty"`
	// Selected are the values of Candidates of which the row has the numbers, where several were
	// run; Note says by which rule.
	Selected map[string]int     `json:"selected,omitempty"`
	Paper    map[string]Printed `json:"-"`
	Note     string             `json:"note,omitempty"` // a footnote
}

// Printed is a number as the paper prints it: on the printed scale, with SD over PaperRuns training
// seeds, dividing by their number.
type Printed struct {
	Mean float64
	SD   *float64 // nil if none is printed
	Bold bool
}

// PaperRuns is the number of training seeds of every deviation in the paper.
const PaperRuns = 3

// WithoutOurs returns the table without rows and columns that the paper does not have.
func (t Table) WithoutOurs() Table {
	t.Columns = slices.DeleteFunc(slices.Clone(t.Columns), func(c Column) bool { return c.Ours })
	t.Rows = slices.DeleteFunc(slices.Clone(t.Rows), func(r Row) bool { return r.Ours })
	return t
}

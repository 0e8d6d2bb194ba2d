package table

import (
	"cmp"
	_ "embed"
	"encoding/json"
	"strconv"
	"strings"

	"github.com/janpfeifer/must"

	"github.com/sliced-wasserstein/lab/internal/suggest"
)

//go:embed paper.json
var paperJSON []byte

// Names returns the paper's labels, by study: reconstruction, gap, ablations, generation.
func Names() []string {
	var names []string
	for _, t := range paper() {
		names = append(names, t.Name)
	}
	return names
}

// Get returns the table of that name, a copy that the caller may change.
func Get(name string) (Table, error) {
	for _, t := range paper() {
		if t.Name == name {
			return t, nil
		}
	}
	return Table{}, suggest.Unknown("table", name, Names())
}

// paperFile is the content of paper.json. Columns that several tables share are defined once. Cells
// are in the order of the columns, as printed.
type paperFile struct {
	Columns map[string]Column `json:"columns"` // without a key: the definition's
	Tables  []struct {
		Name      string   `json:"name"`
		Title     string   `json:"title"`
		Section   string   `json:"section"`
		Study     string   `json:"study"`
		RowHeader string   `json:"row_header"`
		Columns   []string `json:"columns"`
		Rows      []struct {
			Row
			Cells []string `json:"cells"`
		} `json:"rows"`
		Notes []string `json:"notes"`
	} `json:"tables"`
}

// paper reads paper.json, which is part of the program: a mistake in it is a panic.
func paper() []Table {
	var file paperFile
	must.M(json.Unmarshal(paperJSON, &file))
	var out []Table
	for _, ft := range file.Tables {
		t := Table{Name: ft.Name, Title: ft.Title, Section: ft.Section, Study: ft.Study, RowHeader: ft.RowHeader, Notes: ft.Notes}
		for _, name := range ft.Columns {
			c := file.Columns[name]
			c.Key = cmp.Or(c.Key, name)
			t.Columns = append(t.Columns, c)
		}
		for _, fr := range ft.Rows {
			r := fr.Row
			r.Paper = map[string]Printed{}
			for i, cell := range fr.Cells {
				r.Paper[t.Columns[i].Key] = printed(cell)
			}
			t.Rows = append(t.Rows, r)
		}
		out = append(out, t)
	}
	return out
}

// printed reads "95", "0.68 ± 0.01" and "**0.67 ± 0.00**".
func printed(cell string) (p Printed) {
	text := strings.Trim(cell, "*")
	p.Bold = text != cell
	mean, sd, spread := strings.Cut(text, " ± ")
	p.Mean = must.M1(strconv.ParseFloat(mean, 64))
	if spread {
		v := must.M1(strconv.ParseFloat(sd, 64))
		p.SD = &v
	}
	return p
}

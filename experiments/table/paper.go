package table

import (
	"bytes"
	_ "embed"
	"encoding/json"
	"fmt"
	"strconv"
	"strings"

	"github.com/sliced-wasserstein/lab/internal/suggest"
)

//go:embed paper.json
var paperJSON []byte

// Names returns the paper's labels, by study: reconstruction, gap, ablations, generation.
func Names() []string {
	// paper.json is part of the program; Get reports its errors
	tables, _ := paper()
	names := make([]string, len(tables))
	for i, t := range tables {
		names[i] = t.Name
	}
	return names
}

// Get returns the table of that name, a copy that the caller may change.
func Get(name string) (Table, error) {
	tables, err := paper()
	if err != nil {
		return Table{}, err
	}
	for _, t := range tables {
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

func paper() ([]Table, error) {
	var file paperFile
	d := json.NewDecoder(bytes.NewReader(paperJSON))
	d.DisallowUnknownFields()
	if err := d.Decode(&file); err != nil {
		return nil, fmt.Errorf("paper.json: %w", err)
	}
	var out []Table
	for _, ft := range file.Tables {
		t := Table{Name: ft.Name, Title: ft.Title, Section: ft.Section, Study: ft.Study, RowHeader: ft.RowHeader, Notes: ft.Notes}
		for _, name := range ft.Columns {
			c, ok := file.Columns[name]
			if !ok {
				return nil, fmt.Errorf("paper.json: %s: column %q is not defined", ft.Name, name)
			}
			if c.Key == "" {
				c.Key = name
			}
			t.Columns = append(t.Columns, c)
		}
		for _, fr := range ft.Rows {
			if len(fr.Cells) != len(t.Columns) {
				return nil, fmt.Errorf("paper.json: %s: row %s: expected %d cells, found %d", ft.Name, fr.ID, len(t.Columns), len(fr.Cells))
			}
			r := fr.Row
			r.Paper = map[string]Printed{}
			for i, cell := range fr.Cells {
				p, err := printed(cell)
				if err != nil {
					return nil, fmt.Errorf("paper.json: %s: row %s: %w", ft.Name, fr.ID, err)
				}
				r.Paper[t.Columns[i].Key] = p
			}
			t.Rows = append(t.Rows, r)
		}
		out = append(out, t)
	}
	return out, nil
}

// printed reads "95", "0.68 ± 0.01" and "**0.67 ± 0.00**".
func printed(cell string) (Printed, error) {
	var p Printed
	text, bold := strings.CutPrefix(cell, "**")
	if bold {
		text, p.Bold = strings.CutSuffix(text, "**")
	}
	mean, sd, spread := strings.Cut(text, " ± ")
	var err error
	if p.Mean, err = strconv.ParseFloat(mean, 64); err != nil || bold != p.Bold {
		return p, fmt.Errorf("cell: expected a number, or mean ± deviation, bold in **, found %q", cell)
	}
	if spread {
		v, err := strconv.ParseFloat(sd, 64)
		if err != nil {
			return p, fmt.Errorf("cell: expected a number, or mean ± deviation, bold in **, found %q", cell)
		}
		p.SD = &v
	}
	return p, nil
}

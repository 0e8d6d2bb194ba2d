package table

import (
	"bytes"
	"encoding/csv"
	"strconv"
	"strings"
)

// csv writes a line for every row and column. Numbers are on the printed scale, with all their digits; sd divides by n - 1, paper_sd
// by n as printed, paper_sd_sample by n - 1.
func (f Filled) csv(b *bytes.Buffer) error {
	w := csv.NewWriter(b)
	w.Write([]string{"table", "row", "name", "row_ours", "column", "heading", "column_ours", "unit", "scale", "better", "mean", "sd", "n", "values", "mark",
		"paper_mean", "paper_sd", "paper_sd_sample", "paper_bold", "note", "failed", "preset", "settings", "seeds", "backend", "data"})
	marks := f.Marks()
	for _, r := range f.Table.Rows {
		for _, c := range f.Table.Columns {
			line := []string{f.Table.Name, r.ID, r.Name, strconv.FormatBool(r.Ours), c.Key, c.Name, strconv.FormatBool(c.Ours), c.Unit, full(c.Scale), string(c.Better)}
			cell, ok := f.cell(r, c)
			if ok {
				var values []string
				for _, v := range cell.Values {
					values = append(values, full(v*c.Scale))
				}
				line = append(line, full(cell.Mean*c.Scale), scaled(cell.SD, c.Scale), strconv.Itoa(cell.N), strings.Join(values, " "), string(marks[r.ID][c.Key]))
			} else {
				line = append(line, "", "", "", "", "")
			}
			if p, ok := r.Paper[c.Key]; ok {
				line = append(line, full(p.Mean), scaled(p.SD, 1), scaled(p.SD, SampleSD(1, PaperRuns)), strconv.FormatBool(p.Bold))
			} else {
				line = append(line, "", "", "", "")
			}
			w.Write(append(line, joined(r.Note, cell.Note), f.Failed[r.ID], f.Preset, strings.Join(f.Settings, "; "), f.seeds(" "), f.Backend, f.Data))
		}
	}
	w.Flush()
	return w.Error()
}

func scaled(v *float64, by float64) string {
	if v == nil {
		return ""
	}
	return full(*v * by)
}

func joined(notes ...string) string {
	var out []string
	for _, n := range notes {
		if n != "" {
			out = append(out, n)
		}
	}
	return strings.Join(out, "; ")
}

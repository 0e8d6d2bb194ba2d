package table

import (
	"encoding/json"
	"fmt"
	"math"
	"os"
	"slices"
	"strconv"
	"strings"
)

// full formats v so that it is read back exactly.
func full(v float64) string { return strconv.FormatFloat(v, 'g', -1, 64) }

// Records returns the lines of CSV, one for every row and column. Numbers are on the printed scale,
// with full precision. sd divides by n - 1, paper_sd by n as printed, paper_sd_sample by n - 1.
func (f Results) Records() [][]string {
	out := [][]string{{"table", "row", "name", "row_ours", "column", "heading", "column_ours", "unit", "scale", "better", "mean", "sd", "n", "values", "mark",
		"paper_mean", "paper_sd", "paper_sd_sample", "paper_bold", "note", "failed", "preset", "settings", "seeds", "backend", "data"}}
	marks := f.Marks()
	for _, r := range f.Table.Rows {
		for _, c := range f.Table.Columns {
			ours, paper := make([]string, 5), make([]string, 4)
			cell, ok := f.cell(r, c)
			if ok {
				ours = append(cell.scaled(c.Scale).Fields(), string(marks[r.ID][c.Key]))
			}
			if p, ok := r.Paper[c.Key]; ok {
				paper = []string{full(p.Mean), optional(p.SD), optional(scaled(p.SD, SampleSD(1, PaperRuns))), strconv.FormatBool(p.Bold)}
			}
			line := []string{f.Table.Name, r.ID, r.Name, strconv.FormatBool(r.Ours), c.Key, c.Name, strconv.FormatBool(c.Ours), c.Unit, full(c.Scale), string(c.Better)}
			note := strings.Join(slices.DeleteFunc([]string{r.Note, cell.Note}, func(s string) bool { return s == "" }), "; ")
			out = append(out, slices.Concat(line, ours, paper,
				[]string{note, f.Failed[r.ID], f.Preset, strings.Join(f.Settings, "; "), f.seeds(" "), f.Backend, f.Data}))
		}
	}
	return out
}

// Fields returns the cell as CSV fields: mean, sd, n and the values, with full precision.
func (c Cell) Fields() []string {
	values := make([]string, len(c.Values))
	for i, v := range c.Values {
		values[i] = full(v)
	}
	return []string{full(c.Mean), optional(c.SD), strconv.Itoa(c.N), strings.Join(values, " ")}
}

func optional(v *float64) string {
	if v == nil {
		return ""
	}
	return full(*v)
}

// scaled returns c with every number times by.
func (c Cell) scaled(by float64) Cell {
	c.Mean, c.SD, c.Values = c.Mean*by, scaled(c.SD, by), slices.Clone(c.Values)
	for i := range c.Values {
		c.Values[i] *= by
	}
	return c
}

func scaled(v *float64, by float64) *float64 {
	if v == nil {
		return nil
	}
	x := *v * by
	return &x
}

// stored is a filled table in JSON.
type stored struct {
	Name     string      `json:"name"`
	Title    string      `json:"title"`
	Section  string      `json:"section"`
	Study    string      `json:"study"`
	Preset   string      `json:"preset"`
	Settings []string    `json:"settings"`
	Seeds    []uint64    `json:"seeds"`
	Backend  string      `json:"backend"`
	Data     string      `json:"data"`
	Scale    string      `json:"scale"`
	Columns  []Column    `json:"columns"`
	Rows     []storedRow `json:"rows"`
	Legend   []string    `json:"legend"`
	Notes    []string    `json:"notes"`
}

type storedRow struct {
	Row
	Failed  string                `json:"failed,omitempty"`
	Values  map[string]storedCell `json:"values"`
	Paper   map[string]float64    `json:"paper"`
	PaperSD map[string]*float64   `json:"paper_sd"`
}

type storedCell struct {
	Mean   storedFloat   `json:"mean"`
	SD     *storedFloat  `json:"sd"`
	N      int           `json:"n"`
	Values []storedFloat `json:"values,omitempty"`
	Mark   Mark          `json:"mark,omitempty"`
	Note   string        `json:"note,omitempty"`
}

// storedFloat is null where it is not finite.
type storedFloat float64

func (v storedFloat) MarshalJSON() ([]byte, error) {
	if math.IsNaN(float64(v)) || math.IsInf(float64(v), 0) {
		return []byte("null"), nil
	}
	return json.Marshal(float64(v))
}

func (v *storedFloat) UnmarshalJSON(raw []byte) error {
	if string(raw) == "null" {
		*v = storedFloat(math.NaN())
		return nil
	}
	return json.Unmarshal(raw, (*float64)(v))
}

// JSON returns what Read reads.
func (f Results) JSON() any {
	t := f.Table
	marks := f.Marks()
	out := stored{Name: t.Name, Title: t.Title, Section: t.Section, Study: t.Study, Preset: f.Preset, Settings: append([]string{}, f.Settings...),
		Seeds: append([]uint64{}, f.Seeds...), Backend: f.Backend, Data: f.Data, Columns: t.Columns, Legend: append([]string{}, f.legend(marks)...), Notes: append([]string{}, t.Notes...),
		Scale: "values and paper are as the paper prints them: natural value times the column's scale; sd divides by n - 1, paper_sd by n"}
	for _, r := range t.Rows {
		row := storedRow{Row: r, Failed: f.Failed[r.ID], Values: map[string]storedCell{}, Paper: map[string]float64{}, PaperSD: map[string]*float64{}}
		for _, c := range t.Columns {
			if p, ok := r.Paper[c.Key]; ok {
				row.Paper[c.Key], row.PaperSD[c.Key] = p.Mean, p.SD
			}
			cell, ok := f.cell(r, c)
			if !ok {
				continue
			}
			cell = cell.scaled(c.Scale)
			v := storedCell{Mean: storedFloat(cell.Mean), SD: (*storedFloat)(cell.SD), N: cell.N, Mark: marks[r.ID][c.Key], Note: cell.Note}
			for _, x := range cell.Values {
				v.Values = append(v.Values, storedFloat(x))
			}
			row.Values[c.Key] = v
		}
		out.Rows = append(out.Rows, row)
	}
	return out
}

// ReadFile is Read of a file, which its errors name.
func ReadFile(path string) (Results, error) {
	raw, err := os.ReadFile(path)
	if err != nil {
		return Results{}, err
	}
	f, err := Read(raw)
	if err != nil {
		err = fmt.Errorf("%s: %w", path, err)
	}
	return f, err
}

// Read reads a table of the paper that was written as JSON.
func Read(raw []byte) (Results, error) {
	var v stored
	if err := json.Unmarshal(raw, &v); err != nil {
		return Results{}, err
	}
	t, err := Get(v.Name)
	if err != nil {
		return Results{}, err
	}
	printed := t.Rows
	t.Columns, t.Rows = v.Columns, nil
	f := Results{Preset: v.Preset, Settings: v.Settings, Seeds: v.Seeds, Backend: v.Backend, Data: v.Data, Cells: map[string]map[string]Cell{}, Failed: map[string]string{}}
	for _, r := range v.Rows {
		i := slices.IndexFunc(printed, func(p Row) bool { return p.ID == r.ID })
		switch {
		case !r.Ours && i < 0:
			return f, fmt.Errorf("row %s is neither ours nor in the paper's table", r.ID)
		case !r.Ours:
			r.Row.Paper = printed[i].Paper
		}
		t.Rows = append(t.Rows, r.Row)
		if r.Failed != "" {
			f.Failed[r.ID] = r.Failed
		}
		f.Cells[r.ID] = map[string]Cell{}
		for _, c := range v.Columns {
			cell, ok := r.Values[c.Key]
			if !ok {
				continue
			}
			natural := Cell{Mean: float64(cell.Mean) / c.Scale, N: cell.N, Note: cell.Note}
			if cell.SD != nil {
				sd := float64(*cell.SD) / c.Scale
				natural.SD = &sd
			}
			for _, x := range cell.Values {
				natural.Values = append(natural.Values, float64(x)/c.Scale)
			}
			f.Cells[r.ID][c.Key] = natural
		}
	}
	f.Table = t
	return f, nil
}

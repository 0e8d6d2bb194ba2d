package table

import (
	"bytes"
	"encoding/json"
	"math"

	"github.com/sliced-wasserstein/lab/internal/version"
)

type jsonTable struct {
	Name     string       `json:"name"`
	Title    string       `json:"title"`
	Section  string       `json:"section"`
	Study    string       `json:"study"`
	Preset   string       `json:"preset"`
	Settings []string     `json:"settings"`
	Seeds    []uint64     `json:"seeds"`
	Backend  string       `json:"backend"`
	Data     string       `json:"data"`
	Scale    string       `json:"scale"`
	Columns  []jsonColumn `json:"columns"`
	Rows     []jsonRow    `json:"rows"`
	Legend   []string     `json:"legend"`
	Notes    []string     `json:"notes"`
	Version  string       `json:"version"` // of the program that wrote it
}

type jsonColumn struct {
	Key      string  `json:"key"`
	Name     string  `json:"name"`
	Unit     string  `json:"unit"`
	Scale    float64 `json:"scale"`
	Better   Better  `json:"better"`
	Decimals int     `json:"decimals"`
	Ours     bool    `json:"ours"`
}

type jsonRow struct {
	ID         string                `json:"id"`
	Name       string                `json:"name"`
	Group      int                   `json:"group"`
	Ours       bool                  `json:"ours"`
	Run        map[string]any        `json:"run"`
	Candidates map[string][]int      `json:"candidates,omitempty"`
	Note       string                `json:"note,omitempty"`
	Failed     string                `json:"failed,omitempty"`
	Values     map[string]jsonCell   `json:"values"`
	Paper      map[string]float64    `json:"paper"`
	PaperSD    map[string]*jsonFloat `json:"paper_sd"`
}

type jsonCell struct {
	Mean   jsonFloat   `json:"mean"`
	SD     *jsonFloat  `json:"sd"`
	N      int         `json:"n"`
	Values []jsonFloat `json:"values,omitempty"`
	Mark   Mark        `json:"mark,omitempty"`
	Note   string      `json:"note,omitempty"`
}

// jsonFloat is null where it is not finite.
type jsonFloat float64

func (v jsonFloat) MarshalJSON() ([]byte, error) {
	if math.IsNaN(float64(v)) || math.IsInf(float64(v), 0) {
		return []byte("null"), nil
	}
	return json.Marshal(float64(v))
}

func (f Filled) json(b *bytes.Buffer) error {
	t := f.Table
	marks := f.Marks()
	out := jsonTable{Name: t.Name, Title: t.Title, Section: t.Section, Study: t.Study, Preset: f.Preset, Settings: append([]string{}, f.Settings...),
		Seeds: append([]uint64{}, f.Seeds...), Backend: f.Backend, Data: f.Data, Legend: append([]string{}, f.legend(marks)...), Notes: append([]string{}, t.Notes...), Version: version.String(),
		Scale: "values and paper are as the paper prints them: natural value times the column's scale; sd divides by n - 1, paper_sd by n"}
	for _, c := range t.Columns {
		out.Columns = append(out.Columns, jsonColumn{c.Key, c.Name, c.Unit, c.Scale, c.Better, c.Decimals, c.Ours})
	}
	for _, r := range t.Rows {
		row := jsonRow{ID: r.ID, Name: r.Name, Group: r.Group, Ours: r.Ours, Run: r.Overrides, Candidates: r.Candidates, Note: r.Note, Failed: f.Failed[r.ID],
			Values: map[string]jsonCell{}, Paper: map[string]float64{}, PaperSD: map[string]*jsonFloat{}}
		for _, c := range t.Columns {
			if p, ok := r.Paper[c.Key]; ok {
				row.Paper[c.Key], row.PaperSD[c.Key] = p.Mean, jsonScaled(p.SD, 1)
			}
			cell, ok := f.cell(r, c)
			if !ok {
				continue
			}
			v := jsonCell{Mean: jsonFloat(cell.Mean * c.Scale), SD: jsonScaled(cell.SD, c.Scale), N: cell.N, Mark: marks[r.ID][c.Key], Note: cell.Note}
			for _, x := range cell.Values {
				v.Values = append(v.Values, jsonFloat(x*c.Scale))
			}
			row.Values[c.Key] = v
		}
		out.Rows = append(out.Rows, row)
	}
	return json.NewEncoder(b).Encode(out)
}

func jsonScaled(v *float64, by float64) *jsonFloat {
	if v == nil {
		return nil
	}
	x := jsonFloat(*v * by)
	return &x
}

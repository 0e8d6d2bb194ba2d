package reproduce

import (
	"cmp"
	"fmt"
	"maps"
	"math"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/sliced-wasserstein/lab/experiments/table"
	"github.com/sliced-wasserstein/lab/internal/suggest"
	"github.com/sliced-wasserstein/lab/vmfviz"
)

// compared is what the picture of a table shows: a column, and the row that the others are compared with. A key is the
// name of a table, or of a study for its other tables.
var compared = map[string]struct{ column, row string }{
	"reconstruction": {"emd", "sw"},
	"shapes":         {"avg", "sw"},
	"generation":     {"mmd_emd", "sw"},
	"gap":            {"range", "uniform"},
	"ablation_kappa": {"emd", "la-v-dsw-kappa0.1"},
	"ablation_L":     {"emd", "sw-L500"},
	"ablation_T":     {"emd", "v-dsw-T0"},
}

// PagePicture is a picture of a page of results.
type PagePicture struct {
	File    string // its name, in the page's folder
	Picture *vmfviz.Picture
}

// imageLink is that of a picture of results in Markdown: ![title](NAME-PRESET.png).
var imageLink = regexp.MustCompile(`(?m)^!\[(.+)\]\((\w+)(-[a-z]+)\.png\)`)

// PagePictures draws the pictures of results that a page in Markdown shows, in its order, from the
// results NAME-PRESET.json beside it. A picture's alternative text becomes its title. Links to
// pictures of anything else are left out. v is the zero View, or chooses rows.
func PagePictures(page string, v View) ([]PagePicture, error) {
	text, err := os.ReadFile(page)
	if err != nil {
		return nil, err
	}
	var out []PagePicture
	for _, link := range imageLink.FindAllStringSubmatch(string(text), -1) {
		if _, err := table.Get(link[2]); err != nil {
			continue
		}
		result := link[2] + link[3]
		f, err := table.ReadFile(filepath.Join(filepath.Dir(page), result+".json"))
		if err != nil {
			return nil, err
		}
		p, err := Picture(f, link[1], v)
		if p == nil || err != nil {
			return nil, fmt.Errorf("%s shows a picture of %s, which has none (%v)", page, result, err)
		}
		out = append(out, PagePicture{result + ".png", p})
	}
	return out, nil
}

// View chooses what a picture shows of a table. The zero View is the usual picture. A row is named by its id, or as a
// picture names it.
type View struct {
	Rows    string `json:"rows"`    // separated by commas without a space; "": all
	Metric  string `json:"metric"`  // a column, by key or heading; "": the one that says most
	Against string `json:"against"` // the row that the others are compared with; "": the usual one
	Repeats int    `json:"repeats"` // the number of seeds, the first ones; 0: all
}

// Picture draws how far the rows of a filled table are from one of them in a column, in per cent, paired by seed, with
// 95 % intervals. A part of a table without that row is compared with its first. It is nil where there is nothing to
// compare. A title "" is replaced by one.
func Picture(f table.Results, title string, v View) (*vmfviz.Picture, error) {
	o, lines, err := differences(f, v)
	if lines == nil || err != nil {
		return nil, err
	}
	o.Title = cmp.Or(title, f.Table.Name+", preset "+f.Preset)
	return vmfviz.Differences(o, lines...)
}

// differences returns the lines of Picture, in the order of the rows.
func differences(f table.Results, v View) (o vmfviz.DifferencesOptions, lines []vmfviz.Difference, err error) {
	what, ok := compared[f.Table.Name]
	if !ok {
		what = compared[f.Table.Study]
	}
	shown, err := v.choose(f.Table, &what.row, &what.column)
	if err != nil {
		return o, nil, err
	}
	cell := func(r table.Row) table.Cell {
		c := f.Cells[r.ID][what.column]
		if v.Repeats > 0 && len(c.Values) > v.Repeats {
			return table.NewCell(c.Values[:v.Repeats]...)
		}
		return c
	}
	rows := slices.DeleteFunc(slices.Clone(f.Table.Rows), func(r table.Row) bool { return len(cell(r).Values) == 0 || !shown(r.ID) })
	if len(rows) < 2 {
		return o, nil, nil
	}
	reference := rows[max(0, slices.IndexFunc(rows, func(r table.Row) bool { return r.ID == what.row }))]
	c := f.Table.Columns[slices.IndexFunc(f.Table.Columns, func(c table.Column) bool { return c.Key == what.column })]
	o.Quantity, o.Up = c.Name, c.Better == table.Up
	o.Reference, o.Number = strings.TrimSuffix(label(f.Table, reference), "†"), number(cell(reference).Mean*c.Scale)
	for _, r := range rows {
		value, half := table.Relative(cell(r), cell(reference))
		if r.ID != reference.ID && !math.IsNaN(value) && !math.IsInf(value, 0) {
			lines = append(lines, vmfviz.Difference{Label: label(f.Table, r), Value: value, Half: half})
		}
	}
	return o, lines, nil
}

// choose sets the row that the others are compared with and the column, if the view has them, and tells which rows it
// shows.
func (v View) choose(t table.Table, reference, column *string) (shown func(id string) bool, err error) {
	rows, columns := map[string]string{}, map[string]string{}
	for _, r := range t.Rows {
		rows[r.ID], rows[strings.TrimSuffix(label(t, r), "†")] = r.ID, r.ID
	}
	for _, c := range t.Columns {
		columns[c.Key], columns[c.Name] = c.Key, c.Key
	}
	find := func(kind, name string, known map[string]string, to *string) {
		if id, ok := known[strings.TrimSuffix(name, "†")]; ok {
			*to = id
		} else if name != "" && err == nil {
			err = suggest.Unknown(kind, name, slices.Sorted(maps.Keys(known)))
		}
	}
	find("row", v.Against, rows, reference)
	find("metric", v.Metric, columns, column)
	ids := []string{*reference}
	for _, name := range strings.Split(strings.ReplaceAll(v.Rows, ", ", "\x00"), ",") {
		ids = append(ids, "")
		find("row", strings.ReplaceAll(name, "\x00", ", "), rows, &ids[len(ids)-1])
	}
	return func(id string) bool { return v.Rows == "" || slices.Contains(ids, id) }, err
}

// number writes a mean with three digits.
func number(v float64) string {
	return fmt.Sprintf("%.*f", max(0, 2-int(math.Floor(math.Log10(max(math.Abs(v), 1e-9))))), v)
}

// amortized writes the paper's names of methods as the text does.
var amortized = regexp.MustCompile(`^(L|G|N|A|EA|LA)v-DSW`)

// label distinguishes rows of one name by the setting that has a column; † marks rows that the paper does not have.
func label(t table.Table, r table.Row) string {
	name := strings.ReplaceAll(amortized.ReplaceAllString(r.Name, "$1 v-DSW"), "kappa", "κ")
	for _, c := range t.Columns {
		if v, ok := setting(r, c); ok && (c.Key == "slices" || r.Overrides["amortizer"] == nil && !r.Ours) {
			name = fmt.Sprintf("%s, %s = %g", name, c.Name, v)
		}
	}
	switch {
	case r.Ours:
		return name + "†"
	case t.RowHeader == "kappa":
		return "κ = " + name
	}
	return name
}

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

	"gonum.org/v1/gonum/stat"

	"github.com/sliced-wasserstein/lab/experiments/table"
	"github.com/sliced-wasserstein/lab/internal/suggest"
	"github.com/sliced-wasserstein/lab/vmfviz"
)

// usual is what the picture of a table shows: a column, or several of one row, and the row that the others are compared
// with. A key is the name of a table, or of a study for its other tables.
var usual = map[string]View{
	"reconstruction":          {Metric: "emd", Against: "sw"},
	"shapes":                  {Metric: "pc1,pc2,pc3,pc4,pc5,pc6,avg", Rows: "la-v-dsw", Against: "sw", Seeds: "1-5", Paper: "avg"},
	"generation":              {Metric: "mmd_emd", Against: "sw"},
	"short_generation_result": {Metric: "mmd_emd", Against: "emd-approx"},
	"gap":                     {Metric: "range", Against: "uniform"},
	"ablation_kappa":          {Metric: "emd", Against: "la-v-dsw-kappa0.1"},
	"ablation_L":              {Metric: "emd", Against: "sw-L500"},
	"ablation_T":              {Metric: "emd", Against: "v-dsw-T0"},
}

// gone names what a picture shows of a column of what is left of a way, by its key: the part that is gone. More is better.
var gone = map[string]string{"range": "Part of the way gone"}

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

// View chooses what a picture shows of a table. The zero View is the usual picture. A row or a column is named by its id,
// or as a picture names it; several are separated by commas without a space.
type View struct {
	Title   string `json:"title"`   // what the picture shows; "": the table's title
	Rows    string `json:"rows"`    // "": all
	Metric  string `json:"metric"`  // a column, or several for a picture of one row; "": what says most
	Against string `json:"against"` // the row that the others are compared with; "": the usual one
	Repeats int    `json:"repeats"` // the number of seeds, the first ones; 0: all
	Seeds   string `json:"seeds"`   // groups of seeds, by their places, such as 1-5: a dot for each seed; of several groups, a line for each
	Paper   string `json:"paper"`   // the key of the metric with a ring for the paper's difference; "": none
}

// usually fills in what the usual picture shows.
func (v View) usually(t table.Table) View {
	if v.Metric == "" {
		u := usualOf(t)
		v.Metric, v.Rows, v.Seeds, v.Paper = u.Metric, cmp.Or(v.Rows, u.Rows), cmp.Or(v.Seeds, u.Seeds), cmp.Or(v.Paper, u.Paper)
	}
	return v
}

func usualOf(t table.Table) View {
	if u, ok := usual[t.Name]; ok {
		return u
	}
	return usual[t.Study]
}

// HowToRead says what the marks of a [Picture] are.
func HowToRead(t table.Table, v View) string {
	v = v.usually(t)
	text := "Dot: the mean difference to the row at 0, paired by seed. Line: its 95 % interval, not corrected for the number of rows."
	if v.Seeds != "" {
		text = "Dot: the difference of one seed. Line: the 95 % interval of their mean."
	}
	text += " Blue: better. Orange: worse. Grey: it contains 0, not resolved."
	_, shown, _, err := v.choose(t)
	if err == nil && slices.ContainsFunc(t.Rows, func(r table.Row) bool { return r.Ours && shown(r.ID) }) {
		text += " Rows with † are not in the paper."
	}
	if v.Paper != "" {
		text += " A ring: the difference of the paper's numbers."
	}
	return text
}

// groups are the first and the last seed of each group of Seeds; without any, one of all seeds or of the first ones.
func (v View) groups() (out [][2]int, err error) {
	if v.Seeds == "" {
		return [][2]int{{1, cmp.Or(v.Repeats, math.MaxInt)}}, nil
	}
	for _, text := range strings.Split(v.Seeds, ",") {
		var g [2]int
		if n, _ := fmt.Sscanf(text, "%d-%d", &g[0], &g[1]); n < 2 || g[0] < 1 || g[1] < g[0] {
			return nil, fmt.Errorf("seeds: expected first and last, such as 1-5, found %q", text)
		}
		out = append(out, g)
	}
	return out, nil
}

// Picture draws how far the rows of a filled table are from one of them in a column, in per cent, paired by seed, with
// 95 % intervals; or how far one row is in several columns. A part of a table without the usual row to compare with takes
// its first. The picture is nil where there is nothing to compare. A title "" is replaced by one.
func Picture(f table.Results, title string, v View) (*vmfviz.Picture, error) {
	o, lines, err := differences(f, v)
	if lines == nil || err != nil {
		return nil, err
	}
	o.Title = cmp.Or(v.Title, title, f.Table.Name+", preset "+f.Preset)
	return vmfviz.Differences(o, lines...)
}

// differences returns the lines of Picture, in the order of the rows and columns.
func differences(f table.Results, v View) (o vmfviz.DifferencesOptions, lines []vmfviz.Difference, err error) {
	v = v.usually(f.Table)
	against, shown, columns, err := v.choose(f.Table)
	if err != nil {
		return o, nil, err
	}
	groups, err := v.groups()
	if err != nil {
		return o, nil, err
	}
	cell := func(r table.Row, c table.Column, g [2]int) table.Cell {
		values := f.Cells[r.ID][c.Key].Values
		return table.NewCell(values[min(g[0]-1, len(values)):min(g[1], len(values))]...)
	}
	rows := slices.DeleteFunc(slices.Clone(f.Table.Rows), func(r table.Row) bool {
		return len(cell(r, columns[0], groups[0]).Values) == 0 || !shown(r.ID)
	})
	if len(rows) < 2 {
		return o, nil, nil
	}
	reference := max(0, slices.IndexFunc(rows, func(r table.Row) bool { return r.ID == against }))
	of := rows[reference]
	o.Up, o.Reference = columns[0].Better == table.Up, label(f.Table, of)
	rows = slices.Delete(rows, reference, reference+1)
	way, isWay := gone[columns[0].Key]
	if o.Quantity, o.Number = columns[0].Name, number(cell(of, columns[0], groups[0]).Mean*columns[0].Scale); isWay {
		o.Up, o.Quantity, o.Number = true, way, "0 %"
	}
	if o.Ordered = len(columns)*len(groups) > 1; o.Ordered {
		if len(rows) > 1 {
			return o, nil, fmt.Errorf("several metrics or groups of seeds take one row beside %s, found %d rows", o.Reference, len(rows))
		}
		if o.Quantity += " of " + label(f.Table, rows[0]); len(columns) > 1 {
			o.Quantity = label(f.Table, rows[0])
		}
	}
	score := "" // EMD is a loss and a score: where both names meet, say which is meant
	if len(columns) > 1 && slices.ContainsFunc(columns, func(c table.Column) bool { return c.Name == o.Quantity || c.Name == o.Reference }) {
		o.Quantity, o.Reference, score = "loss "+o.Quantity, "loss "+o.Reference, "score "
	}
	for _, r := range rows {
		for _, c := range columns {
			for _, g := range groups {
				l := vmfviz.Difference{Label: label(f.Table, r)}
				if len(groups) > 1 {
					l.Label = fmt.Sprintf("seeds %d to %d", g[0], g[1])
				} else if len(columns) > 1 {
					l.Label = score + c.Name
				}
				a, b := cell(r, c, g), cell(of, c, g)
				whole := math.Abs(stat.Mean(b.Values[:min(len(a.Values), len(b.Values))], nil)) / 100
				l.Value, l.Half = table.Relative(a, b)
				if isWay { // the difference of two parts of one way
					a, b, whole = b, a, 0.01
					l.Value, l.Half = table.Paired(a, b)
					l.Value, l.Half = l.Value/whole, l.Half/whole
				}
				if v.Seeds != "" && min(len(a.Values), len(b.Values)) > 1 {
					for k := range min(len(a.Values), len(b.Values)) {
						l.Repeats = append(l.Repeats, (a.Values[k]-b.Values[k])/whole)
					}
				}
				if p, q := r.Paper[c.Key].Mean, of.Paper[c.Key].Mean; v.Paper == c.Key && p > 0 && q > 0 {
					l.Rings = []float64{100 * (p/q - 1)}
				}
				if !math.IsNaN(l.Value) && !math.IsInf(l.Value, 0) {
					lines = append(lines, l)
				}
			}
		}
	}
	return o, lines, nil
}

// choose returns the row that the others are compared with, tells which rows are shown, and returns the columns: those of
// the view, or the usual ones.
func (v View) choose(t table.Table) (against string, shown func(id string) bool, columns []table.Column, err error) {
	rows, keys := map[string]string{}, map[string]string{}
	for _, r := range t.Rows {
		rows[r.ID], rows[strings.TrimSuffix(label(t, r), "†")] = r.ID, r.ID
	}
	for _, c := range t.Columns {
		keys[c.Key], keys[c.Name], keys[cmp.Or(gone[c.Key], c.Name)] = c.Key, c.Key, c.Key
	}
	find := func(kind, names string, known map[string]string) (ids []string) {
		for _, name := range strings.Split(strings.ReplaceAll(names, ", ", "\x00"), ",") {
			name = strings.TrimSuffix(strings.ReplaceAll(name, "\x00", ", "), "†")
			if id, ok := known[name]; ok {
				ids = append(ids, id)
			} else if name != "" && err == nil {
				err = suggest.Unknown(kind, name, slices.Sorted(maps.Keys(known)))
			}
		}
		return ids
	}
	against = usualOf(t).Against
	if ids := find("row", v.Against, rows); len(ids) > 0 {
		against = ids[0]
	}
	ids := append(find("row", v.Rows, rows), against)
	for _, key := range find("metric", v.Metric, keys) {
		columns = append(columns, t.Columns[slices.IndexFunc(t.Columns, func(c table.Column) bool { return c.Key == key })])
	}
	return against, func(id string) bool { return v.Rows == "" || slices.Contains(ids, id) }, columns, err
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

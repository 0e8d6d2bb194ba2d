package reproduce

import (
	"cmp"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/sliced-wasserstein/lab/experiments/table"
	"github.com/sliced-wasserstein/lab/vmfviz"
)

// Pictures returns the pictures of a filled table by name: one per measured column of the paper,
// with every row's mean and standard error over seeds, our rows in another colour, and a line at SW.
// A table without our numbers shows the paper's means and deviations. Where rows differ in L or T
// there are curves against them.
func Pictures(f table.Results) (map[string]*vmfviz.Picture, error) {
	keys := []string{"as-in-the-paper", "curves"}
	for _, c := range f.Table.Columns {
		keys = append(keys, c.Key)
	}
	out := map[string]*vmfviz.Picture{}
	for _, key := range keys {
		p, err := Picture(f, key, "")
		if err != nil {
			return nil, fmt.Errorf("picture %s: %w", key, err)
		}
		if p != nil {
			out[key] = p
		}
	}
	return out, nil
}

// PagePicture is a picture of a page of results.
type PagePicture struct {
	File    string // its name, in the page's folder
	Picture *vmfviz.Picture
}

// imageLink is that of a picture of results in Markdown: ![title](NAME-PRESET-KEY.png).
var imageLink = regexp.MustCompile(`(?m)^!\[(.+)\]\((\w+)(-[a-z]+)-([a-z0-9_-]+)\.png\)$`)

// PagePictures draws the pictures of results that a page in Markdown shows, in its order, from the
// results NAME-PRESET.json beside it. A picture's alternative text becomes its title, to which
// curves add what their bands are. Links to pictures of anything else are left out.
func PagePictures(page string) ([]PagePicture, error) {
	text, err := os.ReadFile(page)
	if err != nil {
		return nil, err
	}
	var out []PagePicture
	for _, link := range imageLink.FindAllStringSubmatch(string(text), -1) {
		if _, err := table.Get(link[2]); err != nil {
			continue
		}
		result, key := link[2]+link[3], link[4]
		f, err := table.ReadFile(filepath.Join(filepath.Dir(page), result+".json"))
		if err != nil {
			return nil, err
		}
		p, err := Picture(f, key, link[1])
		if p == nil || err != nil {
			return nil, fmt.Errorf("%s shows a picture %q of %s, which has none (%v)", page, key, result, err)
		}
		out = append(out, PagePicture{result + "-" + key + ".png", p})
	}
	return out, nil
}

// Picture is the one of that name with its title, "" for a title of its own; nil if there is none.
func Picture(f table.Results, key, title string) (*vmfviz.Picture, error) {
	switch key {
	case "as-in-the-paper":
		return besideReleased(f, title)
	case "curves":
		panels := against(f)
		if panels == nil {
			return nil, nil
		}
		title = cmp.Or(title, f.Table.Name+", preset "+f.Preset) + " (bands: ± standard error)"
		return vmfviz.Curves(vmfviz.CurvesOptions{Title: title}, panels...)
	}
	i := slices.IndexFunc(f.Table.Columns, func(c table.Column) bool {
		return c.Key == key && c.Better != table.None && (!c.Ours || f.Table.Study == "gap")
	})
	if i < 0 {
		return nil, nil
	}
	c := f.Table.Columns[i]
	o, lines := vmfviz.DotsOptions{Title: fmt.Sprintf("%s: %s, preset %s", f.Table.Name, c.Name, f.Preset), XLabel: axis(c), Legend: marks(f.Table)}, estimates(f, c)
	if f.Cells == nil {
		o, lines = printed(f.Table, c)
	}
	if lines == nil {
		return nil, nil
	}
	o.Title = cmp.Or(title, o.Title)
	return vmfviz.Dots(o, lines...)
}

// besideReleased draws the EMD of LAv-DSW as released beside the rows trained as in the paper's
// text; nil without numbers of any of these.
func besideReleased(f table.Results, title string) (*vmfviz.Picture, error) {
	i := slices.IndexFunc(f.Table.Columns, func(c table.Column) bool { return c.Key == "emd" })
	if i < 0 {
		return nil, nil
	}
	var ids []string
	for _, difference := range []string{"root", "mean", "simultaneous", "location-gradient", "paper-map", "as-in-the-paper"} {
		ids = append(ids, "la-v-dsw-"+difference)
	}
	only := f
	only.Table.Rows = nil
	for _, r := range f.Table.Rows {
		released := r.ID == "la-v-dsw-one" || r.ID == "la-v-dsw" && r.Selected == nil
		if released {
			r.Name, r.Ours = "LAv-DSW, as released", false
		}
		if released || slices.Contains(ids, r.ID) {
			only.Table.Rows = append(only.Table.Rows, r)
		}
	}
	c := f.Table.Columns[i]
	lines := estimates(only, c)
	if !slices.ContainsFunc(lines, func(e vmfviz.Estimate) bool { return e.Role == vmfviz.Output }) {
		return nil, nil
	}
	return vmfviz.Dots(vmfviz.DotsOptions{Title: cmp.Or(title, fmt.Sprintf("%s: as in the paper and as released, preset %s", f.Table.Name, f.Preset)), XLabel: axis(c)}, lines...)
}

// estimates returns the means of a column with their standard errors.
func estimates(f table.Results, c table.Column) []vmfviz.Estimate {
	var out []vmfviz.Estimate
	for _, r := range f.Table.Rows {
		cell, ok := f.Cells[r.ID][c.Key]
		if !ok {
			continue
		}
		e := vmfviz.Estimate{Label: label(f.Table, r), Value: cell.Mean * c.Scale, StdErr: stderr(cell, c.Scale), Role: vmfviz.Input, Line: baseline(f.Table, r)}
		if r.Ours {
			e.Role = vmfviz.Output
		}
		out = append(out, e)
	}
	return out
}

// marks says what the marks of rows stand for, where there are two kinds.
func marks(t table.Table) map[vmfviz.Role]string {
	if !slices.ContainsFunc(t.Rows, func(r table.Row) bool { return r.Ours }) {
		return nil
	}
	return map[vmfviz.Role]string{vmfviz.Input: "row of the paper", vmfviz.Output: "not in the paper"}
}

// baseline reports whether r is the only row of SW, with which the others are compared.
func baseline(t table.Table, r table.Row) bool {
	n := 0
	for _, other := range t.Rows {
		if other.Name == "SW" {
			n++
		}
	}
	return r.Name == "SW" && n == 1
}

// stderr returns the scaled standard error of a cell's mean, 0 where it is unknown.
func stderr(c table.Cell, scale float64) float64 {
	if c.SD == nil {
		return 0
	}
	return *c.SD * scale / math.Sqrt(float64(c.N))
}

// printed returns the paper's numbers of a column: mean and standard deviation over its seeds.
func printed(t table.Table, c table.Column) (vmfviz.DotsOptions, []vmfviz.Estimate) {
	o := vmfviz.DotsOptions{Title: t.Name + ": as the paper prints it", XLabel: scaled(c), Interval: fmt.Sprintf("standard deviation of %d seeds", table.PaperRuns)}
	var out []vmfviz.Estimate
	for _, r := range t.Rows {
		e := vmfviz.Estimate{Label: r.Name, Value: r.Paper[c.Key].Mean, Role: vmfviz.Reference, Line: baseline(t, r)}
		if sd := r.Paper[c.Key].SD; sd != nil {
			e.StdErr = *sd
		}
		out = append(out, e)
	}
	return o, out
}

// scaled returns the column's name with its factor, and a time's unit.
func scaled(c table.Column) string {
	name := c.Name
	if c.Key == "time" {
		unit, _, _ := strings.Cut(c.Unit, " (")
		unit, _, _ = strings.Cut(unit, ",")
		name += " in " + unit
	}
	if c.Scale == 1 {
		return name
	}
	return fmt.Sprintf("%s × %g", name, c.Scale)
}

// axis is the column's name, factor and direction.
func axis(c table.Column) string {
	if c.Better == table.Up {
		return scaled(c) + ", higher is better"
	}
	return scaled(c) + ", lower is better"
}

// label distinguishes rows of one name by the setting that has a column.
func label(t table.Table, r table.Row) string {
	for _, c := range t.Columns {
		if v, ok := setting(r, c); ok && r.Overrides["amortizer"] == nil && !r.Ours {
			return fmt.Sprintf("%s, %s = %g", r.Name, c.Name, v)
		} else if ok && c.Key == "slices" {
			return fmt.Sprintf("%s, %s = %g", r.Name, c.Name, v)
		}
	}
	if t.RowHeader == "kappa" && !r.Ours {
		return t.RowHeader + " = " + r.Name
	}
	return r.Name
}

// against draws the paper's measured columns against the setting in which rows of one method
// differ; nil if there is none.
func against(f table.Results) (panels []vmfviz.CurvePanel) {
	type kind struct{ x, xLabel string }
	k, ok := map[string]kind{"ablation_L": {"slices", "slices L"}, "vDSW_approximation": {"ascent_steps", "ascent steps T"}}[f.Table.Name]
	if !ok {
		return nil
	}
	for _, c := range f.Table.Columns {
		if c.Better == table.None || !slices.Contains([]string{"sw", "emd", "time", "distance", "held_out"}, c.Key) {
			continue
		}
		panel := vmfviz.CurvePanel{Title: c.Name, XLabel: k.xLabel, YLabel: axis(c), LogX: true, LogY: c.Key == "time"}
		for _, r := range f.Table.Rows {
			cell, ok := f.Cells[r.ID][c.Key]
			x, has := f.Cells[r.ID][k.x]
			if !ok || !has || r.Ours || f.Table.Study == "gap" && r.Overrides["amortizer"] != nil {
				continue
			}
			i := slices.IndexFunc(panel.Series, func(s vmfviz.Series) bool { return s.Label == r.Name })
			if i < 0 {
				i = len(panel.Series)
				panel.Series = append(panel.Series, vmfviz.Series{Label: r.Name})
			}
			s := &panel.Series[i]
			y, e := cell.Mean*c.Scale, stderr(cell, c.Scale)
			s.X, s.Y, s.Low, s.High = append(s.X, x.Mean), append(s.Y, y), append(s.Low, y-e), append(s.High, y+e)
		}
		if f.Table.Study == "gap" {
			panel.Series = append(panel.Series, levels(f, c)...)
		}
		if panel.Series != nil {
			panels = append(panels, panel)
		}
	}
	return panels
}

// levels returns the methods of the gap study without T, as lines over the whole axis. The time of
// the converged ascent does not count its ascent, so it has none.
func levels(f table.Results, c table.Column) []vmfviz.Series {
	var out []vmfviz.Series
	for _, id := range []string{"la-v-dsw-L10", "ea-v-dsw-L10", "uniform", "v-dsw-converged"} {
		i := slices.IndexFunc(f.Table.Rows, func(r table.Row) bool { return r.ID == id })
		cell, ok := f.Cells[id][c.Key]
		if i < 0 || !ok || c.Key == "time" && (cell.Mean <= 0 || id == "v-dsw-converged") {
			continue
		}
		y := cell.Mean * c.Scale
		out = append(out, vmfviz.Series{Label: f.Table.Rows[i].Name, X: []float64{1, 100}, Y: []float64{y, y}})
	}
	return out
}

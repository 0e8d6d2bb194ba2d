package reproduce

import (
	"math"
	"path/filepath"
	"slices"
	"testing"

	"gonum.org/v1/gonum/stat"

	"github.com/janpfeifer/must"

	"github.com/sliced-wasserstein/lab/experiments/table"
	"github.com/sliced-wasserstein/lab/vmfviz"
)

// TestPicturesAreTheNumbers: what the pictures of the stored results draw are the mean over seeds
// and its standard error, computed here from the values of the seeds, in the order of the rows; and
// curves run through them, at the settings of their rows.
func TestPicturesAreTheNumbers(t *testing.T) {
	files := must.M1(filepath.Glob("../../docs/results/*-desk.json"))
	bars, points := 0, 0
	for _, file := range files {
		f := must.M1(table.ReadFile(file))
		measured := func(row string, c table.Column) (mean, stderr float64) {
			mean, deviation := stat.MeanStdDev(f.Cells[row][c.Key].Values, nil)
			if n := float64(len(f.Cells[row][c.Key].Values)); n > 1 {
				stderr = stat.StdErr(deviation, n)
			}
			return mean * c.Scale, stderr * c.Scale
		}
		same := func(what string, row table.Row, found, expected float64) {
			if math.Abs(found-expected) > 1e-9*math.Abs(expected) {
				t.Errorf("%s, %s of %s: %g, expected %g", file, what, row.ID, found, expected)
			}
		}
		for _, c := range f.Table.Columns {
			rows := slices.DeleteFunc(slices.Clone(f.Table.Rows), func(r table.Row) bool {
				_, ok := f.Cells[r.ID][c.Key]
				return !ok
			})
			lines := estimates(f, c)
			if len(lines) != len(rows) {
				t.Fatalf("%s, %s: %d lines of %d rows", file, c.Key, len(lines), len(rows))
			}
			for i, r := range rows {
				if f.Cells[r.ID][c.Key].Values == nil {
					continue
				}
				mean, stderr := measured(r.ID, c)
				same(c.Key, r, lines[i].Value, mean)
				same(c.Key+"'s error", r, lines[i].StdErr, stderr)
				bars++
			}
		}
		key := map[string]string{"ablation_L": "slices", "vDSW_approximation": "ascent_steps"}[f.Table.Name]
		for _, panel := range against(f) {
			c := f.Table.Columns[slices.IndexFunc(f.Table.Columns, func(c table.Column) bool { return c.Name == panel.Title })]
			for _, r := range f.Table.Rows {
				x, ok := f.Cells[r.ID][key]
				i := slices.IndexFunc(panel.Series, func(s vmfviz.Series) bool { return s.Label == r.Name })
				if !ok || i < 0 {
					continue
				}
				s := panel.Series[i]
				if k := slices.Index(s.X, x.Mean); k >= 0 && s.Low != nil {
					mean, stderr := measured(r.ID, c)
					same(panel.Title+", curve", r, s.Y[k], mean)
					same(panel.Title+", band", r, s.High[k]-s.Low[k], 2*stderr)
					points++
				}
			}
		}
	}
	if len(files) < 7 || bars < 100 || points < 20 {
		t.Errorf("%d tables, %d bars, %d points", len(files), bars, points)
	}
}

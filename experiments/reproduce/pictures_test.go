package reproduce

import (
	"math"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/janpfeifer/must"

	"github.com/sliced-wasserstein/lab/experiments/table"
)

// TestPicturesAreTheNumbers: what the pictures of the stored results draw is the mean over seeds of the difference to the
// reference row, in per cent of that row (of the whole way where a part of it is drawn), and half its 95 % interval, computed
// here from the values of the seeds and the quantiles of Student's distribution in books.
func TestPicturesAreTheNumbers(t *testing.T) {
	student := map[int]float64{2: 12.706205, 3: 4.302653, 4: 3.182446, 5: 2.776445, 10: 2.262157, 12: 2.200985}
	files := must.M1(filepath.Glob("../../docs/results/*-desk.json"))
	bars := 0
	for _, file := range append(files, "../../docs/results/short_reconstruction_result-real.json") {
		f := must.M1(table.ReadFile(file))
		what, ok := usual[f.Table.Name]
		if !ok {
			what = usual[f.Table.Study]
		}
		var want [][2]float64
		for _, r := range f.Table.Rows {
			if r.ID == what.Against || what.Rows != "" && r.ID != what.Rows {
				continue
			}
			for column := range strings.SplitSeq(what.Metric, ",") {
				values, reference := f.Cells[r.ID][column].Values, f.Cells[what.Against][column].Values
				if len(values) == 0 {
					continue
				}
				n := min(len(values), len(reference))
				sum, squares, whole := 0.0, 0.0, 0.0
				for k := range n {
					d := values[k] - reference[k]
					sum, squares, whole = sum+d, squares+d*d, whole+reference[k]
				}
				m := float64(n)
				deviation := math.Sqrt((squares - sum*sum/m) / (m - 1))
				if gone[column] != "" {
					whole = -m
				}
				want = append(want, [2]float64{100 * sum / whole, 100 * m * student[n] * deviation / math.Sqrt(m) / math.Abs(whole)})
			}
		}
		o, lines, err := differences(f, View{})
		if err != nil || len(lines) != len(want) || o.Reference == "" || o.Up != (gone[what.Metric] != "") {
			t.Fatalf("%s: %d lines of %d rows, %+v", file, len(lines), len(want), o)
		}
		for i, l := range lines {
			if math.Abs(l.Value-want[i][0]) > 1e-6 || math.Abs(l.Half-want[i][1]) > 1e-5*want[i][1] {
				t.Errorf("%s, %s: %g ± %g, expected %v", file, l.Label, l.Value, l.Half, want[i])
			}
			bars++
		}
	}
	if len(files) < 9 || bars < 100 {
		t.Errorf("%d tables, %d bars", len(files), bars)
	}
}

// TestView: a view draws some rows, by another metric, against another row, of the first seeds; and one row by several
// metrics.
func TestView(t *testing.T) {
	f := must.M1(table.ReadFile("../../docs/results/ablation_L-desk.json"))
	values := func(row string) []float64 { return f.Cells[row]["sw"].Values }
	a, b := values("sw-L500"), values("la-v-dsw")
	o, lines, err := differences(f, View{Rows: "SW, L = 500,la-v-dsw-L50", Metric: "SW", Against: "LA v-DSW, L = 100", Repeats: 2})
	if err != nil || len(lines) != 2 || o.Quantity != "SW" || o.Reference != "LA v-DSW, L = 100" {
		t.Fatalf("%+v, %+v, %v", o, lines, err)
	}
	if want := 100 * ((a[0]+a[1])/(b[0]+b[1]) - 1); lines[0].Label != "SW, L = 500" || math.Abs(lines[0].Value-want) > 1e-9 {
		t.Errorf("%+v, expected %g", lines[0], want)
	}
	o, lines, err = differences(f, View{Rows: "la-v-dsw-L50", Metric: "EMD,SW"})
	if err != nil || len(lines) != 2 || o.Quantity != "LA v-DSW, L = 50" || lines[0].Label != "EMD" || lines[1].Label != "SW" {
		t.Errorf("%+v, %+v, %v", o, lines, err)
	}
	both := must.M1(table.ReadFile("../../docs/results/short_reconstruction_result-desk.json"))
	o, lines, err = differences(both, View{Rows: "EMD", Metric: "EMD,SW"})
	if err != nil || len(lines) != 2 || o.Quantity != "loss EMD" || o.Reference != "loss SW" || lines[1].Label != "score SW" {
		t.Errorf("%+v, %+v, %v", o, lines, err)
	}
	o, lines, err = differences(f, View{Rows: "la-v-dsw-L50", Seeds: "1-2,2-3", Paper: "emd"})
	if err != nil || len(lines) != 2 || !o.Ordered || o.Quantity != "EMD of LA v-DSW, L = 50" || lines[1].Label != "seeds 2 to 3" {
		t.Fatalf("%+v, %+v, %v", o, lines, err)
	}
	first, second := f.Cells["la-v-dsw-L50"]["emd"].Values, f.Cells["sw-L500"]["emd"].Values
	if want := 200 * (first[2] - second[2]) / (second[1] + second[2]); len(lines[1].Repeats) != 2 || math.Abs(lines[1].Repeats[1]-want) > 1e-9 {
		t.Errorf("%+v, expected %g", lines[1], want)
	}
	rows := f.Table.Rows
	paper := func(id string) float64 {
		return rows[slices.IndexFunc(rows, func(r table.Row) bool { return r.ID == id })].Paper["emd"].Mean
	}
	if want := 100 * (paper("la-v-dsw-L50")/paper("sw-L500") - 1); len(lines[0].Rings) != 1 || math.Abs(lines[0].Rings[0]-want) > 1e-9 {
		t.Errorf("%+v, expected a ring at %g", lines[0], want)
	}
	_, lines, err = differences(must.M1(table.ReadFile("../../docs/results/full_reconstruction_quantitative-desk.json")), View{})
	if err != nil || len(lines) != 7 || lines[0].Rings != nil || len(lines[6].Rings) != 1 {
		t.Errorf("%+v, %v, expected a ring in the mean alone: the paper's six shapes are others", lines, err)
	}
	for _, v := range []View{{Rows: "sw-L500,no"}, {Rows: "sw,sw-L50", Seeds: "1-2,1-3"}, {Seeds: "2-1"}, {Seeds: "all"}, {Metric: "emt"}, {Against: "SW"}, {Metric: "EMD,SW"}} {
		if p, err := Picture(f, "", v); err == nil {
			t.Errorf("%+v draws %v", v, p)
		}
	}
}

// TestHowToRead: the sign † is explained where a row has it.
func TestHowToRead(t *testing.T) {
	f := must.M1(table.ReadFile("../../docs/results/ablation_kappa-desk.json")).Table
	for rows, want := range map[string]bool{"la-v-dsw": false, "la-v-dsw,sw": true, "": true} {
		if text := HowToRead(f, View{Rows: rows, Seeds: "1-5"}); strings.Contains(text, "†") != want || !strings.Contains(text, "one seed") {
			t.Errorf("rows %q: %s", rows, text)
		}
	}
}

// TestWayGone: a column is named as its picture names it, too.
func TestWayGone(t *testing.T) {
	f := must.M1(table.ReadFile("../../docs/results/vDSW_approximation-desk.json"))
	o, lines, err := differences(f, View{Metric: "Part of the way gone", Rows: "random location,v-DSW, T = 100"})
	if err != nil || len(lines) != 1 || o.Quantity != "Part of the way gone" || !o.Up || lines[0].Value < 20 {
		t.Errorf("%+v, %+v, %v", o, lines, err)
	}
}

package docs

import (
	"encoding/json"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"gonum.org/v1/gonum/stat"
	"gonum.org/v1/gonum/stat/distuv"

	"github.com/sliced-wasserstein/lab/experiments/table"
)

// verdicts that claims.md may give.
var verdicts = []string{"supported", "contradicted", "not resolved", "not tested"}

// TestClaims: every claim has one of the verdicts for the paper's numbers and one for ours, and one
// of ours that was tested has a link.
func TestClaims(t *testing.T) {
	raw, err := os.ReadFile("claims.md")
	if err != nil {
		t.Fatal(err)
	}
	claims := regexp.MustCompile(`(?m)^### (\d+)\. .+$`).FindAllStringSubmatchIndex(string(raw), -1)
	if len(claims) != 37 {
		t.Fatalf("%d claims", len(claims))
	}
	verdict := regexp.MustCompile(`(?m)^(Paper|Ours): \*\*([a-z ]+)\*\*(.*)$`)
	for i, c := range claims {
		end := len(raw)
		if i+1 < len(claims) {
			end = claims[i+1][0]
		}
		number, body := string(raw[c[2]:c[3]]), string(raw[c[1]:end])
		if number != fmt.Sprint(i+1) {
			t.Errorf("claim %d has number %s", i+1, number)
		}
		found := verdict.FindAllStringSubmatch(body, -1)
		if len(found) != 2 || found[0][1] != "Paper" || found[1][1] != "Ours" {
			t.Errorf("claim %s: expected a line of the paper's numbers and one of ours, found %q", number, found)
			continue
		}
		for _, f := range found {
			if !slices.Contains(verdicts, f[2]) {
				t.Errorf("claim %s: verdict %q, expected one of %q", number, f[2], verdicts)
			}
		}
		if ours := found[1]; ours[2] != "not tested" && !strings.Contains(ours[3], "](") {
			t.Errorf("claim %s: %s without a link", number, ours[2])
		}
	}
}

// A difference of two rows in a column of a table is followed by a comment that names them: from the
// paper's numbers with the p-value of Welch's test, or from our own at a preset with a 95 % interval.
//
//	D (p = P)<!-- NAME: COLUMN ROW - ROW -->   D (LOW to HIGH)<!-- NAME-PRESET: COLUMN ROW - ROW -->
//
// With / in place of -, it is the ratio of their deviations, with the p-value of the F test or its
// interval.
var difference = regexp.MustCompile(`([-−]?[\d.]+(?: \([^()]*\))?)<!-- (\w+)(-[a-z]+)?: (\w+) ([\w.-]+) ([-/]) ([\w.-]+) -->`)

// named is the comment of a difference or a ratio alone.
var named = regexp.MustCompile(`<!-- \w+(?:-[a-z]+)?: \w+ \S+ [-/] \S+ -->`)

// TestDifferences: every difference that the pages state follows from the committed results, or from
// the paper's table.
func TestDifferences(t *testing.T) {
	found := 0
	for _, page := range pages(t) {
		raw, err := os.ReadFile(page)
		if err != nil {
			t.Fatal(err)
		}
		stating := difference.FindAllStringSubmatch(string(raw), -1)
		if all := named.FindAllString(string(raw), -1); len(all) != len(stating) {
			t.Errorf("%s: %d comments name a difference, %d follow one", page, len(all), len(stating))
		}
		for _, m := range stating {
			found++
			want, err := stated(m[2], m[3], m[4], m[5], m[6], m[7])
			if err != nil {
				t.Errorf("%s: %s: %v", page, m[0], err)
			} else if m[1] != want {
				t.Errorf("%s: %s, expected %s", page, m[0], want)
			}
		}
	}
	if found < 100 {
		t.Errorf("%d differences", found)
	}
}

// stated returns the difference of rows a and b, or the ratio of their deviations, as a page writes
// it.
func stated(name, preset, column, a, sign, b string) (string, error) {
	f, err := table.Get(name)
	if err != nil {
		return "", err
	}
	if preset == "" {
		x, err := printed(f, column, a)
		if err != nil {
			return "", err
		}
		y, err := printed(f, column, b)
		if err != nil {
			return "", err
		}
		if sign == "/" {
			ratio := *x.SD / *y.SD
			p := distuv.F{D1: float64(x.N - 1), D2: float64(y.N - 1)}.CDF(ratio * ratio)
			return fmt.Sprintf("%.2f (p = %.2g)", ratio, 2*min(p, 1-p)), nil
		}
		text := fmt.Sprintf("%.2f", x.Mean-y.Mean)
		if x.SD != nil && y.SD != nil {
			text += fmt.Sprintf(" (p = %.2g)", table.Welch(x, y))
		}
		return minus(text), nil
	}
	r, err := table.ReadFile("results/" + name + preset + ".json")
	if err != nil {
		return "", err
	}
	i := indexOf(r.Table, column)
	x, y := r.Cells[a][column].Values, r.Cells[b][column].Values
	if i < 0 || len(x) == 0 || len(y) == 0 {
		return "", fmt.Errorf("the results have no %s of %s and %s", column, a, b)
	}
	if sign == "/" {
		ratio := stat.StdDev(x, nil) / stat.StdDev(y, nil)
		f := distuv.F{D1: float64(len(x) - 1), D2: float64(len(y) - 1)}
		return fmt.Sprintf("%.2f (%.2f to %.2f)", ratio, ratio/math.Sqrt(f.Quantile(0.975)), ratio/math.Sqrt(f.Quantile(0.025))), nil
	}
	var d []float64
	for k := range min(len(x), len(y)) { // seeds are in one order, and the first are common
		d = append(d, (x[k]-y[k])*r.Table.Columns[i].Scale)
	}
	m, v := stat.MeanVariance(d, nil)
	half := distuv.StudentsT{Sigma: 1, Nu: float64(len(d) - 1)}.Quantile(0.975) * math.Sqrt(v/float64(len(d)))
	return minus(fmt.Sprintf("%.2f (%.2f to %.2f)", m, m-half, m+half)), nil
}

// minus writes negative numbers with a sign of minus, but for exponents.
func minus(text string) string {
	return strings.ReplaceAll(strings.ReplaceAll(text, "-", "−"), "e−", "e-")
}

// printed returns a number of the paper as a cell, with the sample deviation of its runs.
func printed(t table.Table, column, row string) (table.Cell, error) {
	for _, r := range t.Rows {
		if x, ok := r.Paper[column]; r.ID == row && ok {
			c := table.Cell{Mean: x.Mean, N: table.PaperRuns}
			if x.SD != nil {
				sd := table.SampleSD(*x.SD, table.PaperRuns)
				c.SD = &sd
			}
			return c, nil
		}
	}
	return table.Cell{}, fmt.Errorf("the paper's table has no %s of %s", column, row)
}

// TestSharedRows: a row of the same settings has the same numbers in every stored table of a preset,
// up to rounding: tables share their trainings.
func TestSharedRows(t *testing.T) {
	files, err := filepath.Glob("results/*-desk.json")
	if err != nil {
		t.Fatal(err)
	}
	type cell struct{ file, values string }
	known, shared := map[string]cell{}, 0
	for _, file := range files {
		f, err := table.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		if f.Table.Study == "gap" { // it trains no autoencoder
			continue
		}
		for _, r := range f.Table.Rows {
			// Two rows were trained again, on another processor: see full_reconstruction_result.md.
			if strings.Contains(file, "full_reconstruction_result") && (r.ID == "v-dsw-T1" || r.ID == "v-dsw-T10") {
				continue
			}
			run, err := json.Marshal(r.Overrides)
			if err != nil {
				t.Fatal(err)
			}
			for column, c := range f.Cells[r.ID] {
				key := fmt.Sprintf("%s %s %s %s", f.Data, f.Settings, run, column)
				got := cell{file, fmt.Sprintf("%.12g", c.Values)}
				if was, ok := known[key]; !ok {
					known[key] = got
				} else if shared++; was.values != got.values {
					t.Errorf("row %s, %s: %s in %s, %s in %s", r.ID, column, was.values, was.file, got.values, file)
				}
			}
		}
	}
	if shared < 50 {
		t.Errorf("%d shared cells", shared)
	}
}

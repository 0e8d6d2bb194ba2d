package table

import (
	"bytes"
	"encoding/xml"
	"flag"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/janpfeifer/must"
)

var update = flag.Bool("update", false, "write the expected tables anew")

// small is a table with everything that can happen to a cell.
func small(t *testing.T) Results {
	table := must.M1(Get("ablation_kappa"))
	table.Columns = slices.Insert(table.Columns, 0, Column{Key: "slices", Name: "L", Unit: "slices", Scale: 1})
	table.Columns = append(table.Columns, Column{Key: "exact", Name: "exact EMD", Unit: "optimal assignment | summed over points", Better: Down, Scale: 1, Decimals: 2, Ours: true})
	for _, r := range table.Rows {
		r.Paper["slices"] = Printed{Mean: 100}
	}
	table.Rows = append(table.Rows, Row{ID: "fixed", Name: "1, fixed & [random]", Group: 1, Ours: true, Note: "50 % of <LA>'s weights_0"}, Row{ID: "lost", Name: "lost", Group: 1, Ours: true})
	return Results{
		Table: table, Preset: "quick", Settings: []string{"points 512 (paper: 2048)", "d_k 64 (paper: best of 16, 32, 64, 128)"},
		Seeds: []uint64{1, 2, 3}, Backend: "xla:cpu", Data: "builtin",
		Cells: map[string]map[string]Cell{
			"la-v-dsw-kappa0.1": {"slices": NewCell(10, 10, 10), "cd": NewCell(0.0066, 0.0067, 0.0068), "sw": NewCell(0.8, 0.82, 0.84), "emd": NewCell(185, 186)},
			"la-v-dsw":          {"cd": NewCell(0.0072, 0.0073, 0.0074), "sw": NewCell(0.81, 0.82, 0.8), "emd": NewCell(185.5)},
			"la-v-dsw-kappa10":  {"cd": NewCell(0.0086, 0.0085, 0.0085)},
			"fixed":             {"cd": NewCell(0.001, 0.001, 0.001), "exact": {Mean: 170.123, N: 1, Note: "one of three clouds"}},
		},
		Failed: map[string]string{"la-v-dsw-kappa10": "seed 2: the loss is NaN at step 317"},
	}
}

func written(t *testing.T, f Results, format string) string {
	t.Helper()
	var b bytes.Buffer
	must.M(Write(&b, f, format))
	return b.String()
}

// TestFormats compares with the files in testdata. After an intended change check them and run with
// -update.
func TestFormats(t *testing.T) {
	for _, format := range Formats() {
		got := written(t, small(t), format)
		path := filepath.Join("testdata", "small."+format)
		if *update {
			must.M(os.WriteFile(path, []byte(got), 0o644))
		}
		want, err := os.ReadFile(path)
		if err != nil || got != string(want) {
			t.Errorf("%s differs from %s (%v):\n%s", format, path, err, got)
		}
	}
}

// TestEveryNumber: all tables in all formats, without our numbers, contain every number of the
// paper.
func TestEveryNumber(t *testing.T) {
	for _, name := range Names() {
		table := must.M1(Get(name))
		for _, format := range Formats() {
			text := written(t, Results{Table: table}, format)
			for _, r := range table.Rows {
				for _, c := range table.Columns {
					number := strconv.FormatFloat(r.Paper[c.Key].Mean, 'f', c.Decimals, 64)
					if format == "csv" || format == "json" {
						number = full(r.Paper[c.Key].Mean)
					}
					if !strings.Contains(text, number) {
						t.Errorf("%s as %s: %s of %s is missing", name, format, number, r.ID)
					}
				}
			}
		}
	}
}

// TestLaTeX: braces and dollars are balanced, and all special characters of TeX are escaped.
func TestLaTeX(t *testing.T) {
	for _, name := range Names() {
		checkLaTeX(t, written(t, Results{Table: must.M1(Get(name))}, "latex"), len(must.M1(Get(name)).Columns))
	}
	checkLaTeX(t, written(t, small(t), "latex"), 5)
	if got := asLaTeX.escape(`50 % of a_b & {c} \ ~ ^ # $ <d> "e" [f]`); got != `50 \% of a\_b \& \{c\} \textbackslash{} \textasciitilde{} \textasciicircum{} \# \$ $<$d$>$ ''e'' {[}f{]}` {
		t.Errorf("found %s", got)
	}
}

func checkLaTeX(t *testing.T, text string, columns int) {
	t.Helper()
	plain := strings.NewReplacer(`\\`, "", `\{`, "", `\}`, "", `\$`, "", `\%`, "", `\_`, "", `\#`, "", `\&`, "").Replace(text)
	if strings.Count(plain, "{") != strings.Count(plain, "}") || strings.Count(plain, "$")%2 != 0 {
		t.Errorf("unbalanced:\n%s", text)
	}
	_, body, _ := strings.Cut(text, "\n") // the first line is a comment
	if i := strings.IndexFunc(body, func(r rune) bool { return r > 126 }); i >= 0 {
		t.Errorf("beyond ASCII: %q", body[i:min(len(body), i+8)])
	}
	for _, line := range strings.Split(strings.ReplaceAll(body, `\&`, ""), "\n") {
		if strings.HasSuffix(line, `\\`) && strings.Count(line, "&") != columns {
			t.Errorf("expected %d cells: %s", columns+1, line)
		}
	}
}

// TestHTML: the fragment is well-formed, even as XML, and every row has all its cells.
func TestHTML(t *testing.T) {
	for _, f := range []Results{small(t), {Table: must.M1(Get("full_generation_result"))}} {
		d := xml.NewDecoder(strings.NewReader(written(t, f, "html")))
		rows, cells := 0, 0
		for {
			token, err := d.Token()
			if err == io.EOF {
				break
			}
			if err != nil {
				t.Fatal(err)
			}
			if e, ok := token.(xml.StartElement); ok {
				switch e.Name.Local {
				case "tr":
					rows++
				case "td":
					cells++
				}
			}
		}
		if rows != 1+len(f.Table.Rows) || cells != len(f.Table.Rows)*len(f.Table.Columns) {
			t.Errorf("%s: %d rows, %d cells", f.Table.Name, rows, cells)
		}
	}
}

// TestWidth: narrow terminals get the columns in panels, each with the settings that distinguish
// rows of one name.
func TestWidth(t *testing.T) {
	for _, width := range []int{60, 80, 100, 160} {
		for _, name := range Names() {
			var b bytes.Buffer
			table := must.M1(Get(name))
			must.M(Text(&b, Results{Table: table}, width))
			for _, line := range strings.Split(b.String(), "\n") {
				if n := utf8.RuneCountInString(line); n > width {
					t.Errorf("%s at %d columns: a line of %d: %s", name, width, n, line)
				}
			}
			for _, c := range table.Columns {
				if !strings.Contains(b.String(), c.heading()) {
					t.Errorf("%s at %d columns: %s is missing", name, width, c.Name)
				}
			}
		}
	}
	var b bytes.Buffer
	must.M(Text(&b, Results{Table: must.M1(Get("ablation_L"))}, 45))
	for _, line := range strings.Split(b.String(), "\n") {
		if strings.HasPrefix(line, "Method") && !slices.Contains(strings.Fields(line), "L") {
			t.Errorf("a panel without L: %s", line)
		}
	}
}

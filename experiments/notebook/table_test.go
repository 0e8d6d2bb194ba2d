package notebook

import (
	"bytes"
	"cmp"
	"encoding/base64"
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"strings"
	"testing"

	"github.com/janpfeifer/must"
	"gonum.org/v1/plot/cmpimg"

	"github.com/sliced-wasserstein/lab/experiments/reproduce"
	"github.com/sliced-wasserstein/lab/experiments/table"
	"github.com/sliced-wasserstein/lab/internal/ipynb"
	"github.com/sliced-wasserstein/lab/vmfviz"
)

// book is a session in a folder of its own, whose tables need no compiling.
func book(t *testing.T) *Session {
	t.Helper()
	b := &Session{Data: "builtin", Out: t.TempDir()}
	must.M(os.Mkdir(filepath.Join(b.Out, "pictures"), 0o755))
	t.Setenv("SWLAB_BACKEND", "go")
	return b
}

// TestTable: two rows with their numbers. Running the cell again reads them. The short form is only
// the first row.
func TestTable(t *testing.T) {
	b := book(t)
	p := must.M1(reproduce.PresetOf("smoke"))
	p.Points, p.Epochs = 16, 1
	made := func() (table.Results, string) {
		t.Helper()
		f := must.M1(b.table("ablation_kappa", p, []string{"sw", "la-v-dsw"}))
		var text bytes.Buffer
		must.M(table.Write(&text, f, "json"))
		return f, text.String()
	}
	f, first := made()
	if len(f.Table.Rows) != 2 || f.Cells["sw"]["emd"].N != 1 || f.Cells["la-v-dsw"]["emd"].Mean <= 0 || f.Backend != "go" || len(f.Failed) != 0 {
		t.Errorf("%+v", f)
	}
	if _, again := made(); again != first { // times of training too
		t.Errorf("%s, then %s", first, again)
	}
	b.Fast = true
	if f, _ := made(); len(f.Table.Rows) != 1 || f.Table.Rows[0].ID != "sw" {
		t.Errorf("short form: rows %+v", f.Table.Rows)
	}
	if f = must.M1(b.table("ablation_kappa", p, nil)); len(f.Table.Rows) != 1 || f.Table.Rows[0].ID != "la-v-dsw-kappa0.1" {
		t.Errorf("short form of all rows: %+v", f.Table.Rows)
	}

	b.Fast = false
	for want, call := range map[string]func() error{
		`preset: expected smoke, quick, desk, paper, found "tiny"`: func() error { _, err := b.Table("ablation_kappa", "tiny"); return err },
		`unknown table "x"`:                                func() error { _, err := b.Table("x", "smoke"); return err },
		`rows: unknown row "x"`:                            func() error { _, err := b.Table("ablation_kappa", "smoke", "x"); return err },
		`"x", expected one of short_reconstruction_result`: func() error { return b.Results("x", reproduce.View{}) },
	} {
		if err := call(); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("found %v, expected %s", err, want)
		}
	}
}

// TestResults: every table of the paper is shown, with our committed numbers if there are some, and
// one picture.
func TestResults(t *testing.T) {
	b := book(t)
	for _, name := range table.Names() {
		if err := b.Results(name, reproduce.View{}); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		if _, err := os.Stat(filepath.Join(b.Out, "pictures", name+".png")); err != nil {
			t.Errorf("%s: no picture: %v", name, err)
		}
	}
}

// TestStoredResults: every lecture on tables links to the page of one or shows it; where it shows a page or a picture of stored
// results, that is as it is now.
func TestStoredResults(t *testing.T) {
	const literals = `\(((?:\s*"[^"]*",?)*)\)`
	asks := regexp.MustCompile(`lab\.Results\("(\w+)"((?:,\s*lab\.\w+` + literals + `)*)\)`)
	options, quoted := regexp.MustCompile(`lab\.(\w+)`+literals), regexp.MustCompile(`"([^"]*)"`)
	drawn, pages := map[string]bool{}, 0
	for _, path := range must.M1(filepath.Glob("../../notebooks/3*.ipynb")) {
		linked := false
		for _, cell := range must.M1(ipynb.Read(path)) {
			asked := asks.FindStringSubmatch(string(cell.Source))
			if asked == nil || cell.Kind != "code" {
				linked = linked || strings.Contains(string(cell.Source), "](../docs/results/")
				continue
			}
			var v reproduce.View
			for _, option := range options.FindAllStringSubmatch(asked[2], -1) {
				var values []string
				for _, value := range quoted.FindAllStringSubmatch(option[2], -1) {
					values = append(values, value[1])
				}
				reflect.ValueOf(&v).Elem().FieldByName(option[1]).SetString(strings.Join(values, ","))
			}
			var text strings.Builder
			var png string
			for _, output := range cell.Outputs {
				text.WriteString(string(output.Data["text/markdown"]) + "\n")
				png = cmp.Or(png, string(output.Data["image/png"]))
			}
			f, page := must.M1(Stored(asked[1])), "../../docs/results/"+asked[1]+".md"
			var p *vmfviz.Picture
			if v == (reproduce.View{Rows: v.Rows}) {
				p, linked = must.M1(reproduce.PagePictures(page, v))[0].Picture, true
				pages++
				if !strings.Contains(text.String(), prose(string(must.M1(os.ReadFile(page))))) {
					t.Errorf("%s shows an earlier docs/results/%s.md: make notebooks", path, asked[1])
				}
			} else {
				p = must.M1(reproduce.Picture(f, f.Table.Title, v))
			}
			stored := must.M1(base64.StdEncoding.DecodeString(strings.TrimSpace(png)))
			if same, err := cmpimg.EqualApprox("png", stored, must.M1(p.PNG()), 0.15); err != nil || !same { // as TestGolden
				t.Errorf("%s shows an earlier picture of %s with %+v: make notebooks", path, asked[1], v)
			}
			drawn[path] = true
		}
		if !linked {
			t.Errorf("%s: expected the page of a table, or a link to one", path)
		}
	}
	if pages == 0 || len(drawn) < 5 {
		t.Errorf("expected a page, and pictures in five notebooks of results, found %d, and pictures in %d", pages, len(drawn))
	}
}

// TestRecorded: a table that is written and read again is the same in every format, and every
// committed one is read completely.
func TestRecorded(t *testing.T) {
	kappa := must.M1(table.Get("ablation_kappa"))
	kappa.Columns = append(kappa.Columns, table.Column{Key: "emd_exact", Name: "EMD exact", Unit: "exact", Better: table.Down, Scale: 1, Decimals: 2, Ours: true})
	kappa.Rows = append(kappa.Rows, table.Row{ID: "sw", Name: "SW", Group: 2, Overrides: map[string]any{"loss": "sw"}, Ours: true, Note: "kappa = 0"})
	f := table.Results{Table: kappa, Preset: "quick", Settings: []string{"points 256"}, Seeds: []uint64{1, 2}, Backend: "go", Data: "clouds",
		Cells: map[string]map[string]table.Cell{
			"sw":       {"cd": table.NewCell(0.035, 0.037), "emd_exact": table.NewCell(42)},
			"la-v-dsw": {"cd": table.NewCell(0.01, 0.011), "sw": {Mean: 0.9, N: 1, Note: "one seed alone"}},
		}, Failed: map[string]string{"la-v-dsw-kappa10": "seed 1: no memory"}}
	write := func(f table.Results, format string) string {
		t.Helper()
		var b bytes.Buffer
		must.M(table.Write(&b, f, format))
		return b.String()
	}
	read := must.M1(table.Read([]byte(write(f, "json"))))
	for _, format := range []string{"text", "md", "latex", "html"} {
		if was, is := write(f, format), write(read, format); was != is {
			t.Errorf("%s: written\n%s\nread\n%s", format, was, is)
		}
	}

	for _, file := range committed(t, ".json") {
		f, err := table.ReadFile(file)
		if err != nil || len(f.Failed) != 0 || len(f.Cells) != len(f.Table.Rows) || !strings.Contains(write(f, "html"), f.Table.Title) {
			t.Errorf("%s: %v, failed %v", file, err, f.Failed)
		}
	}
	for _, wrong := range []string{`{`, `{"name":"x"}`, `{"name":"ablation_kappa","rows":[{"id":"x"}]}`} {
		if _, err := table.Read([]byte(wrong)); err == nil {
			t.Errorf("%s: no error", wrong)
		}
	}
}

func TestProse(t *testing.T) {
	page := "# title\n\nText with a [link](../x.md).\n\n![emd](a.png)\n\n**More**\n\n<details>\n<summary>The table</summary>\n\n| a |\n"
	if got := prose(page); strings.Contains(got, "](") || !strings.HasPrefix(got, "Text with a link.") || !strings.HasSuffix(got, "**More**") {
		t.Errorf("%q", got)
	}
}

package main

import (
	"encoding/json"
	"fmt"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/janpfeifer/must"
	"github.com/sliced-wasserstein/lab/experiments/table"
)

// verdicts that claims.md may give: the paper's tables, and our runs.
var verdicts = []string{"supported", "contradicted", "not resolved", "not tested"}

// claim is one of claims.md.
type claim struct {
	number, title, paper, ours, text string
}

// claims returns those of the page, in order.
func claims(t *testing.T, page string) (all []claim) {
	heads := regexp.MustCompile(`(?m)^### (\d+)\. (.+)$`).FindAllStringSubmatchIndex(page, -1)
	verdict := regexp.MustCompile(`(?m)^(?:Paper|Ours): \*\*([a-z ]+)\*\*`)
	for i, h := range heads {
		end := len(page)
		if i+1 < len(heads) {
			end = heads[i+1][0]
		}
		text, _, _ := strings.Cut(page[h[1]:end], "\n## ")
		c := claim{number: page[h[2]:h[3]], title: page[h[4]:h[5]], text: text}
		found := verdict.FindAllStringSubmatch(text, -1)
		if len(found) != 2 || !strings.HasPrefix(strings.TrimSpace(text), "Paper: ") {
			t.Fatalf("claim %s: expected a line of the paper's numbers and one of ours, found %q", c.number, found)
		}
		c.paper, c.ours = found[0][1], found[1][1]
		all = append(all, c)
	}
	return all
}

// TestClaims: every claim has a verdict from the paper's numbers and one from ours, in at most five
// lines of 120 characters, with a link where it was tested. The tables count and list them. A verdict
// of ours on measured differences rests on one that holds after Holm's correction, and "contradicted
// here" is followed by the size.
func TestClaims(t *testing.T) {
	page := read(t, "claims.md")
	all := claims(t, page)
	if len(all) != 37 {
		t.Fatalf("%d claims", len(all))
	}
	counts := map[string]int{}
	for i, c := range all {
		if c.number != fmt.Sprint(i+1) {
			t.Errorf("claim %d has number %s", i+1, c.number)
		}
		ours, here := strings.CutSuffix(c.ours, " here")
		if !slices.Contains(verdicts, c.paper) || !slices.Contains(verdicts, ours) || here != (ours == "contradicted") {
			t.Errorf("claim %s: verdicts %q and %q, expected of %q", c.number, c.paper, c.ours, verdicts)
		}
		if here && !strings.Contains(c.text, "**contradicted here** (") {
			t.Errorf("claim %s: contradicted at which size?", c.number)
		}
		counts["paper "+c.paper]++
		counts["ours "+ours]++
		_, our, _ := strings.Cut(c.text, "\nOurs: ")
		if ours != "not tested" && !strings.Contains(our, "](") {
			t.Errorf("claim %s: %s without a link", c.number, c.ours)
		}
		visible := regexp.MustCompile(`(?s)<!--.*?-->|\]\([^)]*\)|\s`).ReplaceAllString(c.text, "")
		if n := len([]rune(visible)); n > 5*120 {
			t.Errorf("claim %s: %d characters, more than five lines", c.number, n)
		}
		row := fmt.Sprintf(`(?m)^\| (?:\*\*)?\[%s\. %s\]\(#%s-[^|]*\| %s \| %s \| (.*) \|$`, c.number, regexp.QuoteMeta(c.title), c.number, c.paper, c.ours)
		m := regexp.MustCompile(row).FindAllStringSubmatch(page, -1)
		if len(m) != 1 {
			t.Errorf("claim %s: %d rows in the table", c.number, len(m))
			continue
		}
		compared := must.M1(claimed(".", page, c.number))
		if len(compared) == 0 {
			continue // a time, an exponent, or untested
		}
		if !strings.HasSuffix(m[0][1], "<!-- claim "+c.number+" -->") {
			t.Errorf("claim %s: its row does not count its comparisons", c.number)
		}
		if (here || ours == "supported") && strings.Contains(excluding(compared), "(0 by Holm)") {
			t.Errorf("claim %s: %s, %s", c.number, c.ours, excluding(compared))
		}
	}
	for whose, label := range map[string]string{"ours": "our runs, at their size", "paper": "the paper's own tables"} {
		row := "| " + label
		for _, v := range verdicts {
			row += fmt.Sprintf(" | %d", counts[whose+" "+v])
		}
		if !strings.Contains(page, row+" |\n") {
			t.Errorf("claims.md: expected the row %s |", row)
		}
	}
}

// TestSharedRows: a row of the same settings has the same numbers in every stored table of a preset,
// up to rounding and for the seeds that they share: tables share their trainings.
func TestSharedRows(t *testing.T) {
	files := must.M1(filepath.Glob("results/*-desk.json"))
	type cell struct {
		file   string
		values []float64
	}
	known, shared := map[string]cell{}, 0
	for _, file := range files {
		f := must.M1(table.ReadFile(file))
		if f.Table.Study == "gap" { // it trains no autoencoder
			continue
		}
		settings := slices.DeleteFunc(f.Settings, func(s string) bool { return strings.Contains(s, " seeds of ") })
		for _, r := range f.Table.Rows {
			// Two rows were trained again, on another processor: see full_reconstruction_result.md.
			if strings.Contains(file, "full_reconstruction_result") && (r.ID == "v-dsw-T1" || r.ID == "v-dsw-T10") {
				continue
			}
			run := must.M1(json.Marshal(r.Overrides))
			for column, c := range f.Cells[r.ID] {
				key := fmt.Sprintf("%s %s %s %s", f.Data, settings, run, column)
				was, ok := known[key]
				if !ok {
					known[key] = cell{file, c.Values}
					continue
				}
				shared++
				n := min(len(was.values), len(c.Values))
				if x, y := fmt.Sprintf("%.12g", was.values[:n]), fmt.Sprintf("%.12g", c.Values[:n]); x != y {
					t.Errorf("row %s, %s: %s in %s, %s in %s", r.ID, column, x, was.file, y, file)
				}
			}
		}
	}
	if shared < 50 {
		t.Errorf("%d shared cells", shared)
	}
}

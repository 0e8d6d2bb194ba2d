package main

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/janpfeifer/must"
	"github.com/sliced-wasserstein/lab/experiments/table"
)

// verdicts that claims.md may give.
var verdicts = []string{"supported", "contradicted", "not resolved", "not tested"}

// TestClaims: every claim has one of the verdicts for the paper's numbers and one for ours, and one
// of ours that was tested has a link.
func TestClaims(t *testing.T) {
	raw := must.M1(os.ReadFile("claims.md"))
	claims := regexp.MustCompile(`(?m)^### (\d+)\. .+$`).FindAllStringSubmatchIndex(string(raw), -1)
	if len(claims) == 0 {
		t.Fatal("no claims")
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

// TestSharedRows: a row of the same settings has the same numbers in every stored table of a preset,
// up to rounding: tables share their trainings.
func TestSharedRows(t *testing.T) {
	files := must.M1(filepath.Glob("results/*-desk.json"))
	type cell struct{ file, values string }
	known, shared := map[string]cell{}, 0
	for _, file := range files {
		f := must.M1(table.ReadFile(file))
		if f.Table.Study == "gap" { // it trains no autoencoder
			continue
		}
		for _, r := range f.Table.Rows {
			// Two rows were trained again, on another processor: see full_reconstruction_result.md.
			if strings.Contains(file, "full_reconstruction_result") && (r.ID == "v-dsw-T1" || r.ID == "v-dsw-T10") {
				continue
			}
			run := must.M1(json.Marshal(r.Overrides))
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

package docs

import (
	"encoding/json"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// TestQuickstart compares the sample output in README.md with the stored output of the quickstart notebook: both rows of scores.
func TestQuickstart(t *testing.T) {
	raw, err := os.ReadFile("../notebooks/01_quickstart.ipynb")
	if err != nil {
		t.Fatal(err)
	}
	var notebook struct {
		Cells []struct {
			Outputs []struct {
				Data map[string]json.RawMessage
			}
		}
	}
	if err := json.Unmarshal(raw, &notebook); err != nil {
		t.Fatal(err)
	}
	var html strings.Builder
	for _, cell := range notebook.Cells {
		for _, output := range cell.Outputs {
			var lines []string
			if json.Unmarshal(output.Data["text/html"], &lines) == nil {
				html.WriteString(strings.Join(lines, ""))
			}
		}
	}
	readme, err := os.ReadFile("../README.md")
	if err != nil {
		t.Fatal(err)
	}
	for _, row := range []string{"before training", "after training"} {
		_, rest, found := strings.Cut(html.String(), ">"+row+"</td>")
		line, _, _ := strings.Cut(rest, "</tr>")
		var want []string
		for _, m := range regexp.MustCompile(`>([0-9.]+) ± `).FindAllStringSubmatch(line, -1) {
			want = append(want, m[1])
		}
		if !found || len(want) != 3 {
			t.Fatalf("the notebook's row %q has the scores %v, expected CD, SW and EMD", row, want)
		}
		_, rest, found = strings.Cut(string(readme), "\n  "+row+" ")
		line, _, _ = strings.Cut(rest, "\n")
		if got := strings.Fields(line); !found || !slices.Equal(got, want) {
			t.Errorf("README.md, row %q: %v, the notebook has %v", row, got, want)
		}
	}
}

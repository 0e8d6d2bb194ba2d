package table

import (
	"crypto/sha256"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/janpfeifer/must"
)

func TestNames(t *testing.T) {
	_, err := Get("table_1")
	if err == nil || !strings.Contains(err.Error(), `unknown table "table_1"`) || !strings.Contains(err.Error(), "ablation_kappa") {
		t.Errorf("the error should name the tables, found %v", err)
	}
	changed := must.M1(Get("ablation_T"))
	changed.Rows[0].Paper["cd"] = Printed{}
	if must.M1(Get("ablation_T")).Rows[0].Paper["cd"].Mean != 0.67 {
		t.Error("a caller's change reaches other callers")
	}
}

// TestPaperUnchanged: the printed numbers, which were compared with a second transcription of the
// paper, with each other where they stand in two tables, and with their averages. After a correction
// give the new digest.
func TestPaperUnchanged(t *testing.T) {
	if got := fmt.Sprintf("%x", sha256.Sum256(paperJSON)); got[:16] != "1bdd48797b06749a" {
		t.Errorf("paper.json has the SHA-256 %s", got)
	}
}

func TestPrinted(t *testing.T) {
	if p := printed("**0.67 ± 0.01**"); p.Mean != 0.67 || p.SD == nil || *p.SD != 0.01 || !p.Bold {
		t.Errorf("found %+v", p)
	}
	if p := printed("95"); p.Mean != 95 || p.SD != nil || p.Bold {
		t.Errorf("found %+v", p)
	}
}

func TestWithoutOurs(t *testing.T) {
	table := must.M1(Get("ablation_kappa"))
	table.Rows = append(table.Rows, Row{ID: "new", Ours: true})
	table.Columns = slices.Insert(table.Columns, 0, Column{Key: "new", Ours: true})
	less := table.WithoutOurs()
	if len(less.Rows) != 3 || len(less.Columns) != 3 || less.Columns[0].Key != "cd" {
		t.Errorf("found %d rows, %d columns", len(less.Rows), len(less.Columns))
	}
	if len(table.Rows) != 4 || table.Columns[0].Key != "new" {
		t.Error("the table itself was changed")
	}
}

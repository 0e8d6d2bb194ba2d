package table

import (
	"crypto/sha256"
	"fmt"
	"math"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/janpfeifer/must"
)

func TestNames(t *testing.T) {
	want := map[string]int{"short_reconstruction_result": 15, "full_reconstruction_result": 19, "full_reconstruction_quantitative": 7, "vDSW_approximation": 11,
		"ablation_L": 6, "ablation_T": 5, "ablation_kappa": 3, "short_generation_result": 11, "full_generation_result": 15}
	if len(Names()) != len(want) {
		t.Fatalf("expected %d tables, found %v", len(want), Names())
	}
	for _, name := range Names() {
		if n := len(must.M1(Get(name)).Rows); n != want[name] {
			t.Errorf("%s: expected %d rows, found %d", name, want[name], n)
		}
	}
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

// TestStructure: what can be checked without the paper at hand.
func TestStructure(t *testing.T) {
	runs := map[[2]string]Row{}
	for _, name := range Names() {
		table := must.M1(Get(name))
		if table.Title == "" || table.RowHeader == "" || len(table.Notes) == 0 || (table.Section != "main" && table.Section != "appendix") {
			t.Errorf("%s: title %q, heading %q, %d notes, section %q", name, table.Title, table.RowHeader, len(table.Notes), table.Section)
		}
		for _, c := range table.Columns {
			if c.Ours || c.Unit == "" || (c.Scale != 1 && c.Scale != 100) || (c.Better == None) != (c.Key == "slices" || c.Key == "ascent_steps") {
				t.Errorf("%s: column %+v", name, c)
			}
		}
		ids := map[string]bool{}
		for i, r := range table.Rows {
			if ids[r.ID] || r.Ours || r.Group < 1 || (i > 0 && r.Group < table.Rows[i-1].Group) || len(r.Paper) != len(table.Columns) {
				t.Errorf("%s: row %s: group %d, %d numbers; or twice", name, r.ID, r.Group, len(r.Paper))
			}
			ids[r.ID] = true
			other, seen := runs[[2]string{table.Study, r.ID}]
			if !seen {
				runs[[2]string{table.Study, r.ID}] = r
				continue
			}
			for key, p := range r.Paper {
				q, both := other.Paper[key]
				conflict := key == "time" && r.ID == "sw" // 106 and 107 in the paper
				if both && !conflict && (p.Mean != q.Mean || (p.SD == nil) != (q.SD == nil) || (p.SD != nil && *p.SD != *q.SD)) {
					t.Errorf("%s: row %s, column %s is %v, in another table %v", name, r.ID, key, p, q)
				}
			}
			if !reflect.DeepEqual(r.Overrides, other.Overrides) {
				t.Errorf("%s: row %s has another run in another table of the study", name, r.ID)
			}
		}
	}
}

// TestAverages: the last column of the single shapes is the mean of the six before it, up to half a
// unit of the last digit.
func TestAverages(t *testing.T) {
	for _, r := range must.M1(Get("full_reconstruction_quantitative")).Rows {
		sum := 0.0
		for _, key := range []string{"pc1", "pc2", "pc3", "pc4", "pc5", "pc6"} {
			sum += r.Paper[key].Mean
		}
		if d := math.Abs(sum/6 - r.Paper["avg"].Mean); d > 0.005+1e-9 {
			t.Errorf("%s: the mean is %.4f, printed %.2f", r.ID, sum/6, r.Paper["avg"].Mean)
		}
	}
}

// TestPaperUnchanged: the printed numbers, which were compared with a second transcription of the
// paper. After a correction give the new digest.
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

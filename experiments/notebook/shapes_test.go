package notebook

import (
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"github.com/janpfeifer/must"

	"github.com/sliced-wasserstein/lab/experiments/reproduce"
	"github.com/sliced-wasserstein/lab/vmfviz"
)

// TestShapes: the six shapes and their reconstructions by each network, from the runs of the table,
// which are read the second time. A figure is saved in three formats.
func TestShapes(t *testing.T) {
	b := book(t)
	p := must.M1(reproduce.PresetOf("smoke"))
	p.Points, p.Epochs, p.Batch, p.Seeds = 16, 1, 32, []uint64{1, 2}
	rows := []string{"sw", "la-v-dsw"}
	one := p
	one.Seeds = p.Seeds[:1]
	filled := must.M1(b.table(shapesTable, one, rows)) // what Table makes
	runs := func() []string {
		return must.M1(filepath.Glob(filepath.Join(b.Out, "runs", "*", "result.json")))
	}
	before := runs()
	s := must.M1(b.Shapes(p, rows, false))
	if after := runs(); len(before) == 0 || !reflect.DeepEqual(before, after) {
		t.Errorf("runs of the table %v, then %v", before, after)
	}
	if len(s.Rows) != 2 || s.Rows[1].ID != "la-v-dsw" || len(s.Inputs) != 6 || len(s.Names) != 6 || len(s.Inputs[5]) != 3*16 {
		t.Fatalf("%d rows, %d inputs, names %v", len(s.Rows), len(s.Inputs), s.Names)
	}
	for _, r := range s.Rows {
		if len(r.Clouds) != 6 || len(r.Clouds[0]) != 3*16 || len(r.EMD) != 6 || r.EMD[2] != filled.Cells[r.ID]["pc3"].Mean {
			t.Errorf("%s: %d clouds, EMD %v", r.Name, len(r.Clouds), r.EMD)
		}
	}
	if reflect.DeepEqual(s.Rows[0].Clouds, s.Rows[1].Clouds) {
		t.Error("two losses give one network")
	}
	again, err := b.Shapes(p, rows, true)
	if err != nil || !reflect.DeepEqual(again, s) {
		t.Errorf("read again, it is another: %v", err)
	}

	picture, err := vmfviz.Gallery(vmfviz.GalleryOptions{}, s.Inputs...)
	b.Figure("shapes", picture, err)
	for _, ending := range []string{".png", ".pdf", ".svg"} {
		if info, err := os.Stat(filepath.Join(b.Out, "pictures", "shapes"+ending)); err != nil || info.Size() < 1000 {
			t.Errorf("%s: %v", ending, err)
		}
	}

	if _, err := b.Shapes(p, []string{"x"}, true); err == nil || !strings.Contains(err.Error(), `unknown row "x"`) {
		t.Errorf("%v", err)
	}
}

package notebook

import (
	"encoding/base64"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"github.com/janpfeifer/must"

	"github.com/sliced-wasserstein/lab/experiments/sweep"
)

// TestSweep: a cell that is run again reads what it did before. The output is the table with the
// plot.
func TestSweep(t *testing.T) {
	b := &Session{Data: "builtin", Out: t.TempDir()}
	must.M(os.Mkdir(filepath.Join(b.Out, "pictures"), 0o755))
	t.Setenv("SWLAB_BACKEND", "go") // nothing to compile
	c := sweep.Default()
	c.Data, c.PerClass, c.PerTest = "", 1, 1
	c.Base.Loss, c.Base.Points, c.Base.Batch, c.Base.Steps = "sw", 16, 16, 1
	var err error
	c.Vary = must.M1(sweep.Parse("slices=1,2"))
	r, err := b.Sweep("slices", c, false)
	if err != nil || r.Count(sweep.Done) != 2 || r.Backend != "go" {
		t.Fatalf("%+v, %v", r, err)
	}
	if _, err := os.Stat(filepath.Join(b.Out, "pictures", "slices.png")); err != nil {
		t.Error(err)
	}
	again, err := b.Sweep("slices", c, false)
	if err != nil || !reflect.DeepEqual(again, r) { // times of training too
		t.Errorf("%+v, then %+v, %v", r, again, err)
	}

	var shown []string
	o := &output{id: "x", update: func(id, html string) { shown = append(shown, id+" "+html) }}
	must.M(o.draw(r))
	o.say("training", 1, 2)
	o.say("training", 2, 2) // too soon
	o.close("")
	if len(shown) != 3 || !strings.HasPrefix(shown[0], "x <div") || shown[1] != "x_now <p>training 1/2</p>" || shown[2] != "x_now " {
		t.Fatalf("shown %q", shown)
	}
	if r.Rows[0].Values["time"].N != 1 || strings.Contains(shown[0], "s/epoch") {
		t.Error("what the cell stores has times, or the result has none")
	}
	_, after, _ := strings.Cut(shown[0], "data:image/png;base64,")
	code, _, _ := strings.Cut(after, `"`)
	raw, err := base64.StdEncoding.DecodeString(code)
	if err != nil || !strings.HasPrefix(string(raw), "\x89PNG") {
		t.Errorf("picture: %v", err)
	}
	c.Vary[0].Values = []string{"x"}
	if _, err := b.Sweep("slices", c, false); err == nil || !strings.Contains(err.Error(), "vary slices: expected a whole number") {
		t.Errorf("a wrong sweep: %v", err)
	}
}

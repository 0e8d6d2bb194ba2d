package train

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/janpfeifer/must"

	"github.com/sliced-wasserstein/lab/internal/durable"
	"github.com/sliced-wasserstein/lab/swlab/loss"
)

func init() {
	own := func(s loss.Config) (loss.Loss, error) { return loss.New("sw", s) }
	loss.Register("own", loss.Entry{New: own}, "1")
	loss.Register("unknown", loss.Entry{New: own})
}

// TestSource: a run records the code of a loss from outside, and another code cannot resume it.
func TestSource(t *testing.T) {
	c := config("own", "")
	c.Steps = 1
	_, dir := finished(t, goBackend(t), c, Options{})
	old, err := ReadConfig(dir)
	if err != nil || old.Source != "loss own version 1" {
		t.Fatalf("recorded %q, %v", old.Source, err)
	}
	must.M(old.ChangedSource())
	c.Steps = 2
	finished(t, goBackend(t), c, Options{Out: dir, Resume: true})
	for _, then := range []string{"loss own version 0", ""} { // an old run has recorded none
		old.Source, old.Steps = then, 2
		must.M(durable.WriteJSON(filepath.Join(dir, configFile), old))
		c.Steps = 3
		refused(t, "the code of what is registered: loss own version 1")(
			Run(t.Context(), goBackend(t), boxes(12, 32), c, Options{Out: dir, Resume: true}))
		refused(t, "loss own version 1")(old.ChangedSource())
	}
	must.M(Config{Loss: "not here", Source: "loss not-here version 1"}.ChangedSource()) // not in this program
	if sw := config("sw", "").Completed(); sw.Source != "" || sw.CheckSource() != nil {
		t.Errorf("a built-in loss has the source %q, %v", sw.Source, sw.CheckSource())
	}
}

// TestUnknownSource: a run whose code is not known says so, and no other process resumes it.
func TestUnknownSource(t *testing.T) {
	program := must.M1(os.Executable())
	before := time.Now().AddDate(-10, 0, 0) // before this file was written
	if err := os.Chtimes(program, before, before); err != nil {
		t.Skip(err)
	}
	c := config("unknown", "")
	c.Steps = 1
	var notes []string
	_, dir := finished(t, goBackend(t), c, Options{Note: func(text string) { notes = append(notes, text) }})
	if len(notes) != 1 || !strings.Contains(notes[0], "loss unknown") ||
		!strings.Contains(notes[0], "was changed after the program was built") || !strings.Contains(notes[0], "version") {
		t.Errorf("said %q", notes)
	}
	c.Steps = 2
	finished(t, goBackend(t), c, Options{Out: dir, Resume: true}) // by this process
	old, err := ReadConfig(dir)
	if err != nil || !strings.HasPrefix(old.Source, "loss unknown of process ") {
		t.Fatalf("recorded %q, %v", old.Source, err)
	}
	old.Source += "another"
	must.M(durable.WriteJSON(filepath.Join(dir, configFile), old))
	c.Steps = 3
	refused(t, "was changed after")(Run(t.Context(), goBackend(t), boxes(12, 32), c, Options{Out: dir, Resume: true}))
}

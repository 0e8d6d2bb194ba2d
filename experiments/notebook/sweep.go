package notebook

import (
	"bytes"
	"errors"
	"fmt"
	"html"
	"os"
	"path/filepath"
	"time"

	"github.com/janpfeifer/gonb/gonbui"

	"github.com/sliced-wasserstein/lab/experiments/runs"
	"github.com/sliced-wasserstein/lab/experiments/sweep"
	"github.com/sliced-wasserstein/lab/experiments/table"
	"github.com/sliced-wasserstein/lab/vmfviz/show"
)

// Sweep runs a sweep. Its output, a table and a plot, is redrawn after every point of the grid,
// below a line that reports progress. The plot is saved as pictures/NAME.png. If c.Data is "", the
// session's data are used. The stop button ends it with an error. Running the cell again resumes,
// and a finished sweep is read. Outside a notebook the table goes to standard error. A quiet one shows its progress alone.
//
//	b := show.Must(notebook.Open("sweep"))
//	c := sweep.Default()
//	c.Data, c.Vary = b.Data, show.Must(sweep.Parse("kappa=0.1,1,10", "slices=10,100"))
//	show.Must(b.Sweep("kappa", c, false))
func (b *Session) Sweep(name string, c sweep.Config, quiet bool) (*sweep.Result, error) {
	if c.Data == "" {
		c.Data = b.Data
	}
	defer show.Done()
	o := &output{id: "swlab_sweep_" + gonbui.UniqueId(), update: show.Update}
	o.say("looking at the data", 0, 1) // the line is above the table
	lab := &runs.Store{Dir: b.Out, Progress: o.say}
	plan, err := sweep.NewGrid(lab, c)
	if err != nil {
		return nil, err
	}
	for _, point := range plan.Points {
		if err := point.Config.CheckSource(); err != nil {
			say(err.Error())
			break
		}
	}
	w := stoppable(b.context())
	defer w.end()
	lab.Progress = func(what string, done, total int) {
		w.part(done, total)
		o.say(what, done, total)
	}
	var broken error
	r, err := plan.Run(w, lab, func(r *sweep.Result, _ int) {
		if !quiet {
			broken = errors.Join(broken, o.draw(r))
		}
	})
	left := ""
	if quiet && err == nil {
		left = fmt.Sprintf("<p>%d settings are trained, each with %d seeds.</p>", r.Count(sweep.Done), len(r.Seeds))
	}
	o.close(left)
	if w.Err() != nil {
		return r, errStopped
	}
	if err = errors.Join(err, broken); err != nil {
		return r, err
	}
	if !show.InNotebook() {
		if err := table.Write(os.Stderr, r, "text"); err != nil {
			return r, err
		}
	}
	p, err := r.Plot()
	if err != nil || p == nil {
		return r, err
	}
	return r, p.Save(filepath.Join(b.Out, "pictures", name+".png"))
}

// output is what a sweep shows: a line that is updated often, and below it table and plot.
type output struct {
	id     string
	update func(id, html string)
	told   time.Time
}

// say reports progress, at most four times a second.
func (o *output) say(what string, done, total int) {
	if time.Since(o.told) >= 250*time.Millisecond {
		o.told = time.Now()
		o.update(o.id+"_now", fmt.Sprintf("<p>%s %d/%d</p>", html.EscapeString(what), done, total))
	}
}

// draw shows the result so far, without its times, so that a repeated run stores the same output.
func (o *output) draw(r *sweep.Result) error {
	r = r.WithoutTimes()
	var b bytes.Buffer
	if err := table.Write(&b, r, "html"); err != nil {
		return err
	}
	p, err := r.Plot()
	if err != nil {
		return err
	}
	if p != nil {
		code, err := image(p, nil)
		if err != nil {
			return err
		}
		b.WriteString(code)
	}
	o.update(o.id, b.String())
	return nil
}

// close leaves the result, and a line.
func (o *output) close(line string) { o.update(o.id+"_now", line) }

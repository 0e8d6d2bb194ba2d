package all

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"github.com/janpfeifer/gonb/gonbui/protocol"

	"github.com/sliced-wasserstein/lab/datasets"
	"github.com/sliced-wasserstein/lab/experiments/calls"
	"github.com/sliced-wasserstein/lab/experiments/gap"
	"github.com/sliced-wasserstein/lab/experiments/notebook"
	"github.com/sliced-wasserstein/lab/experiments/reproduce"
	"github.com/sliced-wasserstein/lab/experiments/sweep"
	"github.com/sliced-wasserstein/lab/experiments/table"
	"github.com/sliced-wasserstein/lab/internal/durable"
	"github.com/sliced-wasserstein/lab/swlab/engine"
	"github.com/sliced-wasserstein/lab/swlab/train"
	"github.com/sliced-wasserstein/lab/vmfviz/show"
)

// resultsFolder is where runs lie, beside the caller's notebook, unless $SWLAB_OUT names another.
const resultsFolder = "swlab-out"

// data are the clouds of sweeps and tables: the built-in shapes unless $SWLAB_DATA names others.
func data() string { return cmp.Or(os.Getenv("SWLAB_DATA"), datasets.Builtin) }

func sweptData(r *calls.Request) string { return cmp.Or(r.Settings["data"], data()) }

// session returns the session of a caller.
func session(r *calls.Request) (*notebook.Session, error) {
	s := &notebook.Session{Data: data(), Out: os.Getenv("SWLAB_OUT"), Fast: os.Getenv("FAST") == "1", Context: r.Context()}
	if s.Out == "" {
		s.Out = filepath.Join(r.Dir, resultsFolder)
	}
	return s, os.MkdirAll(filepath.Join(s.Out, "pictures"), 0o755)
}

// watched calls f, whose outputs the caller sees, and adds them to the answer: a space shows them from there when it
// answers an equal call. When the call is cancelled, f saves what it has.
func watched(r *calls.Request, a *calls.Answer, f func() error) error {
	last, order := map[string]string{}, []string(nil)
	var mu sync.Mutex
	err := show.Elsewhere(func(d *protocol.DisplayData) {
		e := calls.Event{ID: d.DisplayID}
		e.HTML, _ = d.Data[protocol.MIMETextHTML].(string)
		e.Text, _ = d.Data[protocol.MIMETextPlain].(string)
		e.Markdown, _ = d.Data[protocol.MIMETextMarkdown].(string)
		e.PNG, _ = d.Data[protocol.MIMEImagePNG].([]byte)
		if size, is := d.Metadata[string(protocol.MIMEImagePNG)].(map[string]int); is {
			e.Width = size["width"]
		}
		code := e.HTML
		if e.PNG != nil {
			code = show.Image(e.PNG, e.Text, e.Width)
		}
		mu.Lock()
		id := cmp.Or(e.ID, fmt.Sprint(len(order)))
		if _, seen := last[id]; !seen {
			order = append(order, id)
		}
		last[id] = code
		mu.Unlock()
		r.Show(e)
	}, f)
	if a.Text != nil {
		var b strings.Builder
		for _, id := range order {
			b.WriteString(last[id])
		}
		a.Text["shown"] = b.String()
	}
	return err
}

// trainer is the best backend; it stays open, and keeps what trainings compile.
var trainer = sync.OnceValues(func() (*engine.Engine, error) { return engine.Open("") })

// quick is the size of a training in a notebook, for what is not given: that of a sweep.
func quick() train.Config { return sweep.Default().Base }

// trained is a training of the request on the clouds "data".
func trained(r *calls.Request) (set, test *datasets.Set, c train.Config, err error) {
	c = quick()
	c.Seed = r.Seed
	if set, err = r.Clouds("data"); err != nil {
		return nil, nil, c, err
	}
	c.Points, c.Batch = set.Points, min(c.Batch, set.Clouds)
	if err = r.Apply(&c, "help"); err != nil {
		return nil, nil, c, err
	}
	test = set
	if set.Split != nil {
		if test, err = set.Part("test"); err != nil {
			return nil, nil, c, err
		}
		if set, err = set.Part("train"); err != nil {
			return nil, nil, c, err
		}
		c.Batch = min(c.Batch, set.Clouds)
	}
	if c.Points < set.Points {
		if set, err = set.Subset(c.Points, c.Seed); err != nil {
			return nil, nil, c, err
		}
		test, err = test.Subset(c.Points, c.Seed)
	}
	return set, test, c, err
}

// lookEvery is how many steps lie between two looks at what a network makes of some clouds.
const lookEvery = 25

// training trains the autoencoder, with a picture that grows unless live is false. An equal training
// is read, and one that was stopped goes on. One that another process makes is waited for.
func training(r *calls.Request, a *calls.Answer) error {
	view := struct {
		Live bool `json:"live"`
	}{true}
	if err := calls.Take(r.Settings, &view); err != nil {
		return err
	}
	set, test, c, err := trained(r)
	if err != nil {
		return err
	}
	s, err := session(r)
	if err != nil {
		return err
	}
	e, err := trainer()
	if err != nil {
		return err
	}
	rows, names := notebook.OnePerClass(test, 4)
	seen := test.Select(rows)
	return watched(r, a, func() error {
		watch := notebook.LiveOptions{Clouds: seen, Names: names, Every: lookEvery, Quiet: !view.Live}
		run, err := s.Live(s.Context, e, set, c, watch)
		for errors.Is(err, durable.ErrLocked) && s.Context.Err() == nil {
			time.Sleep(time.Second)
			run, err = s.Live(s.Context, e, set, c, watch)
		}
		if err != nil {
			return err
		}
		var losses []float64
		for _, record := range run.Records {
			losses = append(losses, record.Loss)
		}
		var looks []float32
		var at []int32
		for _, l := range run.Snapshots {
			looks, at = append(looks, l.Points...), append(at, int32(l.Step))
		}
		labels, err := json.Marshal(names)
		if err != nil {
			return err
		}
		a.Text = map[string]string{"run": run.Result.Run, "folder": run.Result.Run, "loss_name": c.Loss,
			"amortizer": c.Amortizer, "backend": e.Name, "labels": string(labels)}
		calls.Add(a, "loss", []float64{run.Result.Loss})
		calls.Add(a, "steps", []int32{int32(run.Result.Steps)})
		calls.Add(a, "losses", losses, len(losses))
		calls.Add(a, "watched", seen.Coords, len(rows), set.Points, set.Dim)
		calls.Add(a, "looks", looks, len(at)*len(rows), set.Points, set.Dim)
		calls.Add(a, "steps_of_looks", at, len(at))
		return nil
	})
}

// sweepSettings are those of sweep; all others are of the training.
type sweepSettings struct {
	Vary     string `json:"vary"`
	Data     string `json:"data"`
	PerClass int    `json:"per_class"`
	PerTest  int    `json:"per_test"`
	Repeats  int    `json:"repeats" range:"1.."` // how many seeds; 0: those of a sweep
	Live     bool   `json:"live"`                // table and plot grow
}

// sweeping trains over a grid of settings, with a table that grows unless live is false.
func sweeping(r *calls.Request, a *calls.Answer) error {
	s, err := session(r)
	if err != nil {
		return err
	}
	c := sweep.Default()
	c.Base.Amortizer = "la"
	own := sweepSettings{PerClass: c.PerClass, PerTest: c.PerTest, Live: true}
	rest := calls.Request{Settings: maps.Clone(r.Settings)}
	if err := calls.Take(rest.Settings, &own); err != nil {
		return err
	}
	if err := rest.Apply(&c.Base, "help"); err != nil {
		return err
	}
	if c.Vary, err = sweep.Parse(strings.Split(own.Vary, ";")...); err != nil {
		return err
	}
	c.Data, c.PerClass, c.PerTest = cmp.Or(r.File(), datasets.Builtin), own.PerClass, own.PerTest
	if own.Repeats > 0 {
		c.Seeds = nil
	}
	for i := range own.Repeats {
		c.Seeds = append(c.Seeds, r.Seed+uint64(i))
	}
	if c.Data != datasets.Builtin {
		c.PerClass, c.PerTest = 0, 0
	}
	if s.Fast {
		c.Base.Points, c.Base.Batch, c.Base.Epochs, c.Base.Steps, c.Seeds = min(c.Base.Points, 32), 8, 1, 2, c.Seeds[:min(2, len(c.Seeds))]
		c.PerClass, c.PerTest = min(c.PerClass, 1), min(c.PerTest, 1)
		for i, v := range c.Vary {
			c.Vary[i].Values = v.Values[:min(2, len(v.Values))]
		}
	}
	return watched(r, a, func() error {
		found, err := s.Sweep("sweep", c, !own.Live)
		if err != nil {
			return err
		}
		return addTable(a, found, s)
	})
}

// table adds a table in all formats.
func addTable(a *calls.Answer, d table.Document, s *notebook.Session) error {
	a.Text = map[string]string{"folder": s.Out}
	for _, format := range table.Formats() {
		var b bytes.Buffer
		if err := table.Write(&b, d, format); err != nil {
			return err
		}
		a.Text[format] = b.String()
	}
	return nil
}

// tableSettings choose a table of the paper.
type tableSettings struct {
	Name   string `json:"name"`
	Preset string `json:"preset"`
	Rows   string `json:"rows"` // by ids or names, with commas in between; "": all
}

// paperTable makes a table of the paper.
func paperTable(r *calls.Request, a *calls.Answer) error {
	s, err := session(r)
	if err != nil {
		return err
	}
	c := tableSettings{Preset: "smoke"}
	if err := r.Apply(&c); err != nil {
		return err
	}
	var rows []string
	if c.Rows != "" {
		rows = strings.Split(c.Rows, ",")
	}
	return watched(r, a, func() error {
		found, err := s.Table(c.Name, c.Preset, rows...)
		if err != nil {
			return err
		}
		return addTable(a, found, s)
	})
}

// resultsSettings choose what to show of the stored result of a table.
type resultsSettings struct {
	Name string `json:"name"`
	reproduce.View
}

// results shows the stored result of a table of the paper.
func results(r *calls.Request, a *calls.Answer) error {
	s, err := session(r)
	if err != nil {
		return err
	}
	var c resultsSettings
	if err := r.Apply(&c); err != nil {
		return err
	}
	return watched(r, a, func() error { return s.Results(c.Name, c.View) })
}

// gapStudy measures the amortization gap of one method on the clouds "data".
func gapStudy(r *calls.Request, a *calls.Answer) error {
	set, err := r.Clouds("data")
	if err != nil {
		return err
	}
	c := gap.Paper()
	c.Batches, c.Pairs, c.HeldOut, c.Seed = 2, 20, 20, r.Seed
	rest := calls.Request{Settings: maps.Clone(r.Settings)}
	if name, is := rest.Settings["amortizer"]; is {
		c.Method, c.Optimiser, c.Passes, c.LearningRate, c.DK, c.K = name, gap.Adam, 10, 1e-3, 64, 64
		delete(rest.Settings, "amortizer")
	}
	if err := rest.Apply(&c); err != nil {
		return err
	}
	e, err := calls.Backend()
	if err != nil {
		return err
	}
	if err := c.Suffices(set); err != nil {
		return fmt.Errorf("data: %w; fewer pairs, batches or held_out need fewer", err)
	}
	rows := make([]int, c.Clouds())
	for i := range rows {
		rows[i] = i * set.Clouds / len(rows)
	}
	found, err := gap.Study(r.Context(), e, set.Select(rows), c, gap.Options{Progress: func(stage string, done, total int) {
		r.Show(calls.Event{ID: "gap", Text: fmt.Sprintf("%s %d of %d", stage, done, total)})
	}})
	if err != nil {
		return err
	}
	raw, err := json.Marshal(found)
	a.Text = map[string]string{"result": string(raw)}
	return err
}

package notebook

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"github.com/janpfeifer/gonb/gonbui"
	"github.com/janpfeifer/must"

	"github.com/sliced-wasserstein/lab/datasets"
	"github.com/sliced-wasserstein/lab/experiments/runs"
	"github.com/sliced-wasserstein/lab/internal/durable"
	"github.com/sliced-wasserstein/lab/swlab"
	"github.com/sliced-wasserstein/lab/swlab/engine"
	"github.com/sliced-wasserstein/lab/swlab/train"
	"github.com/sliced-wasserstein/lab/swlab/weights"
	"github.com/sliced-wasserstein/lab/vmfviz"
	"github.com/sliced-wasserstein/lab/vmfviz/show"
)

// LiveOptions are the options of Live.
type LiveOptions struct {
	Clouds *datasets.Set // the clouds to reconstruct, a few
	Names  []string      // of the clouds; may be nil
	Every  int           // steps between snapshots
	// Quiet draws nothing, for a cell that reads what an earlier one has shown.
	Quiet bool
	Step  func(record train.Record) // if not nil, called after every step
}

// Snapshot is the network's reconstruction of the watched clouds after a step, normalised by the
// running statistics.
type Snapshot struct {
	Step   int
	Points []float32 // [clouds, points, 3]
}

// LiveRun is a watched run, as far as it has come.
type LiveRun struct {
	Result    train.Result // of the finished run
	Records   []train.Record
	Snapshots []Snapshot // before the first step, every LiveOptions.Every steps, and after the last
}

// Live is Train with an output that is redrawn every w.Every steps: the loss so far, and below it
// the watched clouds and their reconstructions. Cancelling ctx or the stop button ends it with an
// error. A checkpoint, the log and the snapshots are kept, and the same call resumes. A finished
// run is read.
func (b *Session) Live(ctx context.Context, e *engine.Engine, set *datasets.Set, c train.Config, w LiveOptions) (*LiveRun, error) {
	if w.Clouds == nil || w.Clouds.Clouds < 1 || w.Clouds.Points != set.Points {
		return nil, fmt.Errorf("LiveOptions.Clouds: expected a few clouds of %d points, like those to train on", set.Points)
	}
	if w.Every < 1 {
		return nil, fmt.Errorf("LiveOptions.Every: expected at least 1 step, found %d", w.Every)
	}
	dir, err := b.folder(e, set, c)
	if err != nil {
		return nil, err
	}
	defer show.Done()
	l := &live{dir: dir, engine: e, watch: w, id: "swlab_live_" + gonbui.UniqueId(), update: show.Update}
	l.read()
	if l.Result, err = train.ReadResult(dir); err == nil && len(l.Snapshots) > 0 && l.Snapshots[len(l.Snapshots)-1].Step == l.Result.Steps {
		if l.Records, err = train.ReadLog(dir); err != nil {
			return nil, err
		}
		return &l.LiveRun, l.draw()
	}
	if len(l.Snapshots) == 0 {
		start, err := c.On(set).Start()
		if err != nil {
			return nil, err
		}
		if err := errors.Join(os.MkdirAll(filepath.Dir(dir), 0o755), l.look(0, start)); err != nil {
			return nil, err
		}
	}
	l.work = stoppable(ctx)
	defer l.work.end()
	_, err = train.ReadConfig(dir)
	l.Result, err = train.Run(l.work, e, set, c, train.Options{Out: dir, Resume: err == nil, CheckpointEvery: w.Every, Progress: l.step, Note: say})
	if l.work.Err() != nil {
		return &l.LiveRun, errors.Join(errStopped, l.draw())
	}
	if err = errors.Join(err, l.broken); err != nil {
		return &l.LiveRun, err
	}
	last, err := runs.Weights(dir, "last")
	if err != nil {
		return &l.LiveRun, err
	}
	return &l.LiveRun, errors.Join(l.look(l.Result.Steps, last), l.draw())
}

// live is a run that is watched.
type live struct {
	LiveRun
	dir    string // of the run
	engine *engine.Engine
	work   *work
	watch  LiveOptions
	id     string // of the output
	update func(id, html string)
	tick   func(int, string)
	broken error // of a snapshot
}

// looksFile is beside the run's folder, which belongs to the trainer.
func (l *live) looksFile() string { return l.dir + "-looks.json" }

// read loads what an earlier call has left.
func (l *live) read() {
	var kept snapshots
	if _, err := durable.ReadJSON(l.looksFile(), &kept); err == nil { // else damaged: none
		l.Snapshots = kept.Snapshots
	}
	l.Records, _ = train.ReadLog(l.dir) // checked on resuming
}

// step is called after every step. The checkpoint of the step before exists then.
func (l *live) step(r train.Record, total int) {
	l.work.part(r.Step, total)
	if l.tick == nil {
		l.tick = show.Progress(total, "training")
		l.Records = l.Records[:min(len(l.Records), r.Step-1)] // a run resumes from its checkpoint
	}
	l.Records = append(l.Records, r)
	l.tick(r.Step, fmt.Sprintf("loss %.2f", r.Loss))
	if done := r.Step - 1; done > 0 && done%l.watch.Every == 0 {
		l.broken = errors.Join(l.broken, l.lookAt(done), l.draw())
	}
	if l.watch.Step != nil {
		l.watch.Step(r)
	}
}

// lookAt takes a snapshot from the checkpoint of a step.
func (l *live) lookAt(step int) error {
	all, err := weights.ReadSafetensors(filepath.Join(l.dir, "checkpoints", fmt.Sprintf("step-%09d", step), "tensors.safetensors"))
	if err != nil {
		return err
	}
	net := weights.NewSet()
	for _, name := range all.Names() {
		if t, _ := all.Get(name); len(name) > 4 && name[:4] == "net/" {
			net.Put(name[4:], t)
		}
	}
	return l.look(step, net)
}

// look reconstructs the watched clouds and keeps the snapshot.
func (l *live) look(step int, w *weights.Set) error {
	net, err := swlab.NewNetwork(w)
	if err != nil {
		return err
	}
	points, err := net.Reconstruct(l.watch.Clouds, swlab.NetworkOptions{Engine: l.engine, Batch: l.watch.Clouds.Clouds})
	if err != nil {
		return err
	}
	// Taken before the run was interrupted.
	for len(l.Snapshots) > 0 && l.Snapshots[len(l.Snapshots)-1].Step >= step {
		l.Snapshots = l.Snapshots[:len(l.Snapshots)-1]
	}
	l.Snapshots = append(l.Snapshots, Snapshot{step, points})
	return durable.WriteJSON(l.looksFile(), snapshots{l.Snapshots})
}

// snapshots is the content of looksFile: an object, which has a checksum.
type snapshots struct {
	Snapshots []Snapshot `json:"snapshots"`
}

// draw shows the loss and the last snapshot in one output.
func (l *live) draw() error {
	if l.watch.Quiet {
		return nil
	}
	last := l.Snapshots[len(l.Snapshots)-1]
	loss := vmfviz.Series{}
	for _, r := range l.Records {
		if r.Skipped == "" {
			loss.X, loss.Y = append(loss.X, float64(r.Step)), append(loss.Y, r.Loss)
		}
	}
	code := ""
	if len(loss.X) > 1 {
		p, err := vmfviz.Curves(vmfviz.CurvesOptions{Height: 200}, vmfviz.CurvePanel{XLabel: "step", YLabel: "training loss", LogY: true, Smooth: 0.9, Series: []vmfviz.Series{loss}})
		if code, err = image(p, err); err != nil {
			return err
		}
	}
	p, err := Reconstructions(l.watch.Clouds, l.watch.Names, last)
	below, err := image(p, err)
	if err != nil {
		return err
	}
	l.update(l.id, code+below)
	return nil
}

// Reconstructions draws clouds and below them the network's reconstructions, one row per snapshot.
func Reconstructions(clouds *datasets.Set, names []string, looks ...Snapshot) (*vmfviz.Picture, error) {
	rows := []vmfviz.CloudRow{{Caption: "input", Clouds: must.M1(vmfviz.Split(clouds.Coords, clouds.Clouds))}}
	for _, k := range looks {
		rows = append(rows, vmfviz.CloudRow{Caption: fmt.Sprintf("step %d", k.Step), Clouds: must.M1(vmfviz.Split(k.Points, clouds.Clouds))})
	}
	return vmfviz.Clouds(vmfviz.CloudsOptions{Columns: names, Together: true}, rows...)
}

// image renders a picture as HTML.
func image(p *vmfviz.Picture, err error) (string, error) {
	if err != nil {
		return "", err
	}
	raw, err := p.PNG()
	if err != nil {
		return "", err
	}
	w, _ := p.Size()
	return show.Image(raw, p.Alt, w), nil
}

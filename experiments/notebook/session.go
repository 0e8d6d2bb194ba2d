// Package notebook holds what the cells of one notebook share: the data, a folder for results,
// pictures and times. GoNB runs every cell as a process of its own. So what a later cell needs is
// kept in files, and a finished run is read, not repeated.
//
// Environment: SWLAB_DATA names the user's own clouds, SWLAB_OUT the folder for results. FAST=1
// asks for a short form whose numbers mean nothing.
package notebook

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/sliced-wasserstein/lab/datasets"
	"github.com/sliced-wasserstein/lab/experiments"
	"github.com/sliced-wasserstein/lab/internal/durable"
	"github.com/sliced-wasserstein/lab/swlab/engine"
	"github.com/sliced-wasserstein/lab/swlab/train"
	"github.com/sliced-wasserstein/lab/vmfviz"
	"github.com/sliced-wasserstein/lab/vmfviz/show"
)

// Session is a running notebook.
type Session struct {
	Data string // path of the clouds, or "builtin"
	Out  string // folder for results
	Fast bool   // short form
	// Context ends work like the stop button; nil: nothing but the button does.
	Context context.Context
}

func (b *Session) context() context.Context {
	if b.Context == nil {
		return context.Background()
	}
	return b.Context
}

// Open reads the environment and makes the folder for results: $SWLAB_OUT, or swlab-out/NAME beside the
// notebook, or for a notebook inside this module's repository .out/NAME there.
func Open(name string) (*Session, error) {
	b := &Session{Data: os.Getenv("SWLAB_DATA"), Out: os.Getenv("SWLAB_OUT"), Fast: os.Getenv("FAST") == "1"}
	if b.Data == "" {
		b.Data = "builtin"
	}
	if b.Out == "" {
		dir, err := os.Getwd()
		if err != nil {
			return nil, err
		}
		b.Out = filepath.Join(dir, "swlab-out", name)
		if root := repositoryOf(dir); root != "" {
			b.Out = filepath.Join(root, ".out", name)
		}
	}
	return b, os.MkdirAll(filepath.Join(b.Out, "pictures"), 0o755)
}

// repository returns the repository that the notebook lies in, else $SWLAB_ROOT, which the kernel
// sets.
func repository() (string, error) {
	dir, err := os.Getwd()
	if err != nil {
		return "", err
	}
	root := cmp.Or(repositoryOf(dir), os.Getenv("SWLAB_ROOT"))
	if root == "" {
		return "", errors.New("this folder is not in the repository: start the notebook inside the repository, or on its kernel")
	}
	return root, nil
}

// repositoryOf returns the folder at or above dir that holds this module, or "".
func repositoryOf(dir string) string {
	for {
		text, err := os.ReadFile(filepath.Join(dir, "go.mod"))
		first, _, _ := strings.Cut(string(text), "\n")
		if err == nil && strings.TrimSpace(first) == "module github.com/sliced-wasserstein/lab" {
			return dir
		}
		up := filepath.Dir(dir)
		if up == dir {
			return ""
		}
		dir = up
	}
}

// Backend opens the best backend and prints which one and why.
func (b *Session) Backend() (*engine.Engine, error) {
	e, err := engine.Open("")
	if err != nil {
		return nil, err
	}
	if err := b.note("backend.json", map[string]string{"backend": e.Name, "why": e.Why}); err != nil {
		return nil, err
	}
	return e, nil
}

// Clouds loads the data with that many points per cloud, or all where there are fewer, centred and
// scaled, as training and test part. Data without parts are split by the seed: a fifth, but at
// least two clouds, for the test.
func (b *Session) Clouds(points int, seed uint64) (trainPart, testPart *datasets.Set, err error) {
	set, err := datasets.Load(b.Data, datasets.Options{Points: points, AtMost: true, Seed: seed})
	if err != nil {
		return nil, nil, err
	}
	if set.Clouds < 4 {
		return nil, nil, fmt.Errorf("%s: expected at least 4 clouds, 2 to train on and 2 to test, found %d", b.Data, set.Clouds)
	}
	if set.Split == nil {
		set = set.WithSplit(max(0.2, 2/float64(set.Clouds)), seed)
	}
	if trainPart, err = set.Part("train"); err != nil {
		return nil, nil, err
	}
	if testPart, err = set.Part("test"); err != nil {
		return nil, nil, err
	}
	if trainPart.Clouds < 2 || testPart.Clouds < 2 {
		return nil, nil, fmt.Errorf("%s: expected at least 2 clouds to train on and 2 to test, found %d and %d", b.Data, trainPart.Clouds, testPart.Clouds)
	}
	return trainPart, testPart, nil
}

// OnePerClass returns rows of at most `most` clouds of different classes, spread evenly over the
// classes, with their captions. Without labels the rows are spread evenly over the set.
func OnePerClass(set *datasets.Set, most int) (rows []int, captions []string) {
	if set.Labels == nil {
		for i := range min(most, set.Clouds) {
			row := i * set.Clouds / min(most, set.Clouds)
			rows, captions = append(rows, row), append(captions, fmt.Sprintf("cloud %d", row))
		}
		return rows, captions
	}
	first := map[int32]int{}
	var labels []int32
	for row, l := range set.Labels {
		if _, seen := first[l]; !seen {
			first[l] = row
			labels = append(labels, l)
		}
	}
	slices.Sort(labels)
	n := min(most, len(labels))
	for i := range n {
		l := labels[i*len(labels)/n]
		caption := fmt.Sprintf("class %d", l)
		if l >= 0 && int(l) < len(set.Classes) {
			caption = set.Classes[l]
		}
		rows, captions = append(rows, first[l]), append(captions, caption)
	}
	return rows, captions
}

// folder returns the folder of the run of c on set. The same run always has the same folder.
func (b *Session) folder(e *engine.Engine, set *datasets.Set, c train.Config) (string, error) {
	c = c.On(set)
	c.Backend = e.Name
	raw, err := json.Marshal(c)
	if err != nil {
		return "", err
	}
	sum := sha256.Sum256(raw)
	return filepath.Join(b.Out, "runs", hex.EncodeToString(sum[:4])), nil
}

// Train trains c on set in a folder of its own below Out, showing progress. The same configuration
// again resumes that run, or reads it if it is finished, so the cell stores the same output. The
// stop button ends it with an error and keeps a checkpoint.
func (b *Session) Train(e *engine.Engine, set *datasets.Set, c train.Config) (train.Result, error) {
	dir, err := b.folder(e, set, c)
	if err != nil {
		return train.Result{}, err
	}
	if r, err := train.ReadResult(dir); err == nil {
		defer b.time("reading the run trained before")()
		show.Progress(r.Steps, "training")(r.Steps, fmt.Sprintf("loss %.2f", r.Loss))
		return r, nil
	}
	defer b.time("training")()
	o := train.Options{Out: dir, Note: say}
	if _, err := train.ReadConfig(dir); err == nil {
		o.Resume = true
	}
	var tick func(int, string)
	w := stoppable(b.context())
	defer w.end()
	o.Progress = func(r train.Record, total int) {
		w.part(r.Step, total)
		if tick == nil {
			tick = show.Progress(total, "training")
		}
		tick(r.Step, fmt.Sprintf("loss %.2f", r.Loss))
	}
	r, err := train.Run(w, e, set, c, o)
	if err != nil && w.Err() != nil {
		err = errStopped
	}
	return r, err
}

// say prints what a training has to say.
func say(text string) { show.Say(text) }

// Finished reads the run of c on set that Train or Live has finished, and shows nothing. It is for
// the cells after the one that trains. A missing run is an error.
func (b *Session) Finished(e *engine.Engine, set *datasets.Set, c train.Config) (train.Result, error) {
	dir, err := b.folder(e, set, c)
	if err != nil {
		return train.Result{}, err
	}
	r, err := train.ReadResult(dir)
	if err != nil {
		return r, fmt.Errorf("no finished run of this configuration: run the cell that trains it first (%w)", err)
	}
	return r, nil
}

// time records the seconds until the returned function is called: defer b.time("training")().
func (b *Session) time(part string) func() {
	began := time.Now()
	return func() {
		var times []partTime
		b.read("times.json", &times)
		times = slices.DeleteFunc(times, func(t partTime) bool { return t.Part == part })
		show.Check(b.note("times.json", append(times, partTime{part, time.Since(began).Seconds()})))
	}
}

type partTime struct {
	Part    string  `json:"part"`
	Seconds float64 `json:"seconds"`
}

// Picture shows p and saves it as pictures/NAME.png. An error ends the cell.
func (b *Session) Picture(name string, p *vmfviz.Picture, err error) {
	show.Check(err)
	show.Check(p.Save(filepath.Join(b.Out, "pictures", name+".png")))
	show.Picture(p)
}

// Summary writes summary.json for `make run`: the trained row with its scores before and after, the
// backend, the times, the pictures.
func (b *Session) Summary(row string, before, after experiments.Scores) error {
	type scores struct {
		CD  float64 `json:"cd"`
		SW  float64 `json:"sw"`
		EMD float64 `json:"emd"`
	}
	short := func(s experiments.Scores) scores { return scores{s.CD.Mean, s.SW.Mean, s.EMD.Mean} }
	var times []partTime
	b.read("times.json", &times)
	backend := map[string]string{}
	b.read("backend.json", &backend)
	pictures, err := filepath.Glob(filepath.Join(b.Out, "pictures", "*.png"))
	if err != nil {
		return err
	}
	return b.note("summary.json", map[string]any{
		"backend": backend["backend"], "why": backend["why"], "data": b.Data,
		"row":   map[string]any{"name": row, "before": short(before), "after": short(after)},
		"times": times, "pictures": pictures,
	})
}

func (b *Session) note(file string, v any) error {
	return durable.WriteJSON(filepath.Join(b.Out, file), v)
}

// read decodes a file that the session wrote into v, and leaves v unchanged if there is none.
func (b *Session) read(file string, v any) {
	_, _ = durable.ReadJSON(filepath.Join(b.Out, file), v) // a file of another version counts as none
}

// Size returns full, or short in the short form.
func (b *Session) Size(full, short int) int {
	if b.Fast {
		return short
	}
	return full
}

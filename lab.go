// Package lab is sliced Wasserstein distances in one line a thought, for notebooks:
//
//	var x, y = lab.Cloud("chair"), lab.Cloud("bed")
//
//	%%
//	lab.VDSW(x, y, lab.Kappa(10), lab.Slices(1000))
//
// In a notebook, a process that lives as long as the kernel holds clouds, networks, compiled programs and
// results. Cells are thin programs that ask it, so a value at package level is computed once: an
// equal call is answered by what was found before. Calls are equal if their settings are, the clouds and
// the content of files, and the source of this module. In a plain program the same calls compute in
// the program itself.
//
// Functions do not return errors. In a notebook an error ends the cell with one line, elsewhere it is
// a panic. Packages below this one, such as swlab, return them.
//
// A setting that is not given is the one of the paper, see package swlab/loss. Every result has
// fields, a text form (String) and a form for notebooks (Show).
package lab

import (
	"bytes"
	"encoding/gob"
	"encoding/json"
	"errors"
	"fmt"
	"html"
	"maps"
	"math"
	"os"
	"reflect"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/janpfeifer/gonb/gonbui"

	"github.com/sliced-wasserstein/lab/internal/client"
)

// Clouds are one or more clouds of equally many points, which the process holds.
type Clouds struct {
	Name               string
	Count, Points, Dim int
	Classes            []string // names of classes, nil if unknown
	found              *client.Found
	points             string // name of the array
	labels             []int32
}

// Option is a setting of a call, by its own name, such as Kappa(10). Where several values are given,
// [Ablate] and [Sweep] vary it.
type Option struct {
	name   string
	values []string
	clouds *Clouds
	own    bool   // names what only this program has
	file   string // with weights, of a trained amortizer

	numbers []float64 // one for each point
}

func option[T any](name string, values ...T) Option {
	o := Option{name: name}
	for _, v := range values {
		o.values = append(o.values, fmt.Sprint(v))
	}
	return o
}

// Set is any setting by its name on the command line, such as Set("chain", 5).
func Set(name string, values ...any) Option {
	return option(strings.ReplaceAll(name, "-", "_"), values...)
}

// newRequest is a call with options of one value each.
func newRequest(function string, o []Option) client.Request {
	r := client.New(function)
	options(&r, o)
	return r
}

// call asks for what needs no more than options and arrays.
func call(function string, o []Option, in ...client.Input) *client.Found {
	r := newRequest(function, o)
	r.Inputs = append(r.Inputs, in...)
	return client.Ask(r)
}

// options puts options with one value into the settings.
func options(r *client.Request, o []Option) {
	for _, v := range o {
		r.Own = r.Own || v.own
		switch {
		case v.name == "":
		case v.clouds != nil:
			r.Inputs = append(r.Inputs, v.clouds.input(v.name))
		case v.numbers != nil:
			r.Inputs = append(r.Inputs, client.Raw(v.name, v.numbers, 1, len(v.numbers)))
		case len(v.values) != 1:
			client.Fail(fmt.Errorf("%s: expected one value, found %d; Ablate and Sweep take several", v.name, len(v.values)))
		default:
			set(r, v.name, v.values[0])
			if v.file != "" {
				set(r, "weights", v.file)
			}
		}
	}
}

// vary is options, but those with several values are the grid.
func vary(r *client.Request, o []Option) {
	var grid []string
	for _, v := range o {
		if len(v.values) > 1 {
			r.Own = r.Own || v.own
			grid = append(grid, v.name+"="+strings.Join(v.values, ","))
			delete(r.Settings, v.name)
			continue
		}
		options(r, []Option{v})
	}
	if grid != nil {
		r.Settings["vary"] = strings.Join(grid, ";")
	}
}

func set(r *client.Request, name, value string) {
	if name != "seed" {
		r.Settings[name] = value
		return
	}
	if _, err := fmt.Sscan(value, &r.Seed); err != nil {
		client.Fail(fmt.Errorf("seed: expected a whole number of at least 0, found %q", value))
	}
}

// Settings of distances; see loss.Config.
func Kappa(v ...float64) Option      { return option("kappa", v...) }        // concentration κ
func Slices(v ...int) Option         { return option("slices", v...) }       // number L of directions
func Power(v ...float64) Option      { return option("p", v...) }            // exponent p
func Slicing(v ...string) Option     { return option("slicing", v...) }      // slicing distribution
func AscentSteps(v ...int) Option    { return option("ascent_steps", v...) } // steps T of the ascent
func AscentRate(v ...float64) Option { return option("ascent_rate", v...) }  // learning rate of the ascent
func Seed(v uint64) Option           { return option("seed", v) }            // of everything random; 1 unless given
func Mean() Option                   { return option("reduce", "mean") }     // a mean over points in place of a sum
func Root() Option                   { return option("root", true) }         // the p-th root of the value

// Settings of trainings; see train.Config.
func Epochs(v ...int) Option           { return option("epochs", v...) }          // passes over the clouds
func Steps(v ...int) Option            { return option("steps", v...) }           // at most so many steps
func Batch(v ...int) Option            { return option("batch", v...) }           // clouds per step
func LearningRate(v ...float64) Option { return option("learning_rate", v...) }   // of the autoencoder
func On(c *Clouds) Option              { return Option{name: "data", clouds: c} } // clouds to train on
func Repeats(n int) Option             { return option("repeats", n) }            // how many seeds

// Amortizers predict the location of Max-SW and v-DSW.
var (
	L  = option("amortizer", "l")
	G  = option("amortizer", "g")
	N  = option("amortizer", "n")
	A  = option("amortizer", "a")
	EA = option("amortizer", "ea")
	LA = option("amortizer", "la")
)

// Losses vary the loss in [Ablate] and [Sweep].
func Losses(l ...Comparison) Option {
	o := Option{name: "loss"}
	for _, c := range l {
		o.values = append(o.values, c.loss().values...)
		o.own = o.own || c.loss().own
	}
	return o
}

// Show shows a value: what has a method Show by that, rows of texts below a header as a table, everything else as
// text. The kernel calls it with the last expression of a cell.
func Show(v any) {
	switch v := v.(type) {
	case interface{ Show() }:
		v.Show()
	case [][]string:
		client.Display(client.Table(v))
	default:
		client.Show(fmt.Sprint(v))
	}
}

// Cloud loads clouds: a class of built-in shapes such as "chair" (one cloud of 512 points), "builtin" (all of
// them), or a file or folder beside the notebook. Coordinates are the file's own.
func Cloud(name string, o ...Option) *Clouds { return load(name, false, o) }

// Shapes loads a set to train on, with its parts: "builtin", or a file or folder. Every cloud is
// centred and scaled to radius 1.
func Shapes(name string, o ...Option) *Clouds { return load(name, true, o) }

// Size is the number of points of a cloud of [Cloud] and [Shapes].
func Size(points int) Option { return option("points", points) }

func load(name string, all bool, o []Option) *Clouds {
	f := call("cloud", append(slices.Clone(o), Set("name", name), Set("all", all)))
	shape := f.Shape("points")
	c := &Clouds{Name: f.Text("name"), Count: shape[0], Points: shape[1], Dim: shape[2], found: f, points: "points"}
	if names := f.Text("classes"); names != "" {
		c.Classes = strings.Split(names, ",")
	}
	if f.Has("labels") {
		c.labels = client.Values[int32](f, "labels")
	}
	return c
}

// Points makes a cloud of your own numbers, [points, dim].
func Points[T float32 | float64](rows [][]T) *Clouds {
	var flat []T
	for i, row := range rows {
		if len(row) != len(rows[0]) {
			client.Fail(fmt.Errorf("points: row %d has %d coordinates, expected %d as row 0 has", i, len(row), len(rows[0])))
		}
		flat = append(flat, row...)
	}
	if len(flat) == 0 {
		client.Fail(fmt.Errorf("points: expected at least one point, found none"))
	}
	return made("", flat, 1, len(rows), len(rows[0]))
}

// made hands numbers to the process.
func made[T float32 | float64](name string, flat []T, shape ...int) *Clouds {
	f := call("array", nil, client.Raw("x", flat, shape...))
	return &Clouds{Name: name, Count: shape[0], Points: shape[1], Dim: shape[2], found: f, points: "x"}
}

// Coordinates returns the points, [Count, Points, Dim], row by row.
func (c *Clouds) Coordinates() []float32 {
	return client.Values[float32](c.found, c.points)
}

// Rows are the points, one after the other: what [Points] takes.
func (c *Clouds) Rows() (rows [][]float64) {
	for p := range slices.Chunk(c.Coordinates(), c.Dim) {
		row := make([]float64, c.Dim)
		for k, v := range p {
			row[k] = float64(v)
		}
		rows = append(rows, row)
	}
	return rows
}

func (c *Clouds) String() string {
	return fmt.Sprintf("%s: %d of %d points in dimension %d", c.Name, c.Count, c.Points, c.Dim)
}

// Plot draws the clouds, at most six of them.
func (c *Clouds) Plot() *Picture { return draw("clouds", nil, c.input("x")) }

// Show shows the picture in a notebook.
func (c *Clouds) Show() { c.Plot().Show() }

func (c *Clouds) input(name string) client.Input {
	return client.Input{Name: name, Of: c.found, Array: c.points}
}

// Comparison computes a distance of the clouds x and y. Of several clouds it compares pairs.
type Comparison func(x, y *Clouds, o ...Option) *Distance

// loss is the loss by its name on the command line.
func (c Comparison) loss() Option {
	d := c(nil, nil)
	return Option{name: "loss", values: []string{d.name}, own: d.own}
}

// Named returns the loss of that name on the command line.
func Named(name string) Comparison {
	return func(x, y *Clouds, o ...Option) *Distance {
		if x == nil && y == nil {
			return &Distance{name: name}
		}
		return distance(name, x, y, o)
	}
}

// The losses; see package swlab/loss.
var (
	SW           = Named("sw")
	OrthogonalSW = Named("orthogonal-sw")
	QMCSW        = Named("qmc-sw")
	CVSW         = Named("cv-sw")
	EBSW         = Named("eb-sw")
	RPSW         = Named("rp-sw")
	MarkovSW     = Named("markov-sw")
	ASW          = Named("asw")
	MaxSW        = Named("max-sw")
	VDSW         = Named("v-dsw")
	Chamfer      = Named("chamfer")
	EMD          = Named("emd-exact")
	ApproxEMD    = Named("emd-approx")
	Sinkhorn     = Named("sinkhorn-divergence")
)

// Distance is what a comparison has found.
type Distance struct {
	Loss       string  // its name in tables
	Convention string  // what the number is: sum or mean, with or without a root
	Value      float64 // mean over the pairs
	// StdErr is the standard error of Value over the directions, and Low to High its 95 % interval: 0 without random
	// directions, NaN for a single one.
	StdErr, Low, High   float64
	P                   float64 // the exponent; 0 without one
	Slices              int     // directions per pair; 0 without
	PerPair, PerPairErr []float64
	Warnings            []string // why the number may not be what you expect

	name  string
	own   bool
	found *client.Found
	x, y  *Clouds
}

func distance(name string, x, y *Clouds, o []Option) *Distance {
	if x == nil || y == nil {
		client.Fail(fmt.Errorf("%s: expected two clouds, found one", name))
	}
	f := call("distance", append(slices.Clone(o), Set("loss", name)), x.input("x"), y.input("y"))
	d := &Distance{name: name, found: f, x: x, y: y, Loss: f.Text("loss"), Convention: f.Text("convention"),
		Value: f.Number("value"), StdErr: f.Number("stderr"), P: f.Number("p"), PerPair: client.Values[float64](f, "per_pair"),
		PerPairErr: client.Values[float64](f, "per_pair_stderr"), Warnings: f.Warnings()}
	interval := client.Values[float64](f, "interval")
	d.Low, d.High = interval[0], interval[1]
	d.Slices, _ = strconv.Atoi(f.Text("slices"))
	return d
}

// Costs are those of every direction, [pairs, directions]; nil without directions.
func (d *Distance) Costs() []float32 { return d.float32s("costs") }

// Directions are unit vectors, [pairs, directions, dim]; nil without directions.
func (d *Distance) Directions() []float32 { return d.float32s("directions") }

// Location is that of the slicing distribution, [pairs, dim]; nil without one.
func (d *Distance) Location() []float32 { return d.float32s("location") }

func (d *Distance) float32s(name string) []float32 {
	if !d.found.Has(name) {
		return nil
	}
	return client.Values[float32](d.found, name)
}

func (d *Distance) String() string {
	number := fmt.Sprintf("%.8g", d.Value)
	switch {
	case d.Slices > 0 && math.IsNaN(d.StdErr):
		number = fmt.Sprintf("%.6g, error unknown: too few independent directions", d.Value)
	case d.Slices > 0:
		number = fmt.Sprintf("%.6g ± %.2g, 95 %% between %.6g and %.6g over directions", d.Value, d.StdErr, d.Low, d.High)
	}
	text := fmt.Sprintf("%s %s (%s)", d.Loss, number, d.Convention)
	for _, w := range d.Warnings {
		text += "\nwarning: " + w
	}
	return text
}

// Show shows value, error and convention.
func (d *Distance) Show() { client.Show(d.String()) }

// Slice draws the slice along a direction; without one, along the most expensive of the distance's.
func (d *Distance) Slice(theta ...float64) *Picture { return d.slice("slice", theta) }

// Turn is Slice along a direction that the reader turns in a notebook, with its place among the costs of all directions.
func (d *Distance) Turn(theta ...float64) *Picture { return d.slice("turn", theta) }

func (d *Distance) slice(kind string, theta []float64) *Picture {
	in := []client.Input{d.x.input("x"), d.y.input("y")}
	if len(theta) > 0 {
		flat := make([]float32, len(theta))
		for i, v := range theta {
			flat[i] = float32(v)
		}
		in = append(in, client.Raw("theta", flat, len(flat)))
	}
	settings := map[string]string{}
	if d.found.Has("directions") {
		in = append(in, d.found.Input("directions"))
		if d.Convention == "W_2^2: mean over points, mean over slices, no root" && d.x.Count == 1 {
			settings["stderr"] = fmt.Sprint(d.StdErr)
		}
	}
	return draw(kind, settings, in...)
}

// Sphere draws the directions, and the location where there is one, in three dimensions.
func (d *Distance) Sphere() *Picture {
	var in []client.Input
	for _, name := range []string{"directions", "location"} {
		if d.found.Has(name) {
			in = append(in, d.found.Input(name))
		}
	}
	return draw("sphere", nil, in...)
}

// Plot is Slice without a direction or, without directions, the two clouds.
func (d *Distance) Plot() *Picture {
	if d.found.Has("directions") && (d.x.Dim == 2 || d.x.Dim == 3) {
		return d.Slice()
	}
	return draw("clouds", nil, d.x.input("x"), d.y.input("y"))
}

// Optimum is how near a distance's location is to the best direction for a pair of clouds. Costs are W₂² of
// the projections, a mean over points.
type Optimum struct {
	Location, Best []float32 // directions
	Cost, Highest  float64   // of the two
	Gap            float64   // that no direction costs more than Highest + Gap
	Angle          float64   // between the axes, in degrees: θ and −θ cost the same
	name           string
	picture        *Picture // nil but in space
}

// Optimum finds the best direction of all, as Max-SW with certify does, and compares the location with it.
func (d *Distance) Optimum() *Optimum {
	at := d.Location()
	if len(at) == 0 || d.x.Count != 1 {
		client.Fail(errors.New("optimum: expected a distance of one pair of clouds that has a location, as Max-SW and v-DSW do"))
	}
	x, y := d.x.input("x"), d.y.input("y")
	best := call("distance", []Option{Set("loss", "max-sw"), Mean(), Set("certify", true)}, x, y)
	there := call("distance", []Option{Set("loss", "sw"), Mean()}, x, y, client.Raw("directions", at, 1, len(at)))
	o := &Optimum{Location: at, Best: client.Values[float32](best, "location"), Cost: there.Number("value"),
		Highest: best.Number("value"), name: d.Loss}
	o.Gap = client.Values[float64](best, "duality_gap")[0]
	cos := 0.0
	for i, v := range at {
		cos += float64(v) * float64(o.Best[i])
	}
	o.Angle = math.Acos(min(1, math.Abs(cos))) * 180 / math.Pi
	if d.x.Dim == 3 {
		o.picture = draw("landscape", map[string]string{"blur": wholeF}, x, y, client.Raw("location", at, len(at)),
			client.Raw("optimum", o.Best, len(at)))
	}
	return o
}

func (o *Optimum) String() string {
	return fmt.Sprintf("%s: its location costs %.4g, %.3g %% of the highest cost %.4g; the axes are %.3g° apart",
		o.name, o.Cost, 100*o.Cost/o.Highest, o.Highest, o.Angle)
}

// Show shows the numbers and, in space, the cost of every direction with the location as an arrow and the best
// direction as a ring.
func (o *Optimum) Show() {
	client.Show(o.String())
	if o.picture != nil {
		o.picture.Show()
	}
}

// Plot is that picture; nil in other dimensions than three.
func (o *Optimum) Plot() *Picture { return o.picture }

// Picture is a picture that can be shown and saved.
type Picture struct {
	Alt     string // what it shows, in words
	found   *client.Found
	caption string
}

// Caption puts a sentence below the picture: what it shows that the reader should take away.
func (p *Picture) Caption(text string) *Picture {
	q := *p
	q.caption = text
	return &q
}

func draw(kind string, settings map[string]string, in ...client.Input) *Picture {
	r := client.New("picture", in...)
	maps.Copy(r.Settings, settings)
	r.Settings["kind"] = kind
	f := client.Ask(r)
	return &Picture{found: f, Alt: f.Text("alt")}
}

func (p *Picture) String() string { return "[picture: " + p.Alt + "]" }

// Show shows the picture.
func (p *Picture) Show() {
	width, err := strconv.Atoi(p.found.Text("width"))
	client.Check(err)
	client.Picture(client.Values[uint8](p.found, "png"), width, p.Alt, p.found.Text("turns"), p.caption)
}

// Save writes the picture beside the notebook; the name ends in .png, .svg or .pdf.
func (p *Picture) Save(path string) {
	r := p.found.Request
	r.Function, r.Settings = "save", maps.Clone(r.Settings)
	r.Settings["out"] = path
	client.Ask(r)
}

// Curve draws y against x. The x axis is logarithmic where its values are positive and span a
// factor of 20; then so is the y axis if its values span one of 8.
func Curve(xLabel, yLabel string, x, y []float64) *Picture {
	return Curves(xLabel, yLabel, Data{X: x, Y: y})
}

// VMF draws von Mises-Fisher distributions on the sphere side by side, for each κ 400 directions around the location, of any
// length but 0, from the same random numbers, with the share on its far side; in a notebook the first, with a slider of κ.
func VMF(location []float64, kappa ...float64) *Picture {
	return draw("vmf", map[string]string{"kappa": list(kappa)}, client.Raw("location", location, len(location)))
}

// Ablation is a distance over a grid of settings, each with several seeds.
type Ablation struct {
	Rows       []AblationRow
	Convention string
	Warnings   []string

	found *client.Found
}

// AblationRow is a point of the grid.
type AblationRow struct {
	Settings map[string]string
	Values   []float64 // by seed
	Mean, SD float64   // over the seeds; SD is 0 for one
}

// Ablate computes a distance for every combination of the options that have several values. Without a
// loss it is v-DSW.
func Ablate(x, y *Clouds, o ...Option) *Ablation {
	r := client.New("ablate", x.input("x"), y.input("y"))
	r.Settings["loss"] = "v-dsw"
	vary(&r, o)
	f := client.Ask(r)
	a := &Ablation{Convention: f.Text("convention"), Warnings: f.Warnings(), found: f}
	var rows []map[string]string
	f.JSON("rows", &rows)
	all := client.Values[float64](f, "values")
	n := len(all) / max(1, len(rows))
	for i, settings := range rows {
		row := AblationRow{Settings: settings, Values: all[i*n : (i+1)*n]}
		row.Mean, row.SD = meanAndSD(row.Values)
		a.Rows = append(a.Rows, row)
	}
	return a
}

func meanAndSD(v []float64) (mean, sd float64) {
	for _, x := range v {
		mean += x / float64(len(v))
	}
	for _, x := range v {
		sd += (x - mean) * (x - mean)
	}
	if len(v) > 1 {
		return mean, math.Sqrt(sd / float64(len(v)-1))
	}
	return mean, 0
}

// names are the settings that vary, in order.
func (a *Ablation) names() []string {
	seen := map[string]string{}
	for _, r := range a.Rows {
		maps.Copy(seen, r.Settings)
	}
	return slices.Sorted(maps.Keys(seen))
}

// Curves draws the mean against one setting, a curve for every combination of the others. A band is one standard
// deviation over the seeds. Without a name it is the setting with the most numbers.
func (a *Ablation) Curves(along ...string) *Picture {
	settings := map[string]string{"rows": a.found.Text("rows"), "y": a.Convention}
	if len(along) > 0 {
		settings["x"] = along[0]
	}
	return draw("ablation", settings, a.found.Input("values"))
}

func (a *Ablation) table() [][]string {
	names := a.names()
	rows := [][]string{append(slices.Clone(names), "mean", "sd over seeds")}
	for _, r := range a.Rows {
		var row []string
		for _, name := range names {
			row = append(row, r.Settings[name])
		}
		rows = append(rows, append(row, fmt.Sprintf("%.6g", r.Mean), fmt.Sprintf("%.2g", r.SD)))
	}
	return rows
}

func (a *Ablation) String() string {
	_, text := client.Table(a.table())
	return text + a.Convention
}

// Show shows a table.
func (a *Ablation) Show() {
	code, text := client.Table(a.table())
	client.Display(code+"<p>"+html.EscapeString(a.Convention)+"</p>", text+a.Convention)
}

// Save writes the rows as .csv, or the curves as .png, .svg or .pdf.
func (a *Ablation) Save(path string) {
	if !strings.HasSuffix(path, ".csv") {
		a.Curves().Save(path)
		return
	}
	var b strings.Builder
	for _, row := range a.table() {
		fmt.Fprintln(&b, strings.Join(row, ","))
	}
	client.Check(os.WriteFile(path, []byte(b.String()), 0o644))
}

// Run is a training.
type Run struct {
	Loss    float64 // mean of the last epoch
	Steps   int
	Folder  string // with weights, log and checkpoints
	Backend string
	found   *client.Found
	by      Option // the amortizer, if any
	state   string // of its weights: "weights", of the last step, or "best"
}

// Train trains the autoencoder on a loss. The output grows while it works: losses, and clouds with their
// reconstructions. The stop button keeps a checkpoint; the same call goes on from there, and a
// finished training is read. What is not given has the size of the tables' preset quick: 3 epochs,
// batches of 32.
func Train(l Comparison, o ...Option) *Run {
	f := call("train", append([]Option{l.loss()}, o...))
	run := &Run{Loss: f.Number("loss"), Steps: int(client.Values[int32](f, "steps")[0]), Folder: f.Text("run"),
		Backend: f.Text("backend"), found: f, state: "weights"}
	for _, v := range o {
		if v.name == "amortizer" {
			run.by = v
			run.by.file = run.Amortizer()
		}
	}
	return run
}

// Losses are those of all steps.
func (r *Run) Losses() []float64 { return client.Values[float64](r.found, "losses") }

// Amortizer is the file with the amortizer's weights.
func (r *Run) Amortizer() string { return r.Folder + "/amortizer.safetensors" }

// Amortized makes a distance take its location from the trained amortizer.
func (r *Run) Amortized() Option {
	if r.by.file == "" {
		client.Fail(errors.New("amortized: this training has no amortizer"))
	}
	return r.by
}

func (r *Run) String() string {
	return fmt.Sprintf("%d steps on %s, loss %.4g, in %s", r.Steps, r.Backend, r.Loss, r.Folder)
}

// Show shows losses and reconstructions, and how far the training came.
func (r *Run) Show() { r.found.Show("<pre>"+html.EscapeString(r.String())+"</pre>", r.String()) }

// Sheet is a table with numbers in several formats.
type Sheet struct {
	Rows  []Row // of a sweep, in the order of its grid; nil otherwise
	found *client.Found
}

// Row is a point of the grid of a sweep.
type Row struct {
	Settings map[string]any      // those that vary
	Values   map[string]struct { // by metric: cd, sw, emd_approx, emd_exact
		Mean   float64
		Values []float64 // by seed
	}
	// Difference from the first row, by metric, over test clouds: its 95 % interval is from Low to High. The first
	// row has none.
	Difference map[string]struct{ Mean, Low, High float64 }
}

// Sweep trains over a grid: the options with several values vary. It shows table and plot while it works, unless "live"
// is [Set] to false. Without a loss it is LA v-DSW on the built-in shapes.
func Sweep(o ...Option) *Sheet {
	r := client.New("sweep")
	var all []Option
	for _, v := range o {
		if v.clouds != nil {
			all = append(all, option("points", v.clouds.Points))
			v = option("data", v.clouds.found.Request.Settings["name"])
		}
		all = append(all, v)
	}
	vary(&r, all)
	t := &Sheet{found: client.Ask(r)}
	var read struct{ Rows []Row }
	t.found.JSON("json", &read)
	t.Rows = read.Rows
	return t
}

// Table makes a table of the paper: toy-sized unless a [Preset] says otherwise, and all of its rows unless [Rows] names
// some.
func Table(name string, o ...Option) *Sheet {
	return &Sheet{found: call("table", append(slices.Clone(o), Set("name", name)))}
}

// Preset is the size of a table: smoke, quick, desk or paper.
func Preset(name string) Option { return option("preset", name) }

// Rows are the rows of a table, by ids or names.
func Rows(names ...string) Option { return option("rows", strings.Join(names, ",")) }

// Metric is the column of a table that [Results] draws; several are drawn for one row.
func Metric(names ...string) Option { return option("metric", strings.Join(names, ",")) }

// Title is what a picture of [Results] shows.
func Title(claim string) Option { return option("title", claim) }

// Against is the row that [Results] compares the others with, as its picture names it.
func Against(row string) Option { return option("against", row) }

// Seeds makes [Results] draw groups of seeds, by their places, such as "1-5": a dot for each seed, over the group's
// interval. Of several groups each has a line, in their order.
func Seeds(groups ...string) Option { return option("seeds", strings.Join(groups, ",")) }

// Results shows what has been measured for a table of the paper, docs/results: a picture, of all [Rows] or of some, the
// verdict and the table. By another [Metric], [Against] another row, or of the first seeds alone ([Repeats]) it draws
// the same runs again.
func Results(name string, o ...Option) {
	call("results", append(slices.Clone(o), Set("name", name)))
	gonbui.Sync()
}

func (t *Sheet) String() string { return t.found.Text("text") }

// Show shows the table.
func (t *Sheet) Show() { t.found.Show("", t.String()) }

// Save writes the table beside the notebook: .md, .csv, .tex or .json.
func (t *Sheet) Save(path string) {
	format := map[string]string{"md": "md", "csv": "csv", "tex": "latex", "json": "json", "html": "html", "txt": "text"}[path[strings.LastIndex(path, ".")+1:]]
	text := t.found.Text(format)
	if text == "" {
		client.Fail(fmt.Errorf("%s: expected a name that ends in .md, .csv, .tex, .json, .html or .txt", path))
	}
	client.Check(os.WriteFile(path, []byte(text), 0o644))
}

// GapResult is one row of the study of the amortization gap; see experiments/gap.Result.
type GapResult map[string]any

// Gap measures how far an amortizer's location falls below the best one, on pairs of the clouds.
func Gap(o ...Option) GapResult {
	var out GapResult
	call("gap", o).JSON("result", &out)
	return out
}

// Show shows the result.
func (g GapResult) Show() {
	raw, err := json.MarshalIndent(g, "", "  ")
	client.Check(err)
	client.Show(string(raw))
}

// Keep returns the value of f, which is computed once: later cells get what is kept under that name, as long as
// f and all that it calls in the notebook have the same source. What f reads besides, a clock or a
// file, is yours to forget ([Forget]). Values keep their exported fields.
func Keep[T any](name string, f func() T) T {
	r := client.New("kept")
	r.Settings["name"] = name
	r.Settings["frames"], r.Settings["built"] = callers()
	name = runtime.FuncForPC(reflect.ValueOf(f).Pointer()).Name()
	if _, outside, _ := strings.Cut(name, "."); !strings.HasPrefix(outside, "init.") && !strings.HasPrefix(outside, "glob.") {
		r.Settings["function"] = name
	}
	kept := client.Ask(r)
	var v T
	if kept.Has("value") {
		client.Check(gob.NewDecoder(bytes.NewReader(client.Values[uint8](kept, "value"))).Decode(&v))
		return v
	}
	v = f()
	var b bytes.Buffer
	client.Check(gob.NewEncoder(&b).Encode(v))
	call("keep", []Option{Set("name", r.Settings["name"]), Set("code", kept.Text("code"))}, client.Raw("value", b.Bytes(), b.Len()))
	return v
}

// callers are the frames of the caller's caller, and when this program was built.
func callers() (frames, built string) {
	pcs := make([]uintptr, 64)
	from := runtime.CallersFrames(pcs[:runtime.Callers(2, pcs)])
	type frame struct {
		Function, File string
		Line           int
	}
	var all []frame
	for more := true; more; {
		var f runtime.Frame
		f, more = from.Next()
		all = append(all, frame{f.Function, f.File, f.Line})
	}
	raw, err := json.Marshal(all)
	client.Check(err)
	path, err := os.Executable()
	client.Check(err)
	info, err := os.Stat(path)
	client.Check(err)
	return string(raw), info.ModTime().Format(time.RFC3339Nano)
}

// Vars shows what is kept: what it is, its arrays, bytes, how long it took, and when it was used.
func Vars() {
	f := call("variables", nil)
	var rows []struct {
		What, Shapes string
		Bytes        int64
		Seconds, Age float64
	}
	f.JSON("rows", &rows)
	cells := [][]string{{"what", "arrays", "memory", "took", "used"}}
	for _, r := range rows {
		cells = append(cells, []string{r.What, r.Shapes, fmt.Sprintf("%.1f kB", float64(r.Bytes)/1e3), fmt.Sprintf("%.2g s", r.Seconds),
			fmt.Sprintf("%.0f s ago", r.Age)})
	}
	limit, _ := strconv.ParseFloat(f.Text("limit"), 64)
	code, text := client.Table(cells)
	bound := fmt.Sprintf("Beyond %.2g GB, what was not used for longest is forgotten.", limit/1e9)
	client.Display(code+"<p>"+bound+"</p>", text+bound)
}

// Forget forgets what is kept by that name, as in the first column of [Vars]; without a name, everything.
func Forget(what ...string) {
	if len(what) == 0 {
		what = []string{""}
	}
	for _, w := range what {
		call("forget", []Option{Set("what", w)})
	}
}

// Restart ends the process: all that it holds is forgotten, and the next call starts another.
func Restart() {
	if client.Socket == "" {
		Forget()
		return
	}
	call("restart", nil)
}

// Share makes this notebook use the process of that name, with all others of this user that do. It
// ends when none of them has called for twelve hours.
func Share(name string) { client.Check(client.Share(name)) }

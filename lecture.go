package lab

import (
	"encoding/json"
	"fmt"
	"maps"
	"math"
	"os"
	"slices"
	"strconv"
	"strings"

	"github.com/sliced-wasserstein/lab/internal/client"
)

// Fast returns a number for this run of the notebook: the first one, or the second in the short form (FAST=1), whose
// numbers mean nothing.
func Fast[T any](full, short T) T {
	if os.Getenv("FAST") == "1" {
		return short
	}
	return full
}

// F is the cost of the slice along a direction of any length but 0: W₂² of the projections, a mean over points.
func (d *Distance) F(theta ...float64) float64 { return d.Along(theta)[0] }

// Along are the costs of the slices along directions, one after the other.
func (d *Distance) Along(directions ...[]float64) []float64 { return along(d, wholeF, directions) }

const wholeF = "+Inf" // the concentration that stands for F

func along(d *Distance, blur string, directions [][]float64) []float64 {
	var flat []float64
	for _, v := range directions {
		flat = append(flat, v...)
	}
	f := call("slice_costs", []Option{Set("blur", blur)}, d.x.input("x"), d.y.input("y"),
		client.Raw("directions", flat, len(directions), len(flat)/max(1, len(directions))))
	return client.Values[float64](f, "values")
}

// Landscape is a function of all directions with its picture: F, the cost of a slice, or its mean around every
// direction.
type Landscape struct {
	*Picture
	Mean            float64   // over all directions
	Lowest, Highest float64   // its smallest and largest value
	Worst, Best     []float64 // where they are
	found           *client.Found
	of              *Distance
	blur            string
}

// Landscape is F for all directions, in the plane or in space. With a concentration κ it is J_κ, the mean of F under a von
// Mises-Fisher distribution around every direction. Of several, the picture shows one beside the other, and the
// numbers are those of the first; math.Inf(1) stands for F.
func (d *Distance) Landscape(kappa ...float64) *Landscape {
	if len(kappa) == 0 {
		kappa = []float64{math.Inf(1)}
	}
	in, first := []client.Input{d.x.input("x"), d.y.input("y")}, fmt.Sprint(kappa[0])
	f := call("landscape", []Option{Set("blur", first)}, in...)
	if d.found.Has("location") {
		in = append(in, d.found.Input("location"))
	}
	l := &Landscape{Picture: draw("landscape", map[string]string{"blur": list(kappa)}, in...), found: f, of: d, blur: first,
		Mean: f.Number("mean"), Lowest: f.Number("lowest"), Highest: f.Number("highest")}
	for at, name := range map[*[]float64]string{&l.Worst: "lowest_at", &l.Best: "highest_at"} {
		for _, v := range client.Values[float32](f, name) {
			*at = append(*at, float64(v))
		}
	}
	return l
}

// list has numbers with commas between them.
func list(v []float64) string {
	var all []string
	for _, x := range v {
		all = append(all, fmt.Sprint(x))
	}
	return strings.Join(all, ",")
}

// Rings is the picture in space with rings around unit vectors and their opposites, which have the same value.
func (l *Landscape) Rings(theta ...[]float64) *Picture {
	r := l.Picture.found.Request
	var flat []float32
	for _, v := range theta {
		for _, sign := range []float64{1, -1} {
			for _, c := range v {
				flat = append(flat, float32(sign*c))
			}
		}
	}
	return draw("landscape", r.Settings, append(slices.Clone(r.Inputs), client.Raw("optimum", flat, len(flat)))...)
}

// Circles is the landscape whose picture, in space, has the great circles orthogonal to unit vectors.
func (l *Landscape) Circles(theta ...[]float64) *Landscape {
	r, m := l.Picture.found.Request, *l
	var flat []float32
	for _, v := range theta {
		for _, c := range v {
			flat = append(flat, float32(c))
		}
	}
	m.Picture = draw("landscape", r.Settings, append(slices.Clone(r.Inputs), client.Raw("circles", flat, len(flat)))...)
	return &m
}

// Way is the landscape whose picture, in space, has per cent of the way from its mean up to its top, with rings there.
// Paths are a start and an end each, six numbers, drawn from hollow to full.
func (l *Landscape) Way(paths ...[]float32) *Landscape {
	r, m := l.Picture.found.Request, *l
	settings, in := maps.Clone(r.Settings), slices.Clone(r.Inputs)
	settings["way"] = "true"
	if len(paths) > 0 {
		in = append(in, client.Raw("paths", slices.Concat(paths...), len(paths), len(paths[0])))
	}
	m.Picture = draw("landscape", settings, in...)
	return &m
}

// Up is how far a value is on the way from the mean, 0, up to the top, 100.
func (l *Landscape) Up(value float64) float64 { return 100 * (value - l.Mean) / (l.Highest - l.Mean) }

// At is its value at a direction of any length but 0.
func (l *Landscape) At(theta ...float64) float64 { return along(l.of, l.blur, [][]float64{theta})[0] }

// Values are its values on a grid of directions: of the circle, at 720 angles from 0; of the sphere, SphereGrid(64) of
// package vmfviz.
func (l *Landscape) Values() []float64 { return client.Values[float64](l.found, "values") }

// Data is a curve of [Curves].
type Data struct {
	Label string    `json:"label"`
	X, Y  []float64 `json:"-"`
	Err   []float64 `json:"-"`    // standard errors of Y; nil: none
	Dots  bool      `json:"dots"` // measured: discs, with bars of Err
	Thin  bool      `json:"thin"` // a theory: a thin line; of Dots, small discs
}

// Line is the curve of a function.
func Line[T int | float64](label string, x []T, f func(x T) float64) Data {
	d := Data{Label: label}
	for _, v := range x {
		d.X, d.Y = append(d.X, float64(v)), append(d.Y, f(v))
	}
	return d
}

// Theory is the thin curve of a function, to lie over [Dots].
func Theory[T int | float64](label string, x []T, f func(x T) float64) Data {
	d := Line(label, x, f)
	d.Thin = true
	return d
}

// Dots are measurements with their standard errors; an error of 0 has no bar.
func Dots[T int | float64](label string, x []T, f func(x T) (value, stderr float64)) Data {
	d := Data{Label: label, Dots: true}
	for _, v := range x {
		value, e := f(v)
		d.X, d.Y, d.Err = append(d.X, float64(v)), append(d.Y, value), append(d.Err, e)
	}
	return d
}

// Curves draws curves, with their labels at their right ends. The x axis is logarithmic where its values are positive and
// span a factor of 20; then so is the y axis if its values span one of 8. Dots side by side, the first curve left of the
// second and so on, are columns, with the labels as their names below.
func Curves(xLabel, yLabel string, curves ...Data) *Picture {
	lines, err := json.Marshal(curves)
	client.Check(err)
	var in []client.Input
	for i, c := range curves {
		for name, v := range map[string][]float64{"x": c.X, "y": c.Y, "e": c.Err} {
			if v != nil {
				in = append(in, client.Raw(name+strconv.Itoa(i), v, len(v)))
			}
		}
	}
	return draw("curves", map[string]string{"x": xLabel, "y": yLabel, "lines": string(lines)}, in...)
}

// Matchings draws numbers x on a line above equally many y, joined by each of the matchings, with its cost: match[i] is the
// partner of x[i].
func Matchings(x, y []float64, matches ...[]int) *Picture {
	var flat []float64
	for _, m := range matches {
		for _, k := range m {
			flat = append(flat, float64(k))
		}
	}
	return draw("matchings", nil, client.Raw("x", x, len(x)), client.Raw("y", y, len(y)),
		client.Raw("matches", flat, len(matches), len(flat)/max(1, len(matches))))
}

// Cells are a table that grows row by row.
type Cells struct{ rows [][]string }

// Columns begins a table with the names of its columns.
func Columns(names ...string) *Cells { return &Cells{[][]string{names}} }

// Value is a number with its standard error.
type Value struct{ Value, Err float64 }

// String has as many digits as the error allows: 0.0532 ± 0.0014.
func (v Value) String() string {
	if !(v.Err > 0) || math.IsInf(v.Err, 0) {
		return fmt.Sprintf("%.4g", v.Value)
	}
	digits := max(0, 1-int(math.Floor(math.Log10(v.Err))))
	return fmt.Sprintf("%.*f ± %.*f", digits, v.Value, digits, v.Err)
}

// Percent is a share, in percent.
type Percent float64

func (p Percent) String() string { return fmt.Sprintf("%.3g %%", 100*float64(p)) }

// Row adds a row and returns the table. Numbers have four digits, a [Distance] and a [Value] as many as their error allows.
func (t *Cells) Row(cells ...any) *Cells {
	var row []string
	for _, c := range cells {
		switch c := c.(type) {
		case float64:
			row = append(row, fmt.Sprintf("%.4g", c))
		case *Distance:
			row = append(row, Value{c.Value, c.StdErr}.String())
		default:
			row = append(row, fmt.Sprint(c))
		}
	}
	t.rows = append(t.rows, row)
	return t
}

// Show shows the table.
func (t *Cells) Show() { Show(t.rows) }

// Prediction is a question before a picture, or what the picture says to it.
type Prediction struct {
	ID       string   `json:"id"`
	Question string   `json:"question,omitempty"`
	Choices  []string `json:"choices,omitempty"`
	Low      float64  `json:"low"`
	High     float64  `json:"high"`
	Answer   string   `json:"answer,omitempty"`
	Reason   string   `json:"reason,omitempty"`
}

// Predict asks a question before the picture that decides it. The reader's browser keeps what was chosen, and [Answer]
// of the same id says it again below the picture. No server is needed.
func Predict(id, question string, choices ...string) *Prediction {
	return &Prediction{ID: id, Question: question, Choices: choices}
}

// PredictNumber is [Predict] of a number between low and high.
func PredictNumber(id, question string, low, high float64) *Prediction {
	return &Prediction{ID: id, Question: question, Low: low, High: high}
}

// Answer says what is right, the text of a choice or a number, and why, beside what the reader has said.
func Answer(id string, right any, reason string) *Prediction {
	text := fmt.Sprint(right)
	if v, ok := right.(float64); ok {
		text = fmt.Sprintf("%.3g", v)
	}
	return &Prediction{ID: id, Answer: text, Reason: reason}
}

func (p *Prediction) String() string {
	switch {
	case p.Answer != "":
		return p.Answer + ". " + p.Reason
	case p.Choices == nil:
		return fmt.Sprintf("Predict, between %g and %g. %s", p.Low, p.High, p.Question)
	}
	return "Predict. " + p.Question + "\n- " + strings.Join(p.Choices, "\n- ")
}

// Show shows it; where scripts do not run, as text.
func (p *Prediction) Show() { client.Predict(p, p.String()) }

// Flows are clouds that moved down the gradients of losses, point by point.
type Flows struct {
	Rows  []Flow
	Steps []int // of W2
	found *client.Found
}

// Flow is one of them.
type Flow struct {
	Label    string
	Settings map[string]string // those that vary
	Losses   []float64         // before every step, and after the last
	W2       []float64         // the exact distance to the target, after Steps
}

// Descend moves the points of a cloud down the gradient of a loss to a target of as many points. Options with several
// values make as many flows; without a loss it is SW. LearningRate is that of the effective step, 0.2 unless given: it is
// divided by the curvature of the loss. Directions are drawn once and kept, but those of v-DSW and with [Fresh].
func Descend(from, to *Clouds, o ...Option) *Flows {
	r := client.New("descend", to.input("x"), from.input("y"))
	vary(&r, o)
	f := client.Ask(r)
	out := &Flows{found: f}
	var labels []string
	var settings []map[string]string
	f.JSON("labels", &labels)
	f.JSON("rows", &settings)
	for _, s := range client.Values[int32](f, "steps") {
		out.Steps = append(out.Steps, int(s))
	}
	losses, w2 := client.Values[float64](f, "losses"), client.Values[float64](f, "w2")
	for i, name := range labels {
		n, m := len(losses)/len(labels), len(w2)/len(labels)
		out.Rows = append(out.Rows, Flow{name, settings[i], losses[i*n : (i+1)*n], w2[i*m : (i+1)*m]})
	}
	return out
}

// Fresh draws new directions in every step of a flow.
func Fresh(v ...bool) Option { return option("fresh", v...) }

// Plot draws states of every flow over the target, and plays them in a notebook.
func (f *Flows) Plot() *Picture {
	var in []client.Input
	for i := range f.Rows {
		in = append(in, f.found.Input(fmt.Sprintf("frames%d", i)))
	}
	for _, name := range []string{"target", "w2", "steps"} {
		in = append(in, f.found.Input(name))
	}
	return draw("flows", map[string]string{"labels": f.found.Text("labels")}, in...)
}

// Curves draws W₂ to the target against the step, down to a thousandth of the first.
func (f *Flows) Curves() *Picture {
	var all []Data
	for _, r := range f.Rows {
		d := Data{Label: r.Label}
		for i, w := range r.W2 {
			if w < 1e-3*r.W2[0] {
				break
			}
			d.X, d.Y = append(d.X, float64(f.Steps[i])), append(d.Y, w)
		}
		all = append(all, d)
	}
	return Curves("step", "W₂ to the target", all...)
}

// End is the cloud of flow k after the last step.
func (f *Flows) End(k int) *Clouds {
	c := cloudsOf(f.found, fmt.Sprintf("frames%d", k))
	return Points(c.Rows()[(c.Count-1)*c.Points:])
}

// Show shows the states.
func (f *Flows) Show() { f.Plot().Show() }

func (f *Flows) String() string {
	rows := [][]string{{"loss", "W₂ at the start", "at the end"}}
	for _, r := range f.Rows {
		rows = append(rows, []string{r.Label, fmt.Sprintf("%.4f", r.W2[0]), fmt.Sprintf("%.4f", r.W2[len(r.W2)-1])})
	}
	_, text := client.Table(rows)
	return text
}

// Pretrained is the network of docs/network.md, in that folder of the repository: `make network` trains it.
func Pretrained() *Run {
	r := &Run{Folder: os.Getenv("SWLAB_ROOT") + "/runs/network", state: "best"}
	if _, err := os.Stat(r.Folder); err != nil {
		client.Fail(fmt.Errorf("there is no network in runs/network: `make network` trains it in about an hour and a half (%w)", err))
	}
	return r
}

// Looks draws what the network made of test clouds at its first look, after a fifth of the steps and after the last, and
// plays all looks, from the first step on, in a notebook.
func (r *Run) Looks() *Picture {
	var in []client.Input
	for _, name := range []string{"watched", "looks", "steps_of_looks"} {
		in = append(in, r.found.Input(name))
	}
	return draw("looks", map[string]string{"labels": r.found.Text("labels")}, in...)
}

// Encode returns the codes of clouds, as a cloud of as many points in 256 dimensions.
func (r *Run) Encode(c *Clouds) *Clouds { return r.through("encode", c, "x") }

// Decode returns the clouds of codes.
func (r *Run) Decode(codes *Clouds) *Clouds { return r.through("decode", codes, "points") }

// Reconstruct decodes the codes of clouds.
func (r *Run) Reconstruct(c *Clouds) *Clouds { return r.Decode(r.Encode(c)) }

func (r *Run) through(function string, c *Clouds, array string) *Clouds {
	weights := Set("weights", r.Folder+"/"+r.state+".safetensors")
	return cloudsOf(call(function, []Option{weights}, c.input("x")), array)
}

// cloudsOf are clouds that a call has found.
func cloudsOf(f *client.Found, array string) *Clouds {
	s := f.Shape(array)
	return &Clouds{Count: s[0], Points: s[1], Dim: s[2], found: f, points: array}
}

// Generator is what [Generate] has trained.
type Generator struct {
	Codes  *Clouds   // that it has drawn
	Losses []float64 // mean SW² by epoch
}

// Generate trains a network that turns noise into codes distributed like the given ones, by SW² between both along new
// directions in every step, and draws n codes.
func Generate(codes *Clouds, n int, o ...Option) *Generator {
	f := call("generate", append([]Option{Set("n", n)}, o...), codes.input("x"))
	return &Generator{cloudsOf(f, "x"), client.Values[float64](f, "losses")}
}

// Displacement moves every point of a cloud to its partner in the optimal assignment of W₂; see [Plan.Move].
func Displacement(from, to *Clouds, times ...float64) *Clouds {
	return EMD(from, to).Plan().Move(times...)
}

// Turned turns a cloud around its z axis: a cloud for each angle, in degrees.
func (c *Clouds) Turned(degrees ...float64) *Clouds {
	var out []float32
	for _, angle := range degrees {
		sin, cos := math.Sincos(angle * math.Pi / 180)
		for _, p := range c.Rows() {
			p[0], p[1] = cos*p[0]+sin*p[1], cos*p[1]-sin*p[0]
			for _, v := range p {
				out = append(out, float32(v))
			}
		}
	}
	return made("", out, len(degrees), c.Points, c.Dim)
}

// Products are the inner products of the points with a vector; with a unit vector, their places along it.
func (c *Clouds) Products(v []float64) (all []float64) {
	for p := range slices.Chunk(c.Coordinates(), c.Dim) {
		product := 0.0
		for k, x := range p {
			product += float64(x) * v[k]
		}
		all = append(all, product)
	}
	return all
}

// Strip draws each of several sets of clouds as a row, with its name, at most six of them.
func Strip(rows ...*Clouds) *Picture { return Film(nil, rows...) }

// Film is Strip of clouds on their way, with titles above the columns: the first of a row has the colour of a cloud X, the last
// that of Y. Without titles it is Strip.
func Film(titles []string, rows ...*Clouds) *Picture {
	var labels []string
	var in []client.Input
	for i, c := range rows {
		labels, in = append(labels, c.Name), append(in, c.input(fmt.Sprint("x", i)))
	}
	return drawTitled("clouds", labels, titles, in...)
}

// Called returns the clouds under another name.
func (c *Clouds) Called(name string) *Clouds {
	d := *c
	d.Name = name
	return &d
}

// Interval is a row of [Differences]: a difference between Low and High, in per cent. Repeats, such as the differences of
// several seeds, are rings on the line of their own 95 % interval (Student's t). A row of Repeats alone is between its ends.
type Interval struct {
	Label     string
	Low, High float64
	Repeats   []float64
}

// Differences draws 95 % intervals of differences from a reference, sorted, with their ends in numbers. Smaller is better.
func Differences(quantity, reference string, rows ...Interval) *Picture {
	text, err := json.Marshal(rows)
	client.Check(err)
	return draw("differences", map[string]string{"x": quantity, "y": reference, "rows": string(text)})
}

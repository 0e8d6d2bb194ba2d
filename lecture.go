package lab

import (
	_ "embed" // embeds the page
	"encoding/json"
	"fmt"
	"math"
	"os"
	"strconv"
	"strings"

	"github.com/sliced-wasserstein/lab/internal/canvas"
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
	r := newRequest("slice_costs", nil)
	r.Settings["blur"] = blur
	r.inputs = append(r.inputs, d.x.input("x"), d.y.input("y"), rawInput("directions", flat, len(directions), len(flat)/max(1, len(directions))))
	return values[float64](ask(r).array("values"))
}

// Landscape is a function of all directions with its picture: F, the cost of a slice, or its mean around every
// direction.
type Landscape struct {
	*Picture
	Mean            float64   // over all directions
	Lowest, Highest float64   // its smallest and largest value
	Worst, Best     []float64 // where they are
	found           *found
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
	var all []string
	for _, k := range kappa {
		all = append(all, fmt.Sprint(k))
	}
	settings := map[string]string{"blur": strings.Join(all, ",")}
	in := []input{d.x.input("x"), d.y.input("y")}
	r := newRequest("landscape", nil)
	r.inputs = append(r.inputs, in...)
	r.Settings["blur"] = all[0]
	f := ask(r)
	if d.found.has("location") {
		in = append(in, input{name: "location", of: d.found, array: "location"})
	}
	l := &Landscape{Picture: draw("landscape", settings, in...), found: f, of: d, blur: r.Settings["blur"], Mean: f.number("mean"),
		Lowest: f.number("lowest"), Highest: f.number("highest")}
	for at, name := range map[*[]float64]string{&l.Worst: "lowest_at", &l.Best: "highest_at"} {
		for _, v := range values[float32](f.array(name)) {
			*at = append(*at, float64(v))
		}
	}
	return l
}

// At is its value at a direction of any length but 0.
func (l *Landscape) At(theta ...float64) float64 { return along(l.of, l.blur, [][]float64{theta})[0] }

// Values are its values on a grid of directions: of the circle, at 720 angles from 0; of the sphere, SphereGrid(64) of
// package vmfviz.
func (l *Landscape) Values() []float64 { return values[float64](l.found.array("values")) }

// Data is a curve of [Curves].
type Data struct {
	Label string    `json:"label"`
	X, Y  []float64 `json:"-"`
	Err   []float64 `json:"-"`    // standard errors of Y; nil: none
	Dots  bool      `json:"dots"` // measured: discs, with bars of Err
	Thin  bool      `json:"thin"` // a theory: a thin line
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

// Curves draws curves. An axis is logarithmic where its values are positive and span a factor of 100.
func Curves(xLabel, yLabel string, curves ...Data) *Picture {
	lines, err := json.Marshal(curves)
	check(err)
	var in []input
	for i, c := range curves {
		for name, v := range map[string][]float64{"x": c.X, "y": c.Y, "e": c.Err} {
			if v != nil {
				in = append(in, rawInput(name+strconv.Itoa(i), v, len(v)))
			}
		}
	}
	return draw("curves", map[string]string{"x": xLabel, "y": yLabel, "lines": string(lines)}, in...)
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

//go:embed predict.html
var predictPage string

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
func (p *Prediction) Show() {
	page, err := canvas.Page(predictPage, p.String(), p)
	check(err)
	display(page, p.String())
}

// captioned is a caption as HTML.
func captioned(text string) string {
	return `<figcaption class="swlab-caption" style="max-width:56em;opacity:.85">` + escape(text) + "</figcaption>"
}
